// SPDX-License-Identifier: BSD-3-Clause
// Between the descent and the corners: what cells show of the errors of f's interpolant, and of f.
#pragma once

#include "quoin/grid/detail/corners/cell_field.hpp"
#include "quoin/grid/detail/query/axis_errors.hpp"
#include "quoin/grid/detail/query/doubts.hpp"
#include "quoin/grid/detail/query/edge_jumps.hpp"
#include "quoin/grid/detail/query/edge_middles.hpp"
#include "quoin/grid/detail/query/flatness.hpp"
#include "quoin/grid/detail/query/surplus.hpp"
#include "quoin/map/weighted_norm.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// A CellField whose cells are measured. The function itself is a field; so is each functional of it, and the gradients
/// that are differenced from its values.
template <int Dim>
class JetField : public CellField<Dim> {
  using Base = CellField<Dim>;

 public:
  using Base::find_cell, Base::jets, Base::require_corners, Base::store;
  using typename Base::Cell;

  /// format: of the jets that it keeps; per_level: a corner's jet depends on the level from which it is asked for.
  /// repeatable_to: of the function's traits. parent: the field, on the same lattice, from whose corners the source
  /// computes these, each from `nodes` of them; nullptr: f itself. map: turns a jet of the function into one of this
  /// field; empty: the identity.
  JetField(const Lattice<Dim>& lattice, WeightedNorm norm, Eigen::Index rows, int order, const JetFormat& format,
           bool per_level, double repeatable_to, MissingCornerPath& path, CornerSource<Dim> source,
           JetField* parent = nullptr, CornerNodes<Dim> nodes = {},
           std::function<Eigen::MatrixXd(Eigen::MatrixXd)> map = {})
      : Base(lattice, rows, order, format, per_level, path, std::move(source), parent, std::move(nodes),
             std::move(map)),
        norm_(std::move(norm)),
        own_jacobians_(order >= 1 && !per_level),
        repeatable_to_(repeatable_to),
        doubts_(rows) {}

  ~JetField() { path_.doubtful.fetch_sub(doubtful_, std::memory_order_relaxed); }
  JetField(const JetField&) = delete;
  JetField& operator=(const JetField&) = delete;

  const WeightedNorm& norm() const { return norm_; }
  /// False: there are none, or they are differenced.
  bool has_own_jacobians() const { return own_jacobians_; }

  /// The cell, made ready; nullptr if a corner failed, and then which.
  const Cell* require_cell(const Requester& requester, const Address<Dim>& lower, const Corner** failed) {
    if (const Cell* cell = find_cell(requester.level, lower)) return cell;
    const Cell* cell = Base::require_cell(requester, lower, failed);
    if (cell != nullptr && !requester.to_tolerance && requester.level > 0) compare_above(requester.level, lower);
    return cell;
  }

  /// The cell, if all its corners are known and none has failed; f is not called. missing: unless it is null, the
  /// unknown ones are appended.
  const Cell* find_known_cell(const Requester& requester, const Address<Dim>& lower, std::vector<Point<Dim>>* missing) {
    if (const Cell* cell = find_cell(requester.level, lower)) return cell;
    bool all = true;
    for (const Address<Dim>& address : lattice_.cell_corners(requester.level, lower)) {
      const auto known = this->known(requester.level, address);
      if (known == Base::Known::no && missing != nullptr) missing->push_back(lattice_.point(address));
      all = all && known == Base::Known::yes;
    }
    return all ? require_cell(requester, lower, nullptr) : nullptr;
  }

  /// The points at which the surplus of a cell is measured: the centres of its descendants up to `generations` below,
  /// corners of deeper levels, appended to those of each level. There are fewer near the deepest level, and none at it.
  void list_surplus_corners(int level, const Address<Dim>& lower, int generations,
                            std::vector<std::vector<Address<Dim>>>& by_level) const {
    by_level.resize(lattice_.levels());
    lattice_.for_each_centre_below(level, lower, generations, [&](int at, const Address<Dim>& address) {
      by_level[static_cast<std::size_t>(at)].push_back(address);
    });
  }

