// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/urdf.hpp"

#include <catch2/catch.hpp>

#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace robots {

/// Checks that the reader refuses the text for this reason, and prints nothing.
inline void refused(const std::string& text, const std::string& reason) {
  CAPTURE(text);
  std::ostringstream printed;
  std::streambuf* const before = std::cerr.rdbuf(printed.rdbuf());
  CHECK_THROWS_AS(quoin::rigid_body::parse_urdf(text, "file"), std::runtime_error);
  CHECK_THROWS_WITH(quoin::rigid_body::parse_urdf(text, "file"), Catch::StartsWith("file") && Catch::Contains(reason));
  std::cerr.rdbuf(before);
  CHECK(printed.str().empty());
}

}  // namespace robots
