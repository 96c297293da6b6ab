// SPDX-License-Identifier: BSD-3-Clause
// The same path for many points at once: the descent for each, then one sweep per cell for many of them.
#pragma once

#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/kernels/sweep.hpp"
#include "quoin/grid/detail/query/cell_hit.hpp"
#include "quoin/grid/detail/query/leaf_search.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/request.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// The points of a batch, all found: where each is answered, and which of them share a cell. A cell is then swept once
/// for many of its points, so that its corners come from memory once.
///
/// Once constructed it does not use the matrix of points: outputs may take its memory.
template <int Dim>
class Batch {
 public:
  using Field = JetField<Dim>;

  /// Finds the points (Dim x M); missing corners are evaluated first, together. level: none in tolerance mode. Throws
  /// as LeafSearch::find does.
  Batch(GridCore<Dim>& core, Field& field, const LeafSearch<Dim>& search, std::optional<int> level,
        const Eigen::Ref<const Eigen::MatrixXd>& X)
      : core_(core), field_(field), points_(static_cast<std::size_t>(X.cols())), answers_(points_.size()) {
    if (core.options().fourth_derivatives) level.reset();  // an answer has its certificate from the search
    std::vector<Eigen::Index> others;
    StopCheck stop(looks);
    for (Eigen::Index m = 0; m < X.cols(); m += level ? in_turn : 1) {
      stop();
      if (level)
        find_at_once(*level, X, m, others);
      else if (!keep(m, search.find_ready(X.col(m))))
        others.push_back(m);
    }
    if (!others.empty()) {
      const bool contradicted = core.spot_checks().contradicted();
      for (const Eigen::Index m : others) search.require_inside(X.col(m), "evaluate_batch", m);
      search.prefetch(X(Eigen::all, others));
      if (!level && core.spot_checks().contradicted() != contradicted) {  // what was ready may stay no longer
        others.resize(points_.size());
        std::iota(others.begin(), others.end(), Eigen::Index{0});
      }
    }
    for (const Eigen::Index m : others) {
      stop();
      bool called = false;
      CellHit<Dim> found = search.find(X.col(m), "evaluate_batch", true, called);
      if (keep(m, found)) continue;
      answers_[static_cast<std::size_t>(m)] = found.answer;
      odd_.push_back({m, X.col(m), std::move(found)});
    }
    core.counters().add_untimed(points_.size());
    link();
  }

  /// Y: N x M; J: N x (Dim M), or null. finish(x, found, y, J) writes what one sweep over a cell does not give.
  template <class Finish>
  std::vector<Answer> write(Eigen::Ref<Eigen::MatrixXd> Y, Eigen::Ref<Eigen::MatrixXd>* J, const Finish& finish) && {
    for (const Odd& odd : odd_) {
      Eigen::VectorXd y;
      Eigen::MatrixXd J_one;
      finish(odd.x, odd.found, y, J ? &J_one : nullptr);
      Y.col(odd.m) = y;
      if (J) J->middleCols(Dim * odd.m, Dim) = J_one;
    }
    // Within one tile the cell stays in the cache by itself, and so do the weights of one point.
    const bool one_tile = pack_count(field_.rows()) <= tile_packs;
    const std::size_t most = !J ? most_groups * group_values : one_tile ? 1 : most_groups;
    Sweep sweep;
    std::size_t ahead = 0;  // cells of the points up to here have been asked for
    StopCheck stop(looks);
    for (const PointInCell& head : points_) {
      if (!head.head) continue;
      for (; ahead < points_.size() && &points_[ahead] <= &head + jets_ahead; ++ahead)
        if (points_[ahead].head) prefetch(field_.jets(*points_[ahead].cell));
      for (const PointInCell* point = &head; point; point = point->next == none ? nullptr : &points_[point->next]) {
        sweep.points[sweep.count++] = point;
        if (sweep.count < most && point->next != none) continue;
        stop();
        if (J)
          sweep_jacobians(sweep, Y, *J);
        else
          sweep_values(sweep, Y);
        sweep.count = 0;
      }
    }
    return std::move(answers_);
  }

