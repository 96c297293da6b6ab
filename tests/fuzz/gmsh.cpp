// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz.hpp"
#include "testing/robots/meshes.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return reads_or_refuses(data, size, hostile::read_mesh<2>, hostile::read_mesh<3>);
}
