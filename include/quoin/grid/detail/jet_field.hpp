// SPDX-License-Identifier: BSD-3-Clause
// Between the descent and the corners: the table of ready cells, and how a cell gets its missing corners.
#pragma once

#include "quoin/core/multi_index.hpp"
#include "quoin/core/to_text.hpp"
#include "quoin/core/weighted_norm.hpp"
#include "quoin/grid/detail/corner_requests.hpp"
#include "quoin/grid/detail/corner_store.hpp"
#include "quoin/grid/detail/edge_jumps.hpp"
#include "quoin/grid/detail/jet_cell.hpp"
#include "quoin/grid/detail/lattice.hpp"
#include "quoin/grid/detail/nearest_corner.hpp"
#include "quoin/grid/detail/surplus.hpp"
#include "quoin/grid/evaluator.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
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

  /// The height of the jump between a cell's corners, against a coarser level.
  struct Jump {
    int coarser_level;
    double height;
    const Jump* other;  ///< of the same cell, against another level
  };

  /// A cell whose corners are all known. It points to them and copies nothing.
  struct Cell {
    Cell(const LatticeKey& at, const std::array<const double*, cell_corners>& of_corners, int of_first, bool differ)
        : key(at), jets(of_corners), branch(of_first), mixed(differ) {}

    LatticeKey key;
    std::array<const double*, cell_corners> jets;
    int branch;  ///< of its first corner
    bool mixed;  ///< its corners lie on different branches
    /// Set under the lock once measured; a function of the cell alone.
    mutable std::atomic<const Surplus*> surplus = nullptr;
    /// Set under the lock where the search has ended unmeasured; a function of the cell and of the coarser level.
    mutable std::atomic<const Jump*> jump = nullptr;
    mutable std::atomic<bool> in_tolerance_mode = false;  ///< met on the way to a leaf
    mutable std::atomic<std::uint64_t> used = 0;          ///< when it last answered, by UseClock, if that runs
  };

  /// per_level: a corner's jet depends on the level from which it is asked for. parent: the field, on the same lattice,
  /// from whose corners the source computes these; nullptr: f itself. map: turns a jet of the function into one of this
  /// field; empty: the identity.
  JetField(const Lattice<Dim>& lattice, WeightedNorm norm, Eigen::Index rows, int order, bool per_level,
           MissingCornerPath& path, CornerSource<Dim> source, JetField* parent = nullptr,
           std::function<Eigen::MatrixXd(Eigen::MatrixXd)> map = {})
      : lattice_(lattice),
        norm_(std::move(norm)),
        rows_(rows),
        cell_(order),
        path_(path),
        timed_(path.clock.running),
        source_(std::move(source)),
        parent_(parent),
        map_(std::move(map)),
        cells_(lattice.levels()) {
    for (std::size_t i = 0; i < (per_level ? lattice.levels() : 1); ++i) stores_.emplace_back(rows, largest(order));
  }

  const WeightedNorm& norm() const { return norm_; }
  Eigen::Index rows() const { return rows_; }
  const JetCell<Dim>& interpolant() const { return cell_; }
  /// Turns a jet of the function into one of this field.
  Eigen::MatrixXd transform(Eigen::MatrixXd jet) const { return map_ ? map_(std::move(jet)) : jet; }
  const CornerStore& store(int level) const { return stores_[store_index(level)]; }

  /// The cell, if it is ready. No lock.
  const Cell* find_cell(int level, const Address<Dim>& lower) const {
    const Cell* cell = cells_[static_cast<std::size_t>(level)].find(Lattice<Dim>::key(lower));
    if (timed_ && cell != nullptr) note_use(*cell);
    return cell;
  }

  /// The cell, made ready; nullptr if a corner failed, and then which.
  const Cell* require_cell(const Requester& requester, const Address<Dim>& lower, const Corner** failed) {
    const int level = requester.level;
    if (const Cell* cell = find_cell(level, lower)) return cell;
    std::array<const Corner*, cell_corners> corners;
    require_corners(requester, cell_addresses(level, lower), corners);
    const LatticeKey key = Lattice<Dim>::key(lower);
    std::array<const double*, cell_corners> jets;
    bool mixed = false;
    for (std::size_t c = 0; c < cell_corners; ++c) {
      if (corners[c]->failed()) {
        if (failed) *failed = corners[c];
        return nullptr;
      }
      jets[c] = corners[c]->jet;
      mixed = mixed || corners[c]->branch != corners[0]->branch || corners[c]->branch == Corner::straddling;
    }
    const std::lock_guard lock(path_.mutex);
    ConcurrentMap<Cell>& cells = cells_[static_cast<std::size_t>(level)];
    if (const Cell* present = cells.find(key)) return present;
    cells.reserve_one();
    const Cell& cell = cell_records_.emplace_back(key, jets, corners[0]->branch, mixed);
    if (timed_) note_use(cell);
    cells.insert(&cell_records_.back());
    return &cell;
  }

  /// The cell, if all its corners are known and none has failed; f is not called. missing: unless it is null, the
  /// unknown ones are appended.
  const Cell* find_known_cell(const Requester& requester, const Address<Dim>& lower, std::vector<Point<Dim>>* missing) {
    if (const Cell* cell = find_cell(requester.level, lower)) return cell;
    bool all = true;
    for (const Address<Dim>& address : cell_addresses(requester.level, lower)) {
      const Corner* corner = known_corner(requester.level, address);
      if (corner == nullptr && missing != nullptr) missing->push_back(lattice_.point(address));
      all = all && corner != nullptr && !corner->failed();
    }
    return all ? require_cell(requester, lower, nullptr) : nullptr;
  }

  /// True if a corner of the cell is known, and failed. Nothing is evaluated.
  bool is_known_to_fail(int level, const Address<Dim>& lower) const {
    const auto addresses = cell_addresses(level, lower);
    return std::any_of(addresses.begin(), addresses.end(), [&](const Address<Dim>& address) {
      const Corner* corner = store(level).find(Lattice<Dim>::key(address));
      return corner != nullptr && corner->failed();
    });
  }

  /// The points at which the surplus of a cell is measured: the centres of its descendants up to `generations` below,
  /// corners of deeper levels, appended to those of each level. There are fewer near the deepest level, and none at it.
  void list_surplus_corners(int level, const Address<Dim>& lower, int generations,
                            std::vector<std::vector<Address<Dim>>>& by_level) const {
    by_level.resize(cells_.size());
    for_each_surplus_corner(level, lower, generations, [&](int at, const Address<Dim>& address) {
      by_level[static_cast<std::size_t>(at)].push_back(address);
    });
  }

  /// The surplus of a cell, measured if it is not known; level: above the deepest.
  Surplus require_surplus(int level, const Address<Dim>& lower, const Cell& cell, int generations) {
    if (const Surplus* known = cell.surplus.load(std::memory_order_acquire)) return *known;
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
    }
    surplus.seen_by_corners = surplus_at(level, cell).of_corners_alone();
    if (may_change) return surplus;
    const std::lock_guard lock(path_.mutex);
    if (const Surplus* known = cell.surplus.load(std::memory_order_acquire)) return *known;
    surplus_records_.push_back(surplus);
    cell.surplus.store(&surplus_records_.back(), std::memory_order_release);
    return surplus_records_.back();
  }

  /// The surplus if it is known, or follows from corners that are; nothing is evaluated.
  std::optional<Surplus> find_surplus(int level, const Address<Dim>& lower, const Cell& cell) const {
    if (const Surplus* known = cell.surplus.load(std::memory_order_acquire)) return *known;
    if (level >= lattice_.deepest_level()) return std::nullopt;
    Address<Dim> centre = lower;
    for (std::int64_t& i : centre) i += lattice_.stride(level + 1);
    const Corner* corner = store(level + 1).find(Lattice<Dim>::key(centre));
    if (corner == nullptr) return std::nullopt;
    Surplus surplus;
    add_surplus(level, cell, Point<Dim>::Constant(0.5), store(level + 1), *corner, surplus);
    surplus.seen_by_corners = surplus_at(level, cell).of_corners_alone();
    return surplus;
  }

  /// A cell's error as far as its corners alone show it; useful for K >= 2.
  Surplus surplus_of_corners(int level, const Cell& cell) const {
    return {.seen_by_corners = surplus_at(level, cell).of_corners_alone()};
  }

  /// The height of the jump of f that a cell's corners show, in the weighted norm, against those of the ready cell of a
  /// coarser level around it; 0 if they show none, or if the jets are of order 0, as values alone do not tell a jump
  /// from a slope. Computed once.
  double jump_between_corners(int level, const Cell& cell, int coarser_level, const Address<Dim>& coarser_lower) {
    for (const Jump* known = cell.jump.load(std::memory_order_acquire); known != nullptr; known = known->other)
      if (known->coarser_level == coarser_level) return known->height;
    const Cell* coarser = find_cell(coarser_level, coarser_lower);
    if (coarser == nullptr || cell_.order() == 0) return 0;
    const auto defects = [this](int at, const Cell& of) {
      return EdgeDefects<Dim>(of.jets, cell_.jet_size(), rows_, lattice_.spacing(at));
    };
    const double height = defects(level, cell).jump(defects(coarser_level, *coarser).largest(), norm_);
    const std::lock_guard lock(path_.mutex);
    jump_records_.push_back({coarser_level, height, cell.jump.load(std::memory_order_relaxed)});
    cell.jump.store(&jump_records_.back(), std::memory_order_release);
    return height;
  }

  /// The known corner that did not fail and is nearest to x in units of the spacing; null if there is none.
  std::shared_ptr<const SolvedCorner<Dim>> nearest_solved(const Point<Dim>& x) {
    auto solved = std::make_shared<SolvedCorner<Dim>>();
    const auto scaled = [this](const Point<Dim>& point) -> Point<Dim> {
      return point.cwiseQuotient(lattice_.spacing(0));
    };
    const auto point = [this](const Corner& corner) { return lattice_.point(Lattice<Dim>::address(corner.key)); };
    const Corner* nearest = nullptr;
    {
      const std::lock_guard lock(path_.mutex);
      nearest_.take_in(stores_[0], [&](const Corner& corner) { return scaled(point(corner)); });
      nearest = nearest_.find(scaled(x));
    }
    if (nearest == nullptr) return nullptr;
    solved->x = point(*nearest);
    solved->branch = nearest->branch;
    stores_[0].unpack(*nearest, solved->jet);
    return solved;
  }

  /// Finds or computes corners; see CornerRequests.
  void require_corners(const Requester& requester, std::span<const Address<Dim>> addresses,
                       std::span<const Corner*> found) {
    CornerStore& store = stores_[store_index(requester.level)];
    CornerRequests<Dim>(path_, lattice_, store, source_, requester).require(addresses, found);
  }

  /// Keeps a sample of the function that was not evaluated here. False if the corner is known, or being evaluated.
  bool keep(const Address<Dim>& address, CornerSample<Dim> sample) {
    const Request request;
    ClaimedCorners<Dim> claimed(path_, lattice_, stores_[0], request, 1);
    {
      const std::lock_guard lock(WaitingRoom::of_process().mutex());
      const Corner* corner = stores_[0].find(Lattice<Dim>::key(address));
      if ((corner != nullptr && !corner->may_pass()) || !claimed.claim(address)) return false;
    }
    claimed.samples()[0] = std::move(sample);
    claimed.keep();
    return true;
  }

  /// All corners of the function, failed ones included, and the reasons of these.
  std::vector<std::pair<const Corner*, std::string>> known_corners() const {
    const std::lock_guard lock(path_.mutex);
    std::vector<std::pair<const Corner*, std::string>> corners;
    corners.reserve(stores_[0].size());
    for (const Corner& corner : stores_[0].records())
      if (!corner.superseded) corners.emplace_back(&corner, corner.reason);
    return corners;
  }

  /// Why a corner failed: in the function's words, and with its place.
  std::string failure(const Corner& corner) const {
    const std::lock_guard lock(path_.mutex);
    return corner.reason;
  }
  std::string failure_at(const Corner& corner) const {
    return "corner " + to_text(lattice_.point(Lattice<Dim>::address(corner.key))) + ": " + failure(corner);
  }

  std::array<Address<Dim>, cell_corners> cell_addresses(int level, const Address<Dim>& lower) const {
    std::array<Address<Dim>, cell_corners> addresses;
    for (unsigned c = 0; c < cell_corners; ++c)
      for (std::size_t i = 0; i < Dim; ++i) addresses[c][i] = lower[i] + (c >> i & 1) * lattice_.stride(level);
    return addresses;
  }

  /// How many corners were asked for ahead, and by no query since.
  std::size_t idle_corners() const {
    const auto& records = stores_[0].records();
    return static_cast<std::size_t>(std::count_if(
        records.begin(), records.end(), [](const Corner& corner) { return !corner.superseded && corner.idle(); }));
  }
  std::size_t cell_count() const { return cell_records_.size(); }
  std::size_t bytes() const {
    std::size_t sum = cell_records_.size() * sizeof(Cell) + surplus_records_.size() * sizeof(Surplus) +
                      jump_records_.size() * sizeof(Jump);
    for (const auto& cells : cells_) sum += cells.bytes();
    for (const CornerStore& store : stores_) sum += store.bytes();
    return sum;
  }

  /// Marks the corners that were asked for, by queries of that level or by any to a tolerance, and the same corners of
  /// the parent. To be called for children before their parents.
  void mark_kept(const Requester& requester) noexcept {
    for (std::size_t s = 0; s < stores_.size(); ++s) {
      if (!requester.to_tolerance && &stores_[s] != &store(requester.level)) continue;
      for (const Corner& corner : stores_[s].records()) {
        if (!corner.asked_by(requester) && !(corner.marks & Corner::kept)) continue;
        corner.marks |= Corner::kept;
        if (parent_ == nullptr) continue;
        if (const Corner* of_parent = parent_->store(static_cast<int>(s)).find(corner.key))
          of_parent->marks |= Corner::kept;
      }
    }
  }

  /// Drops the corners that are not marked. No query may be running. Allocates nothing.
  void keep_marked() noexcept {
    keep_only([](const Corner& corner) {
      const bool marked = corner.marks & Corner::kept;
      corner.marks &= ~Corner::kept;
      return marked;
    });
  }

  /// Lets the corners have been used when their cells were: those that these stand on, and those that measured them. As
  /// for keep_marked().
  void note_use_of_corners(int generations) noexcept {
    for (int level = 0; level < static_cast<int>(cells_.size()); ++level)
      cells_[static_cast<std::size_t>(level)].for_each([&](const Cell& cell) {
        const std::uint64_t used = cell.used.load(std::memory_order_relaxed);
        const auto note = [&](int at, const Address<Dim>& address) {
          const Corner* corner = store(at).find(Lattice<Dim>::key(address));
          if (corner != nullptr) corner->used = std::max(corner->used, used);
        };
        const Address<Dim> lower = Lattice<Dim>::address(cell.key);
        for (const Address<Dim>& address : cell_addresses(level, lower)) note(level, address);
        if (cell.surplus.load(std::memory_order_relaxed) != nullptr)
          for_each_surplus_corner(level, lower, generations, note);
      });
  }

  /// The memory of the corners that were used at that time or later, and of their cells.
  std::size_t bytes_since(std::uint64_t time) const noexcept {
    std::size_t sum = 0;
    for (const CornerStore& store : stores_)
      for (const Corner& corner : store.records())
        if (corner.used >= time) sum += store.bytes_each() + sizeof(Cell) + 4 * sizeof(Cell*);
    return sum;
  }

  /// Drops the corners that were used before that time only; how many. As for keep_marked().
  std::size_t keep_since(std::uint64_t time) noexcept {
    std::size_t dropped = 0;
    keep_only([&](const Corner& corner) {
      dropped += corner.used < time;
      return corner.used >= time;
    });
    return dropped;
  }

 private:
  template <class Predicate>
  void keep_only(Predicate&& keep) noexcept {
    for (CornerStore& kept : stores_) kept.keep_only(keep);
    // The remaining cells are rebuilt from their corners when they are next asked for: nothing is computed again.
    for (auto& cells : cells_) cells.clear();
    cell_records_.clear();
    surplus_records_.clear();
    jump_records_.clear();
    nearest_.clear();
  }

  // visit(level, address) for the points of list_surplus_corners.
  template <class Visitor>
  void for_each_surplus_corner(int level, const Address<Dim>& lower, int generations, Visitor&& visit) const {
    for (int g = 1; g <= generations && level + g <= lattice_.deepest_level(); ++g)
      for (int place = 0; place < 1 << (Dim * (g - 1)); ++place) {
        Address<Dim> address = lower;
        int rest = place;  // g - 1 bits per axis
        for (std::int64_t& i : address) {
          i += (2 * (rest & ((1 << (g - 1)) - 1)) + 1) * lattice_.stride(level + g);
          rest >>= g - 1;
        }
        visit(level + g, address);
      }
  }

  // Written only where it changes: cells are read by many threads.
  void note_use(const Cell& cell) const {
    const std::uint64_t now = path_.clock.now.load(std::memory_order_relaxed);
    if (cell.used.load(std::memory_order_relaxed) != now) cell.used.store(now, std::memory_order_relaxed);
  }

  // The largest size of each derivative that can be interpolated in cells of any level without overflow: a derivative
  // of order k enters the value with h^k, and the Jacobian with h^(k - 1).
  std::vector<double> largest(int order) const {
    const double longest = lattice_.spacing(0).maxCoeff();
    const double shortest = lattice_.spacing(lattice_.deepest_level()).minCoeff();
    std::vector<double> largest;
    for (const MultiIndex<Dim>& a : graded_multi_indices<Dim>(order)) {
      const int k = std::accumulate(a.begin(), a.end(), 0);
      const double edges =
          k == 0 ? std::max(1.0, 1 / shortest) : std::max(std::pow(longest, k), std::pow(longest, k - 1));
      largest.push_back(sum_of_all / edges);
    }
    return largest;
  }
  static constexpr double sum_of_all = 1e304;  // leaves room for as many terms as a cell has

  // A corner that takes no call of f: this field's, or the one of f that it is made from.
  const Corner* known_corner(int level, const Address<Dim>& address) const {
    const Corner* corner = store(level).find(Lattice<Dim>::key(address));
    return corner == nullptr && map_ ? parent_->known_corner(level, address) : corner;
  }

  std::size_t store_index(int level) const { return stores_.size() == 1 ? 0 : static_cast<std::size_t>(level); }

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

  CellSurplus<Dim> surplus_at(int level, const Cell& cell) const {
    return {cell_, cell.jets, rows_, lattice_.spacing(level), norm_};
  }

  const Lattice<Dim>& lattice_;
  WeightedNorm norm_;
  Eigen::Index rows_;
  JetCell<Dim> cell_;
  MissingCornerPath& path_;
  bool timed_;
  CornerSource<Dim> source_;
  JetField* parent_;
  std::function<Eigen::MatrixXd(Eigen::MatrixXd)> map_;
  std::deque<CornerStore> stores_;
  std::deque<Cell> cell_records_;        // stable addresses
  std::deque<Surplus> surplus_records_;  // stable addresses
  std::deque<Jump> jump_records_;        // stable addresses
  std::vector<ConcurrentMap<Cell>> cells_;
  NearestCorner<Dim> nearest_;
};

}  // namespace quoin::grid_detail
