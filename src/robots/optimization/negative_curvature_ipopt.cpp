// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/optimization/nonlinear_program.hpp"

#include "least_curvature.hpp"

#include <Eigen/SparseCore>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace quoin::optimization {
namespace {

using Vector = Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Variables of programs that are asked whether their rows depend on each other: there inertia may not tell.
constexpr Eigen::Index most_for_rank = 2000;

/// Whether something at `value` is pressed against one of its bounds: the force exceeds the distance, by its own size
/// and that of the objective. Interior points end at distances whose product with the force is the tolerance.
struct Pressed {
  double objective;

  bool operator()(double value, double lower, double upper, double by_lower, double by_upper, double size) const {
    const double forces = size * size / objective;
    return (by_lower > 0 && by_lower * forces > value - lower) || (by_upper > 0 && by_upper * forces > upper - value);
  }
};

/// How far a variable may go, or is from zero.
double size_of(double value, double lower, double upper) {
  const double range = upper - lower, size = std::max(1., std::abs(value));
  return std::isfinite(range) && range > 0 ? std::min(range, 1e3 * size) : size;
}

/// Entries at the same place are added up.
Sparse matrix_of(const SparsityPattern& pattern, const Vector& entries, Eigen::Index rows, Eigen::Index columns) {
  std::vector<Eigen::Triplet<double>> triplets;
  for (std::size_t k = 0; k < pattern.rows.size(); ++k)
    triplets.emplace_back(pattern.rows[k], pattern.columns[k], entries[static_cast<Eigen::Index>(k)]);
  Sparse matrix(rows, columns);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

/// How large each variable may be in a direction that the rows leave at zero, in units in which the Hessian's rows are
/// of one size: no larger than the others of each row make up for. So entries of rounding in the Hessian do not tell
/// sizes. 1 for variables that are held, and for all where they are within 1e4 of each other.
Vector sizes_along(const Sparse& hessian, const Sparse& rows, const std::vector<bool>& held) {
  const Eigen::Index n = hessian.cols();
  Vector sizes = Vector::Ones(n), largest(n);
  for (int pass = 0; pass < 30; ++pass) {  // each halves the exponents that are left
    largest.setZero();
    for (int j = 0; j < hessian.outerSize(); ++j)
      for (Sparse::InnerIterator entry(hessian, j); entry; ++entry)
        largest[j] = std::max(largest[j], std::abs(entry.value()) * sizes[j] * sizes[entry.row()]);
    for (Eigen::Index j = 0; j < n; ++j)
      if (largest[j] > 0) sizes[j] /= std::sqrt(largest[j]);
  }
  for (Eigen::Index j = 0; j < n; ++j) sizes[j] = held[j] ? 0 : largest[j] > 0 ? sizes[j] : infinity;
  const Eigen::SparseMatrix<double, Eigen::RowMajor> by_row = rows;
  using Row = Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator;
  bool smaller = true;
  for (int pass = 0; pass < 100 && smaller; ++pass) {
    smaller = false;
    for (int i = 0; i < by_row.outerSize(); ++i) {
      double first = 0, second = 0;
      for (Row entry(by_row, i); entry; ++entry) {
        const double moved = entry.value() == 0 ? 0 : std::abs(entry.value()) * sizes[entry.col()];
        second = std::max(second, std::min(first, moved));
        first = std::max(first, moved);
      }
      for (Row entry(by_row, i); entry; ++entry) {
        double& size = sizes[entry.col()];
        if (entry.value() == 0 || std::abs(entry.value()) * size < first || !(2 * second < first) || second == 0)
          continue;
        size = second / std::abs(entry.value());
        smaller = true;
      }
    }
  }
  double smallest = infinity, greatest = 0, logs = 0;
  Eigen::Index known = 0;
  for (const double size : sizes) {
    if (!(size > 0) || !std::isfinite(size)) continue;
    smallest = std::min(smallest, size);
    greatest = std::max(greatest, size);
    logs += std::log(size);
    ++known;
  }
  if (!(greatest > 1e4 * smallest)) return Vector::Ones(n);
  const double middle = std::exp(logs / static_cast<double>(known));
  for (double& size : sizes) size = size > 0 && std::isfinite(size) ? size / middle : 1;  // held ones do not move
  return sizes;
}

}  // namespace

NegativeCurvature negative_curvature(const NonlinearProgram& program, const NlpResult& solved, double tolerance) {
  NegativeCurvature result;
  const Eigen::Index n = solved.z.size(), m = program.constraint_lower.size();
  const Vector& multipliers = solved.multipliers.constraints;
  if (multipliers.size() != m || solved.multipliers.lower.size() != n || solved.multipliers.upper.size() != n) {
    return result;
  }
  Vector c(m), jacobian(static_cast<Eigen::Index>(program.jacobian.rows.size())),
      entries(static_cast<Eigen::Index>(program.hessian.rows.size()));
  if (!program.constraints(solved.z, c) || !program.constraint_jacobian(solved.z, jacobian) ||
      !program.lagrangian_hessian(solved.z, 1, multipliers, entries) || !entries.allFinite()) {
    return result;
  }
  result.computed = true;
  NonlinearProgram model;
  model.start.setZero(n);
  model.lower.setConstant(n, -infinity);
  model.upper.setConstant(n, infinity);
  const Pressed pressed{std::max(1., std::abs(solved.objective))};
  Vector variable_sizes(n), row_sizes = Vector::Zero(m);
  for (Eigen::Index j = 0; j < n; ++j) variable_sizes[j] = size_of(solved.z[j], program.lower[j], program.upper[j]);
  for (std::size_t k = 0; k < program.jacobian.rows.size(); ++k) {
    double& size = row_sizes[program.jacobian.rows[k]];
    size =
        std::max(size, std::abs(jacobian[static_cast<Eigen::Index>(k)]) * variable_sizes[program.jacobian.columns[k]]);
  }
  Eigen::Index free = n;
  std::vector<bool> is_held(static_cast<std::size_t>(n));
  for (Eigen::Index j = 0; j < n; ++j) {
    const bool held = program.lower[j] == program.upper[j] ||
                      pressed(solved.z[j], program.lower[j], program.upper[j], solved.multipliers.lower[j],
                              solved.multipliers.upper[j], variable_sizes[j]);
    is_held[static_cast<std::size_t>(j)] = held;
    if (!held) continue;
    model.lower[j] = model.upper[j] = 0;
    --free;
  }
  std::vector<int> row_of(m, -1);
  int rows = 0;
  for (Eigen::Index i = 0; i < m; ++i) {
    const bool held = program.constraint_lower[i] == program.constraint_upper[i] ||
                      pressed(c[i], program.constraint_lower[i], program.constraint_upper[i], -multipliers[i],
                              multipliers[i], row_sizes[i]);
    if (held) row_of[i] = rows++;
  }
  if (free == 0) return result;
  std::vector<double> held_entries;
  for (std::size_t k = 0; k < program.jacobian.rows.size(); ++k) {
    const int row = row_of[program.jacobian.rows[k]];
    if (row < 0) continue;
    model.jacobian.rows.push_back(row);
    model.jacobian.columns.push_back(program.jacobian.columns[k]);
    held_entries.push_back(jacobian[static_cast<Eigen::Index>(k)]);
  }
  Vector held_values = Eigen::Map<const Vector>(held_entries.data(), static_cast<Eigen::Index>(held_entries.size()));
  const Vector units = sizes_along(matrix_of(program.hessian, entries, n, n).selfadjointView<Eigen::Lower>(),
                                   matrix_of(model.jacobian, held_values, rows, n), is_held);
  for (std::size_t k = 0; k < program.hessian.rows.size(); ++k)
    entries[static_cast<Eigen::Index>(k)] *= units[program.hessian.rows[k]] * units[program.hessian.columns[k]];
  Vector greatest = Vector::Zero(rows);
  for (std::size_t k = 0; k < held_entries.size(); ++k) {
    held_values[static_cast<Eigen::Index>(k)] *= units[model.jacobian.columns[k]];
    double& size = greatest[model.jacobian.rows[k]];
    size = std::max(size, std::abs(held_values[static_cast<Eigen::Index>(k)]));
  }
  for (std::size_t k = 0; k < held_entries.size(); ++k) {
    const double size = greatest[model.jacobian.rows[k]];
    if (size > 0 && (size < 1e-2 || size > 1e2)) held_values[static_cast<Eigen::Index>(k)] /= size;
  }
  const Sparse held_rows = matrix_of(model.jacobian, held_values, rows, n);
  model.constraint_lower.setZero(rows);
  model.constraint_upper.setZero(rows);
  const double steepest = entries.size() > 0 ? entries.cwiseAbs().maxCoeff() : 0;
  const double scale = steepest > 0 && (steepest < 1e-3 || steepest > 1e3) ? steepest : 1;
  entries /= scale;  // Ipopt's tolerance is absolute
  const Sparse lower_part = matrix_of(program.hessian, entries, n, n);
  const Sparse hessian = lower_part.selfadjointView<Eigen::Lower>();
  Vector sizes = Vector::Zero(n);  // of the Hessian, by variable
  for (int j = 0; j < hessian.outerSize(); ++j)
    for (Sparse::InnerIterator entry(hessian, j); entry; ++entry) sizes[j] += std::abs(entry.value());
  sizes.array() += 1e-8 * sizes.maxCoeff();

  // The tolerance is added to the Hessian: flat directions do not count.
  model.hessian = program.hessian;
  Vector model_entries = entries;
  for (Eigen::Index j = 0; j < n; ++j) {
    model.hessian.rows.push_back(static_cast<int>(j));
    model.hessian.columns.push_back(static_cast<int>(j));
  }
  model_entries.conservativeResize(entries.size() + n);
  model_entries.tail(n) = tolerance * sizes;
  std::mt19937 generator(1);  // the same answer whenever it is asked
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double size = sizes.mean();
  const Vector slope = Vector::NullaryExpr(n, [&] { return size * uniform(generator); });
  const auto product = [&](const Vector& d) -> Vector { return hessian * d + tolerance * sizes.cwiseProduct(d); };
  model.objective = [&](const Vector& d, double& f) {
    f = slope.dot(d) + 0.5 * d.dot(product(d));
    return std::isfinite(f);
  };
  model.objective_gradient = [&](const Vector& d, Vector& gradient) {
    gradient = slope + product(d);
    return gradient.allFinite();
  };
  model.constraints = [&](const Vector& d, Vector& values) {
    values = held_rows * d;
    return true;
  };
  model.constraint_jacobian = [&](const Vector&, Vector& values) {
    values = held_values;
    return true;
  };
  model.lagrangian_hessian = [&](const Vector&, double weight, const Vector&, Vector& values) {
    values = weight * model_entries;
    return true;
  };

  bool is_told = false;  // by the inertia of a factorization, or by a direction
  IpoptOptions options{.tolerance = 1e-20, .max_iterations = 40};  // multipliers as of long motions would end it early
  options.observer = [&](const NlpIteration& seen, const Vector& z) {
    if (z.size() == 0 || seen.iteration == 0) return true;
    const double largest = z.cwiseAbs().maxCoeff();
    is_told = seen.iteration == 1 && seen.regularization == 0;  // convex: the inertia was right
    if (is_told || !(largest > 0) || !std::isfinite(largest)) return false;
    const Vector d = z / largest;
    if (d.dot(product(d)) >= 0 || (held_rows * d).norm() > 1e-6) return true;
    result.direction = d;
    return seen.iteration < 4;  // each further step leans more to the direction that bends down most
  };
  if (free > rows) solve_with_ipopt(model, options);  // else rows depend on each other, or nothing is left free
  if (result.direction.size() == 0 && n <= most_for_rank) {
    const Sparse shifted = matrix_of(model.hessian, model_entries, n, n).selfadjointView<Eigen::Lower>();
    const auto least = least_curvature(shifted, held_rows, is_held, is_told);
    if (least && least->curvature < 0) result.direction = least->direction;
  }
  if (result.direction.size() == 0) return result;
  result.curvature = scale * result.direction.dot(hessian * result.direction);
  result.direction.array() *= units.array();
  const double largest = result.direction.cwiseAbs().maxCoeff();
  result.direction /= largest;
  result.curvature /= largest * largest;
  return result;
}

}  // namespace quoin::optimization
