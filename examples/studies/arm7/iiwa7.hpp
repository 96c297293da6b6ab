// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "quoin/robots/models/rigid_body/link.hpp"

#include <vector>

namespace studies::iiwa {

/// A KUKA iiwa 7, as examples/data/iiwa7.urdf describes it. Throws std::runtime_error in a build without urdfdom.
std::vector<rigid_body::Link> iiwa7_links();

}  // namespace studies::iiwa
