// SPDX-License-Identifier: BSD-3-Clause
// The end of the descent where no cell can answer: the policies of GridOptions.
#pragma once

#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/query/cell_hit.hpp"
#include "quoin/grid/grid_options.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/errors.hpp"
#include "quoin/util/to_text.hpp"

#include <string>
#include <utility>

namespace quoin::grid_detail {

/// Another cell of that level that holds x, where the one of `position`, which then becomes its, has a failed corner:
/// on a face the cells on both sides of it answer the same. cell_at(lower): null if it fails or is not there. Null if
/// there is none.
template <int Dim, class CellAt>
const typename JetField<Dim>::Cell* cell_beside(const GridCore<Dim>& core, const JetField<Dim>& field,
                                                const Point<Dim>& x, int level, CellPosition<Dim>& position,
                                                const CellAt& cell_at) {
  const typename JetField<Dim>::Cell* cell = nullptr;
  const auto beside = core.lattice().find_beside(x, level, position, [&](const CellPosition<Dim>& other) {
    if (!field.is_known_to_fail(level, other.lower)) cell = cell_at(other.lower);  // else f need not be called there
    return cell != nullptr;
  });
  if (beside) position = *beside;
  return cell;
}

/// Answers where no leaf does, by the policies of GridOptions: where a corner failed (on_failure), and where f changes
/// its branch within a cell (on_branches). Throws CornerFailure where a policy has no answer, if `throwing`; otherwise
/// the answer is Trust::failed.
template <int Dim>
class Fallbacks {
 public:
  using Field = JetField<Dim>;

  /// Keeps references.
  Fallbacks(GridCore<Dim>& core, Field& field) : core_(core), field_(field) {}

  /// Answers at a place in a cell whose corners lie on different branches and that is not split further.
  void answer_mixed(CellHit<Dim>& found, bool throwing) const {
    switch (core_.options().on_branches) {
      case BranchPolicy::nearest_corner: continue_nearest(found); return;
      case BranchPolicy::call_function: call_function(found, throwing); return;
      case BranchPolicy::throw_error:
        found.answer.trust = Trust::failed;
        found.cell = nullptr;
        if (throwing) throw_failure("f changes its branch within the cell around " + to_text(found.x), false);
        return;
    }
  }

  /// Answers with the Taylor polynomial of the cell's nearest corner.
  static void continue_nearest(CellHit<Dim>& found) {
    found.nearest_corner = 0;
    for (int i = 0; i < Dim; ++i)
      if (found.t[i] > 0.5) found.nearest_corner |= 1 << i;
    found.answer.trust = Trust::nearest_branch;
  }

  /// Answers at a place where the cell of the requester's level has a failed corner.
  void answer_failed(CellHit<Dim>& found, const Requester& requester, const Corner& failed, bool throwing) const {
    found.answer = {.trust = Trust::failed, .level = requester.level};
    if (core_.options().on_failure == FailurePolicy::call_function) return call_function(found, throwing);
    if (core_.options().on_failure == FailurePolicy::coarser) {
      Requester coarser = requester;
      while (coarser.level > 0 && found.cell == nullptr) {
        --coarser.level;
        CellPosition<Dim> position = core_.lattice().locate(found.x, coarser.level);
        const auto of_one_branch = [&](const Address<Dim>& lower) {
          const auto* cell = field_.require_cell(coarser, lower, nullptr);
          return cell && !cell->mixed ? cell : nullptr;
        };
        found.cell = of_one_branch(position.lower);
        if (!found.cell) found.cell = cell_beside(core_, field_, found.x, coarser.level, position, of_one_branch);
        found.t = position.t;
        if (found.cell) found.answer = {.trust = Trust::coarser, .level = coarser.level};
      }
    }
    if (throwing && found.answer.trust == Trust::failed)
      throw_failure(field_.failure_at(requester.level, failed), failed.may_pass());
  }

 private:
  // Answers with f at the point.
  void call_function(CellHit<Dim>& found, bool throwing) const {
    found.cell = nullptr;
    const Lattice<Dim>& lattice = core_.lattice();  // a point within the slack of a bound counts as inside
    CornerSample<Dim> sample = core_.call_function_at(found.x.cwiseMax(lattice.lower()).cwiseMin(lattice.upper()));
    if (sample.reason.empty()) {
      sample.jet = field_.transform(std::move(sample.jet));
      sample.check(field_.rows(), sample.jet.cols());
    }
    if (sample.reason.empty()) {
      found.exact_jet = std::move(sample.jet);
      found.answer = {.trust = Trust::exact, .level = found.answer.level, .error = 0, .jacobian_error = 0};
    } else {
      found.answer.trust = Trust::failed;
      if (throwing) throw_failure("called at the query point: " + sample.reason, sample.retry);
    }
  }

  [[noreturn]] static void throw_failure(const std::string& reason, bool may_pass) {
    throw CornerFailure("AdaptiveGrid<" + to_text(Dim) + ">: " + reason, may_pass);
  }

  GridCore<Dim>& core_;
  Field& field_;
};

}  // namespace quoin::grid_detail
