// SPDX-License-Identifier: BSD-3-Clause
// Between the descent and the corners: the cells that are ready, and how a cell gets its missing corners.
#pragma once

#include "quoin/core/multi_index.hpp"
#include "quoin/core/to_text.hpp"
#include "quoin/core/weighted_norm.hpp"
#include "quoin/grid/detail/corner_requests.hpp"
#include "quoin/grid/detail/corner_store.hpp"
#include "quoin/grid/detail/doubts.hpp"
#include "quoin/grid/detail/edge_jumps.hpp"
#include "quoin/grid/detail/field_memory.hpp"
#include "quoin/grid/detail/flatness.hpp"
#include "quoin/grid/detail/jet_cell.hpp"
#include "quoin/grid/detail/lattice.hpp"
#include "quoin/grid/detail/packed_jet.hpp"
#include "quoin/grid/detail/surplus.hpp"
#include "quoin/grid/evaluator.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// One function's jets on the lattice: the cells that answer queries, the corners they point to, and where missing
/// corners come from. The function itself is a field; so is each functional of it, and the gradients that are
/// differenced from its values.
template <int Dim>
class JetField {
 public:
  static constexpr std::size_t cell_corners = std::size_t{1} << Dim;

  using Cell = ReadyCell<Dim>;

  /// format: of the jets that it keeps; per_level: a corner's jet depends on the level from which it is asked for.
  /// repeatable_to: of the function's traits. parent: the field, on the same lattice, from whose corners the source
  /// computes these; nullptr: f itself. map: turns a jet of the function into one of this field; empty: the identity.
  JetField(const Lattice<Dim>& lattice, WeightedNorm norm, Eigen::Index rows, int order, const JetFormat& format,
           bool per_level, double repeatable_to, MissingCornerPath& path, CornerSource<Dim> source,
           JetField* parent = nullptr, std::function<Eigen::MatrixXd(Eigen::MatrixXd)> map = {})
      : lattice_(lattice),
        norm_(std::move(norm)),
        rows_(rows),
        cell_(order),
        own_jacobians_(order >= 1 && !per_level),
        format_(format),
        path_(path),
        source_(std::move(source)),
        parent_(parent),
        map_(std::move(map)),
        repeatable_to_(repeatable_to),
        doubts_(rows),
        memory_(lattice, rows, largest(lattice, order, format), format, per_level, path.clock,
                parent == nullptr ? nullptr : &parent->memory_) {}

  ~JetField() { path_.doubtful.fetch_sub(doubtful_, std::memory_order_relaxed); }
  JetField(const JetField&) = delete;
  JetField& operator=(const JetField&) = delete;

  const WeightedNorm& norm() const { return norm_; }
  Eigen::Index rows() const { return rows_; }
  const JetCell<Dim>& interpolant() const { return cell_; }
  /// False: there are none, or they are differenced.
  bool has_own_jacobians() const { return own_jacobians_; }
  /// The jets of a cell's corners.
  PackedJets jets(const Cell& cell) const {
    return {.corners = cell.jets.data(),
            .count = JetCell<Dim>::corners,
            .derivatives = cell_.jet_size(),
            .rows = rows_,
            .format = &format_};
  }
  /// Turns a jet of the function into one of this field.
  Eigen::MatrixXd transform(Eigen::MatrixXd jet) const { return map_ ? map_(std::move(jet)) : jet; }
  const CornerStore& store(int level) const { return memory_.store(level); }
  /// What it holds, and how that leaves memory.
  const FieldMemory<Dim>& memory() const { return memory_; }
  FieldMemory<Dim>& memory() { return memory_; }

  /// The cell, if it is ready. No lock.
  const Cell* find_cell(int level, const Address<Dim>& lower) const { return memory_.find_cell(level, lower); }

