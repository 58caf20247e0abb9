#include "data/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/text.h"
#include "data/table.h"
#include "formats/json_text.h"

namespace mgdm::data {
namespace {

using nlohmann::json;

std::string words_of(const Keys& keys) {
  std::vector<std::string> words;
  for (const auto& [puzzle, answer] : keys) words.push_back(puzzle + " and " + answer);
  return joined_or(words);
}

// Returns none unless the value is a string or a number.
std::optional<std::string> text_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  return std::nullopt;
}

// Returns the strings of a list, or a single string as a list of one.
std::vector<std::string> texts_of(const std::string& name, const json& value) {
  std::vector<std::string> texts;
  for (const json& each : value.is_array() ? value : json::array({value})) {
    auto text = text_of(each);
    if (!text)
      throw Error(fmt::format("'{}' is {}", name, shortened(value.dump(), 60)),
                  "a string, or a list of strings");
    texts.push_back(*std::move(text));
  }
  return texts;
}

tasks::Example example_of(const json& object, const Keys& keys) {
  for (const auto& [puzzle, answer] : keys) {
    const auto input = object.find(puzzle), output = object.find(answer);
    if (input == object.end()) continue;
    tasks::Example example{joined_by(texts_of(puzzle, *input), "\n"), ""};
    if (output == object.end() || output->is_null()) return example;
    std::vector<std::string> answers = texts_of(answer, *output);
    if (input->is_array() && output->is_array()) {
      example.output = joined_by(answers, "\n");
    } else if (!answers.empty()) {
      example.output = std::move(answers.front());
      example.also.assign(answers.begin() + 1, answers.end());
    }
    return example;
  }
  throw Error("the line has no puzzle by any of the names", words_of(keys),
              "other names by keys, as in question=answer");
}

void read_jsonl(const std::string& path, const Keys& keys, const UseExample& use,
                const OnBadLine& on_bad) {
  LineReader lines(path, Reading::kOnce);
  for (std::string_view line; lines.next(line);) {
    if (trim(line).empty()) continue;
    auto example = unless_bad(on_bad, [&] {
      return with_location(path, lines.line_number(), [&] {
        const json object = formats::parse_json(line);
        if (!object.is_object())
          throw Error(fmt::format("{} is not a JSON object", in_quotes(line)),
                      "one in each line, such as {\"input\": \"...\", \"output\": \"...\"}");
        return example_of(object, keys);
      });
    });
    if (example) use({*std::move(example), lines.line_number()});
  }
}

// The columns of a table that are puzzles and answers.
struct Columns {
  std::size_t puzzle = 0;
  std::optional<std::size_t> answer = 1;

  static std::optional<Columns> of(const std::vector<std::string>& header, const Keys& keys) {
    for (const auto& [puzzle, answer] : keys)
      if (const auto column = column_named(puzzle, header))
        return Columns{*column, column_named(answer, header)};
    return std::nullopt;
  }

  tasks::Example of(const std::vector<std::string>& row) const {
    if (std::max(puzzle, answer.value_or(0)) >= row.size())
      throw Error(fmt::format("the row has {} columns", row.size()),
                  fmt::format("at least {}", std::max(puzzle, answer.value_or(0)) + 1));
    return {row[puzzle], answer ? row[*answer] : ""};
  }
};

void read_table(const std::string& path, const TableForm& form, const Keys& keys,
                const UseExample& use, const OnBadLine& on_bad) {
  TableReader table(path, form, Reading::kOnce);
  std::optional<Columns> columns;
  for (std::vector<std::string> row; table.next(row);) {
    if (!columns) {
      columns = Columns::of(row, keys);
      if (columns) continue;
      columns.emplace();
    }
    auto example = unless_bad(on_bad, [&] {
      return with_location(path, table.line_number(), [&] { return columns->of(row); });
    });
    if (example) use({*std::move(example), table.line_number()});
  }
}

enum class Kind { kJsonl, kTable, kLines };
struct Form {
  Kind kind = Kind::kLines;
  TableForm table = {};
};

// Recognises the form by the first line that is not blank.
Form form_of(const std::string& path, const Keys& keys) {
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    if (trim(line).empty()) continue;
    if (formats::parse_json(line).is_object()) return {Kind::kJsonl};
    if (line.find('\t') != std::string_view::npos) return {Kind::kTable, {'\t', /*quotes=*/false}};
    for (const char separator : {',', ';'})
      if (Columns::of(csv_cells(line, separator), keys)) return {Kind::kTable, {separator}};
    return {};
  }
  return {};
}

}  // namespace

void for_each_text(const std::string& path, const Keys& keys, const UseExample& use,
                   const OnBadLine& on_bad) {
  const Form form = form_of(path, keys);
  if (form.kind == Kind::kJsonl) return read_jsonl(path, keys, use, on_bad);
  if (form.kind == Kind::kTable) return read_table(path, form.table, keys, use, on_bad);
  LineReader lines(path, Reading::kOnce);
  for (std::string_view line; lines.next(line);)
    if (!line.empty()) use({{std::string(line), ""}, lines.line_number()});
}

}  // namespace mgdm::data
