// SPDX-License-Identifier: BSD-3-Clause
// Mass and gravity as a map, and the arm over such a map: of 1 to 6 segments.
#include "../dynamics.hpp"
#include "../for_dim.hpp"
#include "../map_of_dim.hpp"
#include "arms.hpp"
#include "quoin/robots/models/fluidic_arm/arm_over_map.hpp"
#include "quoin/robots/models/fluidic_arm/mass_gravity_map.hpp"

#include <memory>

namespace quoin::python {
namespace {

using namespace fluidic_arm;

PyMap mass_gravity_map(const FluidicArm& arm) {
  return for_dim(static_cast<int>(arm.coordinates()), "MassGravityMap", [&](auto dim) -> PyMap {
    return {std::make_shared<MapFrom<dim, MassGravityMap<dim>>>(MassGravityMap<dim>(arm)), py::none()};
  });
}

std::shared_ptr<Rates> arm_over_map(py::handle object, const py::dict& description) {
  const auto map = map_of(object).map;
  const ArmDescription arm = arm_description_of(description);
  return for_dim(map->dim(), "ArmOverMap",
                 [&](auto dim) { return rates_from(ArmOverMap<dim, MapOf<dim>>(MapOf<dim>(map), arm)); });
}

}  // namespace

void bind_arm_over_map(py::module_& m) {
  m.def("mass_gravity_map", &mass_gravity_map);
  m.def("arm_over_map", &arm_over_map);
}

}  // namespace quoin::python
