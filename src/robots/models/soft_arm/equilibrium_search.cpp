// SPDX-License-Identifier: BSD-3-Clause
#include "equilibrium_search.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace quoin::soft_arm {
namespace {

constexpr double loose_tolerance = 1e-2;    // of the intermediate solutions of a continuation
constexpr double tangent_suffices = 0.1;    // change of alpha below which a parabola does not pay for a factorization
constexpr double stale_contraction = 0.3;   // of the squared Newton decrement, which an old factorization must reach
constexpr double smallest_part = 1.0 / 64;  // of a continuation step, before giving up
constexpr double same_branch = 0.02;  // of the way of a jump: how far the error of its end's slope, over that way,
                                      // may be from what the error of its end explains

}  // namespace

template <int D>
double EquilibriumSearch<D>::scaled(const Eigen::VectorXd& gradient) const {
  return gradient.template lpNorm<Eigen::Infinity>() / arm_.line_force();
}

template <int D>
bool EquilibriumSearch<D>::factorize(Workspace& w, const Controls& alpha, StaticsResult& result) const {
  arm_.hessian(w.x, alpha, w.hessian);
  ++result.iterations;
  w.factor_is_current = w.cholesky.factorize(w.hessian);
  return w.factor_is_current;
}

template <int D>
bool EquilibriumSearch<D>::newton(Workspace& w, const Controls& alpha, double tolerance, Start start,
                                  StaticsResult& result) const {
  result.status = StaticsStatus::not_converged;
  double energy = arm_.gradient(w.x, alpha, w.gradient);
  w.factor_is_current = false;
  // A factorization costs ten times as much as another step with the old one, which is kept while it contracts.
  double decrement = std::numeric_limits<double>::infinity();
  bool factorized = false;
  for (int step = 0, factorizations = 0;; ++step) {
    result.residual = scaled(w.gradient);
    if (result.residual < tolerance) return true;
    if (!std::isfinite(result.residual)) return false;
    w.step = -w.gradient;
    double slope = 0;
    if (factorized) {
      w.cholesky.solve(w.step);
      slope = w.step.dot(w.gradient);
      factorized = -slope < stale_contraction * decrement;
      if (factorized) {
        decrement = -slope;  // of the plain step: it tells whether the factorization is still good
        w.trial = w.step;
        w.mixing.improve(w.step);
        if (const double improved = w.step.dot(w.gradient); improved < 0) {
          slope = improved;
        } else {
          w.mixing.forget();
          w.step = w.trial;
        }
      }
    }
    if (!factorized) {
      if (factorizations++ == options_.iterations) return false;
      factorized = factorize(w, alpha, result);
      if (!factorized) {
        if (start == Start::on_branch) {
          result.status = StaticsStatus::unstable;
          return false;
        }
        double shift = 1e-6;
        while (shift < 1e3 && !w.cholesky.factorize(w.hessian, shift)) shift *= 10;
        if (!(shift < 1e3)) return false;
      }
      w.step = -w.gradient;
      w.cholesky.solve(w.step);
      slope = w.step.dot(w.gradient);
      decrement = -slope;
      w.mixing.forget();
      w.mixing.improve(w.step);
    }
    const double noise = arm_.energy_rounding(w.x, alpha);
    double fraction = 1;
    bool accepted = false;
    for (int halving = 0; halving < 30 && !accepted; ++halving, fraction *= 0.5) {
      w.trial = w.x;
      arm_.add_free(fraction, w.step, w.trial);
      const double trial_energy = arm_.gradient(w.trial, alpha, w.trial_gradient);
      accepted = trial_energy <= energy + 1e-4 * fraction * slope + noise;
      if (accepted) energy = trial_energy;
    }
    if (!accepted) return false;
    if (fraction < 0.5) w.mixing.forget();
    std::swap(w.x, w.trial);
    std::swap(w.gradient, w.trial_gradient);
    w.factor_is_current = false;
  }
}

template <int D>
void EquilibriumSearch<D>::tangent(Workspace& w) const {
  arm_.length_gradients(w.x, w.length_gradients);
  w.tangent.setZero(arm_.free_size(), padded_to_eight(lines));
  w.tangent.leftCols(lines) = -arm_.line_force() * w.length_gradients;
  w.cholesky.solve_rows(w.tangent.leftCols(lines));
}

template <int D>
void EquilibriumSearch<D>::polish(Workspace& w, const Controls& alpha, int steps) const {
  // Judged by the length of the steps: with an old factorization the gradient does not decrease monotonically.
  double previous = std::numeric_limits<double>::infinity();
  for (int step = 0; step < steps; ++step) {
    w.step = -w.gradient;
    w.cholesky.solve(w.step);
    const double length = w.step.norm();
    if (!(length < previous)) return;
    previous = length;
    w.mixing.improve(w.step);
    arm_.add_free(1, w.step, w.x);
    arm_.gradient(w.x, alpha, w.gradient);
    if (length < 1e-14 * w.x.norm()) return;
  }
}

