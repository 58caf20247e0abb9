// The extension mgdm._mgdm: the C++ interface (mgdm/mgdm.h) for mgdm/__init__.py.
//
// The GIL is released while a model works; callbacks take it again.
#include <mgdm/mgdm.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>

#include "bindings.h"

namespace py = pybind11;

namespace mgdm::python {
namespace {

// ---- Errors -------------------------------------------------------------------------------------

// mgdm.Error: str() is the whole text, seen, expected and hint are its parts.
py::handle error_type;

py::object error_of(const Failure& failure) {
  py::object error = error_type(failure.what());
  error.attr("seen") = failure.seen();
  error.attr("expected") = failure.expected();
  error.attr("hint") = failure.hint();
  return error;
}

void define_errors(py::module_& module) {
  error_type =
      PyErr_NewExceptionWithDoc("mgdm.Error", "What mgdm refused, and why.", nullptr, nullptr);
  for (const char* part : {"seen", "expected", "hint"}) error_type.attr(part) = "";
  module.add_object("Error", error_type);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      PyErr_SetObject(error_type.ptr(), error_of(failure).ptr());
    }
  });
}

// ---- Puzzles ------------------------------------------------------------------------------------

void define_puzzles(py::module_& module) {
  py::class_<Puzzle>(module, "Puzzle")
      .def(py::init<std::string, std::string>(), py::arg("input"), py::arg("solution") = "")
      .def_readonly("input", &Puzzle::input)
      .def_readonly("solution", &Puzzle::solution)
      .def("__repr__", [](const Puzzle& puzzle) {
        return "Puzzle" + std::string(py::repr(py::make_tuple(puzzle.input, puzzle.solution)));
      });
  py::class_<Judgement>(module, "Judgement")
      .def_readonly("correct", &Judgement::correct)
      .def_readonly("correct_paper", &Judgement::correct_paper)
      .def_readonly("faults", &Judgement::faults);
  py::class_<PuzzleCheck>(module, "PuzzleCheck")
      .def_readonly("puzzle", &PuzzleCheck::puzzle)
      .def_readonly("contradiction", &PuzzleCheck::contradiction)
      .def_readonly("unfamiliar", &PuzzleCheck::unfamiliar);

  const py::call_guard<py::gil_scoped_release> released;
  module.def("task_names", &task_names);
  module.def(
      "generate",
      [](const std::string& task, std::size_t count, std::uint64_t seed, std::string split,
         std::uint32_t first, int threads, std::string task_options) {
        return generate(task, count,
                        {seed, std::move(split), first, threads, std::move(task_options)});
      },
      released);
  module.def("read_puzzles", &read_puzzles, released);
  module.def(
      "verify",
      [](const std::string& task, std::string puzzle, const std::string& answer,
         std::string solution) {
        return verify(task, {std::move(puzzle), std::move(solution)}, answer);
      },
      released);
  module.def("label", &solve_exactly, released);
  module.def("normalize", &normalize, released);
  module.def("check", &check, released);
}

// ---- Options of decoding ------------------------------------------------------------------------

template <class Options, class Visit>
void for_each_option(Options& options, Visit&& visit) {
  visit("steps", options.steps);
  visit("order", options.order);
  visit("schedule", options.schedule);
  visit("revise", options.revise);
  visit("noise", options.noise);
  visit("temperature", options.temperature);
  visit("threshold", options.threshold);
  visit("entropy_bound", options.entropy_bound);
  visit("early_stop", options.early_stop);
  visit("loops", options.loops);
  visit("symmetries", options.symmetries);
  visit("tries", options.tries);
  visit("seed", options.seed);
}

// Keyword arguments as options; TypeError for any other name and for values of another type.
DecodingOptions options_of(const py::dict& said) {
  DecodingOptions options;
  py::dict left(said.attr("copy")());
  const auto read = [&](const char* name, auto& option) {
    if (!left.contains(name)) return;
    const py::object value = left.attr("pop")(name);
    if (value.is_none()) return;
    try {
      option = value.cast<typename std::decay_t<decltype(option)>::value_type>();
    } catch (const py::cast_error&) {
      throw py::type_error(std::string(name) + " = " + std::string(py::repr(value)));
    }
  };
  for_each_option(options, read);
  std::optional<std::uint32_t> first;
  read("first", first);
  options.first = first.value_or(0);
  if (!left.empty())
    throw py::type_error("unknown option " + std::string(py::repr(left.begin()->first)));
  return options;
}

py::dict dict_of(const DecodingOptions& options) {
  py::dict all;
  for_each_option(options, [&](const char* name, const auto& option) {
    if (option) all[name] = *option;
  });
  return all;
}

// ---- Answers ------------------------------------------------------------------------------------

