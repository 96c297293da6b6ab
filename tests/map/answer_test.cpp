// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/quoin.hpp"

#include <catch2/catch.hpp>

TEST_CASE("an answer outside the domain or failed carries no value") {
  CHECK(quoin::Answer{.trust = quoin::Trust::exact}.has_value());
  CHECK(quoin::Answer{.trust = quoin::Trust::coarser}.has_value());
  CHECK_FALSE(quoin::Answer{.trust = quoin::Trust::outside}.has_value());
  CHECK_FALSE(quoin::Answer{.trust = quoin::Trust::failed}.has_value());
}
