#include "formats/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "formats/json_tree.h"
#include "formats/sudoku_cells.h"

namespace mgdm::formats {
namespace {

using Form = Record::Form;
using LinesAre = Rules::Lines;

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 20 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "Grid 01", "7", "a,b": what stands before a puzzle and is none. A puzzle with a slip is no title.
bool may_be_title(std::string_view line) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool word = std::ranges::adjacent_find(
                        line, [&](char a, char b) { return letter(a) && letter(b); }) != line.end();
  const bool names = std::ranges::any_of(line, letter) &&
                     line.find_first_of("/0123456789") == std::string_view::npos;
  return ((word || names) && !looks_like_cells(line)) || is_number(line);
}

constexpr const char* kJsonExpected =
    "one JSON object per line, such as {\"input\": \"...\", \"output\": \"...\"}";
constexpr std::size_t kMostValue = std::size_t{8} << 20;  // bytes of one JSON value

class Reader {
 public:
  Reader(const std::string& path, const Rules& rules, const UseRecord& use, const OnBadLine& on_bad,
         Reading reading)
      : window_(path, reading), rules_(rules), use_(use), on_bad_(on_bad) {}

  void run() {
    while (true) {
      if (columns_.empty() && takes_json_ && json()) continue;
      std::string_view line;
      if (!window_.next_line(line, line_ + 1)) break;
      after_value_ = false;
      ++line_;
      take_line(line);
    }
    if (!row_.empty()) complain(row_line_, Error("a quote that nothing closes"));
    give_held();
    end_grid();
    give_title();
  }

 private:
  bool is(LinesAre lines) const { return rules_.lines == lines; }
  bool finds_grids() const { return is(LinesAre::kAny) || is(LinesAre::kSudoku); }
  bool holds_puzzles() const { return finds_grids() || is(LinesAre::kOther); }

  void complain(std::size_t line, const Error& error) {
    unless_bad(on_bad_,
               [&] { return with_location(window_.path(), line, [&]() -> bool { throw error; }); });
  }

  // Hands over a record with one text that has no name.
  void give(std::string_view text, std::size_t line, Form form = Form::kLine) {
    fields_ = 1;
    field(0, "").text = text;
    give(line, form);
  }
  void give(std::size_t line, Form form) {
    record_.fields.resize(fields_);
    record_.line = line;
    record_.form = form;
    use_(record_);
  }
  Field& field(std::size_t i, std::string_view name) {
    if (record_.fields.size() <= i) record_.fields.resize(i + 1);
    Field& found = record_.fields[i];
    found.name = name;
    found.text.clear();
    found.is_text = true;
    found.items.clear();
    return found;
  }

  // JSON.

  // The first character at or behind `at` that is no space; 0 at the end of the file.
  char peek(std::size_t& at, std::string_view passed_over = " \t\r") {
    while (true) {
      const std::string_view text = window_.text();
      while (at < text.size() && passed_over.find(text[at]) != std::string_view::npos) ++at;
      if (at < text.size()) return text[at];
      if (!window_.more()) return 0;
    }
  }

  // Takes a value, or what stands between two, if that comes next.
  bool json() {
    std::size_t at = 0;
    if (after_value_) {
      const char c = peek(at, " \t\r,]");
      window_.consume(std::exchange(at, 0));
      after_value_ = c != '\n';
      if (c == '\n') pass_over(1);
    }
    const char c = peek(at);
    if (c == '[') {
      std::size_t inside = at + 1;
      if (peek(inside, " \t\r\n") == '{') {  // its items are taken one by one
        pass_over(inside);
        return in_list_ = true;
      }
    }
    const bool list = c == '[' && holds_puzzles(), item = in_list_ && c == '"';
    if (c == '{' || item || (list && !is_row(at))) return value(at, c);
    // Files of text and of answers are of JSON from the first line on, or not at all.
    if (!holds_puzzles() && c != '\n' && c != 0) takes_json_ = seen_json_;
    return false;
  }

  // Whether a list is a row of a Sudoku, of which the others follow in the next lines.
  bool is_row(std::size_t at) {
    constexpr std::size_t kLongest = 1000;
    const std::string_view text = window_.text().substr(at, kLongest);
    const std::string_view line = text.substr(0, text.find('\n'));
    return finds_grids() && line.size() < kLongest && is_sudoku_row(line);
  }

