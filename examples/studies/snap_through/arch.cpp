// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/snap_through/arch.hpp"
#include "quoin/map/newton_correction.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

namespace studies::branches {
namespace {

using Eigen::Matrix2d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;

double turning_angle(const Vector2d& before, const Vector2d& after) {
  return std::atan2(before[0] * after[1] - before[1] * after[0], before.dot(after));
}

/// Gradient and Hessian of the direction of a segment by its end.
Vector2d direction_gradient(const Vector2d& e) { return Vector2d(-e[1], e[0]) / e.squaredNorm(); }
Matrix2d direction_hessian(const Vector2d& e) {
  Matrix2d hessian;
  hessian << 2 * e[0] * e[1], e[1] * e[1] - e[0] * e[0], e[1] * e[1] - e[0] * e[0], -2 * e[0] * e[1];
  return hessian / (e.squaredNorm() * e.squaredNorm());
}

}  // namespace

Arch::Arch(ArchOptions options) : options_(std::move(options)) {
  const int n = options_.segments;
  if (n < 2 || n % 2 != 0 || !(options_.span > 0) || !(options_.axial_stiffness > 0) ||
      !(options_.bending_stiffness >= 0))
    throw std::invalid_argument("Arch: " + to_text(n) + " segments (even, 2 or more), span " + to_text(options_.span) +
                                ", stiffnesses " + to_text(options_.axial_stiffness) + " and " +
                                to_text(options_.bending_stiffness));
  rest_.resize(2 * (n + 1));
  for (int i = 0; i <= n; ++i) {
    const double part = static_cast<double>(i) / n;
    rest_.segment<2>(2 * i) << options_.span * (part - 0.5), options_.rise * std::sin(std::numbers::pi * part);
  }
  rest_[2 * n + 1] = 0;
  lengths_.resize(n);
  angles_.setZero(n);
  for (int i = 0; i < n; ++i) {
    const Vector2d e = rest_.segment<2>(2 * i + 2) - rest_.segment<2>(2 * i);
    lengths_[i] = e.norm();
    if (i > 0) angles_[i] = turning_angle(rest_.segment<2>(2 * i) - rest_.segment<2>(2 * i - 2), e);
  }
  if (options_.loads.size() == 0) {
    options_.loads.setZero(rest_.size(), 2);
    options_.loads(n + 1, 0) = -1;
    options_.loads(2 * (n / 4) + 1, 1) = -1;
  }
  if (options_.loads.rows() != rest_.size() || options_.loads.cols() != 2)
    throw std::invalid_argument("Arch: loads are " + shape_text(options_.loads) + ", not " + to_text(rest_.size()) +
                                " x 2");
}

std::vector<VectorXd> Arch::starts() const {
  VectorXd mirrored = rest_;
  for (Eigen::Index i = 1; i < mirrored.size(); i += 2) mirrored[i] = -mirrored[i];
  return {rest_, mirrored};
}

double Arch::energy(const VectorXd& y, const Point<2>& x) const {
  double sum = -(options_.loads * x).dot(y - rest_);
  for (int i = 0; i < options_.segments; ++i) {
    const Vector2d e = y.segment<2>(2 * i + 2) - y.segment<2>(2 * i);
    const double strain = e.norm() / lengths_[i] - 1;
    sum += options_.axial_stiffness / 2 * lengths_[i] * strain * strain;
    if (i == 0) continue;
    const double bend = turning_angle(y.segment<2>(2 * i) - y.segment<2>(2 * i - 2), e) - angles_[i];
    sum += options_.bending_stiffness / (lengths_[i - 1] + lengths_[i]) * bend * bend;
  }
  return sum;
}

double Arch::derivatives(const VectorXd& y, const Point<2>& x, VectorXd& gradient, MatrixXd& hessian) const {
  gradient = -(options_.loads * x);
  hessian.setZero(y.size(), y.size());
  for (int i = 0; i < options_.segments; ++i) {
    const Vector2d e = y.segment<2>(2 * i + 2) - y.segment<2>(2 * i);
    const double length = e.norm(), strain = length / lengths_[i] - 1;
    const Vector2d along = e / length;
    const Vector2d force = options_.axial_stiffness * strain * along;
    const Matrix2d stiffness =
        options_.axial_stiffness * (along * along.transpose() / lengths_[i] +
                                    strain / length * (Matrix2d::Identity() - along * along.transpose()));
    gradient.segment<2>(2 * i) -= force;
    gradient.segment<2>(2 * i + 2) += force;
    hessian.block<2, 2>(2 * i, 2 * i) += stiffness;
    hessian.block<2, 2>(2 * i + 2, 2 * i + 2) += stiffness;
    hessian.block<2, 2>(2 * i, 2 * i + 2) -= stiffness;
    hessian.block<2, 2>(2 * i + 2, 2 * i) -= stiffness;
    if (i == 0) continue;

    // phi = direction(after) - direction(before), a function of the three nodes.
    const Vector2d before = y.segment<2>(2 * i) - y.segment<2>(2 * i - 2);
    const double scale = 2 * options_.bending_stiffness / (lengths_[i - 1] + lengths_[i]);
    const double bend = turning_angle(before, e) - angles_[i];
    const Vector2d by_after = direction_gradient(e), by_before = direction_gradient(before);
    Eigen::Matrix<double, 6, 1> by_nodes;
    by_nodes << by_before, -by_after - by_before, by_after;
    Eigen::Matrix<double, 6, 6> second = Eigen::Matrix<double, 6, 6>::Zero();
    const Matrix2d after2 = direction_hessian(e), before2 = direction_hessian(before);
    second.block<2, 2>(0, 0) = -before2;
    second.block<2, 2>(0, 2) = second.block<2, 2>(2, 0) = before2;
    second.block<2, 2>(2, 2) = after2 - before2;
    second.block<2, 2>(2, 4) = second.block<2, 2>(4, 2) = -after2;
    second.block<2, 2>(4, 4) = after2;
    gradient.segment<6>(2 * i - 2) += scale * bend * by_nodes;
    hessian.block<6, 6>(2 * i - 2, 2 * i - 2) += scale * (by_nodes * by_nodes.transpose() + bend * second);
  }
  return energy(y, x);
}

std::optional<Equilibrium> Arch::settle(const VectorXd& start, const Point<2>& x) const {
  if (start.size() != rest_.size())
    throw std::invalid_argument("Arch::settle: a start of " + to_text(start.size()) + " coordinates, not " +
                                to_text(rest_.size()));
  const Eigen::Index free = rest_.size() - 4;
  // A step must not jump from the neighbourhood of one branch to that of another.
  const double longest_step = 0.1 * options_.rise;
  const double force_rounding = 1e-13 * options_.axial_stiffness, small_force = 1e4 * force_rounding;
  Equilibrium at{.y = start};
  at.y.head<2>() = rest_.head<2>();
  at.y.tail<2>() = rest_.tail<2>();
  VectorXd gradient, trial;
  MatrixXd hessian;
  Eigen::LLT<MatrixXd> cholesky;
  double residual_before = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 500; ++iteration) {
    at.energy = derivatives(at.y, x, gradient, hessian);
    const VectorXd inner = gradient.segment(2, free);
    const double residual = inner.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(residual)) return std::nullopt;
    cholesky.compute(hessian.block(2, 2, free, free));
    const bool convex = cholesky.info() == Eigen::Success;
    if (convex && residual < small_force) {
      // Iterate down to rounding, so that an answer does not depend on its start.
      if (residual < force_rounding || residual >= residual_before) {
        at.J.setZero(rest_.size(), 2);
        at.J.middleRows(2, free) = cholesky.solve(options_.loads.middleRows(2, free));
        at.branch = crown_height(at.y) >= 0 ? 1 : -1;
        return at;
      }
      residual_before = residual;
      at.y.segment(2, free) -= cholesky.solve(inner);
      continue;
    }
    VectorXd step;
    if (convex) {
      step = -cholesky.solve(inner);
    } else {
      const Eigen::SelfAdjointEigenSolver<MatrixXd> modes(hessian.block(2, 2, free, free));
      const double floor = 1e-6 * modes.eigenvalues()[free - 1];
      const VectorXd sizes = modes.eigenvalues().cwiseAbs().cwiseMax(floor);
      step = -(modes.eigenvectors() * (modes.eigenvectors().transpose() * inner).cwiseQuotient(sizes));
      // At a saddle, which symmetry may have led to: leave it on the side on which the mode's first coordinate grows.
      if (residual < small_force && modes.eigenvalues()[0] < 0) {
        const VectorXd mode = modes.eigenvectors().col(0);
        step = (mode[0] < 0 ? -1 : 1) * 0.1 * longest_step * mode / mode.lpNorm<Eigen::Infinity>();
      }
    }
    double fraction = std::min(1.0, longest_step / step.lpNorm<Eigen::Infinity>());
    const double slope = step.dot(inner);
    const double rounding = 1e-15 * options_.axial_stiffness * options_.span;
    bool accepted = false;
    for (int halving = 0; halving < 40 && !accepted; ++halving, fraction /= 2) {
      trial = at.y;
      trial.segment(2, free) += fraction * step;
      accepted = energy(trial, x) <= at.energy + 1e-4 * fraction * std::min(slope, 0.0) + rounding;
    }
    if (!accepted) return std::nullopt;
    at.y = trial;
  }
  return std::nullopt;
}