  /// Throws std::invalid_argument unless an output has the shape that it must have.
  static void require_shape(const char* what, const Eigen::Ref<const Eigen::MatrixXd>& output, Eigen::Index rows,
                            Eigen::Index cols) {
    if (output.rows() != rows || output.cols() != cols)
      throw std::invalid_argument(who() + what + " is " + shape_text(output) + ", expected " + to_text(rows) + " x " +
                                  to_text(cols));
  }

  /// Throws std::invalid_argument if two outputs share memory. Blocks of one matrix may lie above each other.
  static void require_apart(const Eigen::Ref<const Eigen::MatrixXd>& Y, const Eigen::Ref<const Eigen::MatrixXd>& J) {
    if (Y.size() == 0 || J.size() == 0) return;
    constexpr std::intptr_t number = sizeof(double);
    const auto end = [](const auto& A) { return A.data() + (A.cols() - 1) * A.outerStride() + A.rows(); };
    if (!std::less<>()(Y.data(), end(J)) || !std::less<>()(J.data(), end(Y))) return;
    if (Y.outerStride() == J.outerStride()) {
      const std::intptr_t stride = Y.outerStride();
      const std::intptr_t apart =
          (reinterpret_cast<std::intptr_t>(J.data()) - reinterpret_cast<std::intptr_t>(Y.data())) / number;
      const std::intptr_t below = (apart % stride + stride) % stride;
      if (below >= Y.rows() && below + J.rows() <= stride) return;
    }
    throw std::invalid_argument(who() + "Y and J share memory");
  }

 private:
  static constexpr std::size_t most_groups = 8, group_values = max_sweep_outputs;
  static constexpr std::size_t outputs = JetCell<Dim>::outputs;

  static constexpr Eigen::Index in_turn = 16, jets_ahead = 4;  // points
  static constexpr unsigned looks = 16;                        // one in so many asks whether to stop

  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  // A point that one sweep over a cell answers; cell and next are none for the others.
  struct PointInCell {
    const typename Field::Cell* cell = nullptr;
    Point<Dim> t = {};
    int level = 0;
    int nearest = -1;           // CellHit::nearest_corner
    std::uint32_t next = none;  // point of this cell
    bool head = false;          // first point of its cell
  };
  struct Odd {
    Eigen::Index m;
    Point<Dim> x;
    CellHit<Dim> found;
  };
  struct Sweep {
    std::array<const PointInCell*, most_groups * group_values> points;
    std::size_t count = 0;
    std::vector<double> weights;
    std::array<double*, most_groups * group_values> out;
  };

  // False if no sweep over a cell answers there.
  bool keep(Eigen::Index m, const CellHit<Dim>& found) {
    if (!found.plain()) return false;
    const auto at = static_cast<std::size_t>(m);
    answers_[at] = found.answer;
    points_[at] = {.cell = found.cell, .t = found.t, .level = found.answer.level, .nearest = found.nearest_corner};
    return true;
  }

  static std::string who() { return "AdaptiveGrid<" + to_text(Dim) + ">::evaluate_batch: "; }

  // In level mode a ready cell answers without a search. The points from `first` on take turns: what one waits for
  // comes from memory while the others are looked for. others: those that need a search are appended.
  void find_at_once(int level, const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::Index first,
                    std::vector<Eigen::Index>& others) {
    const auto count = static_cast<std::size_t>(std::min(in_turn, X.cols() - first));
    std::array<CellPosition<Dim>, std::size_t{in_turn}> positions;
    for (std::size_t p = 0; p < count; ++p) {
      positions[p] = core_.lattice().locate(X.col(first + static_cast<Eigen::Index>(p)), level);
      if (positions[p].inside) field_.memory().prefetch_place(level, positions[p].lower);
    }
    for (std::size_t p = 0; p < count; ++p)
      if (positions[p].inside) field_.memory().prefetch_block(level, positions[p].lower);
    for (std::size_t p = 0; p < count; ++p) {
      const Eigen::Index m = first + static_cast<Eigen::Index>(p);
      const auto* cell = positions[p].inside ? field_.find_cell(level, positions[p].lower) : nullptr;
      if (cell == nullptr || cell->mixed) {
        others.push_back(m);
        continue;
      }
      points_[static_cast<std::size_t>(m)] = {.cell = cell, .t = positions[p].t, .level = level};
      answers_[static_cast<std::size_t>(m)].level = level;
    }
  }