  /// The cell, made ready; nullptr if a corner failed, and then which.
  const Cell* require_cell(const Requester& requester, const Address<Dim>& lower, const Corner** failed) {
    const int level = requester.level;
    if (const Cell* cell = find_cell(level, lower)) return cell;
    std::array<const Corner*, cell_corners> corners;
    require_corners(requester, lattice_.cell_corners(level, lower), corners);
    typename Cell::Jets of_corners;
    bool mixed = false;
    for (std::size_t c = 0; c < cell_corners; ++c) {
      if (corners[c]->failed()) {
        if (failed) *failed = corners[c];
        return nullptr;
      }
      of_corners[c] = corners[c]->jet;
      mixed = mixed || corners[c]->branch != corners[0]->branch || corners[c]->branch == Corner::straddling;
    }
    if (!requester.to_tolerance && level > 0) compare_above(level, lower);
    const std::lock_guard lock(path_.mutex);
    return memory_.insert_cell(level, lower, of_corners, corners[0]->branch, mixed);
  }

  /// Marks a cell that may have been made in level mode, with its corners, as met on the way to a tolerance's leaf, not
  /// ahead of it: trim() keeps them.
  void mark_on_path(const Requester& requester, const Address<Dim>& lower, const Cell& cell) {
    if (requester.ahead || cell.in_tolerance_mode.load(std::memory_order_relaxed)) return;
    std::array<const Corner*, cell_corners> corners;
    require_corners(requester, lattice_.cell_corners(requester.level, lower), corners);
    cell.in_tolerance_mode.store(true, std::memory_order_relaxed);
  }

  /// The cell, if all its corners are known and none has failed; f is not called. missing: unless it is null, the
  /// unknown ones are appended.
  const Cell* find_known_cell(const Requester& requester, const Address<Dim>& lower, std::vector<Point<Dim>>* missing) {
    if (const Cell* cell = find_cell(requester.level, lower)) return cell;
    bool all = true;
    for (const Address<Dim>& address : lattice_.cell_corners(requester.level, lower)) {
      const Corner* corner = known_corner(requester.level, address);
      if (corner == nullptr && missing != nullptr) missing->push_back(lattice_.point(address));
      all = all && corner != nullptr && !corner->failed();
    }
    return all ? require_cell(requester, lower, nullptr) : nullptr;
  }

