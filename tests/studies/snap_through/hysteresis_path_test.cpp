// SPDX-License-Identifier: BSD-3-Clause
// Motion on the branches of von Mises' truss.
#include "examples/studies/snap_through/hysteresis_path.hpp"

#include "quoin/map/solution_branch.hpp"
#include "testing/refused_options.hpp"
#include "testing/von_mises_truss.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <optional>

using namespace studies;
using Catch::Matchers::Contains;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

const Point<2> unloaded(0, 0.9), truss_step(0.005, 0.025);

SolutionBranch<2> branch(double side) {
  return SolutionBranch<2>(truss::correct, unloaded, VectorXd::Constant(1, side * truss::rise(0.9)),
                           {.step = truss_step});
}

/// Descent in energy.
std::optional<VectorXd> descend(const Point<2>& x, const VectorXd& y) {
  VectorXd at = y;
  for (int i = 0; i < 100000 && std::abs(truss::residual(x, at[0])) > 1e-13; ++i)
    at[0] += 3 * truss::residual(x, at[0]);
  return at;
}

HysteresisPath<2, SolutionBranch<2>> path(Relaxation<2> relax = descend) {
  return HysteresisPath<2, SolutionBranch<2>>({branch(1), branch(-1)}, relax, {.step = truss_step});
}

}  // namespace

TEST_CASE("a truss loaded up and down snaps at either limit load, and follows the other branch in between") {
  const double fold = truss::limit_load(0.9);
  const auto state = path();
  const auto pushed = state.move({0, unloaded}, {0.05, 0.9});
  REQUIRE(pushed.status == HysteresisStatus::arrived);
  REQUIRE(pushed.snaps.size() == 1);
  CHECK(pushed.snaps[0].from == 0);
  CHECK(pushed.snaps[0].to == 1);
  CHECK(pushed.snaps[0].before[0] == Approx(fold).margin(2e-6 * truss_step[0]));
  CHECK(pushed.snaps[0].after[0] == Approx(fold + 1e-3 * truss_step[0]).margin(2e-6 * truss_step[0]));

  const auto released = state.move(pushed.state, unloaded);
  CHECK(released.snaps.empty());
  CHECK(released.state.branch == 1);

  const auto pulled = state.move(released.state, {-0.05, 0.9});
  REQUIRE(pulled.snaps.size() == 1);
  CHECK(pulled.snaps[0].to == 0);
  CHECK(pulled.snaps[0].before[0] == Approx(-fold).margin(2e-6 * truss_step[0]));
  CHECK(state.move(pulled.state, unloaded).state.branch == 0);
}

TEST_CASE("a way that touches no fold snaps nowhere, however it winds") {
  const auto state = path();
  BranchState<2> at{0, unloaded};
  for (const Point<2>& x : {Point<2>(0.01, 0.8), Point<2>(-0.06, 0.95), Point<2>(0.013, 0.88), unloaded}) {
    const auto moved = state.move(at, x);
    CHECK(moved.status == HysteresisStatus::arrived);
    CHECK(moved.snaps.empty());
    at = moved.state;
  }
  CHECK(at.branch == 0);
}

TEST_CASE("a body that lands on none of the branches is lost, and says where it was") {
  const double fold = truss::limit_load(0.9);
  const auto nowhere = path([](const Point<2>&, const VectorXd& y) { return std::optional<VectorXd>(3 * y); });
  const auto unknown = path([](const Point<2>&, const VectorXd&) { return std::optional<VectorXd>(); });
  for (const auto& state : {nowhere, unknown}) {
    const auto moved = state.move({0, unloaded}, {0.05, 0.9});
    CHECK(moved.status == HysteresisStatus::lost);
    CHECK(moved.state.branch == 0);
    CHECK(moved.state.x[0] == Approx(fold).margin(2e-6 * truss_step[0]));
  }
}

TEST_CASE("a path refuses a start on a branch that has no answer there") {
  CHECK_THROWS_WITH(path().move({0, {0.05, 0.9}}, unloaded), Contains("no answer on branch 0 at (0.05, 0.9)"));
  CHECK_THROWS_WITH(path().move({2, unloaded}, unloaded), Contains("branch 2"));
}

TEST_CASE("options of a path that mean nothing are refused with their name") {
  using Options = HysteresisOptions<2>;
  quoin::test::RefusedOptions("HysteresisPath", Options{.step = truss_step},
                              [](const Options& o) {
                                HysteresisPath<2, SolutionBranch<2>>({branch(1), branch(-1)}, descend, o);
                              })
      .positive("step", [](Options& o) -> double& { return o.step[0]; })
      .positive("step", [](Options& o) -> double& { return o.step[1]; })
      .positive("fold_tolerance", &Options::fold_tolerance)
      .positive("overshoot", &Options::overshoot)
      .positive("relaxation_tolerance", &Options::relaxation_tolerance);
}
