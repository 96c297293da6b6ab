// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/answer.hpp"
#include "quoin/core/point.hpp"
#include "quoin/grid/grid_options.hpp"

#include <Eigen/Core>

#include <memory>
#include <optional>
#include <vector>

namespace quoin {

namespace grid_detail {
template <int Dim>
class GridCore;
template <int Dim>
class JetField;
template <int Dim>
class Answering;
}  // namespace grid_detail

template <int Dim>
class AdaptiveGrid;

/// A map that answers from one level of a grid, or to one tolerance, or from a functional of it: a
/// DifferentiableMap<Dim>.
///
/// A view is small, copyable, immutable and safe from many threads. It stays as it is when the grid is refined, and
/// lives on when the grid is gone. What it misses is evaluated on demand and kept for all.
///
///   quoin::GridView<4> coarse = grid.at_level(1);
///   quoin::GridView<4> fine = grid.at_tolerance(1e-6);
///   coarse.evaluate(x, y, J);          // y: N, J: N x 4
///   coarse.times(x, w, Jw);            // J w without forming J
///   coarse.transpose_times(x, v, Jtv); // J^T v without forming J
///
/// A query that misses nothing costs one table lookup (in tolerance mode a few), the weights, and one sweep over the
/// jets of 2^Dim corners.
template <int Dim>
class GridView {
 public:
  // A view that was moved from goes on answering: no view is ever empty.
  GridView(const GridView&) = default;
  GridView& operator=(const GridView&) = default;

  Eigen::Index output_size() const;
  int jet_order() const;
  int level() const { return level_; }                            ///< 0 in tolerance mode
  std::optional<double> tolerance() const { return tolerance_; }  ///< none in level mode
  Point<Dim> spacing() const;
  const GridOptions<Dim>& options() const;

  /// The same map at another level.
  GridView at_level(int level) const;

  /// The same map to a tolerance: the error of the value that is asked for, absolute, in the weighted norm of this
  /// map's outputs. Each cell goes as deep as it must. Throws std::invalid_argument unless it is positive and finite.
  GridView at_tolerance(double tolerance) const;

  /// The same map at the level, or to the tolerance, of another view: a functional that follows the map that it goes
  /// with through the rounds of interleave. Keep one functional for all rounds; what it has at corners stays.
  ///
  ///   const auto tip = grid.add_functional(C);
  ///   auto solve = [&](const quoin::GridView<4>& map, const Plan& guess) { ... tip.like(map) ... };
  GridView like(const GridView& view) const;

  /// The map x -> C f(x), at this level or tolerance. C (M x N) is applied once per corner, to corners from before as
  /// well. The norm of its outputs, in which tolerances are meant, has M weights; empty: 1/sqrt(M). What it keeps at
  /// corners is given back with the last view of it.
  GridView add_functional(const Eigen::MatrixXd& C, const Eigen::VectorXd& output_weights = {}) const;

  /// Throws DomainError and CornerFailure, unless the options say otherwise.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const;
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;

  /// As evaluate, but DomainError and CornerFailure come back as Trust::outside or Trust::failed, with y and J
  /// untouched. A tolerance that f cannot repeat is a mistake, not an outcome: std::invalid_argument here too.
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const;
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;

  /// Jw = J(x) w. w: Dim, Jw: N; they may be the same vector.
  Answer times(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& w, Eigen::VectorXd& Jw) const;

  /// Jtv = J(x)^T v. v: N, Jtv: Dim; they may be the same vector.
  Answer transpose_times(const Point<Dim>& x, const Eigen::Ref<const Eigen::VectorXd>& v, Eigen::VectorXd& Jtv) const;

  /// What is known of the error of evaluate(x) without calling f: a certificate, an estimate from corners that are
  /// there (and so not a function of x alone), or nothing (Trust::unchecked). Throws DomainError if evaluate would.
  Answer error_estimate(const Point<Dim>& x) const;

  /// Evaluates, in batches, the corners that these points (Dim x M) need and that are missing. Corners that fail are
  /// kept as failed. Throws DomainError for a point outside if evaluate would.
  void prepare(const Eigen::Ref<const Eigen::MatrixXd>& X) const;

  /// The lattice point of this level nearest to x, within the domain. Throws std::invalid_argument if x is not finite.
  Point<Dim> nearest_corner(const Point<Dim>& x) const;

  /// The jet kept at the lattice point of this level nearest to x, evaluated if it is missing. jet: N x derivatives, in
  /// graded lexicographic order. Throws CornerFailure if f failed there.
  void corner_jet(const Point<Dim>& x, Eigen::MatrixXd& jet) const;

  /// evaluate at many points, to the bit: X: Dim x M, Y: N x M. Corners that are missing are evaluated first, together;
  /// then each cell is read once for many of its points, in whatever order these come. All or nothing: Y is left alone
  /// if evaluate would throw for one of the points. Y may be X.
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::MatrixXd& Y) const;
  /// The same into part of a matrix, or into memory that the caller has: throws std::invalid_argument if Y is not
  /// N x M.
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::Ref<Eigen::MatrixXd> Y) const;

  /// As above, with the Jacobians side by side: J is N x (Dim M), the block of point m starts at column Dim m. Throws
  /// std::invalid_argument if Y and J share memory.
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::MatrixXd& Y,
                                     Eigen::MatrixXd& J) const;
  std::vector<Answer> evaluate_batch(const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::Ref<Eigen::MatrixXd> Y,
                                     Eigen::Ref<Eigen::MatrixXd> J) const;

 private:
  friend class AdaptiveGrid<Dim>;

  // The function itself, at level 0.
  explicit GridView(std::shared_ptr<grid_detail::GridCore<Dim>> core);

  grid_detail::Answering<Dim> answering() const;

  std::shared_ptr<grid_detail::GridCore<Dim>> core_;
  std::shared_ptr<grid_detail::JetField<Dim>> field_;  // of the core, or a functional's
  int level_ = 0;
  std::optional<double> tolerance_ = {};
};

}  // namespace quoin

#include "quoin/grid/adaptive_grid.hpp"  // whose members come with those of views
