// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/choosing/detail/table_cells.hpp"
#include "quoin/choosing/detail/table_function.hpp"
#include "quoin/choosing/detail/table_storage.hpp"
#include "quoin/choosing/table.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/grid/grid_options.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/samples.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

namespace choosing_detail {

inline void check_parts(const char* name, const Eigen::VectorXd& parts, Eigen::Index outputs, bool one_for_all) {
  const std::string who = std::string("Table: ") + name;
  if (parts.size() != outputs && !(one_for_all && parts.size() == 1))
    throw std::invalid_argument(who + ": " + to_text(parts.size()) + " for " + to_text(outputs) + " outputs");
  for (Eigen::Index i = 0; i < parts.size(); ++i)
    if (!(parts[i] > 0) || !std::isfinite(parts[i]))
      throw std::invalid_argument(who + "[" + to_text(i) + "] = " + to_text(parts[i]) + " is not positive and finite");
}

/// The grid's options but for the error: the lattice, and where samples are kept.
template <int Dim>
GridOptions<Dim> table_lattice(const TableAxes<Dim>& axes, const TableOptions<Dim>& options) {
  Point<Dim> lower, upper;
  std::array<int, std::size_t{Dim}> cells;
  std::array<bool, std::size_t{Dim}> periodic;
  for (unsigned i = 0; i < Dim; ++i) {
    const TableAxis axis = quoin::detail::checked_axis(axes[i]);
    lower[i] = axis.in_grid(axis.lower);
    upper[i] = axis.in_grid(axis.upper);
    cells[i] = axis.cells == 0 ? line_steps : axis.cells;
    periodic[i] = axis.scale == AxisScale::periodic;
  }
  GridOptions<Dim> grid = GridOptions<Dim>::over(lower, upper, cells);
  grid.periodic = periodic;
  if (options.storage) grid.storage = std::make_shared<TableStorage<Dim>>(options.storage, axes);
  return grid;
}

/// The grid's options with the error: the weights are such that the strictest output's part is the tolerance.
template <int Dim>
GridOptions<Dim> to_relative(GridOptions<Dim> grid, const Eigen::VectorXd& relative, const Eigen::VectorXd& sizes) {
  const double least = relative.minCoeff();
  grid.tolerance = least;
  grid.output_weights =
      least /
      ((relative.size() == 1 ? Eigen::VectorXd::Constant(sizes.size(), least) : relative).array() * sizes.array());
  return grid;
}

/// Where sizes are looked at: corners of level 0, spread, all if they are few, and points between them, where f may be
/// large if it is 0 at corners. In the grid's variables.
inline constexpr std::size_t looks_inside = 16;
template <int Dim>
Eigen::MatrixXd looks(const TableAxes<Dim>& axes, const GridOptions<Dim>& grid) {
  constexpr std::size_t most = 64;
  double all = 1;
  std::array<std::size_t, std::size_t{Dim}> counts;
  for (unsigned i = 0; i < Dim; ++i) {
    counts[i] = static_cast<std::size_t>(std::max(axes[i].cells, 1)) + (grid.periodic[i] ? 0 : 1);
    all *= static_cast<double>(counts[i]);
  }
  const std::size_t corners = all < most ? static_cast<std::size_t>(all) : most;
  Eigen::MatrixXd X(Dim, static_cast<Eigen::Index>(corners + looks_inside));
  for (std::size_t m = 0; m < corners; ++m) {
    double number = corners > 1 ? std::round(static_cast<double>(m) * (all - 1) / static_cast<double>(corners - 1)) : 0;
    for (unsigned i = Dim; i-- > 0;) {
      const auto count = static_cast<double>(counts[i]);
      const double rest = std::floor(number / count);
      X(i, static_cast<Eigen::Index>(m)) = grid.lower[i] + grid.spacing[i] * (number - rest * count);
      number = rest;
    }
  }
  std::mt19937_64 random(0);
  for (auto m = static_cast<Eigen::Index>(corners); m < X.cols(); ++m)
    for (unsigned i = 0; i < Dim; ++i)
      X(i, m) = grid.lower[i] + (grid.upper[i] - grid.lower[i]) * std::ldexp(static_cast<double>(random() >> 11), -53);
  return X;
}

template <int Dim>
Eigen::VectorXd sizes_of(const Samples<Dim>& samples) {
  Eigen::VectorXd sizes = Eigen::VectorXd::Zero(samples.output_size());
  bool any = false;
  for (Eigen::Index m = 0; m < samples.size(); ++m) {
    if (samples.failed(m)) continue;
    any = true;
    sizes = sizes.cwiseMax(samples.jet(m).col(0).cwiseAbs());
  }
  if (!any)
    throw CornerFailure("Table: f has no answer at any of " + to_text(samples.size()) +
                        " points: " + samples.reasons[0]);
  const double largest = sizes.maxCoeff();
  if (!(largest > 0))
    throw std::invalid_argument("Table: all outputs are 0 at " + to_text(samples.size()) + " points: give sizes");
  return (sizes.array() > 0).select(sizes, largest);
}

template <int Dim>
bool chooses_cells(const TableAxes<Dim>& axes) {
  return std::any_of(axes.begin(), axes.end(), [](const TableAxis& axis) { return axis.cells == 0; });
}

/// Where sizes and cells are looked at: points on lines, the corners of the box, where f is often largest, and some
/// points between. In the grid's variables.
template <int Dim>
Eigen::MatrixXd looks_for_cells(const GridOptions<Dim>& grid, const Eigen::MatrixXd& inside) {
  const Eigen::MatrixXd lines = points_on_lines<Dim>();
  Eigen::MatrixXd X(Dim, lines.cols() + (1 << Dim) + inside.cols());
  X.leftCols(lines.cols()) = lines;
  for (int corner = 0; corner < (1 << Dim); ++corner)
    for (int i = 0; i < Dim; ++i) X(i, lines.cols() + corner) = (corner >> i) & 1;
  const Point<Dim> edge = grid.upper - grid.lower;
  X = (edge.asDiagonal() * X).colwise() + grid.lower;
  X.rightCols(inside.cols()) = inside;
  return X;
}

/// The axes, with the cells that values at looks_for_cells() ask for where they have none. weights: of outputs, whose
/// errors allowed are then 1.
template <int Dim>
TableAxes<Dim> with_cells(TableAxes<Dim> axes, const Samples<Dim>& looked, const Eigen::VectorXd& weights,
                          const std::array<bool, std::size_t{Dim}>& periodic) {
  Eigen::MatrixXd values(weights.size(), points_on_lines<Dim>().cols());
  for (Eigen::Index m = 0; m < values.cols(); ++m)
    if (looked.failed(m))
      values.col(m).setConstant(std::numeric_limits<double>::quiet_NaN());
    else
      values.col(m) = looked.jet(m).col(0).cwiseProduct(weights);
  const auto cells = cells_along<Dim>(values, periodic);
  for (std::size_t i = 0; i < Dim; ++i)
    if (axes[i].cells == 0) axes[i].cells = cells[i];
  return axes;
}

/// A table's axes with their cells, sizes, and a grid to the errors that has the samples that were taken for them.
template <int Dim>
struct TableParts {
  TableAxes<Dim> axes;
  Eigen::VectorXd sizes;
  AdaptiveGrid<Dim> grid;
};
template <int Dim, class F>
TableParts<Dim> table_parts(const TableFunction<Dim, F>& f, const TableAxes<Dim>& axes,
                            const TableOptions<Dim>& options, const Evaluator<Dim>& evaluator) {
  check_parts("relative", options.relative, f.output_size(), true);
  if (options.sizes.size() > 0) check_parts("sizes", options.sizes, f.output_size(), false);
  const bool chooses = chooses_cells<Dim>(axes);
  const auto looked = [&] {
    const GridOptions<Dim> lattice = table_lattice<Dim>(axes, options);
    const AdaptiveGrid<Dim> coarse(f, lattice, evaluator);
    const Eigen::MatrixXd X = looks<Dim>(axes, lattice);
    return coarse.sample(chooses ? looks_for_cells<Dim>(lattice, X.rightCols(looks_inside)) : X);
  }();
  const Eigen::VectorXd sizes = options.sizes.size() > 0 ? options.sizes : sizes_of(looked);
  TableAxes<Dim> with = axes;
  if (chooses) {
    const auto to = to_relative(table_lattice<Dim>(axes, options), options.relative, sizes);
    with = with_cells<Dim>(axes, looked, to.output_weights / *to.tolerance, to.periodic);
  }
  AdaptiveGrid<Dim> grid(f, to_relative(table_lattice<Dim>(with, options), options.relative, sizes), evaluator);
  grid.insert(looked);
  return {std::move(with), sizes, std::move(grid)};
}

}  // namespace choosing_detail

