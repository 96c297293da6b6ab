// SPDX-License-Identifier: BSD-3-Clause
// Motion on the sheets of von Mises' truss.
#include "quoin/dynamics/sheet_rider.hpp"

#include "quoin/core/sheet.hpp"
#include "support/refused_options.hpp"
#include "support/von_mises_truss.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <optional>

using namespace quoin;
using Catch::Matchers::Contains;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

const Point<2> origin(0, 0.9), step(0.005, 0.025);

Sheet<2> sheet(double side) {
  return Sheet<2>(truss::correct, origin, VectorXd::Constant(1, side * truss::rise(0.9)), {.step = step});
}

/// Descent in energy.
std::optional<VectorXd> descend(const Point<2>& x, const VectorXd& y) {
  VectorXd at = y;
  for (int i = 0; i < 100000 && std::abs(truss::residual(x, at[0])) > 1e-13; ++i)
    at[0] += 3 * truss::residual(x, at[0]);
  return at;
}

SheetRider<2, Sheet<2>> rider(Landing<2> land = descend) {
  return SheetRider<2, Sheet<2>>({sheet(1), sheet(-1)}, land, {.step = step});
}

}  // namespace

TEST_CASE("a truss loaded up and down snaps at either limit load, and rides the other sheet in between") {
  const double fold = truss::limit_load(0.9);
  const auto ride = rider();
  const auto pushed = ride.move({0, origin}, {0.05, 0.9});
  REQUIRE(pushed.status == RideStatus::arrived);
  REQUIRE(pushed.snaps.size() == 1);
  CHECK(pushed.snaps[0].from == 0);
  CHECK(pushed.snaps[0].to == 1);
  CHECK(pushed.snaps[0].before[0] == Approx(fold).margin(2e-6 * step[0]));
  CHECK(pushed.snaps[0].after[0] == Approx(fold + 1e-3 * step[0]).margin(2e-6 * step[0]));

  const auto released = ride.move(pushed.ride, origin);
  CHECK(released.snaps.empty());
  CHECK(released.ride.sheet == 1);

  const auto pulled = ride.move(released.ride, {-0.05, 0.9});
  REQUIRE(pulled.snaps.size() == 1);
  CHECK(pulled.snaps[0].to == 0);
  CHECK(pulled.snaps[0].before[0] == Approx(-fold).margin(2e-6 * step[0]));
  CHECK(ride.move(pulled.ride, origin).ride.sheet == 0);
}

TEST_CASE("a way that touches no fold snaps nowhere, however it winds") {
  const auto ride = rider();
  Ride<2> at{0, origin};
  for (const Point<2>& x : {Point<2>(0.01, 0.8), Point<2>(-0.06, 0.95), Point<2>(0.013, 0.88), origin}) {
    const auto moved = ride.move(at, x);
    CHECK(moved.status == RideStatus::arrived);
    CHECK(moved.snaps.empty());
    at = moved.ride;
  }
  CHECK(at.sheet == 0);
}

TEST_CASE("a body that lands on none of the sheets is lost, and says where it was") {
  const double fold = truss::limit_load(0.9);
  const auto nowhere = rider([](const Point<2>&, const VectorXd& y) { return std::optional<VectorXd>(3 * y); });
  const auto unknown = rider([](const Point<2>&, const VectorXd&) { return std::optional<VectorXd>(); });
  for (const auto& ride : {nowhere, unknown}) {
    const auto moved = ride.move({0, origin}, {0.05, 0.9});
    CHECK(moved.status == RideStatus::lost);
    CHECK(moved.ride.sheet == 0);
    CHECK(moved.ride.x[0] == Approx(fold).margin(2e-6 * step[0]));
  }
}

TEST_CASE("a rider refuses a start on a sheet that has no answer there") {
  CHECK_THROWS_WITH(rider().move({0, {0.05, 0.9}}, origin), Contains("no answer on sheet 0 at (0.05, 0.9)"));
  CHECK_THROWS_WITH(rider().move({2, origin}, origin), Contains("sheet 2"));
}

TEST_CASE("options of a rider that mean nothing are refused with their name") {
  using Options = RideOptions<2>;
  quoin::test::RefusedOptions("SheetRider", Options{.step = step},
                              [](const Options& o) {
                                SheetRider<2, Sheet<2>>({sheet(1), sheet(-1)}, descend, o);
                              })
      .positive("step", [](Options& o) -> double& { return o.step[0]; })
      .positive("step", [](Options& o) -> double& { return o.step[1]; })
      .positive("fold_tolerance", &Options::fold_tolerance)
      .positive("overshoot", &Options::overshoot)
      .positive("landing_tolerance", &Options::landing_tolerance);
}
