// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/arm7/iiwa7.hpp"

#include "quoin/robots/models/rigid_body/urdf.hpp"

#include <stdexcept>

namespace studies::iiwa {

std::vector<rigid_body::Link> iiwa7_links() {
#ifdef QUOIN_HAS_URDF
  return rigid_body::read_urdf(QUOIN_IIWA7_URDF);
#else
  throw std::runtime_error("the arm is read from a URDF file, and quoin was built without urdfdom");
#endif
}

}  // namespace studies::iiwa
