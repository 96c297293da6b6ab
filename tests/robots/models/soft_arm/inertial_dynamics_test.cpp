// SPDX-License-Identifier: BSD-3-Clause
// The dynamics of an arm that its own inertia bends: against the mesh in motion, its derivatives, its energy.
#include "quoin/robots/dynamics/inertial_dynamics.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/robots/dynamics/reduced_dynamics.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/full_dynamics.hpp"
#include "quoin/robots/models/soft_arm/inertial_shapes.hpp"
#include "quoin/robots/models/soft_arm/mass_scaled_map.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"
#include "small_arm.hpp"

#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

using namespace quoin;
using namespace quoin::soft_arm;

namespace {

template <int D>
struct ArmModels {
  static constexpr int lines = line_count<D>;
  using Maps = MassScaledMap<lines, Statics<D>>;

  Statics<D> statics;
  Maps maps{statics, statics.arm().mass()};
  InertialShapes<D> inertia{statics, [&] {
                              Eigen::MatrixXd jet(statics.output_size(), jet_size(lines, 2));
                              statics.evaluate_jet(2, Point<lines>::Zero(), jet);
                              return bending_directions(statics.arm(), jet);
                            }()};

  explicit ArmModels(const SoftArm<D>& arm) : statics(arm) {}

  ReducedDynamicsOptions with_force(ReducedDynamicsOptions options) const {
    options.force_scale = statics.arm().line_force();
    return options;
  }
  InertialDynamics<lines, Maps, InertialShapes<D>> inertial(const ReducedDynamicsOptions& options) const {
    return {maps, inertia, maps.coordinates(), inertia.directions(), with_force(options)};
  }
  ReducedDynamics<lines, Maps> at_rest(const ReducedDynamicsOptions& options) const {
    return {maps, maps.coordinates(), with_force(options)};
  }

