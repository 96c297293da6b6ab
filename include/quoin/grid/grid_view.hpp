// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/error_check.hpp"
#include "quoin/grid/filled.hpp"
#include "quoin/grid/grid_options.hpp"
#include "quoin/grid/grid_statistics.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/samples.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace quoin {

namespace grid_detail {
template <int Dim>
class GridCore;
template <int Dim>
class JetField;
template <int Dim>
class Query;
}  // namespace grid_detail

template <int Dim>
class AdaptiveGrid;
template <int Dim>
class FrozenView;

/// A map that answers from one level of a grid, or to one tolerance, or from a functional of it: a
/// DifferentiableMap<Dim>.
///
/// A view is small, copyable, immutable and safe from many threads. It stays as it is when the grid is refined, and
/// lives on when the grid is gone. Missing corners are evaluated on demand and kept for all views.
///
///   quoin::GridView<4> coarse = grid.at_level(1);
///   quoin::GridView<4> fine = grid.at_tolerance(1e-6);
///   coarse.evaluate(x, y, J);          // y: N, J: N x 4
///   fine.evaluate(x, y, J, H);         // H: N x 10, all second derivatives
///   coarse.jvp(x, w, Jw);            // J w without forming J
///   coarse.vjp(x, v, Jtv); // J^T v without forming J
///
/// A query without missing corners costs one table lookup (in tolerance mode a few), the weights, and one sweep over
/// the jets of 2^Dim corners.
template <int Dim>
class GridView {
 public:
  // A moved-from view goes on answering: no view is ever empty.
  GridView(const GridView&) = default;
  GridView& operator=(const GridView&) = default;

  Eigen::Index output_size() const;
  /// K of the jets at the corners.
  int jet_order() const;
  /// Whether the gradients at the corners are differences of values on the lattice, because f gives no derivatives.
  bool differenced() const;
  int level() const { return level_; }                            ///< 0 in tolerance mode
  std::optional<double> tolerance() const { return tolerance_; }  ///< none in level mode
  /// Edges of the cells of this level; of level 0 in tolerance mode.
  Point<Dim> spacing() const;
  /// Of the grid.
  const GridOptions<Dim>& options() const;

  /// The same map at another level.
  GridView at_level(int level) const;

  /// The same map to a tolerance: the largest error of the value, absolute, in the weighted norm of this map's outputs.
  /// Each cell is refined as far as needed. Throws std::invalid_argument unless it is positive and finite.
  GridView at_tolerance(double tolerance) const;

  /// The same map at the level, or to the tolerance, of another view: with it a functional follows its map through the
  /// rounds of interleave. Keep one functional for all rounds; its values at corners stay.
  ///
  ///   const auto tip = grid.linear_output(C);
  ///   auto solve = [&](const quoin::GridView<4>& map, const Plan& guess) { ... tip.at_resolution_of(map) ... };
  GridView at_resolution_of(const GridView& view) const;

  /// The map x -> C f(x), at this level or tolerance. C (M x N) is applied once per corner, existing ones included.
  /// output_weights: M weights of the norm of its outputs, in which its tolerances are given; empty: 1/sqrt(M). The
  /// memory of its corners is freed with its last view.
  GridView linear_output(const Eigen::MatrixXd& C, const Eigen::VectorXd& output_weights = {}) const;

  /// Throws DomainError and CornerFailure, unless the options say otherwise.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const;
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;

  /// As evaluate, but DomainError and CornerFailure come back as Trust::outside or Trust::failed, with y and J
  /// untouched. A tolerance below what f can repeat throws std::invalid_argument here too.
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const;
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;

  /// The second derivatives of the interpolant too, in the same sweep: H is N x Dim (Dim + 1)/2, d^2 y_i/dx_j dx_k at
  /// column second_derivative_index(Dim, j, k). For jets of order K >= 1 their error is of order 2K in the spacing; K =
  /// 0 has none along one axis. They jump across the faces of cells by the order of their error: on a face they are
  /// those of the cell that answers there, the upper one but for the domain's upper bound. Where `outside` extends or
  /// clamps they are those of the nearest point, and zero where both of the axes are left (clamp: one of them); an
  /// extended Jacobian's own derivatives along the face hold third ones too. Where f
  /// was called by policy they are f's; without K >= 2 this is a CornerFailure.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const;
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const;

  /// V = sum_i v_i d^2 y_i/dx^2, Dim x Dim: the curvature of v^T f, from one pass over the cell. v: N.
  Answer curvature(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::MatrixXd& V) const;

