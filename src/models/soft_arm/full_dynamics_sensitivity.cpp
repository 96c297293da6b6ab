// SPDX-License-Identifier: BSD-3-Clause
#include "full_dynamics_body.hpp"

#include "quoin/core/to_text.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

namespace quoin::soft_arm {

namespace {

constexpr int sides_at_once = 32;  // right-hand sides solved for together
using SidesOfUnknown = Eigen::Matrix<double, sides_at_once, 1>;
using Sides = Eigen::Matrix<double, sides_at_once, Eigen::Dynamic>;

// out = H y for a pack of vectors, side by side: Eigen streams a sparse symmetric matrix from memory once per vector.
void symmetric_times(const Eigen::SparseMatrix<double>& lower, const Sides& y, Sides& out) {
  out.setZero(sides_at_once, y.cols());
  for (Eigen::Index j = 0; j < lower.outerSize(); ++j) {
    const SidesOfUnknown yj = y.col(j);
    SidesOfUnknown sum = SidesOfUnknown::Zero();
    for (Eigen::SparseMatrix<double>::InnerIterator entry(lower, j); entry; ++entry) {
      if (entry.row() != j) out.col(entry.row()) += entry.value() * yj;
      sum += entry.value() * y.col(entry.row());
    }
    out.col(j) += sum;
  }
}

}  // namespace

// With R the residual of the step to x_{k+1} and A = dR/dx_{k+1}, a row c on x_{k+1} has the adjoint
// A y = c. It contributes -y^T dR/du to the derivative by u_k, and passes -(dR/dx_k)^T y and
// -(dR/dx_{k-1})^T y to the steps before:
//   -dR/dx_k = M (2/dt^2 + a/dt) + beta/dt d2E/dx2(x_k, u_k),   -dR/dx_{k-1} = -M/dt^2.
template <int SpaceDim>
FullSensitivity FullDynamics<SpaceDim>::sensitivity(const FullTrajectory& motion,
                                                    const std::vector<Eigen::MatrixXd>& rows, int threads) const {
  const Body& b = *body_;
  const SoftArm<SpaceDim>& arm = b.arm;
  const int steps = motion.steps;
  if (static_cast<int>(rows.size()) != steps || motion.positions.cols() != steps + 2 ||
      motion.positions.rows() != arm.size() || motion.controls.cols() != steps || threads < 1) {
    throw std::invalid_argument("FullDynamics::sensitivity: rows for " + to_text(rows.size()) +
                                " steps of a motion of " + to_text(steps) + " steps and " +
                                to_text(motion.positions.rows()) + " x " + to_text(motion.positions.cols()) +
                                " positions, " + to_text(threads) + " threads");
  }
  std::vector<Eigen::Index> first(steps + 1, 0);
  for (int k = 0; k < steps; ++k) {
    if (rows[k].rows() > 0 && rows[k].cols() != arm.size()) {
      throw std::invalid_argument("FullDynamics::sensitivity: rows of step " + to_text(k) + " have " +
                                  to_text(rows[k].cols()) + " columns, wanted " + to_text(arm.size()));
    }
    first[k + 1] = first[k] + rows[k].rows();
  }

  FullSensitivity result;
  result.jacobian = Eigen::MatrixXd::Zero(first[steps], lines * steps);
  std::atomic<bool> singular = false;
  const double dt = b.options.time_step;
  const Eigen::VectorXd to_now = (2 / (dt * dt) + b.options.mass_damping / dt) * b.mass;
  const Eigen::VectorXd to_before = -b.mass / (dt * dt);

  // Every thread sweeps over all steps with its share of the rows and its own factorizations.
  const auto sweep = [&](int share) {
    const auto w = b.lease();
    std::vector<Eigen::Index> pending;  // rows of the result, in the order of their columns below
    for (int k = steps - 1; k >= 0; --k) {
      if (k % threads == share) {
        for (Eigen::Index i = 0; i < rows[k].rows(); ++i) pending.push_back(first[k] + i);
      }
    }
    const Eigen::Index n = arm.free_size(), all = static_cast<Eigen::Index>(pending.size());
    Eigen::MatrixXd here(n, all), earlier = Eigen::MatrixXd::Zero(n, all), y, du, du_now;
    Sides transposed = Sides::Zero(sides_at_once, n), product;
    Eigen::SparseMatrix<double> hessian = arm.hessian_pattern();
    Eigen::Index active = 0;
    for (int k = steps - 1; k >= 0 && !singular; --k) {
      if (k % threads == share) {
        for (Eigen::Index i = 0; i < rows[k].rows(); ++i) {
          here.col(active++) = arm.free_part(rows[k].row(i).transpose());
        }
      }
      if (active == 0) continue;
      const Controls u = motion.controls.col(k);
      b.assemble(motion.position(k + 1), u, *w);
      if (!w->cholesky.factorize(w->hessian)) {
        singular = true;
        return;
      }
      arm.length_gradients(motion.position(k + 1), du);
      du *= -arm.line_force() * b.elastic_factor;
      if (b.damping_factor > 0) {
        arm.length_gradients(motion.position(k), du_now);
        du += arm.line_force() * b.damping_factor * du_now;
        arm.hessian(motion.position(k), u, hessian);
      }
      for (Eigen::Index from = 0; from < active; from += sides_at_once) {
        const Eigen::Index count = std::min<Eigen::Index>(sides_at_once, active - from);
        y = here.middleCols(from, count);
        w->cholesky.solve(y);
        const Eigen::MatrixXd derivative = y.transpose() * du;
        for (Eigen::Index i = 0; i < count; ++i) {
          result.jacobian.template block<1, lines>(pending[from + i], lines * k) = derivative.row(i);
        }
        auto next_here = here.middleCols(from, count);
        auto next_earlier = earlier.middleCols(from, count);
        next_here = next_earlier + to_now.asDiagonal() * y;
        if (b.damping_factor > 0) {
          transposed.topRows(count) = b.damping_factor * y.transpose();
          symmetric_times(hessian, transposed, product);
          next_here += product.topRows(count).transpose();
        }
        next_earlier = to_before.asDiagonal() * y;
      }
    }
  };
  std::vector<std::jthread> others;
  for (int share = 1; share < threads; ++share) others.emplace_back(sweep, share);
  sweep(0);
  others.clear();
  if (singular) result.status = StepStatus::singular;
  return result;
}

template <int SpaceDim>
FullSensitivity FullDynamics<SpaceDim>::sensitivity(const FullTrajectory& motion, const Eigen::MatrixXd& rows,
                                                    int threads) const {
  return sensitivity(motion, std::vector<Eigen::MatrixXd>(motion.steps, rows), threads);
}

template FullSensitivity FullDynamics<2>::sensitivity(const FullTrajectory&, const std::vector<Eigen::MatrixXd>&,
                                                      int) const;
template FullSensitivity FullDynamics<3>::sensitivity(const FullTrajectory&, const std::vector<Eigen::MatrixXd>&,
                                                      int) const;
template FullSensitivity FullDynamics<2>::sensitivity(const FullTrajectory&, const Eigen::MatrixXd&, int) const;
template FullSensitivity FullDynamics<3>::sensitivity(const FullTrajectory&, const Eigen::MatrixXd&, int) const;

}  // namespace quoin::soft_arm
