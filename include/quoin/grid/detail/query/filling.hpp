// SPDX-License-Identifier: BSD-3-Clause
// Beside the path of a query: all leaves of a box at once, for tables.
#pragma once

#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/query/leaf_search.hpp"
#include "quoin/grid/filled.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// Has the leaves evaluated that a box meets, some cells of the first level at a time, and below these wherever a leaf
/// is deeper.
template <int Dim>
class Filling {
 public:
  /// level: the search's. Keeps references.
  Filling(const GridCore<Dim>& core, const JetField<Dim>& field, const LeafSearch<Dim>& search, int level)
      : core_(core), field_(field), lattice_(core.lattice()), search_(search), level_(level) {}

  /// The leaves that the box has, those that fail among them. Throws std::invalid_argument for a box without a point,
  /// or of 2^40 cells and more, DomainError for one that is not in the domain, and CornerFailure where nothing answers.
  Filled fill(const Point<Dim>& lower, const Point<Dim>& upper) const {
    for (int i = 0; i < Dim; ++i)
      if (!(lower[i] <= upper[i]))
        throw std::invalid_argument(who() + "lower[" + to_text(i) + "] = " + to_text(lower[i]) + " is above upper[" +
                                    to_text(i) + "] = " + to_text(upper[i]));
    const Box box = box_of(level_, lower, upper);
    double cells = 1;
    for (const std::int64_t count : box.count) cells *= static_cast<double>(count);
    if (!(cells < most_cells))
      throw std::invalid_argument(who() + to_text(cells) + " cells, too many: take a coarser spacing or level");
    Filled filled;
    std::vector<Address<Dim>> some;
    for (std::uint64_t next = 0; next < static_cast<std::uint64_t>(cells); ++next) {
      some.push_back(box.cell(next, lattice_.stride(level_)));
      if (some.size() < at_a_time && next + 1 < static_cast<std::uint64_t>(cells)) continue;
      fill_below(some, lower, upper, filled);
      some.clear();
    }
    if (filled.failed == filled.cells && core_.options().on_failure == FailurePolicy::throw_error)
      throw CornerFailure(who() + "f failed in all " + to_text(filled.cells) + " cells of the box, first at " +
                          filled.reason + "; give a box where it answers");
    return filled;
  }

 private:
  static constexpr double most_cells = 0x1p40;
  static constexpr std::size_t at_a_time = std::size_t{1} << (Dim < 4 ? 14 : 12);

  static std::string who() { return "AdaptiveGrid<" + to_text(Dim) + ">::fill: "; }

  // The cells of a level that a box meets in more than a face.
  struct Box {
    const Lattice<Dim>& lattice;
    Address<Dim> first, count;
    Address<Dim> cell(std::uint64_t number, std::int64_t stride) const {
      Address<Dim> lower = first;
      for (std::size_t i = 0; i < Dim; ++i) {
        const auto along = static_cast<std::uint64_t>(count[i]);
        lower[i] += static_cast<std::int64_t>(number % along) * stride;
        number /= along;
      }
      return lattice.wrapped(lower);
    }
    bool has(const Address<Dim>& lower, std::int64_t stride) const {
      for (std::size_t i = 0; i < Dim; ++i)
        if (const std::int64_t above = lattice.offset(i, first[i], lower[i]); above < 0 || above >= count[i] * stride)
          return false;
      return true;
    }
  };
  Box box_of(int level, const Point<Dim>& lower, const Point<Dim>& upper) const {
    const CellPosition<Dim> from = lattice_.locate(lower, level), to = lattice_.locate(upper, level);
    if (!from.inside) lattice_.throw_outside(lower, "fill");
    if (!to.inside) lattice_.throw_outside(upper, "fill");
    Box box{lattice_, from.lower, {}};
    for (std::size_t i = 0; i < Dim; ++i) {
      const auto axis = static_cast<Eigen::Index>(i);
      const std::int64_t stride = lattice_.stride(level);
      box.count[i] = lattice_.offset(i, from.lower[i], to.lower[i]) / stride + 1;
      if (box.count[i] > 1 && to.t[axis] <= 0) --box.count[i];
      // Around the whole period, and perhaps on: what it is beyond turns does not tell.
      const double least = static_cast<double>(box.count[i]) * lattice_.spacing(level)[axis];
      if (lattice_.periodic(i) && upper[axis] - lower[axis] > least * (1 + 1e-9))
        box.count[i] = (lattice_.upper_address()[i] - lattice_.lower_address()[i]) / stride;
    }
    return box;
  }

  void fill_below(std::vector<Address<Dim>> cells, const Point<Dim>& lower, const Point<Dim>& upper,
                  Filled& filled) const {
    for (int level = level_; !cells.empty(); ++level) {
      Eigen::MatrixXd points(Dim, static_cast<Eigen::Index>(cells.size()));  // the middle of what is in the box
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const Point<Dim> from = lattice_.point(cells[c]), to = from + lattice_.spacing(level);
        Point<Dim> middle = (from.cwiseMax(lower) + to.cwiseMin(upper)) / 2;
        for (unsigned i = 0; i < Dim; ++i)
          if (lattice_.periodic(i)) middle[i] = (from[i] + to[i]) / 2;  // the box may lie turns away
        points.col(static_cast<Eigen::Index>(c)) = middle;
      }
      search_.prefetch(points);
      std::vector<Address<Dim>> deeper;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const Point<Dim> x = points.col(static_cast<Eigen::Index>(c));
        const auto leaf = search_.leaf(x);
        if (leaf.level == level) {
          ++filled.cells;
          if (leaf.failed == nullptr) continue;
          if (filled.failed++ == 0) filled.reason = field_.failure_at(level, *leaf.failed);
          bool called = false;  // of the coarser cell in its place
          if (core_.options().on_failure == FailurePolicy::coarser) search_.find(x, "fill", false, called);
          continue;
        }
        const Box box = box_of(level + 1, lower, upper);
        for (const Address<Dim>& child : lattice_.cell_corners(level + 1, cells[c]))
          if (box.has(child, lattice_.stride(level + 1))) deeper.push_back(child);
      }
      cells = std::move(deeper);
    }
  }

  const GridCore<Dim>& core_;
  const JetField<Dim>& field_;
  const Lattice<Dim>& lattice_;
  const LeafSearch<Dim>& search_;
  int level_;
};

}  // namespace quoin::grid_detail
