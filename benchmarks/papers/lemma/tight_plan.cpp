// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/papers/lemma/tight_plan.hpp"

#include "examples/studies/figures/json_results.hpp"
#include "quoin/robots/planning/ilqr.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace benchmarks {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double difference_step = 1e-4;  // of a control, for the Hessian
constexpr int most_newton_steps = 40;
constexpr double settled = 1e-6;  // Newton's method has found no root if its last step is larger

VectorXd gradient_at(const planning::AnyTrajectoryProblem& problem, const VectorXd& controls) {
  const planning::CostGradient result =
      cost_gradient(problem, controls.reshaped(problem.dynamics.control_size(), problem.horizon));
  if (result.gradient.size() == 0)
    throw std::runtime_error("tight_plan: step " + to_text(result.rollout.failed_step) +
                             " fails: " + to_string(result.rollout.status));
  return result.gradient.reshaped();
}

/// By central differences, for which the controls may leave their bounds by one step.
MatrixXd hessian_at(const planning::AnyTrajectoryProblem& problem, const VectorXd& controls) {
  MatrixXd hessian(controls.size(), controls.size());
  VectorXd moved = controls;
  for (Index c = 0; c < controls.size(); ++c) {
    moved[c] = controls[c] + difference_step;
    hessian.col(c) = gradient_at(problem, moved);
    moved[c] = controls[c] - difference_step;
    hessian.col(c) = (hessian.col(c) - gradient_at(problem, moved)) / (2 * difference_step);
    moved[c] = controls[c];
  }
  return (hessian + hessian.transpose()) / 2;
}

/// Splits the controls into those held at a bound, whose slope presses them against it, and the free ones.
struct Partition {
  std::vector<Index> free;
  double min_multiplier = std::numeric_limits<double>::infinity();

  Partition(const VectorXd& u, const VectorXd& gradient, const VectorXd& lower, const VectorXd& upper) {
    for (Index c = 0; c < u.size(); ++c) {
      const double pressure = u[c] <= lower[c] ? gradient[c] : u[c] >= upper[c] ? -gradient[c] : -1;
      if (pressure <= 0) {
        free.push_back(c);
      } else {
        min_multiplier = std::min(min_multiplier, pressure);
      }
    }
  }
};

MatrixXd plan_by_ilqr(const planning::AnyTrajectoryProblem& problem, const MatrixXd& guess) {
  planning::IlqrOptions options;
  options.relative_tolerance = 1e-14;
  options.initial_regularization = 10;
  options.max_iterations = 400;
  const planning::IlqrResult coarse = planning::ilqr(problem, guess, options);
  if (coarse.stop == Stop::initial_failed || coarse.stop == Stop::derivatives_failed)
    throw std::runtime_error("tight_plan: " + std::string(to_string(coarse.stop)) + " at step " +
                             to_text(coarse.failed_step) + ": " + to_string(coarse.failed_status));
  return coarse.trajectory.controls;
}

}  // namespace

TightPlan tight_plan(const planning::AnyTrajectoryProblem& problem, const MatrixXd& guess, const MatrixXd& hessian,
                     bool near) {
  const VectorXd lower = problem.lower_control.replicate(problem.horizon, 1),
                 upper = problem.upper_control.replicate(problem.horizon, 1);
  VectorXd u = (near ? guess : plan_by_ilqr(problem, guess)).reshaped();
  TightPlan plan;
  plan.hessian = hessian.size() > 0 ? hessian : hessian_at(problem, u);

  double best = std::numeric_limits<double>::infinity();
  VectorXd best_u = u;
  for (int worse = 0; plan.newton_steps < most_newton_steps && worse < 3; ++plan.newton_steps) {
    const VectorXd gradient = gradient_at(problem, u);
    const Partition partition(u, gradient, lower, upper);
    const VectorXd step =
        -MatrixXd(plan.hessian(partition.free, partition.free)).partialPivLu().solve(gradient(partition.free));
    VectorXd next = u;
    next(partition.free) += step;
    next = next.cwiseMax(lower).cwiseMin(upper);
    const double moved = (next - u).lpNorm<Eigen::Infinity>();
    if (moved < best) {
      best = moved;
      best_u = u;
      worse = 0;
    } else {
      ++worse;
    }
    if (moved == 0) break;
    u = next;
  }
  if (!(best < settled))
    throw std::runtime_error("tight_plan: Newton's method stops at a step of " + studies::figures::format_number(best));

  plan.last_step = best;
  const VectorXd gradient = gradient_at(problem, best_u);
  const Partition partition(best_u, gradient, lower, upper);
  plan.gradient = gradient(partition.free).lpNorm<Eigen::Infinity>();
  plan.bound = u.size() - std::ssize(partition.free);
  plan.min_multiplier = partition.min_multiplier;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> spectrum(MatrixXd(plan.hessian(partition.free, partition.free)),
                                                         Eigen::EigenvaluesOnly);
  plan.least_curvature = spectrum.eigenvalues().minCoeff();
  plan.max_curvature = spectrum.eigenvalues().maxCoeff();
  plan.trajectory = roll_out(problem, best_u.reshaped(problem.dynamics.control_size(), problem.horizon)).trajectory;
  return plan;
}

PlanDistance distance(const planning::Trajectory& a, const planning::Trajectory& b, Index state_rows) {
  const MatrixXd u = a.controls - b.controls, x = (a.states - b.states).topRows(state_rows);
  const auto rms = [](const MatrixXd& m) { return m.norm() / std::sqrt(static_cast<double>(m.size())); };
  return {rms(u), u.cwiseAbs().maxCoeff(), rms(x), x.cwiseAbs().maxCoeff()};
}

}  // namespace benchmarks