  // Links the points of each cell, in their order: a hash table of the cells, each with its first point so far.
  void link() {
    std::vector<std::uint32_t> first(std::bit_ceil(2 * points_.size() + 1), none);
    const std::size_t mask = first.size() - 1;
    for (std::size_t m = points_.size(); m-- > 0;) {
      PointInCell& point = points_[m];
      if (point.cell == nullptr) continue;
      std::size_t slot = (reinterpret_cast<std::uintptr_t>(point.cell) * 0x9e3779b97f4a7c15u >> 20) & mask;
      while (first[slot] != none && points_[first[slot]].cell != point.cell) slot = (slot + 1) & mask;
      point.next = first[slot];
      point.head = true;
      if (point.next != none) points_[point.next].head = false;
      first[slot] = static_cast<std::uint32_t>(m);
    }
  }

  void weights_at(const PointInCell& point, double* w) const {
    grid_detail::weights_at(field_.interpolant(), core_.lattice().spacing(point.level), point.t, point.nearest, w);
  }

  // Groups of values, as equal as possible: the last one may repeat the last point.
  void sweep_values(Sweep& sweep, Eigen::Ref<Eigen::MatrixXd>& Y) const {
    const std::size_t groups = (sweep.count + group_values - 1) / group_values;
    const std::size_t width = (sweep.count + groups - 1) / groups;
    const std::size_t weights = field_.interpolant().weight_count(), rows = weights / outputs;
    sweep.weights.resize(groups * width * rows + weights);
    double* const of_one = sweep.weights.data() + groups * width * rows;
    for (std::size_t p = 0; p < groups * width; ++p) {
      const PointInCell& point = *sweep.points[std::min(p, sweep.count - 1)];
      if (p < sweep.count) weights_at(point, of_one);
      double* w = sweep.weights.data() + p / width * width * rows + p % width;
      for (std::size_t k = 0; k < rows; ++k) w[k * width] = of_one[k * outputs];
      sweep.out[p] = Y.col(&point - points_.data()).data();
    }
    sweep_groups(field_.jets(*sweep.points[0]->cell), sweep.weights.data(), static_cast<int>(width),
                 static_cast<int>(groups), sweep.out.data());
  }

  // Groups of one value and its Jacobian.
  void sweep_jacobians(Sweep& sweep, Eigen::Ref<Eigen::MatrixXd>& Y, Eigen::Ref<Eigen::MatrixXd>& J) const {
    const std::size_t weights = field_.interpolant().weight_count();
    sweep.weights.resize(sweep.count * weights);
    for (std::size_t p = 0; p < sweep.count; ++p) {
      const Eigen::Index m = sweep.points[p] - points_.data();
      weights_at(*sweep.points[p], sweep.weights.data() + p * weights);
      sweep.out[p * outputs] = Y.col(m).data();
      for (unsigned j = 0; j < Dim; ++j) sweep.out[p * outputs + 1 + j] = J.col(Dim * m + j).data();
    }
    sweep_groups(field_.jets(*sweep.points[0]->cell), sweep.weights.data(), outputs, static_cast<int>(sweep.count),
                 sweep.out.data());
  }

  GridCore<Dim>& core_;
  Field& field_;
  std::vector<PointInCell> points_;
  std::vector<Odd> odd_;
  std::vector<Answer> answers_;
};

}  // namespace quoin::grid_detail
