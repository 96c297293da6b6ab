// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/grid_options.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <memory>
#include <utility>

namespace quoin {

namespace grid_detail {
template <int Dim>
class FrozenCells;
}  // namespace grid_detail

template <int Dim>
class GridView;

/// What a grid, a functional of it, or either to a tolerance, knew at one moment (GridView::frozen): a
/// DifferentiableMap<Dim> for control loops, and for programs that have no f.
///
///   const quoin::FrozenView<3> model = grid.at_tolerance(1e-4).frozen();
///   for (;;) {
///     const quoin::Answer said = model.try_evaluate(x, y, J);  // never calls f
///     if (said.trust == quoin::Trust::coarser) ...             // x lies where nobody had asked
///   }
///
/// A query calls nothing, waits for nobody, and allocates nothing if its thread has asked before and outputs have their
/// size: a few table lookups, the weights, one sweep over the jets of 2^Dim corners. Answers, to the bit, are those of
/// the grid as it was, but for points on a face of a cell that fails; so are their trust and error. Copies share the
/// cells, which outlive the grid. Safe from many threads.
template <int Dim>
class FrozenView {
 public:
  // A moved-from view goes on answering.
  FrozenView(const FrozenView&) = default;
  FrozenView& operator=(const FrozenView&) = default;

  Eigen::Index output_size() const;
  MissingPolicy missing() const { return missing_; }
  /// How many cells it has, and the memory that they and their jets take.
  std::size_t cells() const;
  std::size_t bytes() const;

  /// y: N, J: N x Dim. Throws DomainError outside the domain, unless the grid's options clamp or extend, and
  /// CornerFailure where nothing is there that may answer.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const;
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;

  /// The same as Trust::outside or Trust::failed, with y and J untouched.
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const;
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;

 private:
  friend class GridView<Dim>;

  FrozenView(std::shared_ptr<const grid_detail::FrozenCells<Dim>> cells, MissingPolicy missing)
      : cells_(std::move(cells)), missing_(missing) {}

  Answer answer(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd* J) const;
  Answer answer_or_throw(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd* J) const;

  std::shared_ptr<const grid_detail::FrozenCells<Dim>> cells_;
  MissingPolicy missing_;
};

}  // namespace quoin

#include "quoin/grid/adaptive_grid.hpp"  // defines its members, too
