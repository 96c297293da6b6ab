// SPDX-License-Identifier: BSD-3-Clause
// Between the descent and the corners: the cells that are ready, and how a cell gets its missing corners.
#pragma once

#include "quoin/grid/detail/corners/corner_requests.hpp"
#include "quoin/grid/detail/corners/corner_store.hpp"
#include "quoin/grid/detail/corners/field_memory.hpp"
#include "quoin/grid/detail/kernels/jet_cell.hpp"
#include "quoin/grid/detail/kernels/packed_jet.hpp"
#include "quoin/grid/detail/lattice.hpp"
#include "quoin/grid/evaluator.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// The corners of the parent that a corner of a field on a level is made from.
template <int Dim>
using CornerNodes = std::function<std::vector<Address<Dim>>(int level, const Address<Dim>& address)>;

/// One function's jets on the lattice: the cells that answer queries, the corners they point to, and where missing
/// corners come from. What they show of the function's errors is JetField's.
template <int Dim>
class CellField {
 public:
  static constexpr std::size_t cell_corners = std::size_t{1} << Dim;

  using Cell = ReadyCell<Dim>;

  /// As of JetField, which says what they are. Keeps references.
  CellField(const Lattice<Dim>& lattice, Eigen::Index rows, int order, const JetFormat& format, bool per_level,
            MissingCornerPath& path, CornerSource<Dim> source, CellField* parent, CornerNodes<Dim> nodes,
            std::function<Eigen::MatrixXd(Eigen::MatrixXd)> map)
      : lattice_(lattice),
        rows_(rows),
        cell_(order),
        format_(format),
        path_(path),
        source_(std::move(source)),
        parent_(parent),
        nodes_(std::move(nodes)),
        map_(std::move(map)),
        memory_(lattice, rows, largest(lattice, order, format), format, per_level, path.clock,
                parent == nullptr ? nullptr : &parent->memory_) {}

  Eigen::Index rows() const { return rows_; }
  const JetCell<Dim>& interpolant() const { return cell_; }
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

  /// True if a corner of the cell is known, and failed. Nothing is evaluated.
  bool is_known_to_fail(int level, const Address<Dim>& lower) const {
    const auto addresses = lattice_.cell_corners(level, lower);
    return std::any_of(addresses.begin(), addresses.end(),
                       [&](const Address<Dim>& address) { return known(level, address) == Known::fails; });
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
      const std::lock_guard lock(WaitGraph::of_process().mutex());
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

 protected:
  enum class Known { no, fails, yes };
  // What is known of a corner without a call of f: it is there, or the corners of the parent are that it is made from.
  Known known(int level, const Address<Dim>& address) const {
    if (const Corner* corner = memory_.find_corner(level, address)) return corner->failed() ? Known::fails : Known::yes;
    if (parent_ == nullptr) return Known::no;
    Known all = Known::yes;
    for (const Address<Dim>& node : nodes_(level, address)) all = std::min(all, parent_->known(level, node));
    return all;
  }

  const Lattice<Dim>& lattice_;
  Eigen::Index rows_;
  JetCell<Dim> cell_;
  const JetFormat& format_;
  MissingCornerPath& path_;

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

  CornerSource<Dim> source_;
  CellField* parent_;
  CornerNodes<Dim> nodes_;
  std::function<Eigen::MatrixXd(Eigen::MatrixXd)> map_;

 protected:
  FieldMemory<Dim> memory_;
};

}  // namespace quoin::grid_detail
