// SPDX-License-Identifier: BSD-3-Clause
#include "adjoint_rows.hpp"
#include "full_dynamics_body.hpp"
#include "steps_ahead.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace quoin::soft_arm {

namespace {

using Columns = AdjointRows::Columns;

// out += factor H y, for columns side by side: Eigen streams a sparse symmetric matrix from memory once per vector.
void add_symmetric_times(double factor, const Eigen::SparseMatrix<double>& lower, const Eigen::Ref<const Columns>& y,
                         Columns& out) {
  constexpr int together = AdjointRows::together;
  using Part = Eigen::Matrix<double, 1, together>;
  for (Eigen::Index first = 0; first < y.cols(); first += together) {
    for (Eigen::Index j = 0; j < lower.outerSize(); ++j) {
      const Part yj = factor * y.row(j).segment<together>(first);
      Part sum = Part::Zero();
      for (Eigen::SparseMatrix<double>::InnerIterator entry(lower, j); entry; ++entry) {
        if (entry.row() != j) out.row(entry.row()).segment<together>(first) += entry.value() * yj;
        sum += entry.value() * y.row(entry.row()).segment<together>(first);
      }
      out.row(j).segment<together>(first) += factor * sum;
    }
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
                                shape_text(motion.positions) + " positions, " + to_text(threads) + " threads");
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
  const double dt = b.options.time_step;
  const Eigen::VectorXd to_now = (2 / (dt * dt) + b.options.mass_damping / dt) * b.mass;
  const Eigen::VectorXd to_before = -b.mass / (dt * dt);

  int last = steps - 1;
  while (last >= 0 && rows[last].rows() == 0) --last;
  StepsAhead ahead(b, motion, last, threads);
  AdjointRows pending(arm.free_size());
  Columns product;
  for (int k = last; k >= 0; --k) {
    for (Eigen::Index i = 0; i < rows[k].rows(); ++i)
      pending.add(arm.free_part(rows[k].row(i).transpose()), first[k] + i);
    const auto& step = ahead.take(k);
    if (!step.definite) {
      result.status = StepStatus::singular;
      break;
    }
    step.workspace->cholesky.solve_rows(pending.here());
    const Eigen::MatrixXd derivative = pending.combined(pending.here().transpose() * step.du);
    for (Eigen::Index row = 0; row < pending.rows(); ++row)
      result.jacobian.template block<1, lines>(pending.index(row), lines * k) = derivative.row(row);
    pending.compress(to_before, b.options.adjoint_tolerance);
    product = to_now.asDiagonal() * pending.padded_here();
    if (b.damping_factor > 0) add_symmetric_times(b.damping_factor, step.hessian, pending.padded_here(), product);
    product.leftCols(pending.rank()) += pending.earlier();
    pending.earlier() = to_before.asDiagonal() * pending.here();
    pending.here() = product.leftCols(pending.rank());
    ahead.give_back(k);
  }
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