  /// x = f(alpha) + W(alpha) q.
  Eigen::VectorXd shape(const Eigen::VectorXd& state, Eigen::Index modes) const {
    Eigen::VectorXd y;
    statics.evaluate(Point<lines>(state.head(lines)), y);
    Eigen::VectorXd x = y.head(statics.arm().size());
    if (modes > 0) x += inertia.shapes(state.head(lines)) * state.segment(lines, modes);
    return x;
  }
};

/// The largest distance of tips, m, from the mesh in motion, over pulls that rise smoothly within `rise` seconds.
template <int D, class Dynamics>
double tip_error(const ArmModels<D>& models, const Dynamics& dynamics, const Point<line_count<D>>& pulls, double rise) {
  constexpr int lines = line_count<D>;
  const SoftArm<D>& arm = models.statics.arm();
  const auto& options = dynamics.options();
  const int steps = static_cast<int>(std::lround(2.5 * rise / options.time_step));
  Eigen::MatrixXd controls(lines, steps);
  for (int i = 0; i < steps; ++i) {
    const double s = std::min(1.0, (i + 1) * options.time_step / rise);
    controls.col(i) = s * s * (3 - 2 * s) * pulls;
  }
  const Eigen::VectorXd rest = models.shape(Eigen::VectorXd::Zero(2 * lines), 0);
  const FullDynamics<D> full(arm, {.time_step = options.time_step,
                                   .stiffness_damping = options.stiffness_damping,
                                   .mass_damping = options.mass_damping});
  const auto truth = full.rollout(rest, rest, controls);
  REQUIRE(truth.steps == steps);
  const Eigen::MatrixXd tip = arm.tip_rows().topRows(D).leftCols(arm.size());
  Eigen::VectorXd x = Eigen::VectorXd::Zero(dynamics.state_size()), next;
  double worst = 0;
  for (int i = 0; i < steps; ++i) {
    REQUIRE(dynamics.step(x, controls.col(i), next) == StepStatus::ok);
    x = next;
    worst =
        std::max(worst, (tip * (models.shape(x, dynamics.state_size() / 2 - lines) - truth.position(i + 1))).norm());
  }
  return worst;
}

template <int D>
Point<line_count<D>> drawn_pulls(std::mt19937& random) {
  std::uniform_real_distribution<double> pull(0, 1.5);
  return Point<line_count<D>>::NullaryExpr([&] { return pull(random); });
}

template <int D>
void check_derivatives_of_step(unsigned seed, const ReducedDynamicsOptions& options) {
  constexpr int lines = line_count<D>;
  const ArmModels<D> models(small_arm<D>());
  const auto dynamics = models.inertial(options);
  const Eigen::Index n = dynamics.size(), m = dynamics.modes();
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto drawn = [&](Eigen::Index count, double scale) -> Eigen::VectorXd {
    return Eigen::VectorXd::NullaryExpr(count, [&] { return scale * normal(random); });
  };
  Eigen::VectorXd x(2 * n);
  x << drawn_pulls<D>(random), drawn(m, 0.05), Eigen::VectorXd::Zero(n);
  x.tail(n) = x.head(n) + drawn(n, 0.01);
  const Eigen::VectorXd u = drawn_pulls<D>(random), dx = drawn(2 * n, 0.1), du = drawn(lines, 0.1);
  Eigen::VectorXd at, ahead;
  Eigen::MatrixXd by_x, by_u;
  REQUIRE(dynamics.step(x, u, at, by_x, by_u) == StepStatus::ok);
  double remainder[2];
  for (int k = 0; k < 2; ++k) {
    const double h = k == 0 ? 0.08 : 0.02;
    REQUIRE(dynamics.step(x + h * dx, u + h * du, ahead) == StepStatus::ok);
    remainder[k] = (ahead - at - h * (by_x * dx + by_u * du)).norm();
  }
  const double order = std::log(remainder[0] / remainder[1]) / std::log(4.0);
  CAPTURE(seed, order);
  if (options.derivative == StepDerivative::exact) {
    CHECK(order > 1.8);
  } else {  // of the first order, but small, even in motions as violent as these
    CHECK(remainder[1] < 0.1 * 0.02 * (by_x * dx + by_u * du).norm());
  }
}

}  // namespace

TEST_CASE("smooth motions of the arm that its inertia bends are those of the mesh, which shapes at rest miss by far") {
  std::mt19937 random(5);
  for (const double damping : {0.0, 0.05}) {
    const ReducedDynamicsOptions options{.time_step = 0.02, .stiffness_damping = damping, .tolerance = 1e-9};
    for (int draw = 0; draw < 3; ++draw) {
      const ArmModels<2> plane(small_arm<2>());
      const ArmModels<3> space(small_arm<3>());
      const Point<2> pulls2 = drawn_pulls<2>(random);
      const Point<4> pulls3 = drawn_pulls<3>(random);
      CAPTURE(damping, pulls2.transpose(), pulls3.transpose());
      CHECK(tip_error(plane, plane.inertial(options), pulls2, 1) <
            0.1 * tip_error(plane, plane.at_rest(options), pulls2, 1));
      CHECK(tip_error(space, space.inertial(options), pulls3, 1) <
            0.1 * tip_error(space, space.at_rest(options), pulls3, 1));
    }
  }
}

TEST_CASE("the same under gravity and with mass damping") {
  ArmOptions<3> loads;
  loads.gravity << 2, 0, -4;
  const ArmModels<3> models(SoftArm<3>(make_beam<3>({.cells_across = 2, .cells_along = 10}), loads));
  const ReducedDynamicsOptions options{
      .time_step = 0.02, .stiffness_damping = 0.03, .mass_damping = 1.5, .tolerance = 1e-9};
  const Point<4> pulls(1.2, 0.2, 0.1, 0.6);
  CHECK(tip_error(models, models.inertial(options), pulls, 1) <
        0.1 * tip_error(models, models.at_rest(options), pulls, 1));
}

