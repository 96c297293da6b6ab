// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace quoin::python {

/// A message of the library's, as Python's users have the names in it: AdaptiveGrid<2>::prepare is
/// AdaptiveGrid.prefetch, an option of GridOptions:: or another of the kind is its name, and X(i, m), of points in
/// columns, is X[m, i].
std::string in_python_words(const std::string& message);

}  // namespace quoin::python
