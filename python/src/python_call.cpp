// SPDX-License-Identifier: BSD-3-Clause
#include "python_call.hpp"

#include "after_fork.hpp"
#include "gil.hpp"
#include "quoin/util/errors.hpp"

#include <chrono>
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
Foreign* foreign_of_process = new Foreign;
Foreign& foreign_threads() { return *foreign_of_process; }
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
  if (foreign.inside > 0) --foreign.inside;  // 0: it entered in the process that forked this one
  foreign.left.notify_all();
}

void end_foreign_calls() {
  Foreign& foreign = foreign_threads();
  for (bool waits = true; waits;) {
    {
      const WithoutGil release;
      std::unique_lock lock(foreign.mutex);
      foreign.ended = true;
      waits = !foreign.left.wait_for(lock, std::chrono::milliseconds(20), [&] { return foreign.inside == 0; });
    }
    if (!waits || PyErr_CheckSignals() == 0) continue;
    end_at_once();
    throw py::error_already_set();
  }
}

void forget_foreign_calls() {
  const bool ended = foreign_threads().ended;
  foreign_of_process = new Foreign;  // the other's mutex may be locked for ever
  foreign_threads().ended = ended;
}

}  // namespace quoin::python