  bool value(std::size_t at, char first) {
    JsonTree::Result result = tree_.parse(window_.text().substr(at));
    while (result == JsonTree::Result::kUnfinished && window_.text().size() < kMostValue &&
           window_.more())
      result = tree_.parse(window_.text().substr(at));
    text_ = window_.text().substr(at);
    const bool large = result == JsonTree::Result::kUnfinished && text_.size() >= kMostValue;
    if (large && first == '[') {  // no list of this size is one puzzle
      pass_over(at + 1);
      return in_list_ = true;
    }
    if (result != JsonTree::Result::kValue) {
      if (first == '[') return false;
      if (is(LinesAre::kText) && !seen_json_) return takes_json_ = false;
      skip_wrong(at, large);
      return true;
    }
    if (first == '[') {  // "[44, 19, 35] -> 98" is no JSON
      std::size_t behind = at + tree_.size();
      if (std::string_view("\n,][{").find(peek(behind)) == std::string_view::npos &&
          behind < window_.text().size())
        return false;
      if (window_.text().data() + at != text_.data()) {
        text_ = window_.text().substr(at);
        tree_.parse(text_);
      }
    }
    end_grid();
    give_title();
    seen_json_ = after_value_ = true;
    held_.clear();
    counted_ = 0;
    value_line_ = line_ + 1;
    walk(0);
    line_ += tree_.line_ends();
    window_.consume(at + tree_.size());
    return true;
  }

  // Complains, and goes on behind what is wrong: at the next line that begins with an object, at
  // the next object of a list, or behind the line.
  void skip_wrong(std::size_t at, bool large) {
    const std::string_view begin = text_.substr(0, text_.find('\n'));
    complain(line_ + 1,
             large ? Error("the JSON value is larger than 8 MiB", "one puzzle in each")
                   : Error(fmt::format("{} is not JSON", in_quotes(begin)), kJsonExpected));
    seen_json_ = true;
    const std::size_t wrong = std::max<std::size_t>(tree_.size(), 1);
    std::size_t next = text_.find("\n{");
    if (next >= wrong) next = text_.find_first_of(in_list_ ? "\n{" : "\n", wrong);
    after_value_ = next != std::string_view::npos && text_[next] == '{';
    if (next != std::string_view::npos) return pass_over(at + next + (after_value_ ? 0 : 1));
    pass_over(window_.text().size());
    std::string_view rest;  // of a line that is longer than what is at hand
    if (window_.next_line(rest, line_ + 1)) ++line_;
  }

  void pass_over(std::size_t bytes) {
    line_ += static_cast<std::size_t>(std::ranges::count(window_.text().substr(0, bytes), '\n'));
    window_.consume(bytes);
  }

  bool is_simple(std::size_t node) const { return !tree_.holds_others(node); }

  void walk(std::size_t node) {
    const std::size_t line = line_of(node);
    if (is_simple(node)) {
      if (tree_.kind(node) == JsonTree::Kind::kString) give_simple(tree_.text(node), line);
      return;
    }
    if (tree_.kind(node) == JsonTree::Kind::kList) {
      Field& list = field(0, "");
      fill(list, node);
      if (list.is_text && is_one_puzzle(list, node)) {
        fields_ = 1;
        return give(line, Form::kJson);
      }
      for (const std::size_t child : tree_.children(node)) walk(child);
      return;
    }
    const bool nested = fill_members(node);
    if (!nested) return give(line, Form::kJson);
    if (!is(LinesAre::kText) && columns(node, line)) return;
    if (has_puzzle()) return give(line, Form::kJson);
    bool any = false;
    for (std::size_t key = node + 1; key < tree_.next(node); key = tree_.next(key + 1)) {
      if (is_simple(key + 1)) continue;
      any |= !is(LinesAre::kText);
      if (any) walk(key + 1);
    }
    if (!any) give(line, Form::kJson);
  }

  // Returns whether a member is an object or a list.
  bool fill_members(std::size_t node) {
    bool nested = false;
    fields_ = 0;
    for (std::size_t key = node + 1; key < tree_.next(node); key = tree_.next(key + 1)) {
      Field& member = field(fields_++, "");
      tree_.text(key, member.name);
      fill(member, key + 1);
      nested |= !is_simple(key + 1);
    }
    record_.fields.resize(fields_);
    record_.form = Form::kJson;
    return nested;
  }

