// SPDX-License-Identifier: BSD-3-Clause
// What a frozen view answers from: a copy of the cells that were there.
#pragma once

#include "quoin/grid/certificate.hpp"
#include "quoin/grid/detail/arena.hpp"
#include "quoin/grid/detail/concurrent_map.hpp"
#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/kernels/packed_jet.hpp"
#include "quoin/grid/detail/query/cell_hit.hpp"
#include "quoin/grid/detail/query/error_estimates.hpp"
#include "quoin/grid/detail/query/fallbacks.hpp"
#include "quoin/grid/detail/query/leaf_search.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/request.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace quoin::grid_detail {

/// The leaves of one level, or to one tolerance, that known corners make, and perhaps the other cells that they make,
/// with a copy of their jets. Nothing changes once it is made, and nothing of the grid is kept.
template <int Dim>
class FrozenCells {
 public:
  using Cell = ReadyCell<Dim>;

  /// leaves: no other cells. Evaluates nothing; makes cells of corners that are known.
  FrozenCells(GridCore<Dim>& core, JetField<Dim>& field, int level, std::optional<double> tolerance, bool leaves)
      : lattice_(core.lattice()),
        interpolant_(field.interpolant()),
        rows_(field.rows()),
        format_(core.format()),
        outside_(core.options().outside),
        level_(level),
        first_(level),
        arena_(format_.size_in_doubles(rows_, interpolant_.jet_size())),
        by_level_(lattice_.levels()) {
    const typename GridCore<Dim>::Hold hold(core);
    const LeafSearch<Dim> search(core, field, level, tolerance);
    const std::vector<Candidate> candidates = make_cells(core, field, tolerance.has_value());
    StopCheck stop(64);
    for (const Candidate& candidate : candidates) {
      stop();
      const CellHit<Dim> found = search.find_known_leaf(lattice_.centre(candidate.level, candidate.lower));
      const bool is_leaf = found.cell == candidate.cell;
      if (is_leaf || !leaves) keep(candidate, is_leaf, found.answer, ErrorEstimates<Dim>(core, field));
    }
    copies_ = {};
  }
  FrozenCells(const FrozenCells&) = delete;
  FrozenCells& operator=(const FrozenCells&) = delete;

  Eigen::Index rows() const { return rows_; }
  const JetCell<Dim>& interpolant() const { return interpolant_; }
  PackedJets jets(const Cell& cell) const {
    return {.corners = cell.jets.data(),
            .count = JetCell<Dim>::corners,
            .derivatives = interpolant_.jet_size(),
            .rows = rows_,
            .format = &format_};
  }
  const Lattice<Dim>& lattice() const { return lattice_; }
  OutsidePolicy outside() const { return outside_; }
  /// How many there are.
  std::size_t size() const { return cells_.size(); }
  std::size_t bytes() const {
    std::size_t sum = arena_.bytes() + cells_.size() * sizeof(Kept) + bounds_.size() * sizeof(bounds_[0]);
    for (const auto& level : by_level_) sum += level.bytes();
    return sum;
  }

  /// The leaf; where it is not there the finest cell that is, as Trust::coarser. Allocates nothing.
  CellHit<Dim> find(const Point<Dim>& x) const noexcept {
    CellHit<Dim> found;
    found.x = x;
    found.answer = {.trust = Trust::failed, .level = level_};
    CellPosition<Dim> position = lattice_.locate(x, first_);
    if (!position.inside && outside_ != OutsidePolicy::throw_error && x.allFinite()) {
      found.x = lattice_.nearest(x);
      position = lattice_.locate(found.x, first_);
    }
    if (!position.inside) {
      found.answer.trust = Trust::outside;
      return found;
    }
    const auto is_leaf = [](const Kept& kept) { return kept.is_leaf; };
    const auto any = [](const Kept&) { return true; };
    for (const bool beside : {false, true})
      for (int l = first_; l <= last_ && found.cell == nullptr; ++l) answer_from(l, is_leaf, beside, found);
    for (int l = finest_; l >= 0 && found.cell == nullptr; --l)
      for (const bool beside : {false, true}) {
        if (found.cell == nullptr) answer_from(l, any, beside, found);
        if (found.cell != nullptr) found.answer = {.trust = Trust::coarser, .level = l};
      }
    if (found.cell == nullptr) return found;
    if (found.cell->mixed) Fallbacks<Dim>::continue_nearest(found);
    if (found.x != x) found.answer = {.trust = Trust::extended, .level = found.answer.level};
    return found;
  }