template <int Dim>
template <class F>
  requires SampleableFunction<F, Dim>
Table<Dim>::Table(F f, const Axes& axes, const TableOptions<Dim>& options, const Evaluator<Dim>& evaluator)
    : Table([&] {
        auto made = choosing_detail::table_parts<Dim>(choosing_detail::TableFunction<Dim, F>(std::move(f), axes), axes,
                                                      options, evaluator);
        return Table(made.axes, std::move(made.sizes), std::move(made.grid));
      }()) {}

template <int Dim>
Table<Dim>::Table(const Samples<Dim>& samples, const Axes& axes, const TableOptions<Dim>& options)
    : Table([&] {
        choosing_detail::check_parts("relative", options.relative, samples.output_size(), true);
        choosing_detail::check_parts("sizes", options.sizes, samples.output_size(), false);
        if (samples.jet_order > 1)
          throw std::invalid_argument("Table: samples of jet order " + to_text(samples.jet_order) +
                                      ", expected 0 or 1");
        samples.check(samples.output_size(), "Table");
        for (const TableAxis& axis : axes)
          if (axis.cells == 0)
            throw std::invalid_argument("axis " + axis.name +
                                        ": cells = 0, and no function to choose them by: take axes() of the table that "
                                        "the samples are of");
        const auto lattice = choosing_detail::table_lattice<Dim>(axes, options);
        AdaptiveGrid<Dim> grid(choosing_detail::converted<Dim>(axes, samples, true),
                               choosing_detail::to_relative(lattice, options.relative, options.sizes));
        return Table(axes, options.sizes, std::move(grid));
      }()) {}