  // Whether the members of an object are a record, not more of them in there.
  bool has_puzzle() const {
    if (!is(LinesAre::kAnswers)) return puzzle_of(record_, rules_).has_value();
    return std::ranges::any_of(record_.fields, [&](const Field& each) {
      return each.is_text && (is_name(each.name) || each.name == "error");
    });
  }

  // A string that stands alone, which may be a row of a grid.
  void give_simple(const std::string& text, std::size_t line) {
    if (finds_grids() && text.find('\n') == std::string::npos)
      take_puzzle_line(text, line);
    else
      give(text, line, Form::kJson);
  }

  // The members of an object that are lists of one length are columns, or objects of as many
  // members.
  bool columns(std::size_t node, std::size_t line) {
    std::vector<std::pair<std::string, std::vector<std::size_t>>> all;
    for (std::size_t key = node + 1; key < tree_.next(node); key = tree_.next(key + 1)) {
      if (is_simple(key + 1)) return false;
      std::vector<std::size_t> items = tree_.children(key + 1);
      if (tree_.kind(key + 1) == JsonTree::Kind::kObject)
        for (std::size_t& item : items) ++item;  // from its key
      if (items.size() < 2 || (!all.empty() && items.size() != all.front().second.size()))
        return false;
      all.emplace_back(tree_.text(key), std::move(items));
    }
    if (all.size() < 2) return false;
    const auto whole = puzzle_of(record_, rules_);
    if (whole && find_sudoku(whole->puzzle)) return false;
    fields_ = 0;
    for (const auto& [name, items] : all) fill(field(fields_++, name), items.front());
    record_.fields.resize(fields_);
    const auto first = puzzle_of(record_, rules_);
    if (is(LinesAre::kAnswers) ? !has_puzzle() : !first || is_number(first->puzzle)) {
      fill_members(node);
      return false;
    }
    for (std::size_t row = 0; row < all.front().second.size(); ++row) {
      fields_ = 0;
      for (const auto& [name, items] : all) fill(field(fields_++, name), items[row]);
      give(line, Form::kJson);
    }
    return true;
  }

  // Numbers, a grid, or numbers and a target: not several puzzles.
  bool is_one_puzzle(const Field& list, std::size_t node) const {
    if (is(LinesAre::kText)) return true;
    if (find_sudoku(list.text)) return true;
    const auto children = tree_.children(node);
    const auto number = [&](std::size_t child) {
      return tree_.kind(child) == JsonTree::Kind::kNumber;
    };
    const bool numbers = std::ranges::all_of(children, number);
    return numbers || is_pair(children);
  }

  // "[[4, 5, 6, 10], 24]"
  bool is_pair(const std::vector<std::size_t>& children) const {
    return children.size() == 2 && tree_.kind(children[0]) == JsonTree::Kind::kList &&
           tree_.kind(children[1]) == JsonTree::Kind::kNumber;
  }

  // The text of a value: a list of numbers with commas, a list of strings or of lists as lines.
  void fill(Field& to, std::size_t node) {
    if (is_simple(node)) {
      const bool nothing = tree_.kind(node) == JsonTree::Kind::kWord;
      if (!nothing) tree_.text(node, to.text);
      return;
    }
    to.is_text = tree_.kind(node) == JsonTree::Kind::kList;
    if (!to.is_text) {
      to.text = tree_.raw(node);
      return;
    }
    const std::vector<std::size_t> children = tree_.children(node);
    const bool pair = is_pair(children);
    const bool lines =
        is(LinesAre::kText) ||
        (depth_ == 0 && !pair && std::ranges::any_of(children, [&](std::size_t child) {
           return tree_.kind(child) != JsonTree::Kind::kNumber &&
                  tree_.kind(child) != JsonTree::Kind::kWord;
         }));
    for (const std::size_t child : children) {
      Field item;
      if (!is_simple(child) &&
          (is(LinesAre::kText) || tree_.kind(child) == JsonTree::Kind::kObject || depth_ > 0)) {
        to.is_text = false;
        return;
      }
      ++depth_;
      fill(item, child);
      --depth_;
      if (!item.is_text) {
        to.is_text = false;
        return;
      }
      if (child != children.front()) to.text += lines ? "\n" : ",";
      to.text += item.text;
      to.items.push_back(std::move(item.text));
    }
  }

