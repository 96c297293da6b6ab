// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/answer.hpp"
#include "quoin/map/error_norm.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/fingerprint.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/models/soft_arm/soft_arm.hpp"
#include "quoin/util/export_type.hpp"

#include <Eigen/Core>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::soft_arm {

/// The outcome of a search for an equilibrium.
enum class StaticsStatus {
  ok,
  not_converged,  ///< Newton did not reach its tolerance: the load may have no solution
  unstable,       ///< the Hessian at the solution is not positive definite: the arm has buckled
  inverted        ///< an element is inverted at the solution
};

constexpr const char* to_string(StaticsStatus status) {
  switch (status) {
    case StaticsStatus::ok: return "ok";
    case StaticsStatus::not_converged: return "not converged";
    case StaticsStatus::unstable: return "unstable equilibrium";
    case StaticsStatus::inverted: return "inverted element";
  }
  return "unknown";
}

/// Thrown by Statics::evaluate where f_s has no answer. The message holds the status, alpha and the residual.
class QUOIN_EXPORT_TYPE StaticsFailure : public std::runtime_error {
 public:
  /// what: the status, alpha and the residual.
  StaticsFailure(StaticsStatus status, const std::string& what) : std::runtime_error(what), status_(status) {}
  /// Why there is no answer.
  StaticsStatus status() const { return status_; }

 private:
  StaticsStatus status_;
};

/// When an equilibrium is found, and how far steps go.
struct StaticsOptions {
  double tolerance = 1e-9;         ///< largest |dE/dx| / F0 of a solution, before it is polished by one more step
  double continuation_step = 0.5;  ///< largest change of any alpha from one solution to the next: a single tangent step
                                   ///< over more may land on another equilibrium
  double taylor_step = 1;          ///< the same from a solution whose second derivatives are known: the solution found
                                   ///< must agree with them in value and slope
  int iterations = 60;             ///< Newton iterations in one continuation step
  int remembered = 512;            ///< solutions kept to start from (x and its Jacobian; 64 kB each for N = 1575)
  int remembered_jets = 128;       ///< of these, the latest with derivatives above the first keep them to start from
                                   ///< (0.19 MB each for order 2 and N = 1575, 0.48 MB for order 3)
};

/// How an equilibrium was found.
struct StaticsResult {
  StaticsStatus status = StaticsStatus::not_converged;  ///< whether y and J were written
  int iterations = 0;                                   ///< Newton iterations (factorizations) in all
  int continuation_steps = 0;                           ///< 0: looked up
  double residual = 0;                                  ///< |dE/dx|_inf / F0
};

/// f_s of Jia, Pan, Manocha 2019, Eq. 7: the equilibrium shape of a line-driven arm under the controls alpha, and
/// the lengths of its lines,
///
///     dE/dx(x, alpha) = 0,   f_s(alpha) = [x; l(x)],   N + lines outputs (1575 + 4 for the standard arm in space),
///
/// and its Jacobian by the implicit function theorem, H dx/dalpha_k = -F0 dl_k/dx, from the factorization of the last
/// Newton step. dl/dalpha = (dl/dx)^T dx/dalpha is symmetric and negative semi-definite.
///
///     Statics<3> statics{SoftArm<3>{make_beam<3>()}};
///     Eigen::VectorXd y;
///     Eigen::MatrixXd J;
///     statics.evaluate({1, 0, 0, 0.5}, y, J);                        // a DifferentiableMap<4>
///     AdaptiveGrid<4> grid(statics, options);                        // evaluated on demand
///
/// Newton's method with the raw Hessian and line search on the energy; a factorization is reused as long as it
/// contracts. From solutions whose second derivatives are known it jumps to where these say that the branch goes on.
/// Else, and where that fails, continuation in alpha starts from the nearest remembered solution (else from rest); each
/// step starts along the tangent or, if it is long, the parabola of the branch. An indefinite Hessian on the way
/// shortens the step; if that does not help, the branch has lost its stability there and the answer is
/// `unstable`, although the arm may rest elsewhere: f_s is a function only on the branch of the rest shape. A
/// query at exactly a remembered alpha is a lookup.
///
/// Copies share the arm, the remembered solutions, the counters and the workspaces. Every call is const
/// and safe from many threads.
template <int SpaceDim>
class Statics {
 public:
  static constexpr int lines = line_count<SpaceDim>;  ///< 2 in the plane, 4 in space
  /// alpha: one number a line.
  using Controls = Point<lines>;

  /// Throws std::invalid_argument for options out of range.
  explicit Statics(SoftArm<SpaceDim> arm, StaticsOptions options = {});

