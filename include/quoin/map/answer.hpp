// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <limits>

namespace quoin {

/// How far an answer can be trusted, from most to least.
enum class Trust {
  exact,           ///< the function itself was called at the query point
  verified,        ///< the error was measured, to a few per cent, by the equation that f solves (see verified)
  certified,       ///< a proven bound on the error is given
  estimated,       ///< an estimate of the error is given
  indicated,       ///< an estimate of the error is given that rests on too few samples to be relied on
  unchecked,       ///< interpolated; nothing is known of the error here
  coarser,         ///< a corner of the wanted cell failed, or was not there yet; a coarser cell answered
  nearest_branch,  ///< the function changes its branch within the cell; continued from the nearest corner's jet
  discontinuous,   ///< interpolated across what looks like a jump; may be off by as much as the jump is high
  extended,        ///< the point lies outside the domain and was clamped to it or extended from it, as requested
  outside,         ///< the point lies outside the domain; there is no answer
  failed           ///< the function failed at this point or at a corner that it needs; there is no answer
};

/// Returned with every value: where it came from and how large its error may be.
struct Answer {
  Trust trust = Trust::unchecked;                           ///< where it came from
  int level = 0;                                            ///< level of the cell that answered; 0 for exact maps
  double error = std::numeric_limits<double>::quiet_NaN();  ///< bound or estimate of |f - If|; NaN if unchecked
  /// The same for the Jacobian: the largest error of one of its columns, in the same norm.
  double jacobian_error = std::numeric_limits<double>::quiet_NaN();

  /// True if the outputs were written.
  constexpr bool has_value() const { return trust != Trust::outside && trust != Trust::failed; }

  /// For a function of the value, which does not preserve the norm of the error: no error is claimed.
  constexpr Answer without_error() const {
    const bool claimed = Trust::exact < trust && trust <= Trust::indicated;
    return claimed ? Answer{Trust::unchecked, level} : *this;
  }
};

constexpr const char* to_string(Trust trust) {
  switch (trust) {
    case Trust::exact: return "exact";
    case Trust::verified: return "verified";
    case Trust::certified: return "certified";
    case Trust::estimated: return "estimated";
    case Trust::indicated: return "indicated";
    case Trust::unchecked: return "unchecked";
    case Trust::coarser: return "coarser";
    case Trust::nearest_branch: return "nearest branch";
    case Trust::discontinuous: return "discontinuous";
    case Trust::extended: return "extended";
    case Trust::outside: return "outside";
    case Trust::failed: return "failed";
  }
  return "unknown";
}

}  // namespace quoin
