// A file that the paper's authors released, made again from nothing: its examples in their order.
//
// They are draws of one Python generator, one after another, so nobody can begin in the middle, and
// threads do not help.
//
//   const auto released = task->released(Split::kTest);
//   for_released(*released, 1000, [&](const Example& example) { ... });
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tasks/task.h"

namespace mgdm::tasks {

class Released {
 public:
  virtual ~Released() = default;

  // How many examples of next() come before the first of the file.
  virtual std::size_t passed_over() const = 0;

  // How many the file has; none where one could go on and on.
  virtual std::optional<std::size_t> size() const = 0;

  virtual Example next() = 0;

  // The last example as the file has it: a line of JSON, with its newline.
  virtual std::string line() const = 0;

  // The same with the search that the generator made of it, where it made one (abilities().traces).
  virtual std::string trace_line() const { return line(); }
};

// Calls use(example) for the first `count` of the file, and made() for each of those before it too.
// UsageError when the file has fewer; Ctrl-C ends it.
void for_released(Released& released, std::size_t count,
                  const std::function<void(const Example&)>& use,
                  const std::function<void()>& made = {});

// The first of the paper's test file, at most all of them. However few are wanted, that takes
// seconds, and many ask for the same: they are made once.
std::vector<Example> released_test(const Task& task, std::size_t count);

}  // namespace mgdm::tasks
