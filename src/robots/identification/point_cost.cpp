// SPDX-License-Identifier: BSD-3-Clause
#include "point_cost.hpp"

#include "uniform.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace quoin::identification::detail {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Block = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 3, 1>;

double PointCost::weight(const VectorXd& e, Index k) const {
  return count(k) * (by_norms ? 1 / std::hypot(e.segment(k * block_size, block_size).norm(), smoothing) : 1);
}

double PointCost::value(const VectorXd& e) const {
  double sum = 0;
  for (Index k = 0; k < points(e); ++k) {
    const double square = e.segment(k * block_size, block_size).squaredNorm();
    // hypot(e, eps) - eps without cancellation
    sum += count(k) * (by_norms ? square / (std::hypot(std::sqrt(square), smoothing) + smoothing) : 0.5 * square);
  }
  return sum;
}

/// The gradient of sqrt(|e|^2 + eps^2) is w e and its curvature w (1 - w^2 e e^T), w = 1 / sqrt(|e|^2 + eps^2);
/// w alone majorizes it.
PointCost::Model PointCost::model(const VectorXd& e, const MatrixXd& jacobian, bool curved) const {
  Model m;
  const int b = block_size;
  MatrixXd rooted = jacobian;
  VectorXd pull = e;
  for (Index k = 0; k < points(e); ++k) {
    const double w = weight(e, k);
    auto rows = rooted.middleRows(k * b, b);
    rows *= std::sqrt(w);
    pull.segment(k * b, b) *= w;
  }
  m.gradient.noalias() = jacobian.transpose() * pull;
  m.diagonal = rooted.colwise().squaredNorm();
  if (curved && by_norms) {
    for (Index k = 0; k < points(e); ++k) {
      const auto of_point = e.segment(k * b, b);
      const Block u = of_point.stableNormalized();
      const double length = of_point.norm(), along = length / std::hypot(length, smoothing);  // < 1
      const double shrink = 1 - std::sqrt(std::max(0.0, 1 - along * along));
      auto rows = rooted.middleRows(k * b, b);
      rows -= shrink * u * (u.transpose() * rows).eval();
    }
  }
  m.hessian.setZero(jacobian.cols(), jacobian.cols());
  m.hessian.selfadjointView<Eigen::Lower>().rankUpdate(rooted.transpose());
  return m;
}

namespace {

// Where the cost is least, to a few per cent of what the estimate scatters by. A step of the curved model that does not
// lower the cost is replaced by the majorizer's, which does.
VectorXd least(const PointCost& cost, const VectorXd& e, const MatrixXd& jacobian) {
  constexpr int most_steps = 60;
  VectorXd s = VectorXd::Zero(jacobian.cols()), moved = e, trial;
  double now = cost.value(moved);
  for (int step = 0; step < most_steps; ++step) {
    bool lower = false;
    for (const bool curved : {true, false}) {
      const PointCost::Model m = cost.model(moved, jacobian, curved);
      const Eigen::LLT<MatrixXd> factor(m.hessian);
      if (factor.info() != Eigen::Success) continue;
      const VectorXd ds = -factor.solve(m.gradient);
      trial = e + jacobian * (s + ds);
      const double then = cost.value(trial);
      if (!(then < now)) continue;
      const bool done = now - then < 1e-4 * now / static_cast<double>(cost.points(e));
      s += ds;
      moved.swap(trial);
      now = then;
      if (done) return s;
      lower = true;
      break;
    }
    if (!lower) break;
  }
  return s;
}

/// The errors that points would have of a fit without them. Where errors are below the smoothing, a cost of norms is
/// one of squares, and a fit of few points pulls each error to zero by as much as the point weighs in it. Norms
/// themselves count by the directions of errors, which it leaves.
VectorXd errors_without_own_pull(const PointCost& cost, const VectorXd& e, const MatrixXd& jacobian) {
  const Eigen::LLT<MatrixXd> factor(cost.model(e, jacobian, true).hessian);
  if (factor.info() != Eigen::Success) return e;
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3>;
  const int b = cost.block_size;
  VectorXd result = e;
  for (Index k = 0; k < cost.points(e); ++k) {
    const Block u = e.segment(k * b, b);
    const double size = std::hypot(u.norm(), cost.smoothing), square = std::pow(cost.smoothing / size, 2);
    const MatrixXd by_pull = jacobian.middleRows(k * b, b);
    const Square curvature = (Square::Identity(b, b) - u / size * (u / size).transpose()) / size;
    const Square own = by_pull * factor.solve(by_pull.transpose() * curvature);
    // A point that alone tells of a parameter has no error but rounding.
    const Square rest = (1 + 1e-6) * Square::Identity(b, b) - square * own;
    result.segment(k * b, b) = rest.partialPivLu().solve(u);
  }
  return result;
}

}  // namespace

MatrixXd moves_under_random_counts(PointCost cost, const VectorXd& e, const MatrixXd& jacobian, int draws) {
  const VectorXd errors = errors_without_own_pull(cost, e, jacobian), least_of_all = least(cost, errors, jacobian);
  MatrixXd moves(jacobian.cols(), draws);
  std::mt19937_64 random(1);
  constexpr int parts = 8;  // by exponential counts intervals come out too long, by counts that vary less too short
  for (int draw = 0; draw < draws; ++draw) {
    cost.counts.setZero(cost.points(e));
    for (int part = 0; part < parts; ++part)
      for (double& count : cost.counts) count -= std::log1p(-uniform(random)) / parts;
    moves.col(draw) = std::sqrt(parts) * (least(cost, errors, jacobian) - least_of_all);
  }
  return moves;
}

double student_quantile(double degrees_of_freedom) {
  const double n = degrees_of_freedom;
  constexpr std::array small = {12.706205, 4.302653, 3.182446, 2.776445, 2.570582};
  if (n < std::ssize(small)) {
    const auto below = static_cast<std::size_t>(n);
    return std::lerp(small[below - 1], small[below], n - std::floor(n));
  }
  // Abramowitz and Stegun, 26.7.5; from five on it is right to 3e-4.
  constexpr double z = 1.959964, z2 = z * z;
  const double g1 = z * (z2 + 1) / 4, g2 = z * ((5 * z2 + 16) * z2 + 3) / 96,
               g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  return z + (g1 + (g2 + g3 / n) / n) / n;
}

}  // namespace quoin::identification::detail