 private:
  using Bounds = FourthDerivativeBounds<Dim>;

  struct alignas(64) Kept {
    LatticeKey key;
    Cell cell;
    Answer answer;
    bool is_leaf = false;
    const Bounds* certificate = nullptr;  // of which its error is a function of the place
  };

  struct Candidate {
    int level;
    Address<Dim> lower;
    const Cell* cell;
  };

  // All that known corners make, first, as what one says of its error depends on others.
  std::vector<Candidate> make_cells(const GridCore<Dim>& core, JetField<Dim>& field, bool to_tolerance) const {
    const std::vector<Address<Dim>> corners = core.known_addresses();
    int deepest = 0;
    for (const Address<Dim>& corner : corners) deepest = std::max(deepest, lattice_.coarsest_level(corner));
    std::vector<Candidate> candidates;
    StopCheck stop(64);
    for (const Address<Dim>& lower : corners)
      for (int level = lattice_.coarsest_level(lower); level <= deepest; ++level) {
        stop();
        if (!lattice_.has_cell(level, lower)) continue;
        const Requester requester{.level = level, .to_tolerance = to_tolerance};
        if (const Cell* cell = field.find_known_cell(requester, lower, nullptr))
          candidates.push_back({level, lower, cell});
      }
    return candidates;
  }

  void keep(const Candidate& candidate, bool is_leaf, const Answer& said, const ErrorEstimates<Dim>& errors) {
    ConcurrentMap<Kept>& of_level = by_level_[static_cast<std::size_t>(candidate.level)];
    of_level.reserve_one();
    Kept& kept = cells_.emplace_back();
    kept.key = Lattice<Dim>::key(candidate.lower);
    for (std::size_t c = 0; c < kept.cell.jets.size(); ++c) kept.cell.jets[c] = copied(candidate.cell->jets[c]);
    kept.cell.branch = candidate.cell->branch;
    kept.cell.mixed = candidate.cell->mixed;
    kept.answer = said;
    kept.is_leaf = is_leaf;
    if (said.trust == Trust::certified)
      kept.certificate = &bounds_.emplace_back(errors.fourth_derivatives(candidate.level, candidate.lower));
    of_level.insert(&kept);
    finest_ = std::max(finest_, candidate.level);
    if (!is_leaf) return;
    first_ = last_ < 0 ? candidate.level : std::min(first_, candidate.level);
    last_ = std::max(last_, candidate.level);
  }

  const void* copied(const void* jet) {
    const auto [copy, is_new] = copies_.try_emplace(jet, nullptr);
    if (is_new) {
      arena_.reserve_one();
      double* slot = arena_.take();
      std::copy_n(static_cast<const double*>(jet), arena_.stride(), slot);
      copy->second = slot;
    }
    return copy->second;
  }

  // From the cell of that level, or one beside it on whose face the point lies, if it is there and wanted.
  template <class Wanted>
  void answer_from(int level, const Wanted& wanted, bool beside, CellHit<Dim>& found) const {
    const Kept* kept = nullptr;
    const auto is_wanted = [&](const CellPosition<Dim>& position) {
      kept = by_level_[static_cast<std::size_t>(level)].find(Lattice<Dim>::key(position.lower));
      return kept != nullptr && wanted(*kept);
    };
    CellPosition<Dim> position = lattice_.locate(found.x, level);
    if (beside) {
      const auto other = lattice_.find_beside(found.x, level, position, is_wanted);
      if (!other) return;
      position = *other;
    } else if (!is_wanted(position)) {
      return;
    }
    found.cell = &kept->cell;
    found.t = position.t;
    found.answer = kept->answer;
    if (kept->certificate == nullptr) return;
    const CertifiedError error =
        certified_error<Dim>(*kept->certificate, lattice_.spacing(level), position.t.cwiseMax(0.0).cwiseMin(1.0));
    found.answer.error = error.value;
    found.answer.jacobian_error = error.jacobian;
  }

  Lattice<Dim> lattice_;
  JetCell<Dim> interpolant_;
  Eigen::Index rows_;
  const JetFormat& format_;  // of the program
  OutsidePolicy outside_;
  int level_, first_, last_ = -1;  // the wanted one; of the leaves
  int finest_ = -1;                // of all
  Arena arena_;
  std::deque<Kept> cells_;  // stable addresses
  std::deque<Bounds> bounds_;
  std::vector<ConcurrentMap<Kept>> by_level_;
  std::unordered_map<const void*, const void*> copies_;
};

}  // namespace quoin::grid_detail
