#include "formats/dimacs.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>

#include "base/error.h"
#include "base/text.h"

namespace mgdm::formats {
namespace {

constexpr int kLargestNumber = std::numeric_limits<int>::max();

// The lines of a text that are not blank and not comments, with the position for messages.
class Lines {
 public:
  Lines(std::string_view text, std::string_view file)
      : rest_(without_bom(text)), file_(file), one_(trim(text).find('\n') == text.npos) {}

  bool next(std::string_view& line) {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      line = trim(rest_.substr(0, end));
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      ++number_;
      if (!line.empty() && line.front() != 'c') return true;
    }
    return false;
  }

  std::size_t number() const { return number_; }

  [[noreturn]] void fail(const std::string& seen, const std::string& expected) const {
    fail_at(number_, seen, expected);
  }
  [[noreturn]] void fail_at(std::size_t line, const std::string& seen,
                            const std::string& expected) const {
    throw Error(place(line == 0 ? 1 : line) + seen, expected);
  }

 private:
  std::string place(std::size_t line) const {
    if (!file_.empty()) return at(file_, line);
    return one_ ? "" : fmt::format("line {}: ", line);
  }

  std::string_view rest_;
  std::string_view file_;
  bool one_;  // there is only one line, which needs no number
  std::size_t number_ = 0;
};

// Takes the first word off `line`; empty at its end.
std::string_view take_word(std::string_view& line) {
  line = trim(line);
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r\v\f"));
  line.remove_prefix(word.size());
  return word;
}

[[noreturn]] void fail_literal(std::string_view word, int limit, const Lines& lines) {
  const std::string_view digits = word.substr(word.starts_with('-') ? 1 : 0);
  const bool number = !digits.empty() && digits.find_first_not_of("0123456789") == digits.npos;
  lines.fail(number ? fmt::format("the literal {} is out of range", in_quotes(word))
                    : fmt::format("{} is not a number", in_quotes(word)),
             fmt::format("literals from -{0} to {0}, and 0 at the end", limit));
}

// A literal, at most `limit` in size, or the closing 0.
int literal_of(std::string_view word, int limit, const Lines& lines) {
  const std::optional<std::int64_t> value = parse_int(word);
  if (!value || *value > limit || *value < -std::int64_t{limit}) fail_literal(word, limit, lines);
  return static_cast<int>(*value);
}

struct Header {
  int variables;
  std::int64_t clauses;
  std::size_t line;
};

Header read_header(std::string_view line, const Lines& lines) {
  const std::string expected =
      fmt::format("'p cnf VARIABLES CLAUSES', at most {} each", kLargestNumber);
  const std::string seen = fmt::format("cannot read the header {}", in_quotes(line));
  const std::string_view p = take_word(line), cnf = take_word(line);
  const auto variables = parse_int(take_word(line)), clauses = parse_int(take_word(line));
  const bool fits = variables && *variables >= 0 && *variables <= kLargestNumber &&  //
                    clauses && *clauses >= 0 && *clauses <= kLargestNumber;
  if (p != "p" || cnf != "cnf" || !fits || !trim(line).empty()) lines.fail(seen, expected);
  return {static_cast<int>(*variables), *clauses, lines.number()};
}

std::optional<SolverAnswer::Status> status_of(std::string_view word) {
  using Status = SolverAnswer::Status;
  if (word == "SATISFIABLE" || word == "SAT") return Status::kSatisfiable;
  if (word == "UNSATISFIABLE" || word == "UNSAT") return Status::kUnsatisfiable;
  if (word == "UNKNOWN" || word == "INDET" || word == "INDETERMINATE") return Status::kUnknown;
  return std::nullopt;
}

std::string clauses_text(std::int64_t count) {
  return fmt::format("{} clause{}", count, count == 1 ? "" : "s");
}

}  // namespace

