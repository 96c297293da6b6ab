// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/common_options.hpp"

#include <cstdint>

namespace studies::spheres {

/// The options of the command line.
struct ProgramOptions : CommonOptions {
  std::uint64_t seed = 10001;  ///< of the first scene; the others follow
  int scenes = 25;
  int motions = 10;         ///< of each scene, at each amplitude
  int tuning_scenes = 5;    ///< on which settings are compared; none of those above
  int tuning_motions = 12;  ///< of each of these
};

}  // namespace studies::spheres