  /// The arm itself.
  const SoftArm<SpaceDim>& arm() const;
  /// As they were given.
  const StaticsOptions& options() const;

  Eigen::Index output_size() const;  ///< SpaceDim * V + lines
  /// Concurrent; repeatable_to bounds the difference between answers from different starts,
  /// relative to the largest output.
  FunctionTraits traits() const { return {.concurrent = true, .repeatable_to = 2e-10}; }
  /// Of all that equilibria depend on: vertices, elements, moduli, free vertices, lines and their force, loads (the
  /// density counts with gravity), and the options but for how much is remembered. The same for jets of every order.
  Fingerprint fingerprint() const;

  /// y: N + lines. J: (N + lines) x lines. Throws StaticsFailure where there is no stable equilibrium, and
  /// std::invalid_argument if alpha is not finite.
  Answer evaluate(const Controls& alpha, Eigen::VectorXd& y) const;
  Answer evaluate(const Controls& alpha, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;
  /// The same without throwing: returns Trust::failed and leaves the outputs untouched.
  Answer try_evaluate(const Controls& alpha, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;

  /// The same with a full report. J may be null. y and J are written only if the status is ok.
  StaticsResult solve(const Controls& alpha, Eigen::VectorXd& y, Eigen::MatrixXd* J = nullptr) const;
  /// The same from a given start (full x, N), without continuation or memory. Where the Hessian is indefinite it is
  /// regularized, so that some stable equilibrium is found, whichever branch it is on.
  StaticsResult solve_from(const Eigen::VectorXd& start, const Controls& alpha, Eigen::VectorXd& y,
                           Eigen::MatrixXd* J = nullptr) const;

  /// What a guess of y (N + lines) is off by, to a few per cent in that norm: dy (N + lines, resized), by
  /// newton_correction of its shape, with clamped coordinates at rest and the lengths of the corrected shape. One
  /// factorization and from two gradients on. False if the guess is not finite, if the Hessian there is not positive
  /// definite, or if the corrections do not contract. Looks up and remembers nothing, and counts as no solve. Makes
  /// Statics Verifiable. Throws std::invalid_argument if alpha is not finite or the guess has another size.
  bool correction(const Controls& alpha, const Eigen::VectorXd& guess, const ErrorNorm& norm,
                  Eigen::VectorXd& dy) const;

  /// All derivatives up to `order`, 1 to 3: (N + lines) x C(lines + order, order), columns in graded lexicographic
  /// order (graded_multi_indices), plain derivatives. They come from the polynomial x(alpha + delta) that makes every
  /// degree of dE/dx zero: x_g = -H^-1 (degree g of dE/dx at the degrees below g), all solved for with the same
  /// factorization. Throws as evaluate does.
  void evaluate_jet(int order, const Controls& alpha, Eigen::Ref<Eigen::MatrixXd> jet) const;

  long solves() const;             ///< equilibria computed (lookups not counted)
  long newton_iterations() const;  ///< total factorizations
  double seconds() const;          ///< spent computing them, summed over threads
  void forget() const;             ///< drops the remembered solutions: the next solve is cold

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

extern template class Statics<2>;
extern template class Statics<3>;

/// f_s with all derivatives up to order K (1 to 3): a JetFunction, for grids with cells of order K:
///
///     AdaptiveGrid<4> grid(soft_arm::JetStatics<3, 2>(statics), options);
///
/// Shares the statics that it is made from.
template <int SpaceDim, int K>
class JetStatics {
 public:
  static_assert(1 <= K && K <= 3, "jets of an arm are of order 1 to 3");
  static constexpr int jet_order = K;  ///< K: columns of a jet are derivatives up to this total order
  /// alpha: one number a line.
  using Controls = typename Statics<SpaceDim>::Controls;

  /// Shares the statics' memory of solutions.
  explicit JetStatics(Statics<SpaceDim> statics) : statics_(std::move(statics)) {}

  Eigen::Index output_size() const { return statics_.output_size(); }
  FunctionTraits traits() const { return statics_.traits(); }
  Fingerprint fingerprint() const { return statics_.fingerprint(); }  ///< of the statics, for every K
  /// jet: (N + lines) x C(lines + K, K). Throws as Statics::evaluate does.
  void sample(const Controls& alpha, Eigen::Ref<Eigen::MatrixXd> jet) const { statics_.evaluate_jet(K, alpha, jet); }

 private:
  Statics<SpaceDim> statics_;
};

}  // namespace quoin::soft_arm