TEST_CASE("derivatives of a step are exact where asked for, and nearly so as Gauss and Newton take them") {
  for (unsigned seed = 1; seed <= 4; ++seed)
    for (const StepDerivative derivative : {StepDerivative::exact, StepDerivative::gauss_newton})
      for (const double damping : {0.0, 0.05}) {
        const ReducedDynamicsOptions options{.time_step = 0.04,
                                             .stiffness_damping = damping,
                                             .mass_damping = 0.5,
                                             .tolerance = 1e-12,
                                             .derivative = derivative};
        check_derivatives_of_step<2>(seed, options);
        check_derivatives_of_step<3>(seed, options);
      }
}

TEST_CASE("at rest it stays at rest, and the states at rest are those of the shapes") {
  const ArmModels<2> models(small_arm<2>());
  const auto dynamics = models.inertial({.time_step = 0.04, .stiffness_damping = 0.05});
  const Point<2> u(1.3, 0.4);
  const Eigen::VectorXd x = dynamics.rest_state(u);
  Eigen::VectorXd next;
  REQUIRE(dynamics.step(x, u, next) == StepStatus::ok);
  CHECK((next - x).norm() < 1e-8);
}

TEST_CASE("energy does not grow under constant pulls") {
  const ArmModels<2> models(small_arm<2>());
  const SoftArm<2>& arm = models.statics.arm();
  std::mt19937 random(9);
  for (const double damping : {0.0, 0.05}) {
    const double dt = 0.02;
    const auto dynamics = models.inertial({.time_step = dt, .stiffness_damping = damping, .tolerance = 1e-11});
    const Point<2> u = drawn_pulls<2>(random);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(dynamics.state_size()), next, y, w;
    const auto energy = [&] {  // of the last step's motion, and of the potential that the model has
      const Point<2> alpha = x.head<2>();
      const double q = x[2];
      models.statics.evaluate(alpha, y);
      models.inertia.evaluate(alpha, w);
      const double Kq = w[models.inertia.outputs().stiffness()];
      const Eigen::VectorXd velocity = (models.shape(x, 1) - models.shape(x.tail(3), 1)) / dt;
      return velocity.dot(arm.mass().cwiseProduct(velocity)) / 2 + arm.energy(y.head(arm.size()), alpha) +
             arm.line_force() * (u - alpha).dot(y.tail(2)) + Kq * q * q / 2;
    };
    double last = energy();
    const double scale = std::abs(last);
    for (int i = 0; i < 100; ++i) {
      REQUIRE(dynamics.step(x, u, next) == StepStatus::ok);
      x = next;
      const double now = energy();
      CHECK(now < last + 1e-9 * scale);
      last = now;
    }
  }
}

TEST_CASE("inertial dynamics refuse maps and states whose sizes do not belong together, with the sizes") {
  using Catch::Matchers::Contains;
  const ArmModels<2> models(small_arm<2>());
  using Dynamics = InertialDynamics<2, ArmModels<2>::Maps, InertialShapes<2>>;
  const auto& T = models.inertia.directions();
  const Eigen::Index n = models.maps.coordinates();
  CHECK_THROWS_WITH((Dynamics(models.maps, models.inertia, n + 3, T)),
                    Contains(std::to_string(n + 3) + " coordinates"));
  BendingDirections<2> two(2, 2);
  two << 1, 0, 0, 1;
  CHECK_THROWS_WITH((Dynamics(models.maps, models.inertia, n, two)), Contains("2 modes"));
  CHECK_THROWS_WITH((Dynamics(models.maps, models.inertia, n, T, {.time_step = -1})), Contains("time_step = -1"));
  const Dynamics dynamics(models.maps, models.inertia, n, T);
  Eigen::VectorXd next;
  CHECK_THROWS_WITH(dynamics.step(Eigen::VectorXd::Zero(4), Eigen::VectorXd::Zero(2), next),
                    Contains("wanted 6 and 2"));
}