  // Nodes are asked for in the order of the text.
  std::size_t line_of(std::size_t node) {
    if (tree_.line_ends() == 0) return value_line_;
    const auto at = static_cast<std::size_t>(tree_.raw(node).data() - text_.data());
    if (at > counted_)
      value_line_ +=
          static_cast<std::size_t>(std::ranges::count(text_.substr(counted_, at - counted_), '\n'));
    counted_ = std::max(counted_, at);
    return value_line_;
  }

  // Lines.

  void take_line(std::string_view line) {
    if (!columns_.empty()) return take_row(line);
    const std::string_view said = trim(line);
    const bool comment = said.starts_with('#') && !is(LinesAre::kText);
    if (seen_json_ && said.find_first_not_of("[],") == std::string_view::npos) return;
    if (is(LinesAre::kAnswers) && first_ && (said.empty() || comment)) {
      held_.emplace_back(said, line_);  // before what, the first line that says more decides
      return;
    }
    if (!said.empty() && !comment && std::exchange(first_, false) && begins_table(line))
      return held_.clear();
    if (holds_puzzles()) {
      if (!comment) take_puzzle_line(line, line_);
    } else if (seen_json_) {
      complain(line_,
               Error(fmt::format("{} is not a JSON object", in_quotes(line)), kJsonExpected));
    } else if (is(LinesAre::kAnswers)) {
      take_answer(said);
    } else if (!line.empty()) {
      give(line, line_);
    }
  }

  // A line of names before Sudokus in columns is no answer.
  void take_answer(std::string_view said) {
    give_held();
    const bool columns = said.find_first_of(",;") != std::string_view::npos;
    if (columns && sudoku_in_line(said)) title_.reset();
    give_title();
    if (!std::exchange(any_, true) && columns && may_be_title(said)) {
      title_ = said;
      title_line_ = line_;
    } else {
      give(said, line_);
    }
  }
  void give_held() {
    for (const auto& [line, number] : std::exchange(held_, {})) give(line, number);
  }

  // Whether the line names the columns of the rows below it.
  bool begins_table(std::string_view line) {
    const bool tabs = line.find('\t') != std::string_view::npos;
    for (const char separator : {'\t', ',', ';'}) {
      quotes_ = !(is(LinesAre::kText) && separator == '\t');
      std::vector<std::string> cells = cells_of(line, separator);
      separator_ = separator;
      if (std::ranges::any_of(cells, [&](const std::string& cell) { return is_name(cell); }) &&
          (is(LinesAre::kAnswers) || cells.size() > 1)) {
        columns_ = std::move(cells);
        return true;
      }
      if (is(LinesAre::kText) && tabs) break;  // a puzzle and its answer
    }
    if (!is(LinesAre::kText) || !tabs) return false;
    columns_ = {rules_.keys.front().first, rules_.keys.front().second};
    at_least_ = true;
    take_row(line);
    return true;
  }

  bool is_name(std::string_view cell) const {
    if (is(LinesAre::kAnswers) && same_name(cell, "predict")) return true;
    return std::ranges::any_of(rules_.keys, [&](const auto& pair) {
      return same_name(cell, is(LinesAre::kAnswers) ? pair.second : pair.first);
    });
  }

  std::vector<std::string> cells_of(std::string_view row, char separator) const {
    if (quotes_) return csv_cells(row, separator);
    const std::vector<std::string_view> cells = split(row, separator);
    return {cells.begin(), cells.end()};
  }

