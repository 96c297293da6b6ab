// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::optimization {

/// How BoxQp::solve ended.
enum class BoxQpStatus {
  optimal,
  indefinite,      ///< the Hessian is not positive definite on the free variables
  iteration_limit  ///< x is feasible and no worse than the start
};

/// Minimizes 1/2 x^T H x + g^T x subject to lower <= x <= upper, by projected Newton (Bertsekas 1982; Tassa, Mansard,
/// Todorov 2014, Section IV), and where the bounds leave its steps no way down by a primal active set (Nocedal, Wright
/// 2006, Algorithm 16.3). Keeps its workspace: no allocation after the first solve of a size.
///
///   BoxQp qp;
///   Eigen::VectorXd x = start;                          // clamped to the box
///   if (qp.solve(H, g, lower, upper, x) == BoxQpStatus::optimal) ...
///   qp.solve_free(B);                                   // rows of B on free variables: H_ff^-1 B_f; other rows: 0
///
/// H: m x m, only its lower triangle is read, positive definite on the free set, whichever that turns out to be. Bounds
/// may be infinite and may coincide. O(m^3) per change of the free set, of which there are usually one to five. It ends
/// at the exact solution of the last free set, to rounding.
class BoxQp {
 public:
  int max_iterations = 200;  ///< changes of the free set and steps of the search, together

  /// Minimizes from x (m), which is clamped to the bounds first, and leaves the minimizer there. hessian: m x m;
  /// gradient, lower, upper: m.
  BoxQpStatus solve(const Eigen::Ref<const Eigen::MatrixXd>& hessian, const Eigen::Ref<const Eigen::VectorXd>& gradient,
                    const Eigen::Ref<const Eigen::VectorXd>& lower, const Eigen::Ref<const Eigen::VectorXd>& upper,
                    Eigen::Ref<Eigen::VectorXd> x);

  /// The variables that are off their bounds (or on one without being pressed against it), ascending.
  const std::vector<Eigen::Index>& free() const { return free_; }

  /// right_sides: m x any number, overwritten, from the last factorization of H.
  void solve_free(Eigen::Ref<Eigen::MatrixXd> right_sides) const;

  /// Of the last solve.
  int iterations() const { return iterations_; }

 private:
  bool factorize(const Eigen::Ref<const Eigen::MatrixXd>& hessian);
  // Whether one variable alone, within its bounds, lowers the value at x by more than rounding.
  bool may_fall(const Eigen::Ref<const Eigen::MatrixXd>& hessian, const Eigen::Ref<const Eigen::VectorXd>& lower,
                const Eigen::Ref<const Eigen::VectorXd>& upper, const Eigen::Ref<const Eigen::VectorXd>& x,
                double value) const;
  // From where projected steps fail: along faces of the box, one bound more or less at a time (a primal active set).
  BoxQpStatus follow_bounds(const Eigen::Ref<const Eigen::MatrixXd>& hessian,
                            const Eigen::Ref<const Eigen::VectorXd>& gradient,
                            const Eigen::Ref<const Eigen::VectorXd>& lower,
                            const Eigen::Ref<const Eigen::VectorXd>& upper, Eigen::Ref<Eigen::VectorXd> x);

  std::vector<Eigen::Index> free_, candidate_;
  Eigen::MatrixXd factor_;
  Eigen::VectorXd gradient_, direction_, trial_, product_;
  mutable Eigen::MatrixXd packed_;
  int iterations_ = 0;
};

}  // namespace quoin::optimization
