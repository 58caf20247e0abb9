// mgdm: neural reasoning by discrete diffusion, as a C++ library.
//
// The public header, for C++17 and later. (mgdm_c.h beside it is for C and other languages.)
// Link with CMake:
//
//   find_package(mgdm REQUIRED)
//   target_link_libraries(my_program PRIVATE mgdm::mgdm)
//
// and use:
//
//   mgdm::Model model("sudoku");  // a shipped model by name, or a model's folder
//   for (const mgdm::Puzzle& puzzle : mgdm::generate("sudoku", 10))
//     std::cout << model.solve(puzzle.input).text << '\n';
//
//   mgdm::Judgement j = mgdm::verify("countdown-4", {"86,28,13,31,96"}, "86+28=114");
//   // j.correct == false; j.faults[0] == "the last result is 114, the target 96"
//
// Errors: the library throws only mgdm::Failure and std::bad_alloc.
//
// Threads: free functions may be called from any thread. A Model serves one thread at a time (a
// call while another is running is a Failure); different Models are independent. Model::clone()
// gives other threads the same weights, ModelPool does that for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

// The folder of the installed models, set by find_package(mgdm).
#ifndef MGDM_INSTALLED_MODELS
#define MGDM_INSTALLED_MODELS ""
#endif

namespace mgdm {

// An error. what() is the whole text for people; the parts are for programs.
class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& seen, const std::string& expected = "",
                   const std::string& hint = "");
  ~Failure() override;

  const std::string& seen() const noexcept { return seen_; }          // "unknown task 'sudko'"
  const std::string& expected() const noexcept { return expected_; }  // "planning, ... or sat-9"
  const std::string& hint() const noexcept { return hint_; }          // "did you mean 'sudoku'?"

 private:
  std::string seen_, expected_, hint_;  // the latter two may be empty
};

// "0.1.0".
const char* version();

// ---- Puzzles: no network involved ---------------------------------------------------------------

// "planning", "countdown-4", "sudoku", "sat-9", ... Beside these there are search-3 to -5 and
// optimal-3 to -5: countdown answered by the text of a search, whose labels are not always right.
std::vector<std::string> task_names();

struct Puzzle {
  std::string input;
  std::string solution = {};  // the label; empty when it is not known
};

struct GenerateOptions {
  std::uint64_t seed = 0;       // seed of the puzzles
  std::string split = "train";  // or "test": the two lists share no puzzle
  std::uint32_t first = 0;      // puzzles first .. first+count-1 of a list of 2^32
  int threads = 1;              // 0: all cores; the puzzles are the same
  // Options of the task, named as the flags of mgdm generate: "nodes=4", "difficulty=hard
  // guesses=10..".
  std::string task_options = {};
};

// Generates puzzles with solutions. The same options give the same bytes on every machine.
std::vector<Puzzle> generate(const std::string& task, std::size_t count,
                             const GenerateOptions& options);
std::vector<Puzzle> generate(const std::string& task, std::size_t count, std::uint64_t seed = 0,
                             bool test = false, std::uint32_t first = 0);

// Reads and checks the puzzles of a file (JSONL, Sudoku CSV, lines or grids, DIMACS), with
// solutions if it has them.
std::vector<Puzzle> read_puzzles(const std::string& task, const std::string& file);

struct Judgement {
  bool correct = false;             // by the rules of the puzzle
  bool correct_paper = false;       // by the metric of the paper's released code; false for SAT
                                    // without a label, which that metric needs
  std::vector<std::string> faults;  // what is wrong, in words; empty when correct
};

Judgement verify(const std::string& task, const Puzzle& puzzle, const std::string& answer);

// The label by exact search (no network involved); none when the puzzle has no solution.
std::optional<std::string> solve_exactly(const std::string& task, const std::string& puzzle);

// The puzzle as the task writes it: the cells of a grid in one line, 0 for the empty ones. Failure
// when the text is not a puzzle.
std::string normalize(const std::string& task, const std::string& puzzle);

