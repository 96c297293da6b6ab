// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/optimization/dense_program.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::optimization {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Both functions at one point.
struct Values {
  double f = 0;
  Vector gradient, c;
  Matrix jacobian;
};

/// A program and its values at the last point: the solver asks for them one by one.
class Evaluations {
 public:
  explicit Evaluations(DenseProgram program)
      : program_(std::move(program)), n_(program_.start.size()), m_(program_.constraint_lower.size()) {}

  const Values& last() const { return last_; }

  bool at(const Vector& z) {
    if (at_.size() > 0 && at_ == z) return computed_;
    at_ = z;
    computed_ = false;
    computed_ = evaluate(z, last_);
    return computed_;
  }

  bool hessian(const Vector& z, double weight, const Vector& multipliers, Vector& entries) {
    if (!at(z)) return false;
    base_ = slope(last_, weight, multipliers);
    hessian_.resize(n_, n_);
    for (Eigen::Index j = 0; j < n_; ++j)
      if (!column(z, j, weight, multipliers)) return false;
    Eigen::Index k = 0;
    for (Eigen::Index j = 0; j < n_; ++j)
      for (Eigen::Index i = j; i < n_; ++i) entries[k++] = 0.5 * (hessian_(i, j) + hessian_(j, i));
    return true;
  }

 private:
  bool evaluate(const Vector& z, Values& out) const {
    const auto fits = [](const char* what, Eigen::Index rows, Eigen::Index columns, Eigen::Index as_rows,
                         Eigen::Index as_columns) {
      if (rows == as_rows && columns == as_columns) return;
      throw std::invalid_argument("nonlinear_program: the " + std::string(what) + " is " + to_text(rows) + " x " +
                                  to_text(columns) + ", must be " + to_text(as_rows) + " x " + to_text(as_columns));
    };
    out.f = 0;
    if (!program_.objective) {
      out.gradient.setZero(n_);
    } else {
      if (!program_.objective(z, out.f, out.gradient)) return false;
      fits("gradient", out.gradient.size(), 1, n_, 1);
    }
    if (!program_.constraints) {
      out.c.resize(0);
      out.jacobian.resize(0, n_);
    } else {
      if (!program_.constraints(z, out.c, out.jacobian)) return false;
      fits("constraint", out.c.size(), 1, m_, 1);
      fits("Jacobian", out.jacobian.rows(), out.jacobian.cols(), m_, n_);
    }
    return std::isfinite(out.f) && out.gradient.allFinite() && out.c.allFinite() && out.jacobian.allFinite();
  }

  static Vector slope(const Values& values, double weight, const Vector& multipliers) {
    return weight * values.gradient + values.jacobian.transpose() * multipliers;
  }

  bool column(const Vector& z, Eigen::Index j, double weight, const Vector& multipliers) {
    double step = 1e-7 * std::max(1., std::abs(z[j]));
    if (program_.upper.size() > 0 && z[j] + step > program_.upper[j]) step = -step;
    for (int attempt = 0; attempt < 2; ++attempt, step = -step) {
      trial_ = z;
      trial_[j] += step;
      if (!evaluate(trial_, trial_values_)) continue;
      hessian_.col(j) = (slope(trial_values_, weight, multipliers) - base_) / (trial_[j] - z[j]);
      return true;
    }
    return false;
  }

  DenseProgram program_;
  Eigen::Index n_, m_;
  Vector at_, base_, trial_;
  Values last_, trial_values_;
  bool computed_ = false;
  Matrix hessian_;
};

Vector or_all(const Vector& bound, Eigen::Index size, double value) {
  return bound.size() > 0 ? bound : Vector::Constant(size, value);
}

}  // namespace

NonlinearProgram nonlinear_program(const DenseProgram& program) {
  const Eigen::Index n = program.start.size(), m = program.constraint_lower.size();
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("nonlinear_program: " + what); };
  if (n == 0) refuse("start has 0 entries");
  for (const Vector* bound : {&program.lower, &program.upper})
    if (bound->size() > 0 && bound->size() != n)
      refuse("start has " + to_text(n) + " entries, a bound " + to_text(bound->size()));
  if (program.constraint_upper.size() != m || (program.constraints == nullptr && m > 0))
    refuse("constraint bounds have " + to_text(m) + " and " + to_text(program.constraint_upper.size()) + " entries, " +
           (program.constraints ? "must be as many" : "but there are no constraints"));

  constexpr double infinity = std::numeric_limits<double>::infinity();
  NonlinearProgram result;
  result.lower = or_all(program.lower, n, -infinity);
  result.upper = or_all(program.upper, n, infinity);
  for (Eigen::Index j = 0; j < n; ++j)
    if (!(result.lower[j] <= result.upper[j]))
      refuse("bounds cross: entry " + to_text(j) + " is between " + to_text(result.lower[j]) + " and " +
             to_text(result.upper[j]));
  result.start = program.start.cwiseMax(result.lower).cwiseMin(result.upper);
  result.constraint_lower = program.constraint_lower;
  result.constraint_upper = program.constraint_upper;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      result.jacobian.rows.push_back(i);
      result.jacobian.columns.push_back(j);
    }
    for (int i = j; i < n; ++i) {
      result.hessian.rows.push_back(i);
      result.hessian.columns.push_back(j);
    }
  }
  const auto values = std::make_shared<Evaluations>(program);
  const auto one_of = [&values](auto Values::*part) {
    return [values, part](const Vector& z, auto& out) {
      if (!values->at(z)) return false;
      out = values->last().*part;
      return true;
    };
  };
  result.objective = one_of(&Values::f);
  result.objective_gradient = one_of(&Values::gradient);
  result.constraints = one_of(&Values::c);
  result.constraint_jacobian = [values](const Vector& z, Vector& entries) {
    if (!values->at(z)) return false;
    entries = values->last().jacobian.reshaped();
    return true;
  };
  result.lagrangian_hessian = [values](const Vector& z, double weight, const Vector& multipliers, Vector& entries) {
    return values->hessian(z, weight, multipliers, entries);
  };
  return result;
}

}  // namespace quoin::optimization
