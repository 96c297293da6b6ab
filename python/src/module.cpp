// SPDX-License-Identifier: BSD-3-Clause
#include "after_fork.hpp"
#include "bindings.hpp"
#include "map.hpp"
#include "python_call.hpp"
#include "python_error.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/interleave.hpp"
#include "quoin/map/stop.hpp"
#include "quoin/robots/dynamics/step_status.hpp"
#include "quoin/version.hpp"

#include <cstring>

namespace {

/// The words of an enumeration whose values count from 0.
template <class Enumeration>
pybind11::list words_of() {
  pybind11::list words;
  for (int i = 0; std::strcmp(to_string(static_cast<Enumeration>(i)), "unknown") != 0; ++i)
    words.append(to_string(static_cast<Enumeration>(i)));
  return words;
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of quoin. Private: use what the package quoin offers.";
  module.attr("__version__") = QUOIN_VERSION_STRING;
  pybind11::register_exception_translator([](std::exception_ptr error) {
    if (!error) return;
    try {
      std::rethrow_exception(error);
    } catch (const pybind11::builtin_exception&) {
      throw;  // pybind11's own
    } catch (...) {
      quoin::python::set_python_error();
    }
  });
  pybind11::module_::import("atexit").attr("register")(pybind11::cpp_function(quoin::python::end_foreign_calls));
  pybind11::module_::import("os").attr("register_at_fork")(
      pybind11::arg("after_in_child") = pybind11::cpp_function([] {
        ++quoin::python::Running::forks;
        quoin::python::forget_foreign_calls();
        quoin::python::watch_signals();  // of the thread that is the main thread now
      }));
  quoin::python::watch_signals();
  quoin::python::bind_map(module);
  quoin::python::bind_grid(module);
  quoin::python::bind_request(module);
  quoin::python::bind_timing(module);
  quoin::python::bind_storage(module);
  quoin::python::bind_workers(module);
  quoin::python::bind_kernel(module);
  quoin::python::bind_functions(module);
  quoin::python::bind_derived_maps(module);
  quoin::python::bind_choosing(module);
  quoin::python::bind_dynamics(module);
  quoin::python::bind_reduced_dynamics(module);
  pybind11::dict words;
  words["InterleaveStop"] = words_of<quoin::InterleaveStop>();
  words["StepStatus"] = words_of<quoin::StepStatus>();
  words["Stop"] = words_of<quoin::Stop>();
  words["Trust"] = words_of<quoin::Trust>();
  module.attr("words") = words;
  pybind11::list parts;
#define PART(name)                    \
  quoin::python::bind_##name(module); \
  parts.append(#name);
#include "bound_parts.inc"
#undef PART
  module.attr("parts") = pybind11::tuple(parts);
}
