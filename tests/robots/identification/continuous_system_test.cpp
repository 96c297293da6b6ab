// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/continuous_system.hpp"
#include "testing/robots/drive.hpp"

#include <catch2/catch.hpp>

#include <numbers>
#include <stdexcept>

using namespace quoin;
using namespace quoin::identification;
using Eigen::MatrixXd;
using test::drive;

TEST_CASE("the continuous system comes back from its samples, and samples without one are said to have none",
          "[linear_system]") {
  const auto back = continuous_of(discretized(drive(), 0.02));
  REQUIRE(back);
  CHECK((back->A - drive().A).norm() < 1e-9 * drive().A.norm());
  CHECK((back->B - drive().B).norm() < 1e-9 * drive().B.norm());
  CHECK(back->time_step == 0);
  CHECK((poles(*back).real().array() + 0.6 * 6 * std::numbers::pi).abs().maxCoeff() < 1e-8);
  const LinearSystem alternating{MatrixXd{{-0.5}}, MatrixXd{{1}}, MatrixXd{{1}}, MatrixXd{{0}}, 0.1};
  CHECK_FALSE(continuous_of(alternating));
  CHECK_THROWS_AS(continuous_of(drive()), std::invalid_argument);
}
