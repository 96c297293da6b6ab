// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/newton_euler.hpp"

namespace quoin::rigid_body {

template class NewtonEuler<double>;

}  // namespace quoin::rigid_body
