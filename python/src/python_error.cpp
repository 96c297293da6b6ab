// SPDX-License-Identifier: BSD-3-Clause
#include "python_error.hpp"

#include "gil.hpp"
#include "python_words.hpp"
#include "quoin/util/request.hpp"

#include <chrono>
#include <exception>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <thread>

namespace quoin::python {

PythonInterrupted::PythonInterrupted(const py::error_already_set& raised)
    : Interrupted(py::str(raised.type().attr("__name__"))),
      raised_(new py::error_already_set(raised), [](py::error_already_set* error) {
        const WithGil gil;
        delete error;
      }) {}

void PythonInterrupted::restore() const {
  PyErr_Restore(raised_->type().inc_ref().ptr(), raised_->value().inc_ref().ptr(),
                raised_->trace() ? raised_->trace().inc_ref().ptr() : nullptr);
}

py::str text_of(std::string_view text) {
  PyObject* const decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

py::handle error_class(const char* name) {
  return py::object(py::module_::import("quoin.errors").attr(name)).release();
}

void throw_of_function(const py::error_already_set& raised) {
  if (!raised.matches(PyExc_Exception)) throw PythonInterrupted(raised);
  if (raised.trace()) PyException_SetTraceback(raised.value().ptr(), raised.trace().ptr());  // tells of handlers
  static const py::handle kept = py::object(py::module_::import("quoin._outcomes").attr("Raised")).release();
  const py::object told = call_python(kept, raised.value());
  if (!told.attr("is_failure").cast<bool>()) throw PythonInterrupted(raised);
  const auto reason = told.attr("reason").cast<std::string>();
  if (told.attr("may_pass").cast<bool>()) throw RetryableFailure(reason);
  throw std::runtime_error(reason);
}

void throw_if_signalled() {
  if (PyErr_CheckSignals() == 0) return;
  throw PythonInterrupted(py::error_already_set());
}

void watch_signals() {
  struct SignalWatch final : Watch {
    SignalWatch() : Watch(std::stop_token()) {}
    void throw_if_stopped() const override {
      // An evaluator's threads ask too: no handler would be called there, and they must not wait for the GIL.
      if (std::this_thread::get_id() != main_thread) return;
      const auto now = std::chrono::steady_clock::now();
      if (now - looked < std::chrono::milliseconds(10)) return;  // the GIL may be long in coming
      looked = now;
      const WithGil gil;
      throw_if_signalled();
    }
    std::thread::id main_thread = std::this_thread::get_id();
    mutable std::chrono::steady_clock::time_point looked = std::chrono::steady_clock::now();  // by the main thread
  };
  const py::module_ threading = py::module_::import("threading");
  if (!threading.attr("current_thread")().is(threading.attr("main_thread")()))
    return;                                          // only there are handlers called
  if (Watch::current() == nullptr) new SignalWatch;  // as long as the thread
}

namespace {
void set_corner_failure(const CornerFailure& failure, py::handle source) {
  static const py::handle type = error_class("CornerFailure");
  const py::object error = type(text_of(failure.what()), failure.may_pass());
  if (source && !source.is_none()) {
    const py::object cause = source.attr("cause_of")(text_of(failure.what()));
    if (!cause.is_none()) PyException_SetCause(error.ptr(), cause.inc_ref().ptr());
  }
  PyErr_SetObject(type.ptr(), error.ptr());
}

void set_error(py::handle source) {
  try {
    throw;
  } catch (py::error_already_set& raised) {
    raised.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const PythonInterrupted& interrupted) {
    interrupted.restore();
  } catch (const Interrupted& interrupted) {
    static const py::handle type = error_class("Interrupted");
    PyErr_SetObject(type.ptr(), text_of(interrupted.what()).ptr());
  } catch (const DomainError& error) {
    static const py::handle type = error_class("DomainError");
    PyErr_SetObject(type.ptr(), text_of(in_python_words(error.what())).ptr());
  } catch (const CornerFailure& failure) {
    set_corner_failure(failure, source);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::invalid_argument& error) {
    PyErr_SetObject(PyExc_ValueError, text_of(in_python_words(error.what())).ptr());
  } catch (const std::exception& error) {
    PyErr_SetObject(PyExc_RuntimeError, text_of(error.what()).ptr());
  }
}
}  // namespace

void set_python_error(py::handle source) noexcept {
  if (std::current_exception() == nullptr) stay_for_ever();  // no C++ exception: Python ends this thread
  try {
    set_error(source);
  } catch (py::error_already_set& raised) {  // while the error was being made
    raised.restore();
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "an exception that Python cannot be told of");
  }
}

}  // namespace quoin::python