  /// Jw = J(x) w. w: Dim, Jw: N; they may be the same vector.
  Answer jvp(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& w, Eigen::VectorXd& Jw) const;

  /// Jtv = J(x)^T v. v: N, Jtv: Dim; they may be the same vector.
  Answer vjp(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::VectorXd& Jtv) const;

  /// The error of evaluate(x) as it is known without calling f: a certificate, an estimate from corners that are there
  /// (and so not a function of x alone), or nothing (Trust::unchecked), as where these hardly differ from their cells
  /// and f was never compared beside them, by error_along or a query to a tolerance. Throws DomainError if evaluate
  /// would.
  Answer error_estimate(const Point<Dim>& x) const;

  /// The largest errors of value and Jacobian along these points (Dim x M), such as those of a plan: what
  /// error_estimate says of each, which is cautious; on levels from 2 on, without certificates, from the differences of
  /// this level's answers from those of the two above, Trust::indicated. It is mostly right to a factor of two
  /// (rates: docs/notes/accuracy.md). Unchecked where nothing is known, as on level 0 with K = 1. Missing corners
  /// of the levels above are evaluated; where a solver went through them before, they are few. The first time, and now
  /// and then, f itself too, at one of the points.
  Answer error_along(const Eigen::Ref<const Eigen::MatrixXd>& X) const;

  /// Why error_estimate, or error_along, knows nothing at points (Dim x M), in words; empty if it does at all of them.
  /// Calls nothing.
  std::string why_unknown(const Eigen::Ref<const Eigen::MatrixXd>& X) const;

  /// f itself next to these points (Dim x M), at the lattice points of the finest level, in their order: for kernels,
  /// and for statistics of one's own. What is not known is evaluated, in batches, kept, and stored. Throws DomainError
  /// for a point outside, whatever the policy; failures stand among the samples.
  Samples<Dim> sample(const Eigen::Ref<const Eigen::MatrixXd>& X) const;

  /// Calls f at some points, at most `calls`, chosen by chance among those given (Dim x M), of the same ones always the
  /// same, and says how far this map is from it there, and what that tells of the others. Not chosen are corners of
  /// cells, and their middles. The samples are kept, and stored, as corners are, but no answer changes. Throws as
  /// evaluate does, and std::invalid_argument unless calls is positive.
  ErrorCheck check(const Eigen::Ref<const Eigen::MatrixXd>& X, int calls = 8) const;

  /// Whether the cells show so far that f's Jacobian is not that of its values, or that these are not smooth: of f, or
  /// else of a functional. Calls nothing.
  FunctionDoubts doubts() const;
  /// False: doubts() has nothing to say. One load.
  bool doubtful() const;

  /// Evaluates, in batches, the missing corners that these points (Dim x M) need. Corners that fail are kept as failed.
  /// Throws DomainError for a point outside if evaluate would.
  void prefetch(const Eigen::Ref<const Eigen::MatrixXd>& X) const;

  /// Makes a table: evaluates, in batches, the missing corners of all leaves that the box [lower, upper] meets, so that
  /// queries inside it call nothing; those on its upper faces belong to the next cells, unless the domain ends there.
  /// Returns how many leaves these are, and in how many f failed. A Watch sees the progress and can stop it; what was
  /// evaluated is kept. Throws std::invalid_argument for a box without a point, or of 2^40 cells and more, DomainError
  /// for one that is not in the domain, and CornerFailure where f failed in all cells, unless on_failure answers.
  Filled fill(const Point<Dim>& lower, const Point<Dim>& upper) const;

  /// Asks for the same as prefetch() without waiting: a thread of the grid evaluates them, in the order of the
  /// requests, while this one goes on. Points outside are left out, failures are told by the queries that meet them.
  /// What is requested and not yet evaluated when the grid is trimmed or ends is dropped; so are requests for a
  /// functional to a tolerance.
  void prefetch_async(const Eigen::Ref<const Eigen::MatrixXd>& X) const;

  /// Whether something that was requested, by any view of the grid, is not done.
  bool has_requests() const;

  /// Drops what any view of the grid has requested and nobody has begun, and waits for the call of f that runs for a
  /// request. Throws Interrupted soon after this thread's Watch is told to stop: that call then goes on.
  void cancel_requests() const;

  /// Told by planners where they will soon ask. With GridOptions::evaluate_ahead the missing corners there are
  /// evaluated now, in batches; otherwise nothing happens.
  void hint(const Eigen::Ref<const Eigen::MatrixXd>& X) const;

