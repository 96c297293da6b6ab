// SPDX-License-Identifier: BSD-3-Clause
#include "sampled_motion.hpp"

#include "quoin/robots/models/fluidic_arm/detail/elastic_forces.hpp"
#include "quoin/robots/models/fluidic_arm/detail/mass_factor.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace quoin::fluidic_arm {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// With these, motions end within 1e-5 m of the exact one or are not ok (docs/robots/fluidic_arm.md has the figures). A
// step over a change of sign of friction sees little of it in its stages: friction needs smaller ones.
constexpr MotionTolerances smooth{3e-6, 8e-6}, with_friction{1e-7, 4e-6};

const MotionTolerances& tolerances_for(const ArmDescription& arm) {
  return std::ranges::any_of(arm.segments, [](const Segment& segment) { return segment.friction > 0; }) ? with_friction
                                                                                                        : smooth;
}

constexpr double linear_for = 0.02;  // s, for which errors follow one linearization,
constexpr int linear_steps = 8;      // but not for more steps: what decays fast does so along modes that turn

constexpr double stable = 2.7;  // of a step times the rate of decay, for Runge-Kutta steps

constexpr double reach[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};

}  // namespace

SampledMotion::SampledMotion(const FluidicSystem& system, const VectorXd& initial_angles, double sample_time,
                             double longest_step)
    : system_(system),
      arm_(system.arm),
      layout_(system),
      history_(system.cylinders, sample_time),
      sample_time_(sample_time),
      tolerances_(tolerances_for(system.arm)),
      longest_per_sample_(std::max(1L, static_cast<long>(std::ceil(sample_time / longest_step - 1e-9)))),
      x_(VectorXd::Zero(arm_.state_size())),
      new_errors_(x_),
      carried_errors_(x_) {
  x_.head(arm_.coordinates()) = initial_angles;
}

const VectorXd& SampledMotion::torques(double time) {
  history_.at(time - system_.delay, volumes_, rates_);
  return torques_ = actuator_torques(system_, volumes_);
}

const VectorXd& SampledMotion::torques() { return torques(static_cast<double>(samples_) * sample_time_); }

StepStatus SampledMotion::attempt(double time, double h) {
  for (std::size_t j = 1; j < 4; ++j)
    if (const StepStatus status = arm_.rate(x_ + reach[j] * h * k_[j - 1], torques(time + reach[j] * h), k_[j]);
        status != StepStatus::ok)
      return status;
  next_ = x_ + h / 6 * (k_[0] + 2 * k_[1] + 2 * k_[2] + k_[3]);
  if (const StepStatus status = arm_.rate(next_, torques_, k_[4]); status != StepStatus::ok) return status;
  error_ = h / 10 * (k_[3] - k_[4]);
  return step_error() <= tolerances_.step ? StepStatus::ok : StepStatus::not_converged;
}

StepStatus SampledMotion::advance(const VectorXd& reference, MatrixXd* S) {
  history_.advance(reference);
  const double start = static_cast<double>(samples_) * sample_time_;
  if (k_[0].size() == 0)
    if (const StepStatus status = arm_.rate(x_, torques(start), k_[0]); status != StepStatus::ok) return status;
  // Time within the sample is counted in the shortest steps.
  constexpr long longest = 1L << most_halvings;
  const long end = longest_per_sample_ * longest;
  for (long at = 0; at < end;) {
    const long span = longest >> halvings_;
    const double time = start + sample_time_ * static_cast<double>(at) / static_cast<double>(end);
    const double h = sample_time_ * static_cast<double>(span) / static_cast<double>(end);
    StepStatus status = attempt(time, h);
    if (status == StepStatus::ok && S != nullptr) status = differentiate(time, h, *S);
    if (status != StepStatus::ok) {
      if (halvings_ == most_halvings) return status;
      ++halvings_;
      continue;
    }
    x_.swap(next_);
    k_[0].swap(k_[4]);
    at += span;
    new_errors_ += error_;
    since_carried_ += h;
    if (++steps_since_carried_ == linear_steps || since_carried_ > (1 - 1e-9) * linear_for)
      if (status = carry_errors(time + h); status != StepStatus::ok) return status;
    // The error is of fourth order: a step of twice the length has 16 times this one's.
    if (halvings_ > 0 && step_error() < tolerances_.step / 32 && at % (2 * span) == 0) --halvings_;
  }
  ++samples_;
  return StepStatus::ok;
}

