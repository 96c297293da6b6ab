// SPDX-License-Identifier: BSD-3-Clause
// A call of Python from a thread of C++, also while the interpreter ends.
#pragma once

#include "gil.hpp"

#include <optional>

namespace quoin::python {

/// While it lives this thread has the GIL. Threads that Python does not know, such as that which evaluates what was
/// requested, must not wait for the GIL once the interpreter ends: then, for them, this throws RetryableFailure.
class PythonCall {
 public:
  PythonCall();
  ~PythonCall();
  PythonCall(const PythonCall&) = delete;
  PythonCall& operator=(const PythonCall&) = delete;

 private:
  bool foreign_;
  std::optional<WithGil> gil_;
};

/// To be called with the GIL before the interpreter ends: waits until no such thread is in Python, and lets none in.
void end_foreign_calls();

}  // namespace quoin::python
