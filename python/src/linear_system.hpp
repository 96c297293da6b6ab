// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "matrices.hpp"
#include "quoin/robots/dynamics/linear_system.hpp"

namespace quoin::python {

/// From (A, B, C, D, time_step), checked by quoin.LinearSystem.
inline LinearSystem system_of(const py::tuple& fields) {
  return {matrix_from(fields[0], -1, -1, "A"), matrix_from(fields[1], -1, -1, "B"), matrix_from(fields[2], -1, -1, "C"),
          matrix_from(fields[3], -1, -1, "D"), fields[4].cast<double>()};
}

}  // namespace quoin::python