template <int D>
auto EquilibriumSearch<D>::finish(Workspace& w, const Controls& alpha, Start start, StaticsResult& result) const
    -> SolutionPtr {
  if (!newton(w, alpha, options_.tolerance, start, result)) return nullptr;
  // Polished down to rounding, so that answer and tangent do not depend on the start: first with the old factorization,
  // then with the one that the tangent needs anyway.
  if (result.iterations > 0) polish(w, alpha, 12);
  for (int round = 0; round < 2; ++round) {
    if (!factorize(w, alpha, result)) {
      result.status = StaticsStatus::unstable;
      return nullptr;
    }
    w.trial = w.x;
    w.mixing.forget();
    polish(w, alpha, 2);
    if ((w.x - w.trial).norm() < 1e-14 * w.x.norm()) break;
  }
  result.residual = scaled(w.gradient);
  if (arm_.inverted_elements(w.x) > 0) {
    result.status = StaticsStatus::inverted;
    return nullptr;
  }
  auto solution = std::make_shared<Equilibrium<D>>();
  solution->alpha = alpha;
  solution->residual = result.residual;
  solution->y.resize(arm_.size() + lines);
  solution->y << w.x, arm_.lengths(w.x);
  tangent(w);
  solution->jacobian.setZero(arm_.size() + lines, lines);
  const auto& free = arm_.free_dofs();
  for (int k = 0; k < lines; ++k)
    for (std::size_t i = 0; i < free.size(); ++i) solution->jacobian(free[i], k) = w.tangent(i, k);
  solution->jacobian.bottomRows(lines) = w.length_gradients.transpose() * w.tangent.leftCols(lines);
  result.status = StaticsStatus::ok;
  return solution;
}

template <int D>
void EquilibriumSearch<D>::predict(Workspace& w, const Controls& at, const Eigen::VectorXd& first,
                                   const Controls& change, StaticsResult& result) const {
  if (change.norm() > tangent_suffices && (w.factor_is_current || factorize(w, at, result))) {
    Eigen::MatrixXd length_hessian;
    arm_.third_derivative(w.x, at, first, first, w.step);
    arm_.length_hessian_times(w.x, first, length_hessian);
    w.step = -w.step - 2 * arm_.line_force() * (length_hessian * change);
    w.cholesky.solve(w.step);
    arm_.add_free(0.5, w.step, w.x);
  }
  arm_.add_free(1, first, w.x);
  w.factor_is_current = false;
}

template <int D>
auto EquilibriumSearch<D>::jump(Workspace& w, const BranchPrediction<D>& predicted, const Controls& alpha,
                                StaticsResult& result) const -> SolutionPtr {
  w.x = predicted.x;
  ++result.continuation_steps;
  auto solution = finish(w, alpha, Start::on_branch, result);
  if (!solution) return nullptr;
  const Eigen::VectorXd error = arm_.free_part(w.x) - arm_.free_part(predicted.x);
  const Eigen::VectorXd of_slope = w.tangent.leftCols(lines) * predicted.direction - predicted.slope;
  const double unexplained = (of_slope - predicted.error_growth * error).norm() * predicted.distance;
  if (unexplained <= same_branch * predicted.moved) return solution;
  result.status = StaticsStatus::not_converged;
  return nullptr;
}

template <int D>
auto EquilibriumSearch<D>::walk(Workspace& w, const KnownEquilibrium<D>& from, const Controls& alpha,
                                StaticsResult& result) const -> SolutionPtr {
  Controls at = Controls::Zero();
  Eigen::MatrixXd free_jacobian;
  const BranchTaylor* taylor = from.taylor.get();  // null: no Taylor polynomial at x
  if (from.equilibrium) {
    at = from.equilibrium->alpha;
    w.x = from.equilibrium->y.head(arm_.size());
    free_jacobian = from.equilibrium->jacobian(arm_.free_dofs(), Eigen::all);
    w.factor_is_current = false;
  } else {
    w.x = arm_.rest();
    if (alpha.isZero(0)) return finish(w, alpha, Start::free, result);
    if (!newton(w, at, loose_tolerance, Start::free, result)) return nullptr;
    if (!factorize(w, at, result)) {
      result.status = StaticsStatus::unstable;
      return nullptr;
    }
    tangent(w);
    free_jacobian = w.tangent.leftCols(lines);
  }

  double part = 1;  // fraction of the largest step
  while (true) {
    const Controls remaining = alpha - at;
    const double steps = remaining.template lpNorm<Eigen::Infinity>() / (options_.continuation_step * part);
    const bool last = steps <= 1 + 1e-9;
    const Controls change = last ? remaining : Controls(remaining / std::ceil(steps));
    const Controls target = last ? alpha : Controls(at + change);
    const Eigen::VectorXd previous = w.x;
    if (taylor) {
      arm_.add_free(1, taylor_change<D>(*taylor, change), w.x);
      w.factor_is_current = false;
    } else {
      predict(w, at, free_jacobian * change, change, result);
    }
    ++result.continuation_steps;
    if (last) {
      if (auto solution = finish(w, alpha, Start::on_branch, result)) return solution;
    } else if (newton(w, target, loose_tolerance, Start::on_branch, result)) {
      if (factorize(w, target, result)) {
        at = target;
        taylor = nullptr;
        tangent(w);
        free_jacobian = w.tangent.leftCols(lines);
        continue;
      }
      result.status = StaticsStatus::unstable;
    }
    part *= 0.5;
    if (part < smallest_part) return nullptr;
    w.x = previous;
    w.factor_is_current = false;
  }
}

template class EquilibriumSearch<2>;
template class EquilibriumSearch<3>;

}  // namespace quoin::soft_arm
