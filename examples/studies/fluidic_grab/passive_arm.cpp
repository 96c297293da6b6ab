// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/passive_arm.hpp"

#include "examples/studies/fluidic_grab/setup.hpp"

#include "quoin/robots/models/fluidic_arm/arm_response.hpp"

#include <cmath>
#include <random>

namespace studies::grab {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace identification;
using namespace fluidic_arm;

namespace {

constexpr Index frames = 100, segments = 4;
constexpr double noise = 1.5e-3;  // m

/// Unknowns: masses, k (k_i = k L_i / L_1), one b, the initial angles. The bounds are the paper's.
ArmUnknowns unknowns(const Release& seen, bool weighed) {
  const FluidicSystem known = passive_system();
  const VectorXd angles = angles_of_ends(FluidicArm(known.arm), seen.measured.col(0));
  ArmUnknowns all(known, angles);
  const SystemParameters& layout = all.layout();
  std::vector<ArmUnknowns::Share> stiffnesses, dampings;
  for (Index i = 0; i < segments; ++i) {
    const auto at = static_cast<std::size_t>(i);
    stiffnesses.push_back({layout.stiffness(i), known.arm.segments[at].length / known.arm.segments[0].length});
    dampings.push_back({layout.damping(i)});
    const double m = weighed ? true_values[at] : initial_values[at], width = weighed ? 0 : 0.38 * m;
    all.add({.name = parameter_names[at],
             .initial = m,
             .lower = m - width,
             .upper = m + width,
             .scale = 0.1,
             .spread = width},
            {{layout.mass(i)}});
  }
  const double k = initial_values[4];
  all.add({.name = "k", .initial = k, .lower = 0.77 * k, .upper = 1.23 * k, .scale = 0.1, .spread = 0.23 * k},
          stiffnesses);
  all.add({.name = "b", .initial = initial_values[5], .lower = 1e-3, .upper = 5e-3, .scale = 3e-3, .spread = 1e-3},
          dampings);
  for (Index i = 0; i < segments; ++i)
    all.add({.name = layout.names()[static_cast<std::size_t>(layout.angle(i))],
             .initial = angles[i],
             .lower = -2.5,
             .upper = 2.5,
             .scale = 0.5,
             .spread = 0.02},
            {{layout.angle(i)}});
  return all;
}

}  // namespace

FluidicSystem passive_system() {
  FluidicSystem system;
  system.arm = table1_arm();
  system.arm.passive_segments = segments;
  return system;
}

Release release(unsigned seed) {
  std::mt19937 generator(seed);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * (static_cast<double>(generator()) / 4294967296.);
  };
  // The arm is held at the tip and drawn to a side: all segments bend the same way, the stiff first one least.
  Release seen{VectorXd(segments), {}};
  for (Index i = 0; i < segments; ++i) seen.true_angles[i] = i == 0 ? uniform(0.2, 0.4) : uniform(0.4, 0.8);
  seen.measured =
      simulate(passive_system(), seen.true_angles, MatrixXd::Zero(0, frames), sample_time, {.step = 1e-3}).ends;
  std::normal_distribution<double> normal(0, noise);
  for (double& coordinate : seen.measured.reshaped()) coordinate += normal(generator);
  return seen;
}

std::string name_of(const FitWay& way) {
  return std::string(way.criterion == OutputErrorCriterion::sum_of_norms ? "norms (Algorithm 1)" : "least squares") +
         (way.weighed ? ", weighed" : "");
}

double common_scale(const VectorXd& p) {
  double logs = 0;
  for (std::size_t i = 1; i < true_values.size(); ++i) logs += std::log(p[static_cast<Index>(i)] / true_values[i]);
  return std::exp(logs / static_cast<double>(true_values.size() - 1));
}

PassiveFit fit_release(unsigned seed, const FitWay& way, int starts) {
  const Release seen = release(seed);
  const ArmUnknowns sought = unknowns(seen, way.weighed);
  return {
      way, seed, seen, sought,
      fit_output_error(sought.parameters(), sought.prediction(MatrixXd::Zero(0, frames), sample_time), seen.measured,
                       {.criterion = way.criterion, .starts = way.weighed ? 1 : starts, .relative_tolerance = 1e-7})};
}

MatrixXd PassiveFit::predicted_at_first() const {
  MatrixXd ends;
  sought.prediction(MatrixXd::Zero(0, frames), sample_time)(fit.starts[0].initial, ends, nullptr);
  return ends;
}

}  // namespace studies::grab