struct TracedAnswer : Answer {
  std::vector<Step> trace = {};
};

void define_answers(py::module_& module) {
  py::class_<Step>(module, "Step")
      .def_readonly("puzzle", &Step::puzzle)
      .def_readonly("attempt", &Step::attempt)
      .def_readonly("index", &Step::pass)  // `pass` is a word of Python's
      .def_readonly("text", &Step::text)
      .def_readonly("confidence", &Step::confidence)
      .def("__repr__", [](const Step& step) { return "<Step " + step.text + ">"; });
  py::class_<TracedAnswer>(module, "Answer")
      .def_readonly("puzzle", &TracedAnswer::puzzle)
      .def_readonly("text", &TracedAnswer::text)
      .def_property_readonly("correct",
                             [](const TracedAnswer& answer) -> py::object {
                               if (!answer.checked) return py::none();
                               return py::bool_(answer.correct);
                             })
      .def_readonly("faults", &TracedAnswer::faults)
      .def_readonly("passes", &TracedAnswer::passes)
      .def_readonly("trace", &TracedAnswer::trace)
      .def_property_readonly("error",
                             [](const TracedAnswer& answer) -> py::object {
                               if (!answer.error) return py::none();
                               return error_of(*answer.error);
                             })
      .def("__repr__", [](const TracedAnswer& answer) {
        const char* const verdict = answer.error     ? "error"
                                    : answer.correct ? "correct"
                                    : answer.checked ? "wrong"
                                                     : "not checked";
        return "<Answer " + answer.text + " (" + verdict + ")>";
      });
}

// What Model and ModelPool have in common. solve(model, puzzles, many) calls one of theirs.
template <class Solver>
std::vector<TracedAnswer> solve_many(Solver& solver, const std::vector<std::string>& puzzles,
                                     bool throws, bool trace, const py::object& on_step,
                                     const py::dict& said) {
  const DecodingOptions options = options_of(said);
  std::vector<TracedAnswer> traced(puzzles.size());
  const Callback callback(on_step);
  OnStep watch;
  if (trace || !on_step.is_none())
    watch = [&](const Step& step) {
      if (trace) traced[step.puzzle].trace.push_back(step);
      return callback(goes_on, step);
    };
  const py::gil_scoped_release release;
  std::vector<Answer> answers = solver.solve_all(puzzles, options, watch, end_at_ctrl_c);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (throws && answers[i].error) throw Failure(*answers[i].error);
    static_cast<Answer&>(traced[i]) = std::move(answers[i]);
  }
  return traced;
}

template <class Solver, class Class>
void define_solve(Class& solver) {
  solver.def(
      "solve",
      [](Solver& self, const std::string& puzzle, bool trace, const py::object& on_step,
         const py::kwargs& options) {
        return std::move(
            solve_many(self, {puzzle}, /*throws=*/true, trace, on_step, options).front());
      },
      py::arg("puzzle"), py::kw_only(), py::arg("trace") = true, py::arg("on_step") = py::none());
  solver.def(
      "solve_all",
      [](Solver& self, const std::vector<std::string>& puzzles, bool trace,
         const py::object& on_step, const py::kwargs& options) {
        return solve_many(self, puzzles, /*throws=*/false, trace, on_step, options);
      },
      py::arg("puzzles"), py::kw_only(), py::arg("trace") = false, py::arg("on_step") = py::none());
}

// ---- Models -------------------------------------------------------------------------------------

using Tokens = py::array_t<std::int32_t, py::array::c_style | py::array::forcecast>;
using Given = py::array_t<bool, py::array::c_style | py::array::forcecast>;

// The rows of (N) or (B, N) arrays. Without `given` all tokens but [MASK] are.
std::vector<TokenRow> rows_of(const Model& model, const Tokens& tokens, const py::object& said) {
  if (tokens.ndim() != 1 && tokens.ndim() != 2)
    throw py::value_error("tokens with " + std::to_string(tokens.ndim()) +
                          " dimensions; expected: 1, or 2 for several rows");
  const std::vector<std::string>& names = model.info().vocabulary;
  const auto mask = std::find(names.begin(), names.end(), "[MASK]") - names.begin();
  const auto length = static_cast<std::size_t>(tokens.shape(tokens.ndim() - 1));
  const auto count = tokens.ndim() == 2 ? static_cast<std::size_t>(tokens.shape(0)) : 1;
  Given given;
  if (!said.is_none()) {
    given = said.cast<Given>();
    if (given.ndim() != tokens.ndim() ||
        !std::equal(given.shape(), given.shape() + given.ndim(), tokens.shape()))
      throw py::value_error("given and tokens differ in shape");
  }
  std::vector<TokenRow> rows(count);
  for (std::size_t b = 0; b < count; ++b)
    for (std::size_t n = 0; n < length; ++n) {
      const std::int32_t token = tokens.data()[b * length + n];
      rows[b].tokens.push_back(token);
      rows[b].given.push_back(said.is_none() ? token != mask : given.data()[b * length + n]);
    }
  return rows;
}

