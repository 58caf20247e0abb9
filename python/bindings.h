// What the files of the Python module share.
#pragma once

#include <pybind11/pybind11.h>

namespace mgdm::python {

// For C++ code that has released the GIL: throws Python's KeyboardInterrupt after a Ctrl-C.
inline void end_at_ctrl_c() {
  const pybind11::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

// A function of Python's in C++ code that has released the GIL: any thread may copy and destroy it.
class Callback {
 public:
  explicit Callback(pybind11::object function)
      : function_(new pybind11::object(std::move(function)), [](pybind11::object* held) {
          const pybind11::gil_scoped_acquire gil;
          delete held;
        }) {}

  // Calls it and returns read(result), with the GIL.
  template <class Read, class... Arguments>
  auto operator()(const Read& read, const Arguments&... arguments) const {
    end_at_ctrl_c();
    const pybind11::gil_scoped_acquire gil;
    if (function_->is_none()) return read(pybind11::none());
    return read((*function_)(arguments...));
  }

 private:
  std::shared_ptr<pybind11::object> function_;  // None: only Ctrl-C is looked for
};

// What a callback returned: only False (or 0) ends the work, so that it need not return anything.
inline bool goes_on(const pybind11::object& returned) {
  return returned.is_none() || returned.cast<bool>();
}

// Adds train() and what belongs to it.
void define_training(pybind11::module_& module);

}  // namespace mgdm::python