template <int Dim>
std::string Table<Dim>::complaint(const Point<Dim>& x) const {
  for (unsigned i = 0; i < Dim; ++i)
    if (std::string words = axes_[i].complaint(x[i]); !words.empty()) return words;
  return {};
}

template <int Dim>
template <class... J>
Answer Table<Dim>::by_variables(const Point<Dim>& x, Answer said, J&... jacobian) const {
  if (!said.has_value()) return said;
  if constexpr (sizeof...(J) > 0) {
    const Point<Dim> stretch = choosing_detail::stretch<Dim>(axes_, x);
    ((jacobian *= stretch.cwiseInverse().asDiagonal()), ...);
  }
  said.jacobian_error = std::numeric_limits<double>::quiet_NaN();
  return said;
}

template <int Dim>
template <class... J>
Answer Table<Dim>::answer_or_throw(const Point<Dim>& x, Eigen::VectorXd& y, J&... jacobian) const {
  if (const std::string words = complaint(x); !words.empty()) throw DomainError("Table: " + words);
  try {
    return by_variables(x, grid_.evaluate(choosing_detail::in_grid<Dim>(axes_, x), y, jacobian...), jacobian...);
  } catch (const CornerFailure& failure) {
    std::string logarithms;
    for (const TableAxis& axis : axes_)
      if (axis.scale == AxisScale::logarithmic) logarithms += (logarithms.empty() ? "" : ", ") + axis.name;
    if (logarithms.empty()) throw;
    throw CornerFailure(std::string(failure.what()) + " (points are in the logarithms of " + logarithms + ")",
                        failure.may_pass());
  }
}

template <int Dim>
Answer Table<Dim>::evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
  return answer_or_throw(x, y);
}
template <int Dim>
Answer Table<Dim>::evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
  return answer_or_throw(x, y, J);
}
template <int Dim>
Answer Table<Dim>::try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
  if (!complaint(x).empty()) return {.trust = Trust::outside};
  return by_variables(x, grid_.try_evaluate(choosing_detail::in_grid<Dim>(axes_, x), y));
}
template <int Dim>
Answer Table<Dim>::try_evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
  if (!complaint(x).empty()) return {.trust = Trust::outside};
  return by_variables(x, grid_.try_evaluate(choosing_detail::in_grid<Dim>(axes_, x), y, J), J);
}

}  // namespace quoin
