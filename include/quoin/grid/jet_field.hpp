// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/claims.hpp"
#include "quoin/grid/corner_function.hpp"
#include "quoin/grid/corner_store.hpp"
#include "quoin/grid/gate.hpp"
#include "quoin/grid/jet_cell.hpp"
#include "quoin/grid/lattice.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
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
    LatticeKey key;
    std::array<const double*, cell_corners> jets;
  };

  /// Computes jets, or reasons, for the samples (their x is set) at these addresses; called without a lock.
  using Source = std::function<void(int level, std::span<const Address<Dim>>, std::span<CornerSample<Dim>>)>;

  /// per_level: a corner's jet depends on the level from which it is asked for. map: what the field makes of a jet of
  /// the function; empty: the jet itself.
  JetField(const Lattice<Dim>& lattice, Eigen::Index rows, int order, bool per_level, MissingCornerPath& path,
           Source source, std::function<Eigen::MatrixXd(Eigen::MatrixXd)> map = {})
      : lattice_(lattice),
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
  const Cell* require_cell(int level, const Address<Dim>& lower, const Corner** failed) {
    if (const Cell* cell = find_cell(level, lower)) return cell;
    std::array<const Corner*, cell_corners> corners;
    require_corners(level, cell_addresses(level, lower), corners);
    Cell cell{.key = Lattice<Dim>::key(lower), .jets = {}};
    for (int c = 0; c < cell_corners; ++c) {
      if (corners[c]->failed()) {
        if (failed) *failed = corners[c];
        return nullptr;
      }
      cell.jets[c] = corners[c]->jet;
    }
    const std::lock_guard lock(path_.claims.mutex());
    if (const Cell* present = cells_[level].find(cell.key)) return present;
    cell_records_.push_back(cell);
    cells_[level].insert(&cell_records_.back());
    return &cell_records_.back();
  }

  /// Finds or computes corners; each is computed once, whoever asks. found[i] belongs to addresses[i] and is never null.
  /// Throws CornerFailure if a corner waits for itself, and what the source throws of its own.
  void require_corners(int level, std::span<const Address<Dim>> addresses, std::span<const Corner*> found) {
    CornerStore& store = stores_[stores_.size() == 1 ? 0 : level];
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      found[i] = store.find(Lattice<Dim>::key(addresses[i]));
      if (found[i] == nullptr || found[i]->retry) missing.push_back(i);
    }
    compute_missing(level, addresses, missing, found, store);
    for (const Corner* corner : found) corner->note_level(level);
  }

  std::array<Address<Dim>, cell_corners> cell_addresses(int level, const Address<Dim>& lower) const {
    std::array<Address<Dim>, cell_corners> addresses;
    for (int c = 0; c < cell_corners; ++c)
      for (int i = 0; i < Dim; ++i) addresses[c][i] = lower[i] + (c >> i & 1) * lattice_.stride(level);
    return addresses;
  }

  std::size_t cell_count() const { return cell_records_.size(); }
  std::size_t bytes() const {
    std::size_t sum = cell_records_.size() * sizeof(Cell);
    for (const auto& cells : cells_) sum += cells.bytes();
    for (const CornerStore& store : stores_) sum += store.bytes();
    return sum;
  }

  /// Appends the keys of the corners that a level has asked for.
  void list_corners(int level, std::vector<LatticeKey>& keys) const {
    store(level).for_each([&](const Corner& corner) {
      if (corner.asked_at(level)) keys.push_back(corner.key);
    });
  }

  /// Drops the corners that the level does not use: those whose keys are not among the sorted ones. No query may be
  /// running.
  void keep_only(int level, const std::vector<LatticeKey>& keys) {
    for (CornerStore& kept : stores_)
      kept.keep_only([&](const Corner& corner) {
        return &kept == &store(level) && std::binary_search(keys.begin(), keys.end(), corner.key);
      });
    // The remaining cells are rebuilt from their corners when they are next asked for: nothing is computed again.
    for (auto& cells : cells_) cells.clear();
    cell_records_.clear();
  }

  static std::string describe(const Point<Dim>& x) {
    std::string text = "(";
    for (int i = 0; i < Dim; ++i) text += (i ? ", " : "") + std::to_string(x[i]);
    return text + ")";
  }

 private:
  void compute_missing(int level, std::span<const Address<Dim>> addresses, std::vector<std::size_t>& missing,
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
        compute_unclaimed(level, addresses, {missing.data() + first, batch}, found, store, task, theirs);
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
  void compute_unclaimed(int level, std::span<const Address<Dim>> addresses, std::span<const std::size_t> missing,
                         std::span<const Corner*> found, CornerStore& store, const Claims::Task& task,
                         std::vector<std::size_t>& theirs) {
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

    std::vector<Address<Dim>> asked;
    std::vector<CornerSample<Dim>> samples;
    for (const std::size_t i : mine) {
      asked.push_back(addresses[i]);
      samples.push_back({.x = lattice_.point(addresses[i]), .jet = {}, .reason = {}, .task = &task});
    }
    const auto release = [&] {
      for (const std::size_t i : mine) path_.claims.release(Claims::name(&store, Lattice<Dim>::key(addresses[i])));
    };
    try {
      const Claims::Task::Scope scope(&task);  // what this field asks of another is asked on the task's behalf
      source_(level, asked, samples);
    } catch (...) {
      const std::lock_guard lock(path_.claims.mutex());
      release();
      throw;
    }
    const std::lock_guard lock(path_.claims.mutex());
    for (std::size_t j = 0; j < mine.size(); ++j) {
      const LatticeKey key = Lattice<Dim>::key(asked[j]);
      found[mine[j]] = samples[j].jet.size() > 0
                           ? store.insert(key, samples[j].jet)
                           : store.insert_failed(key, "corner " + describe(samples[j].x) + ": " + samples[j].reason,
                                                 samples[j].retry);
    }
    release();
  }

  const Lattice<Dim>& lattice_;
  Eigen::Index rows_;
  JetCell<Dim> cell_;
  MissingCornerPath& path_;
  Source source_;
  std::function<Eigen::MatrixXd(Eigen::MatrixXd)> map_;
  std::deque<CornerStore> stores_;
  std::deque<Cell> cell_records_;  // addresses stay
  std::vector<ConcurrentMap<Cell>> cells_;
};

}  // namespace quoin