Cnf read_dimacs(std::string_view text, std::string_view file) {
  const std::string header_first = "the header 'p cnf VARIABLES CLAUSES' before the clauses";
  Lines lines(text, file);
  std::optional<Header> header;
  Cnf cnf;
  bool open = false;           // inside a clause
  std::size_t open_since = 0;  // the line where it began

  for (std::string_view line; lines.next(line) && line.front() != '%';) {
    if (line.front() == 'p') {
      if (header)
        lines.fail("a second header",
                   fmt::format("one header; the first is in line {}", header->line));
      header = read_header(line, lines);
      cnf.variables = header->variables;
      continue;
    }
    if (!header) lines.fail(fmt::format("no header before {}", in_quotes(line)), header_first);
    for (std::string_view word; !(word = take_word(line)).empty();) {
      const int literal = literal_of(word, cnf.variables, lines);
      if (!open && static_cast<std::int64_t>(cnf.size()) == header->clauses)
        lines.fail("more clauses than the header promises",
                   fmt::format("{} (line {})", clauses_text(header->clauses), header->line));
      if (!open) open_since = lines.number();
      open = literal != 0;
      if (open)
        cnf.literals.push_back(literal);
      else
        cnf.ends.push_back(cnf.literals.size());
    }
  }

  if (!header) lines.fail("no header", header_first);
  if (open) lines.fail_at(open_since, "the clause that begins here does not end", "0 at its end");
  const auto found = static_cast<std::int64_t>(cnf.size());
  if (found != header->clauses)
    lines.fail_at(header->line,
                  fmt::format("the header promises {}", clauses_text(header->clauses)),
                  fmt::format("{}, as many as follow", found));
  return cnf;
}

std::string write_dimacs(const Cnf& cnf) {
  std::string out = fmt::format("p cnf {} {}\n", cnf.variables, cnf.size());
  for (std::size_t clause = 0; clause < cnf.size(); ++clause) {
    for (const int literal : cnf[clause]) {
      out += std::to_string(literal);
      out += ' ';
    }
    out += "0\n";
  }
  return out;
}

SolverAnswer read_solver_answer(std::string_view text, std::string_view file) {
  using Status = SolverAnswer::Status;
  Lines lines(text, file);
  SolverAnswer answer;
  std::size_t status_line = 0, values_line = 0;  // 0: not seen
  bool closed = false, minisat = false;

  for (std::string_view line; lines.next(line);) {
    const std::string_view whole = line;
    const bool bare = status_of(line) && status_line == 0;  // as MiniSat writes it
    const std::string_view kind = bare ? "s" : minisat ? "v" : take_word(line);
    minisat |= bare;
    if (kind == "s") {
      if (status_line != 0) lines.fail("a second 's' line", "one");
      status_line = lines.number();
      line = trim(line);
      const auto status = status_of(line);
      if (!status)
        lines.fail(fmt::format("unknown status {}", in_quotes(line)),
                   "SATISFIABLE, UNSATISFIABLE or UNKNOWN");
      answer.status = *status;
    } else if (kind == "v") {
      if (values_line == 0) values_line = lines.number();
      for (std::string_view word; !(word = take_word(line)).empty();) {
        if (closed) lines.fail(fmt::format("{} after the closing 0", in_quotes(word)), "nothing");
        const int literal = literal_of(word, kLargestNumber, lines);
        closed = literal == 0;
        if (!closed) answer.literals.push_back(literal);
      }
    } else {
      lines.fail(fmt::format("cannot read {}", in_quotes(whole)),
                 "a line of a solver's answer: 's STATUS', 'v LITERALS' or 'c COMMENT'");
    }
  }

  if (status_line == 0 && values_line == 0)
    lines.fail("no answer", "'s SATISFIABLE', 's UNSATISFIABLE' or 's UNKNOWN'");
  if (status_line == 0) answer.status = Status::kSatisfiable;
  if (values_line != 0 && !closed) lines.fail("the values do not end", "0 after the last value");
  if (values_line != 0 && answer.status != Status::kSatisfiable)
    lines.fail_at(values_line, "values without a solution", "'v' lines only after 's SATISFIABLE'");
  return answer;
}

bool begins_solver_answer(std::string_view line) {
  line = trim(line);
  if (status_of(line)) return true;
  const std::string_view word = take_word(line);
  return word == "s" || word == "v";
}

}  // namespace mgdm::formats
