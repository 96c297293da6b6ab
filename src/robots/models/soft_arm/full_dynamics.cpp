// SPDX-License-Identifier: BSD-3-Clause
#include "full_dynamics_body.hpp"

#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace quoin::soft_arm {

namespace {

constexpr double step_stale_contraction =
    0.1;  // of the squared Newton decrement, which an old factorization must reach

void check_size(const char* function, const char* what, Eigen::Index size, Eigen::Index wanted) {
  if (size != wanted) {
    throw std::invalid_argument(std::string("FullDynamics::") + function + ": " + what + " of size " + to_text(size) +
                                ", wanted " + to_text(wanted));
  }
}

}  // namespace

template <int SpaceDim>
FullDynamics<SpaceDim>::Body::Body(SoftArm<SpaceDim> the_arm, const Options& the_options)
    : arm(std::move(the_arm)),
      options(the_options),
      mass(arm.free_part(arm.mass())),
      inertia_factor(1 / (options.time_step * options.time_step) + options.mass_damping / options.time_step),
      elastic_factor(1 + options.stiffness_damping / options.time_step),
      damping_factor(options.stiffness_damping / options.time_step),
      analysed(arm.hessian_pattern()) {
  const auto& young = arm.mesh().young;
  const double volume = arm.mass().sum() / (SpaceDim * arm.mesh().density);
  energy_rounding = std::numeric_limits<double>::epsilon() * volume * *std::max_element(young.begin(), young.end());
  const OptionsOf of{"FullDynamics"};
  of.positive_and_finite("time_step", options.time_step);
  of.not_negative_and_finite("stiffness_damping", options.stiffness_damping);
  of.not_negative_and_finite("mass_damping", options.mass_damping);
  of.positive("tolerance", options.tolerance);
  of.not_negative("max_iterations", options.max_iterations);
  of.not_negative("adjoint_tolerance", options.adjoint_tolerance);
}

template <int SpaceDim>
void FullDynamics<SpaceDim>::Body::assemble(const Eigen::VectorXd& x, const Controls& u, FullWorkspace& w) const {
  arm.hessian(x, u, w.hessian);
  Eigen::Map<Eigen::VectorXd>(w.hessian.valuePtr(), w.hessian.nonZeros()) *= elastic_factor;
  // A column of the lower triangle begins with its diagonal entry.
  for (Eigen::Index j = 0; j < mass.size(); ++j) {
    w.hessian.valuePtr()[w.hessian.outerIndexPtr()[j]] += inertia_factor * mass[j];
  }
}

template <int SpaceDim>
FullDynamics<SpaceDim>::FullDynamics(SoftArm<SpaceDim> arm, const Options& options)
    : body_(std::make_shared<const Body>(std::move(arm), options)) {}

template <int SpaceDim>
const SoftArm<SpaceDim>& FullDynamics<SpaceDim>::arm() const {
  return body_->arm;
}

template <int SpaceDim>
const FullDynamicsOptions& FullDynamics<SpaceDim>::options() const {
  return body_->options;
}

template <int SpaceDim>
Eigen::Index FullDynamics<SpaceDim>::state_size() const {
  return 2 * body_->arm.size();
}

template <int SpaceDim>
StepStatus FullDynamics<SpaceDim>::step(const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                        Eigen::VectorXd& next) const {
  const Eigen::Index n = body_->arm.size();
  check_size("step", "state", x.size(), 2 * n);
  check_size("step", "control", u.size(), lines);
  const Eigen::VectorXd now = x.head(n);
  Eigen::VectorXd position;
  const StepStatus status = solve(now, x.tail(n), u, position).status;
  if (status == StepStatus::ok) {
    next.resize(2 * n);
    next << position, now;
  }
  return status;
}

template <int SpaceDim>
FullStepReport FullDynamics<SpaceDim>::solve(const Eigen::VectorXd& now, const Eigen::VectorXd& before,
                                             const Controls& u, Eigen::VectorXd& next) const {
  check_size("solve", "position", now.size(), body_->arm.size());
  check_size("solve", "position before", before.size(), body_->arm.size());
  return body_->solve(now, before, u, {}, next);
}

