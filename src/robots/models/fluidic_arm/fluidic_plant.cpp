// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/fluidic_plant.hpp"

#include "quoin/util/to_text.hpp"
#include "sampled_motion.hpp"

#include <cmath>
#include <stdexcept>

namespace quoin::fluidic_arm {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

static_assert(Plant<FluidicPlant>);

FluidicPlant::FluidicPlant(FluidicSystem system, const PlantOptions& options)
    : system_(std::move(system)), arm_(system_.arm), options_(options), generator_(options.seed) {
  check(system_);
  if (!(options.sample_time > 0) || !(options.step > 0) || !(options.noise >= 0) ||
      !(options.initial_angle_noise >= 0) || !(options.largest_reference >= 0))
    throw std::invalid_argument("FluidicPlant: sample time " + to_text(options.sample_time) + " s, step " +
                                to_text(options.step) + " s, noise " + to_text(options.noise) + " m, " +
                                to_text(options.initial_angle_noise) + " rad, largest reference " +
                                to_text(options.largest_reference) + " mL");
}

Recording FluidicPlant::run(const Controller& controller, double duration) {
  const Index n = arm_.coordinates(), frames = 1 + static_cast<Index>(std::lround(duration / options_.sample_time));
  if (frames < 2) throw std::invalid_argument("FluidicPlant::run: a duration of " + to_text(duration) + " s");
  std::normal_distribution<double> normal;
  const auto noise = [&](Index size, double deviation) {
    return VectorXd(VectorXd::NullaryExpr(size, [&] { return deviation * normal(generator_); }));
  };
  Recording seen{
      .times = VectorXd(frames), .inputs = MatrixXd(input_size(), frames), .outputs = MatrixXd(2 * n, frames)};
  states_.resize(2 * n, frames);
  torques_.resize(input_size(), frames);
  SampledMotion motion(system_, noise(n, options_.initial_angle_noise), options_.sample_time, options_.step);
  for (Index i = 0; i < frames; ++i) {
    const double time = static_cast<double>(i) * options_.sample_time;
    Eigen::Matrix2Xd ends;
    arm_.end_points(motion.state().head(n), ends);
    seen.times[i] = time;
    seen.outputs.col(i) = ends.reshaped() + noise(2 * n, options_.noise);
    states_.col(i) = motion.state();
    torques_.col(i) = motion.torques();
    const VectorXd asked = controller(time, seen.outputs.col(i));
    if (asked.size() != input_size() || !asked.allFinite())
      throw std::invalid_argument("FluidicPlant::run: at " + to_text(time) + " s the controller gave " +
                                  to_text(asked.size()) + " references; " + to_text(input_size()) +
                                  " finite ones are needed");
    seen.inputs.col(i) = asked.cwiseMax(-options_.largest_reference).cwiseMin(options_.largest_reference);
    if (i + 1 == frames) break;
    seen.status = motion.advance(seen.inputs.col(i), nullptr);
    if (seen.status != StepStatus::ok) {
      seen.times.conservativeResize(i + 1);
      for (MatrixXd* rows : {&seen.inputs, &seen.outputs, &states_, &torques_})
        rows->conservativeResize(Eigen::NoChange, i + 1);
      break;
    }
  }
  return seen;
}

MatrixXd FluidicPlant::tip_states() const {
  MatrixXd tip(4, states_.cols());
  const int last = static_cast<int>(arm_.coordinates()) - 1;
  for (Index i = 0; i < states_.cols(); ++i) {
    const VectorXd q = states_.col(i).head(last + 1), v = states_.col(i).tail(last + 1);
    Eigen::Vector2d velocity;
    Eigen::Matrix2Xd ignored;
    arm_.point_velocity(q, v, last, 1, velocity, ignored);
    tip.block<2, 1>(0, i) = arm_.tip(q);
    tip.block<2, 1>(2, i) = velocity;
  }
  return tip;
}

}  // namespace quoin::fluidic_arm
