// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/system_identification.hpp"

#include "examples/studies/fluidic_grab/arm_unknowns.hpp"
#include "examples/studies/fluidic_grab/setup.hpp"
#include "quoin/dynamics/linear_system.hpp"
#include "quoin/identification/bretschneider_wave.hpp"
#include "quoin/identification/linear_system_fit.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace studies::grab {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace fluidic_arm;
using namespace identification;

MatrixXd exciting_references(double duration, double largest, unsigned seed) {
  const Index frames = 1 + static_cast<Index>(std::lround(duration / sample_time));
  MatrixXd references(3, frames);
  for (Index i = 0; i < 3; ++i) {
    const BretschneiderWave wave({.significant_height = 2 * largest, .seed = 10 * seed + static_cast<unsigned>(i)});
    for (Index k = 0; k < frames; ++k) {
      const double t = static_cast<double>(k) * sample_time;
      references(i, k) = std::clamp(std::min(1., 2 * t) * wave.at(t), -largest, largest);
    }
  }
  return references;
}

Recording run_references(FluidicPlant& plant, const MatrixXd& references) {
  return plant.run(
      [&](double time, const VectorXd&) -> VectorXd {
        const Index i = static_cast<Index>(std::lround(time / plant.sample_time()));
        return references.col(std::min(i, references.cols() - 1));
      },
      static_cast<double>(references.cols() - 1) * plant.sample_time());
}

std::vector<LinearSystem> fit_cylinders(const std::vector<LinearSystem>& truth, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  constexpr double step = 0.01;
  std::vector<LinearSystem> found;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const BretschneiderWave wave(
        {.significant_height = largest_reference, .seed = 100 * seed + static_cast<unsigned>(i)});
    const MatrixXd inputs =
        MatrixXd::NullaryExpr(1, 1001, [&](Index, Index k) { return wave.at(static_cast<double>(k) * step); });
    MatrixXd outputs = simulate(discretized(truth[i], step), inputs);
    const double noise = 0.005 * std::sqrt(outputs.squaredNorm() / static_cast<double>(outputs.size()));
    outputs += MatrixXd::NullaryExpr(1, outputs.cols(), [&] { return noise * normal(generator); });
    const auto fitted = continuous_of(fit_linear_system(inputs, outputs, step).system);
    if (!fitted) throw std::runtime_error("a cylinder's identified model has no continuous form");
    found.push_back(*fitted);
  }
  return found;
}

SystemFit identify_system(const FluidicSystem& model, const std::vector<Recording>& recordings) {
  ArmUnknowns unknowns(model, VectorXd::Zero(static_cast<Index>(model.arm.segments.size())));
  const SystemParameters& layout = unknowns.layout();
  const VectorXd now = layout.read(model, VectorXd::Zero(layout.segments));
  const std::vector<std::string> names = layout.names();
  const auto look_for = [&](Index place, double low, double high, double scale) {
    unknowns.add({.name = names[static_cast<std::size_t>(place)],
                  .initial = now[place],
                  .lower = low,
                  .upper = high,
                  .scale = scale},
                 {{place}});
  };
  for (Index i = 0; i < layout.segments; ++i) look_for(layout.stiffness(i), 0.02, 0.3, 0.1);
  for (Index i = 0; i < layout.segments; ++i) look_for(layout.damping(i), 5e-4, 1e-2, 4e-3);
  for (Index i = 0; i < layout.actuators; ++i) look_for(layout.cubic(i), 1e-7, 3e-6, 8e-7);
  look_for(layout.delay(), 0, 0.15, 0.05);

  std::vector<MatrixXd> inputs;
  Index frames = 0;
  for (const Recording& recording : recordings) {
    inputs.push_back(recording.inputs);
    frames += recording.outputs.cols();
  }
  MatrixXd measured(2 * layout.segments, frames);
  for (Index at = 0; const Recording& recording : recordings) {
    measured.middleCols(at, recording.outputs.cols()) = recording.outputs;
    at += recording.outputs.cols();
  }
  SystemFit found{model,
                  fit_output_error(unknowns.parameters(), unknowns.prediction(inputs, sample_time, 2.5e-3), measured,
                                   {.block_size = 2, .max_iterations = 40, .relative_tolerance = 1e-6})};
  found.system = unknowns.system(found.fit.p);
  return found;
}

FluidicSystem measured_parts(const FluidicSystem& truth, unsigned seed) {
  FluidicSystem model = nominal_system();
  model.cylinders = fit_cylinders(truth.cylinders, seed);
  for (std::size_t i = 0; i < model.arm.segments.size(); ++i)
    model.arm.segments[i].mass = 1e-3 * std::round(1e3 * truth.arm.segments[i].mass);
  return model;
}

}  // namespace studies::grab
