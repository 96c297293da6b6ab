// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "anderson_mixing.hpp"
#include "branch_prediction.hpp"
#include "equilibrium.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"
#include "quoin/robots/models/soft_arm/tile_cholesky.hpp"

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <memory>

namespace quoin::soft_arm {

/// Workspace of one search; never shared between threads.
struct SearchWorkspace {
  explicit SearchWorkspace(const TileCholesky& analysed, const Eigen::SparseMatrix<double>& pattern)
      : cholesky(analysed), hessian(pattern) {}

  TileCholesky cholesky;
  Eigen::SparseMatrix<double> hessian;
  Eigen::VectorXd x, trial, gradient, trial_gradient, step;
  Eigen::MatrixXd length_gradients;
  AndersonMixing mixing;           // with the current factorization
  TaylorRows tangent;              // dx/dalpha of the free coordinates, padded
  TaylorRows quadratic, cubic;     // right-hand sides of degree 2 and 3
  bool factor_is_current = false;  // of the Hessian at x, without a shift
};

/// Newton's method and continuation for the equilibria of one arm. Immutable; every call is safe from many threads
/// that have a workspace each.
template <int D>
class EquilibriumSearch {
 public:
  static constexpr int lines = line_count<D>;
  using Controls = Point<lines>;
  using Workspace = SearchWorkspace;
  using SolutionPtr = std::shared_ptr<const Equilibrium<D>>;

  /// On the way between solutions an indefinite Hessian means that the branch has lost its stability or that the step
  /// was too long; from a free start it is regularized.
  enum class Start { on_branch, free };

  EquilibriumSearch(const SoftArm<D>& arm, const StaticsOptions& options) : arm_(arm), options_(options) {}

  /// In one step to alpha, from where the branch should be. Null if there is no solution, or if the one found is
  /// another branch's: its distance from the prediction and that of the slopes must belong together.
  SolutionPtr jump(Workspace& w, const BranchPrediction<D>& predicted, const Controls& alpha,
                   StaticsResult& result) const;
  /// Solutions from `from` (null: the rest shape) to alpha; returns null if there is none, and result says why. The
  /// Hessian's factorization at the solution stays in w, also after jump and finish.
  SolutionPtr walk(Workspace& w, const KnownEquilibrium<D>& from, const Controls& alpha, StaticsResult& result) const;
  /// Newton from w.x, then everything else that a solution needs: stability, polish, tangent, no inverted element.
  SolutionPtr finish(Workspace& w, const Controls& alpha, Start start, StaticsResult& result) const;
  /// Factorizes the Hessian at w.x; false if it is not positive definite.
  bool factorize(Workspace& w, const Controls& alpha, StaticsResult& result) const;

 private:
  // Newton's method from w.x at fixed alpha; leaves the solution and its gradient in w.
  bool newton(Workspace& w, const Controls& alpha, double tolerance, Start start, StaticsResult& result) const;
  // Newton steps with the current factorization, as long as they help.
  void polish(Workspace& w, const Controls& alpha, int steps) const;
  // Moves w.x along its tangent, or along the parabola for a large change.
  void predict(Workspace& w, const Controls& at, const Eigen::VectorXd& first, const Controls& change,
               StaticsResult& result) const;
  // dx/dalpha of the free coordinates from the factorization at w.x, into w.tangent.
  void tangent(Workspace& w) const;
  double scaled(const Eigen::VectorXd& gradient) const;

  SoftArm<D> arm_;
  StaticsOptions options_;
};

extern template class EquilibriumSearch<2>;
extern template class EquilibriumSearch<3>;

}  // namespace quoin::soft_arm
