// Regenerates a data file that the paper's authors released: its examples in their order.
//
// The examples are successive draws of one Python generator, so generation must start at the first
// and cannot use threads.
//
//   const auto released = task->abilities().released->released(Split::kTest);
//   for_released(*released, 1000, [&](const Example& example) { ... });
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tasks/task.h"

namespace mgdm::tasks {

class Released {
 public:
  virtual ~Released() = default;

  // The number of examples of next() before the first one of the file.
  virtual std::size_t passed_over() const = 0;

  // The number of examples in the file.
  virtual std::size_t size() const = 0;

  // Whether next() goes on after the last example of the file, as its generator would.
  virtual bool goes_on() const = 0;

  virtual Example next() = 0;

  // The last example as the file has it: a line of JSON, with its newline.
  virtual std::string line() const = 0;

  // As line(), with the search that the generator wrote for it (abilities().traces).
  virtual std::string trace_line() const { return line(); }
};

// Calls use(example) for the first `count` examples of the file, and made() for every generated
// example, including those before the file's first. UsageError when the file has fewer.
void for_released(Released& released, std::size_t count,
                  const std::function<void(const Example&)>& use,
                  const std::function<void()>& made = {});

// The first `count` examples of the paper's test file, or all of them, of a task with
// abilities().released. Generating them takes seconds for any count, so the result is cached.
std::vector<Example> released_test(const Task& task, std::size_t count);

}  // namespace mgdm::tasks
