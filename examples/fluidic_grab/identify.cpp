// SPDX-License-Identifier: BSD-3-Clause
#include "examples/fluidic_grab/identify_parts.hpp"

namespace quoin::grab {

void identify(study::Report& report, const ProgramOptions& options, const io::OutputFolder& out) {
  const std::vector<LinearSystem> cylinders = identify_cylinders(report, out);
  identify_actuator(report, cylinders[1], out);
  identify_passive_arm(report, options, out);
  identify_driven_arm(report, options, cylinders);
}

}  // namespace quoin::grab
