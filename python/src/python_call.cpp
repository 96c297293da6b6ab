// SPDX-License-Identifier: BSD-3-Clause
#include "python_call.hpp"

#include "quoin/core/errors.hpp"

#include <condition_variable>
#include <mutex>

namespace quoin::python {

namespace py = pybind11;

namespace {
struct Foreign {
  std::mutex mutex;
  std::condition_variable left;
  int inside = 0;
  bool ended = false;
};
// Never destroyed: a thread may leave behind the end of main.
Foreign& foreign_threads() {
  static auto& foreign = *new Foreign;
  return foreign;
}
}  // namespace

PythonCall::PythonCall() : foreign_(PyGILState_GetThisThreadState() == nullptr) {
  if (foreign_) {
    Foreign& foreign = foreign_threads();
    const std::lock_guard lock(foreign.mutex);
    if (foreign.ended) throw RetryableFailure("Python is ending");
    ++foreign.inside;
  }
  gil_.emplace();
}

PythonCall::~PythonCall() {
  gil_.reset();
  if (!foreign_) return;
  Foreign& foreign = foreign_threads();
  const std::lock_guard lock(foreign.mutex);
  --foreign.inside;
  foreign.left.notify_all();
}

void end_foreign_calls() {
  const py::gil_scoped_release release;
  Foreign& foreign = foreign_threads();
  std::unique_lock lock(foreign.mutex);
  foreign.ended = true;
  foreign.left.wait(lock, [&] { return foreign.inside == 0; });
}

}  // namespace quoin::python
