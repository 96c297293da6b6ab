// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/mass_gravity_map.hpp"
#include "testing/fingerprint_laws.hpp"
#include "testing/robots/fluidic_arms.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace quoin;
using namespace quoin::fluidic_arm;

namespace {

std::string text_of(const ArmDescription& arm) { return MassGravityMap<3>(FluidicArm(arm)).fingerprint().text(); }

}  // namespace

TEST_CASE("the fingerprint of a fluidic arm's mass and gravity tells apart whatever changes them, and nothing else") {
  using Arm = ArmDescription;
  std::vector<Change<Arm>> counting{{"gravity", [](Arm& a) { a.gravity *= 1 + 1e-6; }},
                                    {"base_angle", [](Arm& a) { a.base_angle += 1e-6; }},
                                    {"mid-arc masses", [](Arm& a) { a.mass_model = MassModel::mid_arc; }},
                                    {"chord-point masses", [](Arm& a) { a.mass_model = MassModel::chord_point; }}};
  std::vector<Change<Arm>> not_counting{{"base_rotation", [](Arm& a) { a.base_rotation += 1; }},
                                        {"passive_segments", [](Arm& a) { a.passive_segments = 2; }}};
  for (std::size_t n = 0; n < 3; ++n) {
    const std::string of = " of segment " + std::to_string(n);
    counting.push_back({"length" + of, [n](Arm& a) { a.segments[n].length += 1e-6; }});
    counting.push_back({"dead_length" + of, [n](Arm& a) { a.segments[n].dead_length += 1e-6; }});
    counting.push_back({"mass" + of, [n](Arm& a) { a.segments[n].mass += 1e-6; }});
    not_counting.push_back({"stiffness" + of, [n](Arm& a) { a.segments[n].stiffness *= 2; }});
    not_counting.push_back({"damping" + of, [n](Arm& a) { a.segments[n].damping *= 2; }});
    not_counting.push_back({"friction" + of, [n](Arm& a) { a.segments[n].friction += 1; }});
  }
  check_fingerprint<Arm>(quoin::fluidic_arm::test::crooked_arm(), text_of, counting, not_counting);
}

TEST_CASE("every build gives the crooked arm this fingerprint") {
  CHECK(text_of(quoin::fluidic_arm::test::crooked_arm()) == "fluidic_arm::MassGravityMap 37a61f6919d86007");
}
