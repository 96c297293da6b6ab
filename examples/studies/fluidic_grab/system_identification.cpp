// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/system_identification.hpp"

#include "examples/studies/fluidic_grab/arm_unknowns.hpp"
#include "examples/studies/fluidic_grab/setup.hpp"
#include "quoin/robots/dynamics/linear_system.hpp"
#include "quoin/robots/identification/bretschneider_wave.hpp"
#include "quoin/robots/identification/continuous_system.hpp"
#include "quoin/robots/identification/linear_system_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace studies::grab {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using namespace fluidic_arm;
using namespace identification;

namespace {

// Standard deviations of what is known before: nominal values, shares of them, which are off by up to 20 %; the delay,
// s, off by up to 20 ms; Coulomb friction, N m, of which nothing is known but its size; angles at rest, rad.
constexpr double known_to = 0.12, delay_known_to = 0.012, friction_known_to = 5e-3, start_known_to = 0.01;

}  // namespace

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
  const VectorXd at_rest = VectorXd::Zero(layout.segments);
  const VectorXd now = layout.read(model, at_rest), nominal = layout.read(nominal_system(), at_rest);
  std::vector<double> expected;  // to within the parameters' scales
  const auto look_for = [&](const std::vector<ArmUnknowns::Share>& shares, double low, double high, double deviation) {
    const Index first = shares.front().parameter;
    unknowns.add({.name = layout.names()[static_cast<std::size_t>(first)],
                  .initial = now[first],
                  .lower = low,
                  .upper = high,
                  .scale = deviation},
                 shares);
    expected.push_back(nominal[first]);
  };
  const auto look_for_part = [&](Index place, double low, double high) {
    look_for({{place}}, low, high, known_to * nominal[place]);
  };
  for (Index i = 0; i < layout.segments; ++i) look_for_part(layout.stiffness(i), 0.02, 0.3);
  for (Index i = 0; i < layout.segments; ++i) look_for_part(layout.damping(i), 5e-4, 1e-2);
  std::vector<ArmUnknowns::Share> frictions;
  for (Index i = 0; i < layout.segments; ++i) frictions.push_back({layout.friction(i)});
  look_for(frictions, 0, 2e-2, friction_known_to);
  for (Index i = 0; i < layout.actuators; ++i) look_for_part(layout.cubic(i), 1e-7, 3e-6);
  look_for({{layout.delay()}}, 0, 0.15, delay_known_to);
  std::vector<OutputErrorParameter> parameters = unknowns.parameters();
  for (std::size_t trial = 0; trial < recordings.size(); ++trial)
    for (Index i = 0; i < layout.segments; ++i) {
      parameters.push_back({.name = layout.names()[static_cast<std::size_t>(layout.angle(i))],
                            .lower = -0.1,
                            .upper = 0.1,
                            .scale = start_known_to});
      expected.push_back(0);
    }

  // What is known of a parameter before is one more measurement of it.
  const Index rows = 2 * layout.segments, unknown = std::ssize(expected);
  std::vector<MatrixXd> inputs;
  Index first_frame = (unknown + rows - 1) / rows, frames = first_frame;
  for (const Recording& recording : recordings) {
    inputs.push_back(recording.inputs);
    frames += recording.outputs.cols();
  }
  VectorXd weights(unknown);
  for (Index i = 0; i < unknown; ++i) weights[i] = camera_noise / parameters[static_cast<std::size_t>(i)].scale;
  MatrixXd measured = MatrixXd::Constant(rows, frames, std::numeric_limits<double>::quiet_NaN());
  measured.reshaped().head(unknown) = weights.cwiseProduct(Eigen::Map<const VectorXd>(expected.data(), unknown));
  for (Index at = first_frame; const Recording& recording : recordings) {
    measured.middleCols(at, recording.outputs.cols()) = recording.outputs;
    at += recording.outputs.cols();
  }
  const auto motion = unknowns.prediction(inputs, sample_time, 2.5e-3, ArmUnknowns::Starts::unknown);
  const OutputPrediction prediction = [&](const VectorXd& p, MatrixXd& Y, MatrixXd* dY_dp) {
    MatrixXd ends, derivatives;
    if (!motion(p, ends, dY_dp != nullptr ? &derivatives : nullptr)) return false;
    Y.setZero(rows, frames);
    Y.rightCols(ends.cols()) = ends;
    Y.reshaped().head(unknown) = weights.cwiseProduct(p);
    if (dY_dp != nullptr) {
      dY_dp->setZero(rows * frames, unknown);
      dY_dp->bottomRows(derivatives.rows()) = derivatives;
      dY_dp->topRows(unknown).diagonal() = weights;
    }
    return true;
  };
  SystemFit found{model, fit_output_error(parameters, prediction, measured,
                                          {.block_size = 1,
                                           .criterion = OutputErrorCriterion::least_squares,
                                           .max_iterations = 40,
                                           .relative_tolerance = 1e-6})};
  found.system = unknowns.system(found.fit.p.head(std::ssize(unknowns.parameters())));
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
