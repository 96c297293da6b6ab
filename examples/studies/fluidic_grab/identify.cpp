// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/identify_parts.hpp"

namespace studies::grab {

void identify(studies::Report& report, const ProgramOptions& options, const figures::OutputFolder& out) {
  const std::vector<LinearSystem> cylinders = identify_cylinders(report, out);
  identify_actuator(report, cylinders[1], out);
  identify_passive_arm(report, options, out);
  identify_driven_arm(report, options, cylinders);
}

}  // namespace studies::grab