struct PuzzleCheck {
  std::string puzzle;         // normalized
  std::string contradiction;  // an obvious reason why it has no solution; empty without one
  std::string unfamiliar;     // how it differs from generated puzzles; empty when it does not
};

// Looks at a puzzle without solving it. Failure when the text is not a puzzle.
PuzzleCheck check(const std::string& task, const std::string& puzzle);

// ---- Models -------------------------------------------------------------------------------------

// Options of decoding; the default is the model's own. An option that would change nothing (steps
// of a left-to-right model) is a Failure.
struct DecodingOptions {
  std::optional<std::int64_t> steps = {};    // the most passes through the network
  std::optional<std::string> order = {};     // topk, margin, random, threshold or entropy
  std::optional<std::string> schedule = {};  // topk, margin: linear or cosine
  std::optional<std::string> revise = {};    // shown tokens: on, remask, off or auto
  std::optional<double> noise = {};          // topk, margin: on scores; 0 is deterministic
  std::optional<double> temperature = {};    // 0 takes the likeliest token
  std::optional<double> threshold = {};      // a probability above it counts as sure
  std::optional<double> entropy_bound = {};  // entropy: nats of uncertainty shown in one pass
  std::optional<bool> early_stop = {};       // stop when two passes agree and all is sure
  std::optional<std::int64_t> loops = {};    // looped models: loops in each pass; 0: as trained
  std::optional<std::int64_t> symmetries =
      {};  // views of the puzzle, of which most decide; not with tries
  // Retries until the answer verifies; each try decodes another form of the puzzle or draws new
  // noise.
  std::optional<std::int64_t> tries = {};
  std::optional<std::int64_t> seed = {};  // of the noise and of other forms
  std::uint32_t first = 0;  // the number of the first puzzle: seed and number key the random draws
  bool exact = false;       // also search exactly: Answer::right
};

struct LoadOptions {
  std::string device = "auto";  // cpu; after mgdm::use_libtorch() also cuda or cuda:N
  int threads = 0;              // that compute; 0: all cores that the process may use
  std::size_t batch = 64;       // puzzles decoded at the same time, at most
  std::string models = MGDM_INSTALLED_MODELS;  // a folder in which names are looked up
  std::string arithmetic = "auto";  // on a CPU: fp32, bf16, int8; auto: what the model's card names
  // On a GPU, solve one puzzle at a time: slower, but the batch cannot change an answer, not even
  // by rounding. On a CPU it never does.
  bool deterministic = false;
};

// Facts about a model.
struct ModelInfo {
  std::string folder;
  std::string task;          // "sudoku"
  std::string objective;     // what it was trained by: "mgdm", "ar", ...
  std::string architecture;  // "gpt2", "looped" or "llama"
  std::int64_t parameters = 0;
  std::string device;                   // where it computes, for people
  DecodingOptions decoding;             // its own; what does not count with it is not set
  std::string arithmetic;               // of matrix products: "fp32", "bf16" or "int8"
  std::vector<std::string> vocabulary;  // the text of each token; empty for language models
};

// The state of a puzzle after a pass.
struct Step {
  std::size_t puzzle = 0;         // its place in the list, from 0
  std::int64_t attempt = 0;       // which try ...
  std::int64_t pass = 0;          // ... and which pass of it, from 0
  std::string text;               // the answer so far, '_' where it is hidden
  std::vector<float> confidence;  // of each character of the text, 0 to 1
};

// Called after every pass (with symmetries: of the puzzle as given), on the thread that called
// solve. Returning false ends that puzzle with its current answer. An exception ends the call and
// is passed on; the model can be used again. The callback must not call the model; it may move or
// destroy it.
using OnStep = std::function<bool(const Step& step)>;

// Called between passes, whether steps are watched or not, on the thread that called solve_all.
// What it throws ends the call and is passed on.
using OnPass = std::function<void()>;

