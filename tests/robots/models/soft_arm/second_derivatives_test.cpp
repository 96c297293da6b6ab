// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/map/differentiable_map.hpp"
#include "quoin/robots/dynamics/reduced_dynamics.hpp"
#include "toy_arm.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin;
using namespace quoin::soft_arm;
using quoin::soft_arm::test::ToyArm;

namespace {

/// A view that counts its queries; `Twice` shows its second derivatives or hides them.
template <bool Twice>
struct Counted {
  GridView<2> map;
  int* queries;

  Eigen::Index output_size() const { return map.output_size(); }
  Answer evaluate(const Point<2>& x, Eigen::VectorXd& y) const { return ++*queries, map.evaluate(x, y); }
  Answer evaluate(const Point<2>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return ++*queries, map.evaluate(x, y, J);
  }
  Answer evaluate(const Point<2>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const
    requires Twice
  {
    return ++*queries, map.evaluate(x, y, J, H);
  }
  Answer try_evaluate(const Point<2>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const
    requires Twice
  {
    return ++*queries, map.try_evaluate(x, y, J, H);
  }
};

}  // namespace

TEST_CASE("over a grid a derivative step takes its second derivatives from one query, the same as from differences") {
  GridOptions<2> grid_options;
  grid_options.spacing.setConstant(0.25);
  const AdaptiveGrid<2> grid(ToyArm(), grid_options);
  const ReducedDynamicsOptions options{
      .time_step = 0.5, .stiffness_damping = 0.05, .mass_damping = 0.1, .derivative = StepDerivative::exact};
  int queries = 0, differenced = 0;
  const ReducedDynamics<2, Counted<true>> arm({grid.at_level(0), &queries}, 6, options);
  const ReducedDynamics<2, Counted<false>> hidden({grid.at_level(0), &differenced}, 6, options);
  Eigen::VectorXd x = arm.rest_state({0.2, 0.1}), next, next_too;
  Eigen::MatrixXd a, b, c, d;
  for (int k = 0; k < 60; ++k) {
    const Eigen::Vector2d u(1.5 + std::sin(0.15 * k), 1 + std::cos(0.33 * k));
    // First the step alone: compiled apart, the two may end Newton's iteration with one query more or less.
    queries = differenced = 0;
    REQUIRE(arm.step(x, u, next) == StepStatus::ok);
    REQUIRE(hidden.step(x, u, next_too) == StepStatus::ok);
    CHECK(next == next_too);
    const int alone = queries, alone_too = differenced;
    REQUIRE(arm.step(x, u, next, a, b) == StepStatus::ok);
    REQUIRE(hidden.step(x, u, next_too, c, d) == StepStatus::ok);
    CHECK(next == next_too);
    CHECK((differenced - alone_too) - (queries - alone) == 3);  // 1 in the place of 2 Lines
    CHECK((a - c).norm() < 1e-7 * a.norm());
    CHECK((b - d).norm() < 1e-7 * b.norm());
    x = next;
  }
}
