// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/soft_arm_grid/soft_arm_grid.hpp"

namespace quoin {

template class ReducedDynamics<2, GridView<2>>;
template class ReducedDynamics<4, GridView<4>>;
template class ReducedDynamics<2, soft_arm::SoftArmGrid<2>::ExactMap>;
template class ReducedDynamics<4, soft_arm::SoftArmGrid<3>::ExactMap>;
template class InertialDynamics<2, GridView<2>, GridView<2>>;
template class InertialDynamics<4, GridView<4>, GridView<4>>;

}  // namespace quoin
