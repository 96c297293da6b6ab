// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/stop.hpp"
#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <functional>

namespace quoin::planning {

using RemapStop [[deprecated("quoin::Stop")]] = Stop;

/// The form of J#, of two equal ones.
enum class RemapForm {
  smaller,        ///< the one with the smaller matrix
  in_task_space,  ///< J^T (J J^T + C^-1)^-1, m x m: Eq. 15
  in_joint_space  ///< (I + J^T C J)^-1 J^T C, n x n: for a y larger than q
};

/// When the search for the nearest q stops, and how it steps.
struct RemapOptions {
  int max_iterations = 50;  ///< 1 is Eq. 15
  double tolerance = 1e-9;  ///< rad (or m) of the last step
  int max_halvings = 20;    ///< of a step that does not lower f; 0: none, and the end is `stalled`
  /// False: full steps, whatever f does, and no evaluation after the last one: for hard real time.
  bool keep_descent = true;
  RemapForm form = RemapForm::smaller;  ///< which of two equal forms is computed
};

/// The remapped coordinates, and what they took.
struct RemapResult {
  Eigen::VectorXd q;      ///< n
  double cost = 0;        ///< f(q); where keep_descent is false, of the iterate before
  double start_cost = 0;  ///< f at the start
  /// converged: the last step moved no coordinate by more than the tolerance. stalled: no part of a step lowers f.
  /// initial_failed: phi cannot be computed at the start, and q is returned. Else iteration_limit: the best so far.
  Stop stop = Stop::iteration_limit;
  int iterations = 0;   ///< steps of Gauss-Newton
  int evaluations = 0;  ///< of phi

  /// Whether the last step was within the tolerance.
  bool converged() const { return stop == Stop::converged; }
};

/// Per-frame remapping (Zarubin et al. 2012, section IV): the step from q that keeps the plan in the space of phi when
/// the world has moved,
///
///     argmin over q' of f(q') = |q' - q - h|^2 + |phi(q') - y*|^2_C,                                 (Eq. 14)
///
/// by Gauss-Newton steps q_k + J#(y* - phi(q_k)) + (I - J# J)(q + h - q_k), the first of which, from q_0 = q, is
/// Eq. 15. A step is halved until f falls.
///
///     Remapper remapper(n, C);
///     q = remapper.remap(q, h, y_planned.col(t + 1), [&](const VectorXd& at, VectorXd& y, MatrixXd* J) {
///       J ? mesh.evaluate(at, obstacles, y, *J) : mesh.evaluate(at, obstacles, y);
///       return true;
///     }).q;
///
/// h (n) is the step that would be taken without phi: that of the plan, with its feedback (AicoResult::control). C,
/// m x m, may be singular. A step is O(min(m, n)^3 + m n min(m, n)) and the evaluations; nothing is allocated after the
/// first call if phi allocates nothing. Not for two threads at once.
class Remapper {
 public:
  /// y (m) and, where J is not null, J (m x n) at q. False: cannot be computed there.
  using Function = std::function<bool(const Eigen::VectorXd& q, Eigen::VectorXd& y, Eigen::MatrixXd* J)>;

  /// Throws std::invalid_argument unless C (m x m) is symmetric without negative eigenvalues, and n at least 1.
  Remapper(Eigen::Index coordinates, const Eigen::MatrixXd& metric, const RemapOptions& options = {});

  /// The result is valid until the next call. Throws std::invalid_argument for sizes that disagree, those of
  /// phi's outputs included.
  const RemapResult& remap(const Eigen::VectorXd& q, const Eigen::VectorXd& h, const Eigen::VectorXd& target,
                           const Function& phi);

 private:
  bool evaluate(const Eigen::VectorXd& q, const Function& phi, bool with_jacobian, double& cost);
  void compute_step();

  Eigen::Index coordinates_;
  Eigen::MatrixXd root_;  // C = root^T root
  bool is_diagonal_;
  RemapOptions options_;
  RemapResult result_;
  Eigen::VectorXd wanted_, target_, y_, error_, away_, step_, trial_, right_;
  Eigen::MatrixXd J_, scaled_, system_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
};

}  // namespace quoin::planning
