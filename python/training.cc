// mgdm.train: only in a module that was built with LibTorch.
#include <mgdm/training.h>
#include <pybind11/stl.h>

#include "bindings.h"

namespace py = pybind11;

namespace mgdm::python {

void define_training(py::module_& module) {
  use_libtorch();  // models on GPUs
  py::class_<TrainProgress>(module, "TrainProgress")
      .def_readonly("step", &TrainProgress::step)
      .def_readonly("done", &TrainProgress::done)
      .def_property_readonly("metrics", [](const TrainProgress& progress) {
        py::dict metrics;
        for (const auto& [name, value] : progress.metrics) metrics[py::str(name)] = value;
        return metrics;
      });
  module.def(
      "train",
      [](const std::string& recipe, const std::string& out,
         const std::vector<std::string>& overrides, int threads, bool resume, bool quiet,
         const py::object& on_progress) {
        const Callback callback(on_progress);
        TrainOptions options;
        options.overrides = overrides;
        options.threads = threads;
        options.resume = resume;
        options.quiet = quiet;
        options.on_progress = [&](const TrainProgress& progress) {
          return callback(goes_on, progress);
        };
        const py::gil_scoped_release release;
        return train(recipe, out, options);
      },
      py::arg("recipe"), py::arg("out"), py::arg("overrides"), py::kw_only(), py::arg("threads"),
      py::arg("resume"), py::arg("quiet"), py::arg("on_progress"));
}

}  // namespace mgdm::python
