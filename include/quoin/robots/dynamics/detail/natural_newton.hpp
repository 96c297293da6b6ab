// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/step_status.hpp"
#include "quoin/robots/linear_algebra/pivoted_lu.hpp"
#include "quoin/util/abi_check.hpp"

#include <Eigen/Core>

#include <utility>

namespace quoin::detail {

/// When natural_newton stops.
struct NaturalNewtonOptions {
  double tolerance;        ///< accept when the next correction is at most this (largest entry)
  double stall_tolerance;  ///< accept one that cannot be improved below this
  int max_iterations;
};

/// How natural_newton ended.
struct NaturalNewtonReport {
  StepStatus status = StepStatus::ok;
  int iterations = 0;
  double correction = 0;  ///< the last one, largest entry
};

/// The equation of natural_newton, with its type erased: Newton's method is compiled once for all dynamics.
struct NewtonEquation {
  using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, linear_algebra::PivotedLu::max_size, 1>;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, linear_algebra::PivotedLu::max_size,
                               linear_algebra::PivotedLu::max_size>;

  void* self;
  StepStatus (*evaluate)(void* self, const Vector& trial, Vector& r);
  void (*accept)(void* self, Matrix& matrix);
};

NaturalNewtonReport natural_newton(NewtonEquation::Vector& z, NewtonEquation::Vector& r, NewtonEquation::Matrix matrix,
                                   const NaturalNewtonOptions& options, const NewtonEquation& equation);

/// Newton's method for r(z) = 0 with an approximate Jacobian, corrected from iterate to iterate by Broyden's formula.
/// Steps are shortened until the natural monotonicity test holds (Deuflhard 2004, 3.3), also where r has no value.
///
/// r: that of z. matrix: the approximate Jacobian at z. evaluate(trial, r): StepStatus, r at another point.
/// accept(): the approximate Jacobian at the point that was evaluated last, which is the iterate from now on.
template <class Vector, class Matrix, class Evaluate, class Accept>
NaturalNewtonReport natural_newton(Vector& z, const Vector& r, const Matrix& matrix,
                                   const NaturalNewtonOptions& options, Evaluate&& evaluate, Accept&& accept) {
  struct Calls {
    Evaluate& evaluate;
    Accept& accept;
    Vector trial, r;
  } calls{evaluate, accept, z, r};
  NewtonEquation::Vector iterate = z, residual = r;
  const auto report = natural_newton(
      iterate, residual, NewtonEquation::Matrix(matrix), options,
      {.self = &calls,
       .evaluate =
           [](void* self, const NewtonEquation::Vector& trial, NewtonEquation::Vector& trial_r) {
             Calls& of = *static_cast<Calls*>(self);
             of.trial = trial;
             const StepStatus status = of.evaluate(std::as_const(of.trial), of.r);
             trial_r = of.r;
             return status;
           },
       .accept = [](void* self, NewtonEquation::Matrix& next) { next = static_cast<Calls*>(self)->accept(); }});
  z = iterate;
  return report;
}

}  // namespace quoin::detail
