// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/to_text.hpp"
#include "quoin/core/weighted_norm.hpp"
#include "quoin/grid/claims.hpp"
#include "quoin/grid/corner_function.hpp"
#include "quoin/grid/corner_store.hpp"
#include "quoin/grid/gate.hpp"
#include "quoin/grid/jet_cell.hpp"
#include "quoin/grid/lattice.hpp"
#include "quoin/grid/surplus.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace quoin {

/// What all fields of one grid share on the path of a missing corner.
struct MissingCornerPath {
  Claims claims;
  Gate gate;           ///< passed by those who may call f, if f is not concurrent
  bool gated = false;  ///< f is not concurrent
  /// Corners are claimed and evaluated singly, unless an evaluator can make use of many: a corner that waits in a batch
  /// behind another, whose f asks the grid for it, would look as if it waited for itself.
  bool singly = false;
};

/// One function's jets on the lattice: the cells that answer queries, the corners they point to, and where missing
/// corners come from. The function itself is a field; so is each functional of it, and the gradients that are
/// differenced from its values.
template <int Dim>
class JetField {
 public:
  static constexpr int cell_corners = 1 << Dim;

  /// A cell whose corners are all there. It points to them and copies nothing.
  struct Cell {
    Cell(const LatticeKey& at, const std::array<const double*, cell_corners>& of_corners, int of_first, bool differ)
        : key(at), jets(of_corners), branch(of_first), mixed(differ) {}

    LatticeKey key;
    std::array<const double*, cell_corners> jets;
    int branch;  ///< of its first corner
    bool mixed;  ///< its corners lie on different branches
    /// Set once measured, by whoever holds the lock; a function of the cell alone.
    mutable std::atomic<const Surplus*> surplus = nullptr;
    mutable std::atomic<bool> in_tolerance_mode = false;  ///< met on the way to a leaf
  };

  /// Computes jets, or reasons, for the samples (their x is set) at these addresses; called without a lock.
  using Source = std::function<void(const Asked&, std::span<const Address<Dim>>, std::span<CornerSample<Dim>>)>;

  /// per_level: a corner's jet depends on the level from which it is asked for. map: what the field makes of a jet of
  /// the function; empty: the jet itself.
  JetField(const Lattice<Dim>& lattice, WeightedNorm norm, Eigen::Index rows, int order, bool per_level,
           MissingCornerPath& path, Source source, std::function<Eigen::MatrixXd(Eigen::MatrixXd)> map = {})
      : lattice_(lattice),
        norm_(std::move(norm)),
        rows_(rows),
        cell_(order),
        path_(path),
        source_(std::move(source)),
        map_(std::move(map)),
        cells_(lattice.deepest_level() + 1) {
    for (int i = 0; i < (per_level ? lattice.deepest_level() + 1 : 1); ++i)
      stores_.emplace_back(rows, cell_.jet_size());
  }

  Eigen::Index rows() const { return rows_; }
  const JetCell<Dim>& interpolant() const { return cell_; }
  /// What this field makes of a jet of the function.
  Eigen::MatrixXd transform(Eigen::MatrixXd jet) const { return map_ ? map_(std::move(jet)) : jet; }
  const CornerStore& store(int level) const { return stores_[stores_.size() == 1 ? 0 : level]; }

  /// The cell, if it is ready. No lock.
  const Cell* find_cell(int level, const Address<Dim>& lower) const {
    return cells_[level].find(Lattice<Dim>::key(lower));
  }

  /// The cell, made ready; nullptr if a corner failed, and then which.
  const Cell* require_cell(const Asked& asked, const Address<Dim>& lower, const Corner** failed) {
    const int level = asked.level;
    if (const Cell* cell = find_cell(level, lower)) return cell;
    std::array<const Corner*, cell_corners> corners;
    require_corners(asked, cell_addresses(level, lower), corners);
    const LatticeKey key = Lattice<Dim>::key(lower);
    std::array<const double*, cell_corners> jets;
    bool mixed = false;
    for (int c = 0; c < cell_corners; ++c) {
      if (corners[c]->failed()) {
        if (failed) *failed = corners[c];
        return nullptr;
      }
      jets[c] = corners[c]->jet;
      mixed = mixed || corners[c]->branch != corners[0]->branch || corners[c]->branch == Corner::straddling;
    }
    const std::lock_guard lock(path_.claims.mutex());
    if (const Cell* present = cells_[level].find(key)) return present;
    cells_[level].insert(&cell_records_.emplace_back(key, jets, corners[0]->branch, mixed));
    return &cell_records_.back();
  }

  /// The points at which the surplus of a cell is measured: the centres of its descendants up to `generations` below,
  /// corners of deeper levels, appended to those of each level. Fewer at the deepest levels, none at the deepest.
  void list_surplus_corners(int level, const Address<Dim>& lower, int generations,
                            std::vector<std::vector<Address<Dim>>>& by_level) const {
    by_level.resize(cells_.size());
    for (int g = 1; g <= generations && level + g <= lattice_.deepest_level(); ++g)
      for (int place = 0; place < 1 << (Dim * (g - 1)); ++place) {
        Address<Dim> address = lower;
        for (int i = 0; i < Dim; ++i)
          address[i] += (2 * (place >> (i * (g - 1)) & ((1 << (g - 1)) - 1)) + 1) * lattice_.stride(level + g);
        by_level[level + g].push_back(address);
      }
  }

