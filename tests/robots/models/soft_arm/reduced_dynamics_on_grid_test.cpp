// SPDX-License-Identifier: BSD-3-Clause
// The plane arm's reduced dynamics on a real grid.
#include "quoin/quoin.hpp"
#include "quoin/robots/dynamics/reduced_dynamics.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/mass_scaled_map.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin;
using namespace quoin::soft_arm;

namespace {

using Shapes = MassScaledMap<2, Statics<2>>;
using OnGrid = ReducedDynamics<2, GridView<2>>;

const Shapes& shapes() {
  static const Statics<2> statics{SoftArm<2>(make_beam<2>())};
  static const Shapes map(statics, statics.arm().mass());
  return map;
}

ReducedDynamicsOptions options() {
  ReducedDynamicsOptions o;
  o.time_step = 0.04;
  o.force_scale = shapes().map().arm().line_force();
  o.stiffness_damping = 0.05;
  o.derivative = StepDerivative::exact;
  return o;
}

AdaptiveGrid<2> grid(double spacing) {
  GridOptions<2> o;
  o.spacing.setConstant(spacing);
  o.lower.setConstant(-1.5);
  o.upper.setConstant(6);
  return AdaptiveGrid<2>(shapes(), o);
}

struct Derivatives {
  Eigen::VectorXd next;
  Eigen::MatrixXd by_all;  // 4 x 6
};

template <class Dynamics>
Derivatives derivatives(const Dynamics& dynamics, const Eigen::VectorXd& z) {
  Derivatives d;
  Eigen::MatrixXd dx, du;
  REQUIRE(dynamics.step(z.head(4), z.tail(2), d.next, dx, du) == StepStatus::ok);
  d.by_all.resize(4, 6);
  d.by_all << dx, du;
  return d;
}

double remainder(const OnGrid& dynamics, const Eigen::VectorXd& z, const Derivatives& at, const Eigen::VectorXd& w,
                 double h) {
  Eigen::VectorXd next;
  const Eigen::VectorXd ahead = z + h * w;
  REQUIRE(dynamics.step(ahead.head(4), ahead.tail(2), next) == StepStatus::ok);
  return (next - at.next - h * (at.by_all * w)).norm();
}

}  // namespace

TEST_CASE(
    "a step's derivatives on a grid leave a Taylor remainder of second order inside a cell and across its faces") {
  const auto surrogate = grid(0.25);
  const OnGrid dynamics(surrogate.at_level(0), shapes().coordinates(), options());
  // Inside: alpha around 0.62; across: the step from 0.74 ends at about 0.75, a face of the cells, on either axis.
  for (const double alpha : {0.62, 0.742}) {
    Eigen::VectorXd z(6), w(6);
    z << alpha, alpha + 0.003, alpha - 0.006, alpha - 0.004, alpha + 0.02, alpha + 0.01;
    w << 0.4, -0.3, 0.2, 0.5, -0.6, 0.3;
    const Derivatives at = derivatives(dynamics, z);
    // Above h = 1e-2 the jump of the gradient across a face, of the order of its error, is hidden by curvature.
    const double order = std::log2(remainder(dynamics, z, at, w, 0.08) / remainder(dynamics, z, at, w, 0.01)) / 3;
    CHECK(order > 1.8);
    CHECK(order < 2.3);
  }
}

TEST_CASE("a step on the grid tends to the exact step, itself and its derivatives, at third order or better") {
  const ReducedDynamics<2, Shapes> exact(shapes(), shapes().coordinates(), options());
  const auto surrogate = grid(0.5);
  double state[3] = {}, jacobian[3] = {};
  for (int i = 0; i < 12; ++i) {
    Eigen::VectorXd z(6);
    const double a = 0.31 + 0.11 * i, b = 1.47 - 0.09 * i;
    z << a, b, a - 0.01, b + 0.02, a + 0.3, b - 0.2;
    const Derivatives truth = derivatives(exact, z);
    for (int level = 0; level < 3; ++level) {
      const OnGrid dynamics(surrogate.at_level(level), shapes().coordinates(), options());
      const Derivatives d = derivatives(dynamics, z);
      state[level] = std::max(state[level], (d.next - truth.next).norm());
      jacobian[level] = std::max(jacobian[level], (d.by_all - truth.by_all).norm());
    }
  }
  // The step's equation holds the Jacobian of the shapes, which is of third order.
  const double state_order = std::log2(state[0] / state[2]) / 2;
  const double jacobian_order = std::log2(jacobian[0] / jacobian[2]) / 2;
  CHECK(state_order > 2.8);
  CHECK(state_order < 4.2);
  CHECK(jacobian_order > 2.6);
  CHECK(jacobian_order < 3.4);
  CHECK(state[2] < 1e-6);
}