  /// The surplus of a cell, measured if it is not known; level: above the deepest. tolerance: for which.
  Surplus require_surplus(int level, const Address<Dim>& lower, const Cell& cell, int generations, double tolerance) {
    if (const Surplus* known = cell.surplus()) return *known;
    std::vector<std::vector<Address<Dim>>> points;
    list_surplus_corners(level, lower, generations, points);
    Surplus surplus;
    bool may_change = false;
    for (int l = level + 1; l < static_cast<int>(points.size()); ++l) {
      const std::vector<Address<Dim>>& addresses = points[static_cast<std::size_t>(l)];
      std::vector<const Corner*> corners(addresses.size());
      require_corners({.level = l, .to_tolerance = true}, addresses, corners);
      for (std::size_t p = 0; p < corners.size(); ++p) {
        add_surplus(level, cell, place_in(level, lower, addresses[p]), l, *corners[p], surplus);
        may_change = may_change || corners[p]->may_pass();
      }
      if (l == level + 1) compare_with_centre(level, cell, *corners.front(), tolerance);
    }
    surplus.seen_by_corners = surplus_at(level, cell).of_corners_alone();
    if (may_change) return surplus;
    const std::lock_guard lock(path_.mutex);
    return memory_.keep_surplus(cell, surplus);
  }

  /// The surplus if it is known, or follows from corners that are; nothing is evaluated.
  std::optional<Surplus> find_surplus(int level, const Address<Dim>& lower, const Cell& cell) const {
    if (const Surplus* known = cell.surplus()) return *known;
    if (level >= lattice_.deepest_level()) return std::nullopt;
    const Corner* corner = memory_.find_corner(level + 1, centre_of(level, lower));
    if (corner == nullptr) return std::nullopt;
    Surplus surplus;
    add_surplus(level, cell, Point<Dim>::Constant(0.5), level + 1, *corner, surplus);
    surplus.seen_by_corners = surplus_at(level, cell).of_corners_alone();
    return surplus;
  }

  /// A cell's error as far as its corners alone show it; useful for K >= 2.
  Surplus surplus_of_corners(int level, const Cell& cell) const {
    return surplus_at(level, cell).estimated_by_corners();
  }

  /// Adds how far a cell's interpolant is from a jet of this field at the place t.
  void compare(int level, const Cell& cell, const Point<Dim>& t, const Eigen::MatrixXd& jet, Surplus& surplus) const {
    surplus_at(level, cell).add(t, jet, surplus);
  }
  /// Where a cell that was measured, and is looked at, looks flat to a tolerance; outputs: as none before it did.
  Flatness newly_flat(int level, const Cell& cell, double tolerance) {
    if (cell.surplus() == nullptr) return {};
    Flatness flat =
        flatness<Dim>(unpacked(jets(cell)), cell.surplus()->value, lattice_.spacing(level), norm_, tolerance);
    const std::lock_guard lock(path_.mutex);
    flat_outputs_.resize(flat.outputs.size());
    for (std::size_t i = 0; i < flat.outputs.size(); ++i) {
      flat.outputs[i] = flat.outputs[i] && !flat_outputs_[i];
      flat_outputs_[i] = flat_outputs_[i] || flat.outputs[i];
    }
    return flat;
  }
  /// Keeps what such comparisons have shown of a cell.
  void keep_spots(const Cell& cell, const Surplus& at_spots) {
    const std::lock_guard lock(path_.mutex);
    memory_.keep_spots(cell, at_spots);
  }

  /// The height of the jump of f that a cell's corners show, in the weighted norm, against those of the ready cell of a
  /// coarser level around it; 0 if they show none, or if the jets are of order 0, as values alone do not tell a jump
  /// from a slope. Computed once.
  double jump_between_corners(int level, const Cell& cell, int coarser_level, const Address<Dim>& coarser_lower) {
    if (const auto known = cell.jump(coarser_level)) return *known;
    const Cell* coarser = find_cell(coarser_level, coarser_lower);
    if (coarser == nullptr || cell_.order() == 0) return 0;
    const auto defects = [this](int at, const Cell& of) {
      return EdgeDefects<Dim>(unpacked(jets(of)), lattice_.spacing(at));
    };
    const double height = defects(level, cell).jump(defects(coarser_level, *coarser).largest(), norm_);
    const std::lock_guard lock(path_.mutex);
    memory_.keep_jump(cell, coarser_level, height);
    return height;
  }

  /// The errors along axes of a cell (AxisErrors) beside the ready cell of a coarser level around it, in the weighted
  /// norm; 0 if that, or its centre, is not known, or fails or lies on another branch. Computed once.
  double errors_along_axes(int level, const Address<Dim>& lower, const Cell& cell, int coarser_level) {
    if (Dim == 1 || cell_.order() == 0) return 0;
    if (const auto known = cell.along_axes(coarser_level)) return *known;
    return new_errors_along_axes(level, lower, cell, coarser_level);
  }

