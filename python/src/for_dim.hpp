// SPDX-License-Identifier: BSD-3-Clause
// From a dimension that Python says to one that templates know.
#pragma once

#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <string>
#include <type_traits>

namespace quoin::python {

/// Calls with std::integral_constant<int, dim>. Throws std::invalid_argument unless dim is 1 to 6; who: begins the
/// message.
template <class Body>
auto for_dim(int dim, const char* who, Body&& body) {
  switch (dim) {
    case 1: return body(std::integral_constant<int, 1>());
    case 2: return body(std::integral_constant<int, 2>());
    case 3: return body(std::integral_constant<int, 3>());
    case 4: return body(std::integral_constant<int, 4>());
    case 5: return body(std::integral_constant<int, 5>());
    case 6: return body(std::integral_constant<int, 6>());
    default: throw std::invalid_argument(std::string(who) + ": " + to_text(dim) + " variables, expected 1 to 6");
  }
}

}  // namespace quoin::python
