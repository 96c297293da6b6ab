// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/dynamics.hpp"

namespace quoin::rigid_body {

template class Dynamics<double>;

}  // namespace quoin::rigid_body
