// SPDX-License-Identifier: BSD-3-Clause
// The GIL, let go and taken, also by daemon threads as the interpreter ends.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <utility>

namespace quoin::python {

namespace py = pybind11;

/// Keeps this thread for ever. CPython before 3.14 ends a thread that wants the GIL of an interpreter that has ended:
/// it unwinds its stack, through destructors, where C++ aborts the process, and without the GIL. So it stays instead,
/// until the process ends, as CPython 3.14 has it.
[[noreturn]] void stay_for_ever() noexcept;

/// PyEval_RestoreThread, or for ever: the unwinding of a thread is an exception to catch (...), and must not leave it.
inline void take_gil(PyThreadState* state) noexcept {
  try {
    PyEval_RestoreThread(state);
  } catch (...) {
    stay_for_ever();
  }
}

/// While it lives the GIL is released.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() { take_gil(state_); }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

/// While it lives this thread has the GIL.
class WithGil {
 public:
  WithGil();
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  std::optional<py::gil_scoped_acquire> gil_;
};

/// Ends what the pointer owns, without the GIL. at_work: a thread of it is, perhaps in a function that hangs. Ctrl-C
/// then ends the wait alone, and is sent again, to what runs behind the statement that ended it. interrupted: it has
/// come before. Called with the GIL.
void end_without_gil(std::shared_ptr<const void> last, bool at_work, bool interrupted = false);
/// From now on that waits for nothing: the program ends, and Ctrl-C has come.
void end_at_once();

/// f(arguments...), where f may be code in Python that runs as the interpreter ends. Throws error_already_set.
py::object call_with(py::handle f, const py::tuple& arguments);
template <class... Arguments>
py::object call_python(py::handle f, Arguments&&... arguments) {
  return call_with(f, py::make_tuple(std::forward<Arguments>(arguments)...));
}

}  // namespace quoin::python
