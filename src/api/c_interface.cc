#include <dlfcn.h>

#include <filesystem>
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

struct mgdm_model {
  mgdm::Model model;
  std::string decoding;  // as a text of options
};

struct mgdm_answers {
  std::vector<mgdm::Answer> list;
  std::vector<std::string> faults;  // of each, a line per fault
};

namespace {

// The folder of the models that were installed with this library; empty if unknown.
std::string installed_models() {
  static const char kHere = 0;
  Dl_info found{};
  if (::dladdr(&kHere, &found) == 0 || found.dli_fname == nullptr) return "";
  std::error_code failed;
  const std::filesystem::path file = std::filesystem::canonical(found.dli_fname, failed);
  if (failed) return "";
  return (file.parent_path() / MGDM_MODELS_FROM_LIBRARY).lexically_normal().string();
}

}  // namespace

mgdm_model* mgdm_model_load(const char* folder_or_name, const char* options) {
  return or_remember<mgdm_model*>(nullptr, [&] {
    mgdm::Model model(text_of(folder_or_name, "folder_or_name"),
                      mgdm::api::load_options(text_or_empty(options), installed_models()));
    std::string decoding = mgdm::api::as_text(model.info().decoding);
    return new mgdm_model{std::move(model), std::move(decoding)};
  });
}

mgdm_model* mgdm_model_clone(const mgdm_model* model, int threads) {
  return or_remember<mgdm_model*>(nullptr, [&] {
    const mgdm_model& original = object_of(model, "model");
    return new mgdm_model{original.model.clone(threads), original.decoding};
  });
}

void mgdm_model_free(mgdm_model* model) { delete model; }

namespace {

// What `part` gives of the model's info, as text.
template <class Part>
const char* of_info(const mgdm_model* model, Part mgdm::ModelInfo::*part) {
  return or_remember<const char*>(
      nullptr, [&] { return (object_of(model, "model").model.info().*part).c_str(); });
}

// A list of texts that belong to the caller.
std::vector<std::string> texts_of(const char* const* texts, size_t count) {
  std::vector<std::string> list;
  for (size_t i = 0; i < count; ++i) list.push_back(text_of(texts[i], "a puzzle"));
  return list;
}

}  // namespace

const char* mgdm_model_folder(const mgdm_model* model) {
  return of_info(model, &mgdm::ModelInfo::folder);
}
const char* mgdm_model_task(const mgdm_model* model) {
  return of_info(model, &mgdm::ModelInfo::task);
}
const char* mgdm_model_objective(const mgdm_model* model) {
  return of_info(model, &mgdm::ModelInfo::objective);
}
const char* mgdm_model_architecture(const mgdm_model* model) {
  return of_info(model, &mgdm::ModelInfo::architecture);
}
const char* mgdm_model_device(const mgdm_model* model) {
  return of_info(model, &mgdm::ModelInfo::device);
}
const char* mgdm_model_arithmetic(const mgdm_model* model) {
  return of_info(model, &mgdm::ModelInfo::arithmetic);
}
int64_t mgdm_model_parameters(const mgdm_model* model) {
  return or_remember<int64_t>(-1,
                              [&] { return object_of(model, "model").model.info().parameters; });
}
const char* mgdm_model_decoding(const mgdm_model* model) {
  return or_remember<const char*>(nullptr,
                                  [&] { return object_of(model, "model").decoding.c_str(); });
}

mgdm_answers* mgdm_solve(mgdm_model* model, const char* const* puzzles, size_t count,
                         const char* options, mgdm_on_step on_step, void* user) {
  return or_remember<mgdm_answers*>(nullptr, [&] {
    if (count > 0) object_of(puzzles, "puzzles");
    mgdm::OnStep tell;
    if (on_step != nullptr)
      tell = [&](const mgdm::Step& step) {
        const mgdm_step seen{step.puzzle,       step.attempt,           step.pass,
                             step.text.c_str(), step.confidence.data(), step.text.size()};
        return on_step(&seen, user) != 0;
      };
    auto answers = std::make_unique<mgdm_answers>();
    answers->list = object_of(model, "model")
                        .model.solve_all(texts_of(puzzles, count),
                                         mgdm::api::decoding_options(text_or_empty(options)), tell);
    for (const mgdm::Answer& answer : answers->list)
      answers->faults.push_back(mgdm::api::lines_of(answer.faults));
    return answers.release();
  });
}

size_t mgdm_answers_count(const mgdm_answers* answers) {
  return or_remember<size_t>(0, [&] { return object_of(answers, "answers").list.size(); });
}

const char* mgdm_answers_puzzle(const mgdm_answers* answers, size_t index) {
  return or_remember<const char*>(nullptr, [&] {
    return element_of(object_of(answers, "answers").list, index).puzzle.c_str();
  });
}
const char* mgdm_answers_text(const mgdm_answers* answers, size_t index) {
  return or_remember<const char*>(
      nullptr, [&] { return element_of(object_of(answers, "answers").list, index).text.c_str(); });
}
int mgdm_answers_correct(const mgdm_answers* answers, size_t index) {
  return or_remember(-1, [&] {
    const mgdm::Answer& answer = element_of(object_of(answers, "answers").list, index);
    return !answer.checked ? 2 : answer.correct ? 1 : 0;
  });
}
int64_t mgdm_answers_passes(const mgdm_answers* answers, size_t index) {
  return or_remember<int64_t>(
      -1, [&] { return element_of(object_of(answers, "answers").list, index).passes; });
}
const char* mgdm_answers_faults(const mgdm_answers* answers, size_t index) {
  return or_remember<const char*>(
      nullptr, [&] { return element_of(object_of(answers, "answers").faults, index).c_str(); });
}
const char* mgdm_answers_error(const mgdm_answers* answers, size_t index) {
  return or_remember<const char*>(nullptr, [&] {
    const auto& error = element_of(object_of(answers, "answers").list, index).error;
    return error ? error->what() : "";
  });
}
void mgdm_answers_free(mgdm_answers* answers) { delete answers; }

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

char* mgdm_normalize(const char* task, const char* puzzle) {
  return or_remember<char*>(nullptr, [&] {
    return mgdm::api::copy_of(mgdm::normalize(text_of(task, "task"), text_of(puzzle, "puzzle")));
  });
}

int mgdm_check(const char* task, const char* puzzle, char** contradiction, char** unfamiliar) {
  if (contradiction != nullptr) *contradiction = nullptr;
  if (unfamiliar != nullptr) *unfamiliar = nullptr;
  return or_remember(-1, [&] {
    const mgdm::PuzzleCheck check = mgdm::check(text_of(task, "task"), text_of(puzzle, "puzzle"));
    if (contradiction != nullptr) *contradiction = mgdm::api::copy_of(check.contradiction);
    if (unfamiliar != nullptr) *unfamiliar = mgdm::api::copy_of(check.unfamiliar);
    return 0;
  });
}
