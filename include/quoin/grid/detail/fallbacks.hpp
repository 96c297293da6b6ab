// SPDX-License-Identifier: BSD-3-Clause
// The end of the descent where no cell can answer: the policies of GridOptions.
#pragma once

#include "quoin/core/errors.hpp"
#include "quoin/core/point.hpp"
#include "quoin/core/to_text.hpp"
#include "quoin/grid/detail/found.hpp"
#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/grid_options.hpp"

#include <string>
#include <utility>

namespace quoin::grid_detail {

/// What answers where no leaf does, by the policies of GridOptions: where a corner failed (on_failure), and where f
/// changes its branch within a cell (on_branches). Throws CornerFailure where a policy has no answer, if `throwing`;
/// else the answer is Trust::failed.
template <int Dim>
class PolicyAnswers {
 public:
  using Field = JetField<Dim>;

  /// Keeps references.
  PolicyAnswers(GridState<Dim>& state, Field& field, bool to_tolerance)
      : state_(state), field_(field), to_tolerance_(to_tolerance) {}

  /// At a place in a cell whose corners lie on different branches, and that is split no further.
  void answer_mixed(Place<Dim>& place, bool throwing) const {
    switch (state_.options().on_branches) {
      case BranchPolicy::nearest_corner:
        place.nearest_corner = 0;
        for (int i = 0; i < Dim; ++i)
          if (place.t[i] > 0.5) place.nearest_corner |= 1 << i;
        place.answer.trust = Trust::nearest_branch;
        return;
      case BranchPolicy::call_function: call_function(place, throwing); return;
      case BranchPolicy::throw_error:
        place.answer.trust = Trust::failed;
        place.cell = nullptr;
        if (throwing) throw_failure("f changes its branch within the cell around " + to_text(place.x), false);
        return;
    }
  }

  /// At a place of which a corner failed at the level that is wanted.
  void answer_failed(Place<Dim>& place, int wanted, const Corner& failed, bool throwing) const {
    place.answer = {.trust = Trust::failed, .level = wanted};
    if (state_.options().on_failure == FailurePolicy::call_function) return call_function(place, throwing);
    if (state_.options().on_failure == FailurePolicy::coarser) {
      for (int level = wanted - 1; level >= 0 && place.cell == nullptr; --level) {
        const CellPosition<Dim> position = state_.lattice().locate(place.x, level);
        place.cell = field_.require_cell({.level = level, .to_tolerance = to_tolerance_}, position.lower, nullptr);
        if (place.cell && place.cell->mixed) place.cell = nullptr;
        place.t = position.t;
        if (place.cell) place.answer = {.trust = Trust::coarser, .level = level};
      }
    }
    if (throwing && place.answer.trust == Trust::failed) throw_failure(field_.failure_at(failed), failed.may_pass());
  }

 private:
  // Answers with f at the point.
  void call_function(Place<Dim>& place, bool throwing) const {
    place.cell = nullptr;
    const Lattice<Dim>& lattice = state_.lattice();  // a point within the slack of a bound counts as inside
    CornerSample<Dim> sample = state_.call_function_at(place.x.cwiseMax(lattice.lower()).cwiseMin(lattice.upper()));
    if (sample.reason.empty()) {
      sample.jet = field_.transform(std::move(sample.jet));
      sample.check(field_.rows(), sample.jet.cols());
    }
    if (sample.reason.empty()) {
      place.called = std::move(sample.jet);
      place.answer = {.trust = Trust::exact, .level = place.answer.level, .error = 0, .jacobian_error = 0};
    } else {
      place.answer.trust = Trust::failed;
      if (throwing) throw_failure("called at the query point: " + sample.reason, sample.retry);
    }
  }

  [[noreturn]] static void throw_failure(const std::string& reason, bool may_pass) {
    throw CornerFailure("AdaptiveGrid<" + to_text(Dim) + ">: " + reason, may_pass);
  }

  GridState<Dim>& state_;
  Field& field_;
  bool to_tolerance_;
};

}  // namespace quoin::grid_detail
