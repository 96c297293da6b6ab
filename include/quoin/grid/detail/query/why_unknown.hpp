// SPDX-License-Identifier: BSD-3-Clause
// Beside the path of a query: why nothing is known of an error, in words.
#pragma once

#include "quoin/grid/detail/grid_core.hpp"
#include "quoin/grid/detail/query/error_estimates.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace quoin::grid_detail {

/// Looks for what the estimates of a view's errors want for.
template <int Dim>
class WhyUnknown {
 public:
  /// Keeps references.
  WhyUnknown(GridCore<Dim>& core, JetField<Dim>& field) : core_(core), field_(field) {}

  /// At points, Dim x M; empty if all errors are known. view: of that field.
  template <class View>
  std::string operator()(const View& view, const Eigen::Ref<const Eigen::MatrixXd>& X) const {
    std::vector<std::pair<std::string, std::size_t>> reasons;  // in the order of the points
    for (const auto& column : X.colwise()) {
      const std::string reason = at(view, column);
      if (reason.empty()) continue;
      auto known = reasons.begin();
      while (known != reasons.end() && known->first != reason) ++known;
      if (known == reasons.end()) known = reasons.insert(known, {reason, 0});
      ++known->second;
    }
    std::string text;
    for (const auto& [reason, count] : reasons) {
      if (!text.empty()) text += "; ";
      if (X.cols() > 1) text += to_text(count) + " of " + to_text(X.cols()) + " points: ";
      text += reason;
    }
    return text;
  }

 private:
  template <class View>
  std::string at(const View& view, const Point<Dim>& x) const {
    const Lattice<Dim>& lattice = core_.lattice();
    const CellPosition<Dim> position = lattice.locate(x, view.level());
    if (!position.inside) return "outside the domain";
    const Answer said = view.error_estimate(x);
    if (said.error >= 0) return {};
    if (said.trust == Trust::discontinuous) return "f looks as if it jumped there";
    const CellPosition<Dim> leaf = lattice.locate(x, said.level);
    if (field_.is_known_to_fail(said.level, leaf.lower)) return "f failed at a corner of the cell";
    const auto* cell = field_.find_cell(said.level, leaf.lower);
    if (cell == nullptr)
      return "no query has been in this cell, so that its corners are not known: prefetch() or fill() it";
    if (cell->mixed) return "the corners of the cell lie on several branches of f";
    if (said.trust == Trust::certified || core_.options().fourth_derivatives)
      return "GridOptions::fourth_derivatives has no bound there";
    if (view.tolerance()) return "f was never compared with the cell inside: query it";
    const bool seen_at_corners = ErrorEstimates<Dim>(core_, field_).known(x, said.level, leaf.lower, *cell).value >= 0;
    if (seen_at_corners)
      return "f looks constant at the corners there, which proves nothing between them: error_along() or check() calls "
             "f beside them";
    if (said.level == 0)
      return "level 0 has no coarser level to compare with: check() calls f at a few points, refine() makes another "
             "level, a tolerance measures";
    return "the level above is not known there: error_along() evaluates it";
  }

  GridCore<Dim>& core_;
  JetField<Dim>& field_;
};

}  // namespace quoin::grid_detail
