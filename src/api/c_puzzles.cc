#include <memory>

#include "api/c_calls.h"
#include "api/failure.h"
#include "api/options.h"
#include "mgdm/mgdm_c.h"

using mgdm::api::element_of;
using mgdm::api::object_of;
using mgdm::api::or_remember;
using mgdm::api::text_of;
using mgdm::api::text_or_empty;

struct mgdm_puzzles {
  std::vector<mgdm::Puzzle> list;
};

const char* mgdm_version(void) { return mgdm::version(); }

const char* mgdm_task_name(size_t index) {
  return or_remember<const char*>(nullptr, [&]() -> const char* {
    static const std::vector<std::string> names = mgdm::task_names();
    return index < names.size() ? names[index].c_str() : nullptr;
  });
}

mgdm_puzzles* mgdm_generate(const char* task, size_t count, const char* options) {
  return or_remember<mgdm_puzzles*>(nullptr, [&] {
    const mgdm::GenerateOptions asked = mgdm::api::generate_options(text_or_empty(options));
    return new mgdm_puzzles{mgdm::generate(text_of(task, "task"), count, asked)};
  });
}

mgdm_puzzles* mgdm_read_puzzles(const char* task, const char* file) {
  return or_remember<mgdm_puzzles*>(nullptr, [&] {
    return new mgdm_puzzles{mgdm::read_puzzles(text_of(task, "task"), text_of(file, "file"))};
  });
}

size_t mgdm_puzzles_count(const mgdm_puzzles* puzzles) {
  return or_remember<size_t>(0, [&] { return object_of(puzzles, "puzzles").list.size(); });
}

const char* mgdm_puzzles_input(const mgdm_puzzles* puzzles, size_t index) {
  return or_remember<const char*>(
      nullptr, [&] { return element_of(object_of(puzzles, "puzzles").list, index).input.c_str(); });
}

const char* mgdm_puzzles_solution(const mgdm_puzzles* puzzles, size_t index) {
  return or_remember<const char*>(nullptr, [&] {
    return element_of(object_of(puzzles, "puzzles").list, index).solution.c_str();
  });
}

void mgdm_puzzles_free(mgdm_puzzles* puzzles) { delete puzzles; }

int mgdm_verify(const char* task, const char* puzzle, const char* solution, const char* answer,
                int* right_paper, char** faults) {
  if (right_paper != nullptr) *right_paper = 0;
  if (faults != nullptr) *faults = nullptr;
  return or_remember(-1, [&] {
    const mgdm::Judgement judgement =
        mgdm::verify(text_of(task, "task"), {text_of(puzzle, "puzzle"), text_or_empty(solution)},
                     text_of(answer, "answer"));
    if (right_paper != nullptr) *right_paper = judgement.correct_paper ? 1 : 0;
    if (faults != nullptr) *faults = mgdm::api::copy_of(mgdm::api::lines_of(judgement.faults));
    return judgement.correct ? 1 : 0;
  });
}

int mgdm_solve_exactly(const char* task, const char* puzzle, char** solution) {
  return or_remember(-1, [&] {
    char*& out = object_of(solution, "solution");
    out = nullptr;
    const auto found = mgdm::solve_exactly(text_of(task, "task"), text_of(puzzle, "puzzle"));
    if (found) out = mgdm::api::copy_of(*found);
    return found ? 1 : 0;
  });
}
