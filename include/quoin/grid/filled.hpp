// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <cstddef>
#include <string>

namespace quoin {

/// What came of filling a box: how many cells it has, and where f failed.
struct Filled {
  std::size_t cells = 0;    ///< that answer queries in the box, those that fail among them
  std::size_t failed = 0;   ///< of these, with a corner at which f failed: GridOptions::on_failure answers in them
  std::string reason = {};  ///< of the first of these failures, with its corner; empty: f failed nowhere

  /// The number of cells.
  operator std::size_t() const { return cells; }
};

}  // namespace quoin