py::array_t<float> logits_of(Model& model, const Tokens& tokens, const py::object& given,
                             std::int64_t loops) {
  const std::vector<TokenRow> rows = rows_of(model, tokens, given);
  std::vector<float> numbers;
  {
    const py::gil_scoped_release release;
    numbers = model.logits(rows, loops);
  }
  std::vector<py::ssize_t> shape(tokens.shape(), tokens.shape() + tokens.ndim());
  const auto count = static_cast<std::size_t>(std::max<py::ssize_t>(tokens.size(), 1));
  shape.push_back(static_cast<py::ssize_t>(numbers.size() / count));
  py::array_t<float> logits(shape);
  std::copy(numbers.begin(), numbers.end(), logits.mutable_data());
  return logits;
}

py::tuple encoded(const Model& model, const std::string& puzzle) {
  const TokenRow row = model.encode(puzzle);
  const auto length = static_cast<py::ssize_t>(row.tokens.size());
  py::array_t<std::int32_t> tokens(length);
  py::array_t<bool> given(length);
  std::copy(row.tokens.begin(), row.tokens.end(), tokens.mutable_data());
  std::copy(row.given.begin(), row.given.end(), given.mutable_data());
  return py::make_tuple(tokens, given);
}

// True, False, a score, or (score, why).
Verdict verdict_of(const py::object& returned) {
  if (py::isinstance<py::tuple>(returned)) {
    const auto [score, why] = returned.cast<std::pair<double, std::string>>();
    return {score, why};
  }
  return {returned.cast<double>(), {}};
}

void define_models(py::module_& module) {
  py::class_<Model> model(module, "Model");
  const auto fact = [&](const char* name, auto part) {
    model.def_property_readonly(name, [part](const Model& self) { return self.info().*part; });
  };
  fact("folder", &ModelInfo::folder);
  fact("task", &ModelInfo::task);
  fact("objective", &ModelInfo::objective);
  fact("architecture", &ModelInfo::architecture);
  fact("parameters", &ModelInfo::parameters);
  fact("device", &ModelInfo::device);
  fact("arithmetic", &ModelInfo::arithmetic);
  fact("vocabulary", &ModelInfo::vocabulary);
  model.def_property_readonly("decoding",
                              [](const Model& self) { return dict_of(self.info().decoding); });
  define_solve<Model>(model);
  model.def("clone", &Model::clone, py::arg("threads") = 1)
      .def("check", &Model::check, py::arg("puzzle"))
      .def("encode", &encoded, py::arg("puzzle"))
      .def(
          "decode",
          [](const Model& self, const Tokens& tokens, const py::object& given) {
            const std::vector<TokenRow> rows = rows_of(self, tokens, given);
            if (rows.size() != 1) throw py::value_error("several rows; expected: one");
            return self.decode(rows.front());
          },
          py::arg("tokens"), py::arg("given") = py::none())
      .def("logits", &logits_of, py::arg("tokens"), py::arg("given") = py::none(),
           py::arg("loops") = 0)
      .def(
          "use_verifier",
          [](Model& self, const py::object& verifier) {
            self.use_verifier([callback = Callback(verifier)](const std::string& puzzle,
                                                              const std::string& answer) {
              return callback(verdict_of, puzzle, answer);
            });
          },
          py::arg("verifier"))
      .def("__repr__", [](const Model& self) {
        return "<Model " + self.info().folder + " for " + self.info().task + ">";
      });
  py::class_<ModelPool> pool(module, "ModelPool");
  pool.def(py::init<const Model&, int>(), py::arg("model"), py::arg("size") = 0);
  define_solve<ModelPool>(pool);
  module.def(
      "load",
      [](const std::string& name, std::string device, int threads, std::size_t batch,
         std::string models, std::string arithmetic, bool deterministic) {
        return Model(name, {std::move(device), threads, batch, std::move(models),
                            std::move(arithmetic), deterministic});
      },
      py::call_guard<py::gil_scoped_release>());
}

}  // namespace

#ifndef MGDM_HAVE_TRAINING
void define_training(py::module_&) {}
#endif

}  // namespace mgdm::python

PYBIND11_MODULE(_mgdm, module) {
  module.attr("__version__") = mgdm::version();
  mgdm::python::define_errors(module);
  mgdm::python::define_puzzles(module);
  mgdm::python::define_answers(module);
  mgdm::python::define_models(module);
  mgdm::python::define_training(module);
}