/// Moves the errors along the motion since the last time, dc/dt = A c + those that arose, evenly over that time: by the
/// Pade approximant (1, 2) of the exponential, which is nearly exact for what grows or swings, while what decays fast
/// vanishes, of the new errors too.
StepStatus SampledMotion::carry_errors(double time) {
  VectorXd rate;
  if (const StepStatus status = arm_.rate(x_, torques(time), rate, df_dx_, df_du_); status != StepStatus::ok)
    return status;
  const MatrixXd Z = since_carried_ * df_dx_;
  MatrixXd left = Z * Z / 6 - 2. / 3 * Z;
  left.diagonal().array() += 1;
  const VectorXd right = carried_errors_ + new_errors_ + Z * (carried_errors_ / 3 - new_errors_ / 6);
  carried_errors_ = left.partialPivLu().solve(right);
  new_errors_.setZero();
  since_carried_ = 0;
  steps_since_carried_ = 0;
  const Index n = arm_.coordinates();
  Eigen::Matrix2Xd ends;
  MatrixXd jacobian;
  arm_.end_points(x_.head(n), ends, jacobian);
  const VectorXd moved = jacobian * carried_errors_.head(n);
  return moved.reshaped(2, n).colwise().norm().maxCoeff() <= tolerances_.motion ? StepStatus::ok
                                                                                : StepStatus::not_converged;
}

double SampledMotion::step_error() const { return arm_.length() * error_.head(arm_.coordinates()).norm(); }

/// The derivative of the step that attempt() has just taken from x_. `not_converged`, and S as it was, if the step is
/// past the stability limit: an arm that rests has no error, however long the step, but its derivatives would explode.
StepStatus SampledMotion::differentiate(double time, double h, MatrixXd& S) {
  MatrixXd K = MatrixXd::Zero(S.rows(), S.cols()), sum = K, F;
  for (std::size_t j = 0; j < 4; ++j) {
    const MatrixXd S_stage = S + reach[j] * h * K;
    const VectorXd stage = j == 0 ? x_ : VectorXd(x_ + reach[j] * h * k_[j - 1]);
    if (const StepStatus status = rate_derivatives(time + reach[j] * h, stage, F); status != StepStatus::ok)
      return status;
    // Damped modes decay by -da/dv, whose trace is at least the fastest's.
    const Index n = arm_.coordinates();
    if (j == 0 && -h * df_dx_.bottomRightCorner(n, n).trace() > stable) return StepStatus::not_converged;
    K = F + df_dx_ * S_stage;
    sum += weight[j] * K;
  }
  S += h * sum;
  return StepStatus::ok;
}

/// The derivatives of dx/dt by x (df_dx_) and by the parameters (F). M(q) a + h = B tau, and h + M a is linear in
/// masses, stiffnesses, dampings and frictions: da/dp = M^-1 (B dtau/dp - Y).
StepStatus SampledMotion::rate_derivatives(double time, const VectorXd& x, MatrixXd& F) {
  const Index n = arm_.coordinates(), passive = n - arm_.control_size();
  VectorXd rate;
  if (const StepStatus status = arm_.rate(x, torques(time), rate, df_dx_, df_du_); status != StepStatus::ok)
    return status;
  detail::MassFactor mass;
  if (!mass.compute(arm_.mass_matrix(x.head(n)))) return StepStatus::singular;
  forcing_.setZero(n, layout_.size());
  forcing_.leftCols(3 * n) = -arm_.regressor(x.head(n), x.tail(n), rate.tail(n));
  for (Index i = 0; i < n; ++i) forcing_(i, layout_.friction(i)) = -detail::friction_sign(x[n + i]);
  for (Index i = 0; i < volumes_.size(); ++i) {
    const CubicActuator& actuator = system_.actuators[static_cast<std::size_t>(i)];
    const double V = volumes_[i];
    forcing_(passive + i, layout_.cubic(i)) = V * V * V;
    forcing_(passive + i, layout_.linear(i)) = V;
    forcing_(passive + i, layout_.delay()) = -actuator.slope(V) * rates_[i];
  }
  F.setZero(2 * n, layout_.size());
  F.bottomRows(n) = mass.solve(forcing_);
  return StepStatus::ok;
}

}  // namespace quoin::fluidic_arm