bool Arch::correction(const Point<2>& x, const VectorXd& guess, const ErrorNorm& norm, VectorXd& dy) const {
  if (guess.size() != rest_.size())
    throw std::invalid_argument("Arch::correction: a guess of " + to_text(guess.size()) + " coordinates, not " +
                                to_text(rest_.size()));
  if (!guess.allFinite()) return false;
  const Eigen::Index free = rest_.size() - 4;
  VectorXd at = guess, gradient;
  at.head<2>() = rest_.head<2>();
  at.tail<2>() = rest_.tail<2>();
  MatrixXd hessian, unused;
  derivatives(at, x, gradient, hessian);
  const Eigen::LLT<MatrixXd> cholesky(hessian.block(2, 2, free, free));
  if (cholesky.info() != Eigen::Success) return false;
  const auto step_from = [&](const VectorXd& total, VectorXd& step) {
    derivatives(at, x, gradient, unused);
    at.segment(2, free) -= cholesky.solve(gradient.segment(2, free));
    step = at - (guess + total);
  };
  if (!newton_correction(step_from, guess, norm, dy)) return false;
  // A bifurcation may lie between the guess and what corrections lead to: a symmetric state that gives way sideways.
  at = guess + dy;
  derivatives(at, x, gradient, hessian);
  return Eigen::LLT<MatrixXd>(hessian.block(2, 2, free, free)).info() == Eigen::Success;
}

}  // namespace studies::branches