  /// True if a corner of the cell is known, and failed. Nothing is evaluated.
  bool is_known_to_fail(int level, const Address<Dim>& lower) const {
    const auto addresses = lattice_.cell_corners(level, lower);
    return std::any_of(addresses.begin(), addresses.end(), [&](const Address<Dim>& address) {
      const Corner* corner = memory_.find_corner(level, address);
      return corner != nullptr && corner->failed();
    });
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
        Point<Dim> t;
        for (unsigned i = 0; i < Dim; ++i)
          t[i] = static_cast<double>(addresses[p][i] - lower[i]) / static_cast<double>(lattice_.stride(level));
        add_surplus(level, cell, t, store(l), *corners[p], surplus);
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
    Address<Dim> centre = lower;
    for (std::int64_t& i : centre) i += lattice_.stride(level + 1);
    const Corner* corner = memory_.find_corner(level + 1, centre);
    if (corner == nullptr) return std::nullopt;
    Surplus surplus;
    add_surplus(level, cell, Point<Dim>::Constant(0.5), store(level + 1), *corner, surplus);
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

  /// The known corner that did not fail and is nearest to x in units of the spacing; null if there is none.
  std::shared_ptr<const SolvedCorner<Dim>> nearest_solved(const Point<Dim>& x) {
    const Corner* nearest = nullptr;
    {
      const std::lock_guard lock(path_.mutex);
      nearest = memory_.nearest_solved(x);
    }
    if (nearest == nullptr) return nullptr;
    auto solved = std::make_shared<SolvedCorner<Dim>>();
    solved->x = lattice_.point(Lattice<Dim>::address(nearest->key));
    solved->branch = nearest->branch;
    store(0).unpack(*nearest, solved->jet);
    return solved;
  }

  /// What its cells show of the function. who: as Doubts has it. Called with the lock of the path.
  FunctionDoubts doubts(const std::string& who) const { return doubts_.found(norm_, who); }

  /// Finds or computes corners; see CornerRequests.
  void require_corners(const Requester& requester, std::span<const Address<Dim>> addresses,
                       std::span<const Corner*> found) {
    CornerRequests<Dim>(path_, lattice_, memory_.store(requester.level), source_, requester).require(addresses, found);
  }

  /// The same of lists for each level, in any order, which it empties.
  void require_corners(Requester requester, std::vector<std::vector<Address<Dim>>>& by_level) {
    for (std::size_t level = 0; level < by_level.size(); ++level) {
      std::vector<Address<Dim>>& addresses = by_level[level];
      if (addresses.empty()) continue;
      std::sort(addresses.begin(), addresses.end());
      addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
      std::vector<const Corner*> corners(addresses.size());
      requester.level = static_cast<int>(level);
      require_corners(requester, addresses, corners);
      addresses.clear();
    }
  }

  /// Keeps a sample of the function that was not evaluated here. False if the corner is known, or being evaluated.
  bool keep(const Address<Dim>& address, CornerSample<Dim> sample) {
    const Request request;
    ClaimedCorners<Dim> claimed(path_, lattice_, memory_.store(0), request, 1);
    {
      const std::lock_guard lock(WaitingRoom::of_process().mutex());
      const Corner* corner = memory_.find_corner(0, address);
      if ((corner != nullptr && !corner->may_pass()) || !claimed.claim(address)) return false;
    }
    claimed.samples()[0] = std::move(sample);
    claimed.keep();
    return true;
  }

  /// All corners of the function, failed ones included, and the reasons of these.
  std::vector<std::pair<const Corner*, std::string>> known_corners() const {
    const std::lock_guard lock(path_.mutex);
    return memory_.known_corners();
  }

  /// Why a corner of that level failed: in the function's words, and with its place.
  std::string failure(int level, const Corner& corner) const {
    const std::lock_guard lock(path_.mutex);
    return store(level).reason(corner);
  }
  std::string failure_at(int level, const Corner& corner) const {
    return "corner " + to_text(lattice_.point(Lattice<Dim>::address(corner.key))) + ": " + failure(level, corner);
  }

 private:
  // The largest size of each derivative that can be interpolated in cells of any level without overflow: a derivative
  // of order k enters the value with h^k, and the Jacobian with h^(k - 1).
  static std::vector<double> largest(const Lattice<Dim>& lattice, int order, const JetFormat& format) {
    const double longest = lattice.spacing(0).maxCoeff();
    const double shortest = lattice.spacing(lattice.deepest_level()).minCoeff();
    std::vector<double> largest;
    for (const MultiIndex<Dim>& a : graded_multi_indices<Dim>(order)) {
      const int k = std::accumulate(a.begin(), a.end(), 0);
      const double edges =
          k == 0 ? std::max(1.0, 1 / shortest) : std::max(std::pow(longest, k), std::pow(longest, k - 1));
      largest.push_back(std::min(sum_of_all / edges, format.greatest));
    }
    return largest;
  }
  static constexpr double sum_of_all = 1e304;  // leaves room for as many terms as a cell has

  // A corner that takes no call of f: this field's, or the one of f that it is made from.
  const Corner* known_corner(int level, const Address<Dim>& address) const {
    const Corner* corner = memory_.find_corner(level, address);
    return corner == nullptr && map_ ? parent_->known_corner(level, address) : corner;
  }

  // Compares the interpolant of a cell with the corner of a deeper level at its place t.
  void add_surplus(int level, const Cell& cell, const Point<Dim>& t, const CornerStore& store, const Corner& corner,
                   Surplus& surplus) const {
    if (corner.failed() || corner.branch != cell.branch) {
      surplus.value = surplus.jacobian = surplus.scaled_jacobian = std::numeric_limits<double>::infinity();
      return;
    }
    Eigen::MatrixXd jet;
    store.unpack(corner, jet);
    surplus_at(level, cell).add(t, jet, surplus);
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

  const Lattice<Dim>& lattice_;
  WeightedNorm norm_;
  Eigen::Index rows_;
  JetCell<Dim> cell_;
  bool own_jacobians_;  // its Jacobians are the function's
  const JetFormat& format_;
  MissingCornerPath& path_;
  CornerSource<Dim> source_;
  JetField* parent_;
  std::function<Eigen::MatrixXd(Eigen::MatrixXd)> map_;
  double repeatable_to_;
  Doubts<Dim> doubts_;
  bool doubtful_ = false;           // they are not empty
  std::vector<bool> flat_outputs_;  // Flatness::outputs of cells that were looked at
  FieldMemory<Dim> memory_;
};

}  // namespace quoin::grid_detail
