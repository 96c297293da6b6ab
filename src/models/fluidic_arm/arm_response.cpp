// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/models/fluidic_arm/arm_response.hpp"

#include "quoin/core/to_text.hpp"
#include "quoin/dynamics/runge_kutta.hpp"
#include "quoin/models/fluidic_arm/volume_history.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace quoin::fluidic_arm {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// One step of a motion and, if requested, of its derivatives by all parameters.
class Stepper {
 public:
  Stepper(const FluidicSystem& system, const VolumeHistory& history)
      : system_(system), history_(history), arm_(system.arm), layout_(system) {}

  const FluidicArm& arm() const { return arm_; }
  const SystemParameters& layout() const { return layout_; }

  void torques(double time, VectorXd& torques) {
    history_.at(time - system_.delay, volumes_, rates_);
    torques = actuator_torques(system_, volumes_);
  }

  StepStatus step(double time, double h, VectorXd& x) {
    return runge_kutta_step(
        arm_,
        [&](double t) {
          torques(t, held_);
          return held_;
        },
        time, h, x);
  }

  StepStatus step(double time, double h, VectorXd& x, MatrixXd& S) {
    constexpr double reach[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    VectorXd k = VectorXd::Zero(x.size()), x_sum = k;
    MatrixXd K = MatrixXd::Zero(S.rows(), S.cols()), S_sum = K;
    for (int j = 0; j < 4; ++j) {
      const VectorXd stage = x + reach[j] * h * k;
      const MatrixXd S_stage = S + reach[j] * h * K;
      if (const StepStatus status = rate(time + reach[j] * h, stage, k, K); status != StepStatus::ok) return status;
      K += df_dx_ * S_stage;
      x_sum += weight[j] * k;
      S_sum += weight[j] * K;
    }
    x += h * x_sum;
    S += h * S_sum;
    return x.allFinite() ? StepStatus::ok : StepStatus::not_converged;
  }

 private:
  const CubicActuator& actuator(Index i) const { return system_.actuators[static_cast<std::size_t>(i)]; }

  /// dx/dt, its derivative by x (df_dx_), and by the parameters (F). M(q) a + h = B tau, and h + M a is linear in
  /// masses, stiffnesses and dampings: da/dp = M^-1 (B dtau/dp - Y).
  StepStatus rate(double time, const VectorXd& x, VectorXd& rate, MatrixXd& F) {
    const Index n = arm_.coordinates(), passive = n - arm_.control_size();
    torques(time, held_);
    if (const StepStatus status = arm_.rate(x, held_, rate, df_dx_, df_du_); status != StepStatus::ok) return status;
    const Eigen::LLT<MatrixXd> mass(arm_.mass_matrix(x.head(n)));
    forcing_.setZero(n, layout_.size());
    forcing_.leftCols(3 * n) = -arm_.regressor(x.head(n), x.tail(n), rate.tail(n));
    for (Index i = 0; i < volumes_.size(); ++i) {
      const double V = volumes_[i];
      forcing_(passive + i, layout_.cubic(i)) = V * V * V;
      forcing_(passive + i, layout_.linear(i)) = V;
      forcing_(passive + i, layout_.delay()) = -actuator(i).slope(V) * rates_[i];
    }
    F.setZero(2 * n, layout_.size());
    F.bottomRows(n) = mass.solve(forcing_);
    return StepStatus::ok;
  }

  const FluidicSystem& system_;
  const VolumeHistory& history_;
  FluidicArm arm_;
  SystemParameters layout_;
  VectorXd volumes_, rates_, held_;
  MatrixXd df_dx_, df_du_, forcing_;
};

}  // namespace

