#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/cores.h"
#include "mgdm/mgdm.h"

namespace mgdm {

struct ModelPool::Clones {
  std::mutex mutex;
  std::condition_variable returned;
  std::vector<Model> idle;

  Model take() {
    std::unique_lock lock(mutex);
    returned.wait(lock, [&] { return !idle.empty(); });
    Model model = std::move(idle.back());
    idle.pop_back();
    return model;
  }
  void put_back(Model model) {
    {
      const std::lock_guard lock(mutex);
      idle.push_back(std::move(model));
    }
    returned.notify_one();
  }
};

namespace {

// A clone for the time of a call.
template <class Clones>
class Loan {
 public:
  explicit Loan(std::shared_ptr<Clones> clones)
      : clones_(std::move(clones)), model_(clones_->take()) {}
  ~Loan() { clones_->put_back(std::move(model_)); }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

  Model& model() { return model_; }

 private:
  const std::shared_ptr<Clones> clones_;  // a callback may destroy the pool
  Model model_;
};

}  // namespace

ModelPool::ModelPool(const Model& model, int size) : clones_(std::make_shared<Clones>()) {
  const int clones = size > 0 ? size : usable_cores();
  clones_->idle.reserve(static_cast<std::size_t>(clones));  // put_back() must not throw
  for (int i = 0; i < clones; ++i) clones_->idle.push_back(model.clone());
}

Answer ModelPool::solve(const std::string& puzzle, const DecodingOptions& options,
                        const OnStep& on_step) {
  return Loan(clones_).model().solve(puzzle, options, on_step);
}

std::vector<Answer> ModelPool::solve_all(const std::vector<std::string>& puzzles,
                                         const DecodingOptions& options, const OnStep& on_step,
                                         const OnPass& on_pass) {
  return Loan(clones_).model().solve_all(puzzles, options, on_step, on_pass);
}

}  // namespace mgdm