  /// The surplus of a cell, measured if it is not known; level: above the deepest.
  Surplus require_surplus(int level, const Address<Dim>& lower, const Cell& cell, int generations) {
    if (const Surplus* known = cell.surplus.load(std::memory_order_acquire)) return *known;
    std::vector<std::vector<Address<Dim>>> points;
    list_surplus_corners(level, lower, generations, points);
    Surplus surplus;
    bool may_change = false;
    for (int l = level + 1; l < static_cast<int>(points.size()); ++l) {
      std::vector<const Corner*> corners(points[l].size());
      require_corners({.level = l, .to_tolerance = true}, points[l], corners);
      for (std::size_t p = 0; p < corners.size(); ++p) {
        Point<Dim> t;
        for (int i = 0; i < Dim; ++i)
          t[i] = static_cast<double>(points[l][p][i] - lower[i]) / static_cast<double>(lattice_.stride(level));
        add_surplus(level, cell, t, store(l), *corners[p], surplus);
        may_change = may_change || corners[p]->retry;
      }
    }
    surplus.corners = surplus_at(level, cell).seen_by_corners();
    if (may_change) return surplus;
    const std::lock_guard lock(path_.claims.mutex());
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
    surplus.corners = surplus_at(level, cell).seen_by_corners();
    return surplus;
  }

  /// What the corners of a cell alone show of its error; of use where K >= 2.
  Surplus surplus_of_corners(int level, const Cell& cell) const {
    return {.corners = surplus_at(level, cell).seen_by_corners()};
  }

  /// Of the corners that are known and did not fail, the one nearest to x in units of the spacing; null if none is.
  std::shared_ptr<const SolvedCorner<Dim>> nearest_solved(const Point<Dim>& x) const {
    const std::lock_guard lock(path_.claims.mutex());
    const Corner* nearest = nullptr;
    double least = std::numeric_limits<double>::infinity();
    stores_[0].for_each([&](const Corner& corner) {
      if (corner.failed()) return;
      const double distance =
          (lattice_.point(Lattice<Dim>::address(corner.key)) - x).cwiseQuotient(lattice_.spacing(0)).squaredNorm();
      if (nearest == nullptr || distance < least || (distance == least && corner.key < nearest->key)) {
        nearest = &corner;
        least = distance;
      }
    });
    if (nearest == nullptr) return nullptr;
    auto solved = std::make_shared<SolvedCorner<Dim>>();
    solved->x = lattice_.point(Lattice<Dim>::address(nearest->key));
    solved->branch = nearest->branch;
    stores_[0].unpack(*nearest, solved->jet);
    return solved;
  }

