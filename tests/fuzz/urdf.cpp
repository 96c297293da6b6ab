// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/urdf.hpp"
#include "fuzz.hpp"
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"

using quoin::rigid_body::RigidBodyTree;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return reads_or_refuses(data, size,
                          [](const std::string& text) { RigidBodyTree{quoin::rigid_body::parse_urdf(text)}; });
}
