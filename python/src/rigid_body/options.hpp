// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../arrays.hpp"
#include "../read_option.hpp"
#include "quoin/robots/models/rigid_body/dynamics_options.hpp"

namespace quoin::python {

/// What quoin.rigid_body.TreeDynamics hands over.
inline rigid_body::DynamicsOptions tree_options_of(const py::dict& dict) {
  return {.gravity = vector_of(dict["gravity"], 3, "gravity"),
          .friction = static_cast<rigid_body::Friction>(option<int>(dict, "friction")),
          .friction_velocity = option<double>(dict, "friction_velocity")};
}

}  // namespace quoin::python
