// SPDX-License-Identifier: BSD-3-Clause
// Errors between Python and C++, in both directions.
#pragma once

#include "quoin/util/errors.hpp"

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <string_view>

namespace quoin::python {

namespace py = pybind11;

/// What f raised that is no Exception: KeyboardInterrupt, SystemExit and their like. It leaves the query and no record.
class PythonInterrupted : public Interrupted {
 public:
  explicit PythonInterrupted(const py::error_already_set& raised);

  /// Raises it again. Called with the GIL.
  void restore() const;

 private:
  std::shared_ptr<py::error_already_set> raised_;
};

/// Throws in C++ what f raised: PythonInterrupted, RetryableFailure or std::runtime_error with its text, as
/// quoin._outcomes.Raised says. Called with the GIL.
[[noreturn]] void throw_of_function(const py::error_already_set& raised);

/// Throws PythonInterrupted if a signal's handler in Python raises: Ctrl-C. Called with the GIL.
void throw_if_signalled();

/// Lets Ctrl-C end the queries of the main thread, whatever they call or wait for. Called with the GIL, once.
void watch_signals();

/// Turns the C++ exception that is being handled into Python's. source: what knows the exceptions of f (cause_of), or
/// null. Called with the GIL, in a catch block.
void set_python_error(py::handle source = {}) noexcept;

/// A text of C++, which may be in any encoding, with U+FFFD for what is not UTF-8. Called with the GIL.
py::str text_of(std::string_view text);

/// One of the classes of quoin.errors.
py::handle error_class(const char* name);

}  // namespace quoin::python
