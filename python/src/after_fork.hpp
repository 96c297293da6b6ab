// SPDX-License-Identifier: BSD-3-Clause
// What is made anew in a process that was forked.
#pragma once

namespace quoin::python {

/// Called with the GIL by the one thread that the child has: calls of Python by other threads stayed behind.
void forget_foreign_calls();

}  // namespace quoin::python