  /// What errors along axes that cancel at the centre may be, as far as the corners of a cell alone leave room.
  /// Computed once.
  double room_along_axes(int level, const Cell& cell) {
    if (Dim == 1 || cell_.order() == 0) return 0;
    if (const auto known = cell.along_axes(Measured::room)) return *known;
    return new_room_along_axes(level, cell);
  }

  /// The errors along axes of a cell that was measured, from f in the middle of edges, which the cells around share.
  /// NaN if that is not known and f is not to be called. called: set if it was; null: it must not be.
  [[gnu::noinline]] double errors_along_edges(int level, const Address<Dim>& lower, const Cell& cell, bool* called) {
    if (const auto known = cell.along_axes(Measured::edges)) return *known;
    const EdgeMiddles<Dim> middles(AxisErrors<Dim>(cell_).room(jets_and_edges(level, cell)), norm_);
    const std::vector<Address<Dim>> addresses = middles.addresses(lattice_, level, lower);
    std::vector<const Corner*> corners(addresses.size());
    if (called != nullptr) {
      *called = true;
      require_corners({.level = level + 1, .to_tolerance = true}, addresses, corners);
    }
    std::vector<Eigen::VectorXd> differences;
    for (std::size_t p = 0; p < corners.size(); ++p) {
      const Corner* corner = called != nullptr ? corners[p] : memory_.find_corner(level + 1, addresses[p]);
      if (corner == nullptr) return std::numeric_limits<double>::quiet_NaN();
      if (corner->failed() || corner->branch != cell.branch) return std::numeric_limits<double>::infinity();
      differences.push_back(difference(level, cell, place_in(level, lower, addresses[p]), *corner).col(0));
    }
    return keep_along_axes(cell, Measured::edges, middles.largest(differences));
  }
  /// The corners of the next level that this takes, appended to those of each level.
  void list_edge_corners(int level, const Address<Dim>& lower, const Cell& cell,
                         std::vector<std::vector<Address<Dim>>>& by_level) const {
    const EdgeMiddles<Dim> middles(AxisErrors<Dim>(cell_).room(jets_and_edges(level, cell)), norm_);
    const std::vector<Address<Dim>> addresses = middles.addresses(lattice_, level, lower);
    auto& next = by_level[static_cast<std::size_t>(level) + 1];
    next.insert(next.end(), addresses.begin(), addresses.end());
  }

  /// What its cells show of the function. who: as Doubts has it. Called with the lock of the path.
  FunctionDoubts doubts(const std::string& who) const { return doubts_.found(norm_, who); }

 private:
  // Compares the interpolant of a cell with the corner of a deeper level at its place t.
  void add_surplus(int level, const Cell& cell, const Point<Dim>& t, int deeper, const Corner& corner,
                   Surplus& surplus) const {
    if (corner.failed() || corner.branch != cell.branch) {
      surplus.value = surplus.jacobian = surplus.scaled_jacobian = std::numeric_limits<double>::infinity();
      return;
    }
    Eigen::MatrixXd jet;
    store(deeper).unpack(corner, jet);
    surplus_at(level, cell).add(t, jet, surplus);
  }

