// SPDX-License-Identifier: BSD-3-Clause
#include "../bindings.hpp"
#include "arms.hpp"

namespace quoin::python {

void bind_soft_arm(py::module_& m) {
  bind_arm_meshes(m);
  bind_statics(m);
  bind_full_dynamics(m);
  bind_arm_on_grid(m);
}

}  // namespace quoin::python
