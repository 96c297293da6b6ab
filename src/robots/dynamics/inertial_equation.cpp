// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/dynamics/detail/inertial_equation.hpp"

namespace quoin::detail {

template class InertialEquation<2>;
template class InertialEquation<4>;

}  // namespace quoin::detail