  void take_row(std::string_view line) {
    if (row_.empty()) {
      const std::string_view said = trim(line);
      if (said.empty() || (said.starts_with('#') && !is(LinesAre::kText))) return;
      row_line_ = line_;
    }
    if (quotes_) {
      constexpr std::size_t kMost = std::size_t{1} << 20;  // bytes of a row with open quotes
      row_ += line;
      if (std::ranges::count(line, '"') % 2 == 1) open_ = !open_;
      if (open_ && row_.size() < kMost) {
        row_ += '\n';
        return;
      }
      line = row_;
    }
    const bool open = std::exchange(open_, false);
    std::vector<std::string> cells = cells_of(line, separator_);
    while (cells.size() > columns_.size() && cells.back().empty()) cells.pop_back();
    row_.clear();
    if (open) return complain(row_line_, Error("a quote that nothing closes"));
    if (cells.size() < columns_.size() || (cells.size() > columns_.size() && !at_least_))
      return complain(row_line_, Error(fmt::format("the row has {} columns", cells.size()),
                                       fmt::format("{}, as in the first line", columns_.size())));
    fields_ = columns_.size();
    for (std::size_t i = 0; i < fields_; ++i) field(i, columns_[i]).text = cells[i];
    give(row_line_, Form::kTable);
  }

  void take_puzzle_line(std::string_view line, std::size_t number) {
    const std::string_view said = trim(line);
    if (finds_grids()) {
      if (!grid_.begun() && sudoku_in_line(said)) {
        drop_title(/*before_grid=*/false);
        return give(said, number);
      }
      const auto took = grid_.add(line, number);
      if (took == SudokuGrid::Took::kRow) {
        grid_lines_.emplace_back(line, number);
        drop_title(/*before_grid=*/true);
        if (grid_.complete()) end_grid();
      }
      if (took != SudokuGrid::Took::kNothing) return;
      if (grid_.begun()) {
        end_grid();
        return take_puzzle_line(line, number);
      }
    }
    if (said.empty()) return;
    if (title_ && is_number(*title_) && title_is_first_ && !is_number(said)) title_.reset();
    give_title();
    const bool first = !std::exchange(any_, true);
    if (finds_grids() ? may_be_title(said) : first && is_number(said)) {
      title_ = said;
      title_line_ = number;
      title_is_first_ = first;
    } else {
      give(said, number);
    }
  }

  // A title stands before a grid, or before all puzzles. Others are given as the lines that they
  // are.
  void drop_title(bool before_grid) {
    any_ = true;
    if (before_grid || title_is_first_) title_.reset();
    give_title();
  }
  void give_title() {
    if (!title_) return;
    const std::string title = *std::exchange(title_, std::nullopt);
    give(title, title_line_);
  }

  void end_grid() {
    if (!grid_.begun()) return;
    const SudokuGrid grid = std::exchange(grid_, {});
    const auto lines = std::exchange(grid_lines_, {});
    if (!grid.complete() && grid.may_be_numbers() && !is(LinesAre::kSudoku)) {
      for (const auto& [line, number] : lines) give(trim(line), number);
      return;
    }
    const auto puzzle = unless_bad(on_bad_, [&] {
      return with_location(window_.path(), grid.line(), [&] { return grid.puzzle(); });
    });
    if (puzzle) give(*puzzle, grid.first_line(), Form::kGrid);
  }

  TextWindow window_;
  const Rules& rules_;
  const UseRecord& use_;
  const OnBadLine& on_bad_;
  std::size_t line_ = 0;  // lines that are behind us
  Record record_;         // of which the first fields_ are filled
  std::size_t fields_ = 0;

  JsonTree tree_;
  std::string_view text_;  // of the tree
  std::size_t value_line_ = 0, counted_ = 0, depth_ = 0;
  bool takes_json_ = true, seen_json_ = false;
  bool after_value_ = false;  // on the same line
  bool in_list_ = false;      // whose items are taken one by one

  bool first_ = true;                 // no line has said anything yet
  std::vector<std::string> columns_;  // of a table
  char separator_ = ',';
  bool quotes_ = true, open_ = false, at_least_ = false;
  std::string row_;  // the lines of a row so far
  std::size_t row_line_ = 0;

  SudokuGrid grid_;
  std::vector<std::pair<std::string, std::size_t>> grid_lines_;
  std::vector<std::pair<std::string, std::size_t>> held_;  // blank answers, perhaps
  bool any_ = false;                                       // whether any puzzle or line was given
  std::optional<std::string> title_;                       // perhaps: what follows decides
  std::size_t title_line_ = 0;
  bool title_is_first_ = false;
};

}  // namespace

void for_each_record(const std::string& path, const Rules& rules, const UseRecord& use,
                     const OnBadLine& on_bad, Reading reading) {
  Reader(path, rules, use, on_bad, reading).run();
}

}  // namespace mgdm::formats