  typename AxisErrors<Dim>::Cell jets_and_edges(int level, const Cell& cell) const {
    return {jets(cell), lattice_.spacing(level)};
  }
  // Of a corner of a deeper level in a cell, in [0, 1]^Dim.
  Point<Dim> place_in(int level, const Address<Dim>& lower, const Address<Dim>& corner) const {
    Point<Dim> t;
    for (unsigned i = 0; i < Dim; ++i)
      t[i] = static_cast<double>(lattice_.offset(i, lower[i], corner[i])) / static_cast<double>(lattice_.stride(level));
    return t;
  }
  Address<Dim> centre_of(int level, Address<Dim> lower) const {
    for (std::int64_t& i : lower) i += lattice_.stride(level + 1);
    return lower;
  }
  // What a corner of the next level at the place t of a cell is above the interpolant: value and Jacobian.
  Eigen::MatrixXd difference(int level, const Cell& cell, const Point<Dim>& t, const Corner& corner) const {
    Eigen::MatrixXd jet;
    store(level + 1).unpack(corner, jet);
    return jet.leftCols(1 + Dim) - surplus_at(level, cell).interpolated(t);
  }
  [[gnu::noinline]] double new_errors_along_axes(int level, const Address<Dim>& lower, const Cell& cell,
                                                 int coarser_level) {
    const Address<Dim> corner = lattice_.around(coarser_level, lower);
    const Cell* coarser = find_cell(coarser_level, corner);
    const Corner* centre = memory_.find_corner(coarser_level + 1, centre_of(coarser_level, corner));
    if (coarser == nullptr || coarser->mixed || coarser->branch != cell.branch || centre == nullptr ||
        centre->failed() || centre->branch != cell.branch)
      return 0;
    const Eigen::MatrixXd defect = difference(coarser_level, *coarser, Point<Dim>::Constant(0.5), *centre);
    const Point<Dim>& h = lattice_.spacing(coarser_level);
    const Point<Dim> middle = lattice_.point(lower) + lattice_.spacing(level) / 2;
    const auto errors =
        AxisErrors<Dim>(cell_).beside(jets_and_edges(level, cell), jets_and_edges(coarser_level, *coarser),
                                      (middle - lattice_.point(corner)).cwiseQuotient(h), defect.rightCols(Dim));
    return keep_along_axes(cell, coarser_level, AxisErrors<Dim>::largest(errors));
  }
  [[gnu::noinline]] double new_room_along_axes(int level, const Cell& cell) {
    const Eigen::MatrixXd room = AxisErrors<Dim>(cell_).room(jets_and_edges(level, cell));
    Eigen::VectorXd all_but_one(room.rows());
    for (Eigen::Index row = 0; row < room.rows(); ++row) {
      double sum = 0, largest = 0;
      for (Eigen::Index part = 0; part < room.cols(); ++part) {
        sum += room(row, part);
        largest = std::max(largest, room(row, part));
      }
      all_but_one[row] = sum - largest;
    }
    return keep_along_axes(cell, Measured::room, all_but_one);
  }
  double keep_along_axes(const Cell& cell, int beside, const Eigen::VectorXd& errors) {
    const double in_norm = norm_(errors);
    const std::lock_guard lock(path_.mutex);
    memory_.keep_along_axes(cell, beside, in_norm);
    return in_norm;
  }

  static constexpr double relevant = 0.03;  // part of a tolerance that values may scatter by

  // Has counted, once, what a cell says with its centre, a corner of the next level.
  void compare_with_centre(int level, const Cell& cell, const Corner& centre, double tolerance) {
    if (!own_jacobians_ || cell.mixed || centre.failed() || centre.branch != cell.branch) return;
    if (cell.noted.fetch_or(counted_in_doubts, std::memory_order_relaxed) & counted_in_doubts) return;
    try {
      Eigen::MatrixXd jet;
      store(level + 1).unpack(centre, jet);
      const std::vector<Eigen::MatrixXd> of_corners = unpacked(jets(cell));
      const auto sums = doubts_.sums({of_corners, jet, lattice_.spacing(level), format_.rounding, repeatable_to_});
      const std::lock_guard lock(path_.mutex);
      const bool doubtful = doubts_.count(level, sums, norm_, relevant * tolerance);
      path_.doubtful.fetch_add(doubtful - std::exchange(doubtful_, doubtful), std::memory_order_relaxed);
    } catch (const std::bad_alloc&) {  // the cell answers all the same
    }
  }

  // The cell around one of level mode, if it is ready; its centre is a corner of that one.
  void compare_above(int level, const Address<Dim>& lower) {
    Address<Dim> above = lower, centre;
    for (std::size_t i = 0; i < Dim; ++i) {
      above[i] -= above[i] & lattice_.stride(level);
      centre[i] = above[i] + lattice_.stride(level);
    }
    const Cell* cell = own_jacobians_ ? find_cell(level - 1, above) : nullptr;
    if (cell != nullptr) compare_with_centre(level - 1, *cell, *memory_.find_corner(level, centre), 0);
  }

  CellSurplus<Dim> surplus_at(int level, const Cell& cell) const {
    return {cell_, jets(cell), lattice_.spacing(level), norm_};
  }

  using Base::lattice_, Base::cell_, Base::format_, Base::path_, Base::memory_;

  WeightedNorm norm_;
  bool own_jacobians_;  // its Jacobians are the function's
  double repeatable_to_;
  Doubts<Dim> doubts_;
  bool doubtful_ = false;           // they are not empty
  std::vector<bool> flat_outputs_;  // Flatness::outputs of cells that were looked at
};

}  // namespace quoin::grid_detail
