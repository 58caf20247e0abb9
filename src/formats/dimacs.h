// DIMACS CNF, the file format of SAT solvers, and the answers solvers print; MiniSat's are shorter.
//
//   c a comment                 s SATISFIABLE               SAT
//   p cnf 3 2                   v 1 -2                      1 -2 3 0
//   1 -2 3 0                    v 3 0
//   -1 2 0
//
// Format: https://jix.github.io/varisat/manual/0.2.0/formats/dimacs.html and the output rules of
// the SAT competitions. Memory grows with the text, never with the numbers its header promises.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mgdm::formats {

// Clauses one after another in one array. A literal is v or -v for variable v = 1..variables.
struct Cnf {
  int variables = 0;
  std::vector<int> literals;      // of all clauses
  std::vector<std::size_t> ends;  // of each clause, one past its last literal

  std::size_t size() const { return ends.size(); }
  std::span<const int> operator[](std::size_t clause) const {
    const std::size_t begin = clause == 0 ? 0 : ends[clause - 1];
    return std::span(literals).subspan(begin, ends[clause] - begin);
  }
  void add(std::span<const int> clause) {
    literals.insert(literals.end(), clause.begin(), clause.end());
    ends.push_back(literals.size());
  }
  bool operator==(const Cnf&) const = default;
};

// A clause may span lines, comments may stand anywhere, and "%" ends the formula (SATLIB's files
// close with "%", "0"). An Error names file and line; `file` is only for these messages. Text that
// is no file of its own (a member of a JSONL line) has none: then whoever calls names the place,
// and an Error adds "line 2: " where the text has several lines.
Cnf read_dimacs(std::string_view text, std::string_view file = "");

// The header and one clause per line, without comments.
std::string write_dimacs(const Cnf& cnf);

struct SolverAnswer {
  enum class Status { kSatisfiable, kUnsatisfiable, kUnknown };
  Status status = Status::kUnknown;
  std::vector<int> literals;  // the true ones, in the order of the text
  bool operator==(const SolverAnswer&) const = default;
};

// The "s" line may be missing where "v" lines stand: having values says satisfiable. Whether the
// values fit a formula, or contradict each other, is for the judge of the answer to say.
SolverAnswer read_solver_answer(std::string_view text, std::string_view file = "");

// Whether this line, comments aside, begins such an answer: "s ...", "v ...", "SAT", "UNSAT" ...
bool begins_solver_answer(std::string_view line);

}  // namespace mgdm::formats