  /// Finds or computes corners; each is computed once, whoever asks. found[i] belongs to addresses[i] and is never null.
  /// Throws CornerFailure if a corner waits for itself, and what the source throws of its own.
  void require_corners(const Asked& asked, std::span<const Address<Dim>> addresses, std::span<const Corner*> found) {
    CornerStore& store = stores_[stores_.size() == 1 ? 0 : asked.level];
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      found[i] = store.find(Lattice<Dim>::key(addresses[i]));
      if (found[i] == nullptr || found[i]->retry) missing.push_back(i);
    }
    compute_missing(asked, addresses, missing, found, store);
    for (const Corner* corner : found) corner->note(asked);
  }

  std::array<Address<Dim>, cell_corners> cell_addresses(int level, const Address<Dim>& lower) const {
    std::array<Address<Dim>, cell_corners> addresses;
    for (int c = 0; c < cell_corners; ++c)
      for (int i = 0; i < Dim; ++i) addresses[c][i] = lower[i] + (c >> i & 1) * lattice_.stride(level);
    return addresses;
  }

  std::size_t cell_count() const { return cell_records_.size(); }
  std::size_t bytes() const {
    std::size_t sum = cell_records_.size() * sizeof(Cell) + surplus_records_.size() * sizeof(Surplus);
    for (const auto& cells : cells_) sum += cells.bytes();
    for (const CornerStore& store : stores_) sum += store.bytes();
    return sum;
  }

  /// Appends the keys of the corners that were asked for: by queries of that level, or by any to a tolerance.
  void list_corners(const Asked& asked, std::vector<LatticeKey>& keys) const {
    for (const CornerStore& corners : stores_) {
      if (!asked.to_tolerance && &corners != &store(asked.level)) continue;
      corners.for_each([&](const Corner& corner) {
        if (corner.asked_by(asked)) keys.push_back(corner.key);
      });
    }
  }

  /// Drops the corners whose keys are not among the sorted ones, and in a field whose jets depend on the level those of
  /// other levels, unless tolerances ask. No query may be running.
  void keep_only(const Asked& asked, const std::vector<LatticeKey>& keys) {
    for (CornerStore& kept : stores_)
      kept.keep_only([&](const Corner& corner) {
        return (asked.to_tolerance || &kept == &store(asked.level)) &&
               std::binary_search(keys.begin(), keys.end(), corner.key);
      });
    // The remaining cells are rebuilt from their corners when they are next asked for: nothing is computed again.
    for (auto& cells : cells_) cells.clear();
    cell_records_.clear();
    surplus_records_.clear();
  }

  static std::string describe(const Point<Dim>& x) {
    std::string text = "(";
    for (int i = 0; i < Dim; ++i) text += (i ? ", " : "") + to_text(x[i]);
    return text + ")";
  }

 private:
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

  void compute_missing(const Asked& asked, std::span<const Address<Dim>> addresses, std::vector<std::size_t>& missing,
                       std::span<const Corner*> found, CornerStore& store) {
    if (missing.empty()) return;

    const Claims::Task task;
    std::optional<Gate::Pass> pass;
    if (path_.gated) pass.emplace(path_.gate, task);
    {  // before the function is called at the other corners, where it might ask in the same way without end
      const std::lock_guard lock(path_.claims.mutex());
      for (const std::size_t i : missing)
        if (path_.claims.is_awaited_by_owner(Claims::name(&store, Lattice<Dim>::key(addresses[i])), task))
          throw_circular(addresses[i]);
    }
    while (!missing.empty()) {
      std::vector<std::size_t> theirs;
      const std::size_t batch = path_.singly ? 1 : missing.size();
      for (std::size_t first = 0; first < missing.size(); first += batch)
        compute_unclaimed(asked, addresses, {missing.data() + first, batch}, found, store, task, theirs);
      missing.clear();
      std::unique_lock lock(path_.claims.mutex());
      for (const std::size_t i : theirs) {
        const LatticeKey key = Lattice<Dim>::key(addresses[i]);
        if (!path_.claims.wait(lock, Claims::name(&store, key), task)) throw_circular(addresses[i]);
        found[i] = store.find(key);
        if (found[i] == nullptr) missing.push_back(i);  // whoever had it was interrupted
      }
    }
  }

  [[noreturn]] void throw_circular(const Address<Dim>& address) const {
    throw CornerFailure("the function asks the grid for the corner that it is being evaluated for, " +
                        describe(lattice_.point(address)) + ", or for one that waits for it");
  }

  // Computes those of the missing corners that nobody else is computing; appends the others to theirs.
  void compute_unclaimed(const Asked& asked, std::span<const Address<Dim>> addresses,
                         std::span<const std::size_t> missing, std::span<const Corner*> found, CornerStore& store,
                         const Claims::Task& task, std::vector<std::size_t>& theirs) {
    std::vector<std::size_t> mine;
    {
      const std::lock_guard lock(path_.claims.mutex());
      for (const std::size_t i : missing) {
        const LatticeKey key = Lattice<Dim>::key(addresses[i]);
        found[i] = store.find(key);
        if (found[i] != nullptr && !found[i]->retry) continue;
        (path_.claims.claim(Claims::name(&store, key), task) ? mine : theirs).push_back(i);
      }
    }
    if (mine.empty()) return;

    std::vector<Address<Dim>> wanted;
    std::vector<CornerSample<Dim>> samples;
    for (const std::size_t i : mine) {
      wanted.push_back(addresses[i]);
      samples.push_back({.x = lattice_.point(addresses[i]), .jet = {}, .reason = {}, .task = &task});
    }
    const auto release = [&] {
      for (const std::size_t i : mine) path_.claims.release(Claims::name(&store, Lattice<Dim>::key(addresses[i])));
    };
    try {
      const Claims::Task::Scope scope(&task);  // what this field asks of another is asked on the task's behalf
      source_(asked, wanted, samples);
    } catch (...) {
      const std::lock_guard lock(path_.claims.mutex());
      release();
      throw;
    }
    const std::lock_guard lock(path_.claims.mutex());
    for (std::size_t j = 0; j < mine.size(); ++j) {
      const LatticeKey key = Lattice<Dim>::key(wanted[j]);
      found[mine[j]] = samples[j].jet.size() > 0
                           ? store.insert(key, samples[j].jet, samples[j].branch)
                           : store.insert_failed(key, "corner " + describe(samples[j].x) + ": " + samples[j].reason,
                                                 samples[j].retry);
    }
    release();
  }

  const Lattice<Dim>& lattice_;
  WeightedNorm norm_;
  Eigen::Index rows_;
  JetCell<Dim> cell_;
  MissingCornerPath& path_;
  Source source_;
  std::function<Eigen::MatrixXd(Eigen::MatrixXd)> map_;
  std::deque<CornerStore> stores_;
  std::deque<Cell> cell_records_;        // addresses stay
  std::deque<Surplus> surplus_records_;  // addresses stay
  std::vector<ConcurrentMap<Cell>> cells_;
};

}  // namespace quoin