ArmResponse simulate(const FluidicSystem& system, const VectorXd& initial_angles, const MatrixXd& inputs,
                     double sample_time, const ResponseOptions& options) {
  check(system);
  if (inputs.rows() != static_cast<Index>(system.actuators.size()) || inputs.cols() < 1 ||
      initial_angles.size() != static_cast<Index>(system.arm.segments.size()) || !(options.step > 0))
    throw std::invalid_argument("simulate: inputs are " + to_text(inputs.rows()) + " x " + to_text(inputs.cols()) +
                                ", initial angles " + to_text(initial_angles.size()) + ", step " +
                                to_text(options.step) + " s; " + to_text(system.actuators.size()) + " actuators, " +
                                to_text(system.arm.segments.size()) + " segments");
  VolumeHistory history(system.cylinders, sample_time);
  Stepper stepper(system, history);
  const SystemParameters& layout = stepper.layout();
  const Index n = initial_angles.size(), frames = inputs.cols();
  const int steps = std::max(1, static_cast<int>(std::ceil(sample_time / options.step - 1e-9)));
  const double h = sample_time / steps;

  ArmResponse response;
  response.states.resize(2 * n, frames);
  response.ends.resize(2 * n, frames);
  response.torques.resize(inputs.rows(), frames);
  if (options.with_jacobian) response.jacobian.setZero(2 * n * frames, layout.size());
  VectorXd x = VectorXd::Zero(2 * n), torques;
  x.head(n) = initial_angles;
  MatrixXd S;
  if (options.with_jacobian) {
    S.setZero(2 * n, layout.size());
    S.topRightCorner(n, n).setIdentity();
  }
  for (Index i = 0; i < frames; ++i) {
    Eigen::Matrix2Xd ends;
    MatrixXd ends_jacobian;
    stepper.arm().end_points(x.head(n), ends, ends_jacobian);
    response.states.col(i) = x;
    response.ends.col(i) = ends.reshaped();
    if (options.with_jacobian) response.jacobian.middleRows(2 * n * i, 2 * n) = ends_jacobian * S.topRows(n);
    const double time = static_cast<double>(i) * sample_time;
    stepper.torques(time, torques);
    response.torques.col(i) = torques;
    if (i + 1 == frames) break;
    history.advance(inputs.col(i));
    for (int j = 0; j < steps && response.status == StepStatus::ok; ++j)
      response.status = options.with_jacobian ? stepper.step(time + j * h, h, x, S) : stepper.step(time + j * h, h, x);
    if (response.status != StepStatus::ok) {
      response.states.conservativeResize(2 * n, i + 1);
      response.ends.conservativeResize(2 * n, i + 1);
      response.torques.conservativeResize(inputs.rows(), i + 1);
      if (options.with_jacobian) response.jacobian.conservativeResize(2 * n * (i + 1), layout.size());
      break;
    }
  }
  return response;
}

VectorXd angles_of_ends(const FluidicArm& arm, const VectorXd& ends, double limit) {
  const Index n = arm.coordinates();
  if (ends.size() != 2 * n)
    throw std::invalid_argument("angles_of_ends: " + to_text(ends.size()) + " coordinates of ends for " + to_text(n) +
                                " segments");
  VectorXd q = VectorXd::Zero(n);
  Eigen::Matrix2Xd at;
  MatrixXd J;
  // The first k segments from their own ends, for k = 1..N: each solve starts close to its solution.
  for (Index k = 1; k <= n; ++k)
    for (int iteration = 0; iteration < 20; ++iteration) {
      arm.end_points(q, at, J);
      const VectorXd missing = ends.head(2 * k) - at.leftCols(k).reshaped();
      const MatrixXd A = J.topLeftCorner(2 * k, k);
      const MatrixXd normal = A.transpose() * A + 1e-12 * MatrixXd::Identity(k, k);
      const VectorXd step = normal.ldlt().solve(A.transpose() * missing);
      q.head(k) = (q.head(k) + step).cwiseMax(-limit).cwiseMin(limit);
      if (step.cwiseAbs().maxCoeff() < 1e-12) break;
    }
  return q;
}

}  // namespace quoin::fluidic_arm
