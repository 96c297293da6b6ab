// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/choosing/detail/table_function.hpp"
#include "quoin/choosing/table_axis.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/samples.hpp"
#include "quoin/util/errors.hpp"

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace quoin {

/// The options of a Table. Every field has a default.
template <int Dim>
struct TableOptions {
  /// Errors allowed, in parts of each output's size: N, or 1 for all.
  Eigen::VectorXd relative = Eigen::VectorXd::Constant(1, 1e-3);
  /// Sizes of the outputs (N); empty: the largest values that were looked at.
  Eigen::VectorXd sizes = {};
  std::shared_ptr<SampleStorage<Dim>> storage = {};  ///< as of GridOptions; samples are by f's own variables there
};

/// A table of f over a box of named variables, on linear, logarithmic and periodic axes, to errors in parts of the
/// outputs' sizes: a grid to a tolerance. f is called where an answer asks for it, or all at once by fill().
///
///   quoin::Table<2> table(eos, {quoin::log_axis("T", 3e3, 3e4), quoin::linear_axis("x", 0, 0.3)});
///   table.fill();
///   const quoin::Answer said = table.evaluate({1e4, 0.1}, y, J);  // J: by T and x; said.error: in parts of sizes()
///
/// A DifferentiableMap<Dim>. Queries are const and safe from many threads.
template <int Dim>
class Table {
 public:
  using Axes = std::array<TableAxis, std::size_t{Dim}>;

  /// f: as of AdaptiveGrid, of values, or of values and Jacobians. It is called at 80 points, or at
  /// some 40 for each axis where cells are to be chosen; the table keeps them. Throws
  /// std::invalid_argument for options that do not fit, and CornerFailure if f has no answer at any of these points.
  template <class F>
    requires SampleableFunction<F, Dim>
  Table(F f, const Axes& axes, const TableOptions<Dim>& options = {}, const Evaluator<Dim>& evaluator = ThisThread{});
  /// Does not compile, and says how a callable becomes a function.
  template <BareCallable F>
  Table(F, const Axes& axes, const TableOptions<Dim>& options = {}, const Evaluator<Dim>& = ThisThread{})
      : Table((detail::refuse_bare_callable<F>(), Samples<Dim>{}), axes, options) {}

  /// A table without a function, of what samples() of another one gave, with the same axes and errors, and its sizes():
  ///
  ///   quoin::Table<2> again(table.samples(), table.axes(), {.sizes = table.sizes()});
  Table(const Samples<Dim>& samples, const Axes& axes, const TableOptions<Dim>& options);

  Eigen::Index output_size() const { return grid_.output_size(); }
  /// With the cells that were chosen.
  const Axes& axes() const { return axes_; }
  /// Of the outputs (N), in parts of which errors are.
  const Eigen::VectorXd& sizes() const { return sizes_; }
  /// The grid under it, whose variables are logarithms along logarithmic axes.
  const AdaptiveGrid<Dim>& grid() const { return grid_; }

  /// y: N, J: N x Dim, by the variables. Answer::error is in parts of the sizes, of all outputs together, the
  /// strictest counting most; no error of the Jacobian is stated. Throws DomainError, with the variable's name, for a
  /// point outside, and CornerFailure where f fails.
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const;
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;
  /// The same as Trust::outside or Trust::failed, with y and J untouched.
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const;
  Answer try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;

  /// Evaluates all of the table, in batches; it calls nothing after that. Returns how many cells it has, and in how
  /// many f failed. A Watch sees the progress and can stop it; what was evaluated is kept. Throws CornerFailure where f
  /// failed everywhere.
  Filled fill() const { return grid_.fill(grid_.options().lower, grid_.options().upper); }

  /// All that f has answered, by the table's own variables.
  Samples<Dim> samples() const { return choosing_detail::converted<Dim>(axes_, grid_.samples(), false); }

 private:
  Table(const Axes& axes, Eigen::VectorXd sizes, AdaptiveGrid<Dim> grid)
      : axes_(axes), sizes_(std::move(sizes)), grid_(std::move(grid)) {}

  // The first complaint of an axis about x; empty: it lies inside.
  std::string complaint(const Point<Dim>& x) const;
  template <class... J>
  Answer answer_or_throw(const Point<Dim>& x, Eigen::VectorXd& y, J&... jacobian) const;
  template <class... J>
  Answer by_variables(const Point<Dim>& x, Answer said, J&... jacobian) const;

  Axes axes_;
  Eigen::VectorXd sizes_;
  AdaptiveGrid<Dim> grid_;
};

}  // namespace quoin

#include "quoin/choosing/detail/table_members.hpp"  // their definitions