struct Answer {
  std::string puzzle;               // as the task writes it: 0 for the empty cells of a Sudoku
  std::string text;                 // [MASK] for each token that was still hidden at the end, [PAD]
                                    // where a model says so in place of a character; empty where
                                    // the givens of a Sudoku clash: no model was asked
  bool correct = false;             // by the rules of the puzzle
  std::vector<std::string> faults;  // what is wrong, in words; empty when correct
  std::int64_t passes = 0;          // through the network, over all tries
  bool checked = true;              // false: the answer cannot be checked
  // solve_all only: why the text is not a puzzle or has no answer. `puzzle` is the text as given.
  std::optional<Failure> error = {};
  std::optional<std::string> right = {};  // with DecodingOptions::exact: the answer of an exact
                                          // search, if there is one
};

// What a function of yours says about an answer.
struct Verdict {
  double score = 0;      // 0 to 1; 1 is right
  std::string why = {};  // of a wrong answer
};
// Called on the thread that called solve, perhaps more than once for an answer. What it throws ends
// the call and is passed on. It must not call the model.
using Verifier = std::function<Verdict(const std::string& puzzle, const std::string& answer)>;

// A puzzle as the network reads it.
struct TokenRow {
  std::vector<std::int32_t> tokens;  // places in ModelInfo::vocabulary; [MASK] where hidden
  std::vector<std::uint8_t> given;   // 1 for each token that is the puzzle's
};

class Model {
  struct Loaded;

 public:
  // A folder as `mgdm train` and `mgdm export` write it, or a name, which is looked up in
  // $MGDM_MODELS, in options.models, beside the program (../share/mgdm/models) and in ./models. A
  // folder of that name in the working directory comes first.
  explicit Model(const std::string& folder_or_name, const LoadOptions& options = {});
  ~Model();
  // A moved-from model can only be assigned to or destroyed; any call is a Failure.
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  const ModelInfo& info() const;

  Answer solve(const std::string& puzzle, const DecodingOptions& options = {},
               const OnStep& on_step = {});
  // Solves puzzles and returns answers in their order; a puzzle's own error is in Answer::error,
  // and the others are answered. An answer does not depend on the other
  // puzzles, except on a GPU by the rounding of kernels chosen by batch size
  // (LoadOptions::deterministic).
  std::vector<Answer> solve_all(const std::vector<std::string>& puzzles,
                                const DecodingOptions& options = {}, const OnStep& on_step = {},
                                const OnPass& on_pass = {});

  // A model for another thread, with `threads` of its own. Both share the weights, so it costs no
  // memory for them, and no time. Other threads may be calling this model. CPU without LibTorch
  // only: elsewhere it is a Failure.
  Model clone(int threads = 1) const;

  // Lets a function judge answers, also those of later clones. Failure unless the model's task is
  // text: other tasks have rules. No other thread may use the model meanwhile.
  void use_verifier(Verifier verifier);

  // As mgdm::check, and Failure for a puzzle that does not fit the model. Any thread may call it.
  PuzzleCheck check(const std::string& puzzle) const;

  // ---- The network alone, below decoding ----

  // Failure as check. Any thread may call these two.
  TokenRow encode(const std::string& puzzle) const;
  std::string decode(const TokenRow& row) const;  // the answer in a row, special tokens by name

  // Logits (rows, tokens, vocabulary) of rows of one length, as the network is called in decoding.
  std::vector<float> logits(const std::vector<TokenRow>& rows, std::int64_t loops = 0);

 private:
  explicit Model(std::shared_ptr<Loaded> loaded);
  std::shared_ptr<Loaded> loaded_;  // a call under way holds it, too
};

// Clones of a model for many threads: a call takes an idle clone, and waits while there is none.
class ModelPool {
 public:
  // `size` clones with one thread each; 0: as many as the process may use cores.
  explicit ModelPool(const Model& model, int size = 0);

  // As those of Model, for any thread. A callback must not call the pool: no clone may be idle.
  Answer solve(const std::string& puzzle, const DecodingOptions& options = {},
               const OnStep& on_step = {});
  std::vector<Answer> solve_all(const std::vector<std::string>& puzzles,
                                const DecodingOptions& options = {}, const OnStep& on_step = {},
                                const OnPass& on_pass = {});

 private:
  struct Clones;
  std::shared_ptr<Clones> clones_;
};

}  // namespace mgdm