template <int SpaceDim>
FullStepReport FullDynamics<SpaceDim>::Body::solve(const Eigen::VectorXd& now, const Eigen::VectorXd& before,
                                                   const Controls& u, const Eigen::VectorXd& guess,
                                                   Eigen::VectorXd& next) const {
  const auto w = lease();
  FullStepReport report;

  const double dt = options.time_step;
  const Eigen::VectorXd start = arm.free_part(now), velocity = start - arm.free_part(before);
  // The linear part of the step's potential in the free displacement d = x - x_i.
  Eigen::VectorXd linear = -mass.cwiseProduct(velocity) / (dt * dt), elastic;
  if (damping_factor > 0) {
    arm.gradient(now, u, elastic);
    linear -= damping_factor * elastic;
  }
  const auto potential = [&](const Eigen::VectorXd& x, const Eigen::VectorXd& d, Eigen::VectorXd& slope) {
    const double energy = arm.gradient(x, u, slope);
    const Eigen::VectorXd inertia = inertia_factor * mass.cwiseProduct(d);
    slope = elastic_factor * slope + inertia + linear;
    return elastic_factor * energy + 0.5 * inertia.dot(d) + linear.dot(d);
  };

  Eigen::VectorXd x = now, d = velocity, residual, direction, trial_x, trial_d, trial_residual;
  arm.add_free(1, d, x);
  double phi = potential(x, d, residual);
  const auto take_trial = [&](double trial_phi) {
    std::swap(x, trial_x);
    std::swap(d, trial_d);
    std::swap(residual, trial_residual);
    phi = trial_phi;
  };
  if (guess.size() > 0) {
    trial_x = now;
    trial_d = arm.free_part(guess) - start;
    arm.add_free(1, trial_d, trial_x);
    if (const double trial_phi = potential(trial_x, trial_d, trial_residual); trial_phi < phi) take_trial(trial_phi);
  }
  // Iterations with an old factorization cost a sixth of one with a new one.
  bool factorized = false;
  double decrement = 0;
  for (;; ++report.iterations) {
    report.residual = residual.template lpNorm<Eigen::Infinity>() / arm.line_force();
    if (report.residual <= options.tolerance) break;
    report.status = StepStatus::not_converged;
    if (!std::isfinite(report.residual) || report.iterations == options.max_iterations) return report;

    direction = -residual;
    bool stale = factorized;
    if (stale) {
      w->cholesky.solve(direction);
      stale = -residual.dot(direction) < step_stale_contraction * decrement;
    }
    if (!stale) {
      assemble(x, u, *w);
      double shift = 0;
      while (!w->cholesky.factorize(w->hessian, shift)) {
        shift = shift == 0 ? 1e-3 : 10 * shift;
        if (!(shift < 1e6)) {
          report.status = StepStatus::singular;
          return report;
        }
      }
      factorized = true;
      ++report.factorizations;
      direction = -residual;
      w->cholesky.solve(direction);
    }
    const double slope = residual.dot(direction);
    decrement = -slope;
    const double rounding = energy_rounding + 1e-14 * std::abs(phi);
    double scale = 1, trial_phi = phi;
    bool descended = false;
    for (int halvings = 0; halvings < 30 && !descended; ++halvings, scale /= 2) {
      trial_x = x;
      arm.add_free(scale, direction, trial_x);
      trial_d = d + scale * direction;
      trial_phi = potential(trial_x, trial_d, trial_residual);
      descended = trial_phi <= phi + 1e-4 * scale * slope + rounding && trial_residual.allFinite();
    }
    if (descended)
      take_trial(trial_phi);
    else if (stale)
      factorized = false;
    else
      return report;
  }
  report.status = arm.inverted_elements(x) > 0 ? StepStatus::map_failed : StepStatus::ok;
  if (report.status == StepStatus::ok) next = x;
  return report;
}

template <int SpaceDim>
FullTrajectory FullDynamics<SpaceDim>::rollout(const Eigen::VectorXd& now, const Eigen::VectorXd& before,
                                               const Eigen::MatrixXd& controls) const {
  check_size("rollout", "position", now.size(), body_->arm.size());
  check_size("rollout", "position before", before.size(), body_->arm.size());
  check_size("rollout", "control", controls.rows(), lines);
  FullTrajectory motion;
  const int steps = static_cast<int>(controls.cols());
  motion.positions.resize(now.size(), steps + 2);
  motion.positions.col(0) = before;
  motion.positions.col(1) = now;
  Eigen::VectorXd guess, next;
  for (; motion.steps < steps; ++motion.steps) {
    // The positions known, continued by a polynomial of the third degree at most.
    const auto x = [&](int back) { return motion.position(motion.steps - back); };
    if (motion.steps == 1) guess = 3 * (x(0) - x(1)) + x(2);
    if (motion.steps >= 2) guess = 4 * (x(0) + x(2)) - 6 * x(1) - x(3);
    const auto report = body_->solve(x(0), x(1), controls.col(motion.steps), guess, next);
    motion.iterations += report.iterations;
    motion.factorizations += report.factorizations;
    motion.status = report.status;
    if (report.status != StepStatus::ok) break;
    motion.positions.col(motion.steps + 2) = next;
  }
  motion.positions.conservativeResize(Eigen::NoChange, motion.steps + 2);
  motion.controls = controls.leftCols(motion.steps);
  return motion;
}

template <int SpaceDim>
double FullDynamics<SpaceDim>::energy(const Eigen::VectorXd& now, const Eigen::VectorXd& before,
                                      const Controls& u) const {
  check_size("energy", "position", now.size(), body_->arm.size());
  check_size("energy", "position before", before.size(), body_->arm.size());
  const Eigen::VectorXd velocity = (now - before) / body_->options.time_step;
  return 0.5 * velocity.dot(body_->arm.mass().cwiseProduct(velocity)) + body_->arm.energy(now, u);
}

template class FullDynamics<2>;
template class FullDynamics<3>;

}  // namespace quoin::soft_arm