  /// For those who may not wait, such as a controller: the answer from the corners that are there. It is that of
  /// try_evaluate if they are all there; otherwise that of a coarser cell (Trust::coarser), or none (Trust::failed). f
  /// is never called. missing: unless it is null, the corners that were wanted and are not there are appended.
  Answer evaluate_cached(const Point<Dim>& x, Eigen::VectorXd& y, std::vector<Point<Dim>>* missing = nullptr) const;
  Answer evaluate_cached(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J,
                         std::vector<Point<Dim>>* missing = nullptr) const;

  /// For control loops: a copy of what is there now, of this level or to this tolerance, that answers as
  /// evaluate_cached does, in a time that is bounded, and shares nothing with the grid. Evaluates nothing. Throws
  /// std::bad_alloc without memory for the copy. Include quoin/grid/frozen_view.hpp.
  FrozenView<Dim> frozen(MissingPolicy missing = MissingPolicy::coarser) const;

  /// The lattice point of this level nearest to x, within the domain. Throws std::invalid_argument if x is not finite.
  Point<Dim> nearest_corner(const Point<Dim>& x) const;

  /// The jet kept at the lattice point of this level nearest to x, evaluated if it is missing. jet: N x derivatives, in
  /// graded lexicographic order. Throws CornerFailure if f failed there.
  void corner_jet(const Point<Dim>& x, Eigen::MatrixXd& jet) const;

  /// The same as evaluate at each of many points, to the bit. X: Dim x M, Y: N x M. Missing corners are evaluated
  /// first, together; then each cell is read once for many of its points, in whatever order these come. All or nothing:
  /// Y is left alone if evaluate would throw for one of the points. Y may be X.
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::MatrixXd& Y) const;
  /// The same into part of a matrix, or into memory of the caller: throws std::invalid_argument if Y is not N x M.
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::Ref<Eigen::MatrixXd> Y) const;

  /// As above, with the Jacobians side by side: J is N x (Dim M), the block of point m starts at column Dim m. Throws
  /// std::invalid_argument if Y and J share memory.
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::MatrixXd& Y,
                                     Eigen::MatrixXd& J) const;
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::Ref<Eigen::MatrixXd> Y,
                                     Eigen::Ref<Eigen::MatrixXd> J) const;

  // Names of before 0.3, which 0.4 drops.
  [[deprecated("linear_output")]] GridView add_functional(const Eigen::MatrixXd& C,
                                                          const Eigen::VectorXd& output_weights = {}) const {
    return linear_output(C, output_weights);
  }
  [[deprecated("at_resolution_of")]] GridView like(const GridView& view) const { return at_resolution_of(view); }
  [[deprecated("jvp")]] Answer times(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& w,
                                     Eigen::VectorXd& Jw) const {
    return jvp(x, w, Jw);
  }
  [[deprecated("vjp")]] Answer transpose_times(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& v,
                                               Eigen::VectorXd& Jtv) const {
    return vjp(x, v, Jtv);
  }
  [[deprecated("prefetch")]] void prepare(const Eigen::Ref<const Eigen::MatrixXd>& X) const { prefetch(X); }
  [[deprecated("prefetch_async")]] void request(const Eigen::Ref<const Eigen::MatrixXd>& X) const { prefetch_async(X); }
  [[deprecated("hint")]] void expect(const Eigen::Ref<const Eigen::MatrixXd>& X) const { hint(X); }
  [[deprecated("evaluate_cached")]] Answer evaluate_known(const Point<Dim>& x, Eigen::VectorXd& y,
                                                          std::vector<Point<Dim>>* missing = nullptr) const {
    return evaluate_cached(x, y, missing);
  }
  [[deprecated("evaluate_cached")]] Answer evaluate_known(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J,
                                                          std::vector<Point<Dim>>* missing = nullptr) const {
    return evaluate_cached(x, y, J, missing);
  }

 private:
  friend class AdaptiveGrid<Dim>;

  // A view of the function itself, at level 0.
  explicit GridView(std::shared_ptr<grid_detail::GridCore<Dim>> core);

  grid_detail::Query<Dim> query() const;

  std::shared_ptr<grid_detail::GridCore<Dim>> core_;
  std::shared_ptr<grid_detail::JetField<Dim>> field_;  // of the core, or a functional's
  int level_ = 0;
  std::optional<double> tolerance_ = {};
};

}  // namespace quoin

#include "quoin/grid/adaptive_grid.hpp"  // defines its members and those of views
