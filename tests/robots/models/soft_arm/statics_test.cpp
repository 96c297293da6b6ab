// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/soft_arm/statics.hpp"

#include "quoin/map/differentiable_map.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "testing/refused_options.hpp"
#include "testing/taylor.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Cholesky>

#include <random>
#include <thread>

using namespace quoin::soft_arm;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector4d;
using Eigen::VectorXd;

static_assert(quoin::TryableMap<Statics<2>, 2>);
static_assert(quoin::TryableMap<Statics<3>, 4>);

namespace {

double difference(const VectorXd& a, const VectorXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

Vector4d random_controls(std::mt19937& random, double lower, double upper) {
  std::uniform_real_distribution<double> value(lower, upper);
  Vector4d u;
  for (int k = 0; k < 4; ++k) u[k] = value(random);
  return u;
}

// w/L, u/L and tip angle under a dead tip load: a beam of slenderness 20 in the plane, nu = 0 (a plane beam is then an
// Euler-Bernoulli beam apart from its shear, 0.15 % here), n cells across.
Eigen::Vector3d elastica(double load, int n) {
  auto mesh = make_beam<2>({.length = 1,
                            .width = 0.05,
                            .cells_across = n,
                            .cells_along = 10 * n,
                            .young = 1,
                            .stiff_every = 0,
                            .stiff_cap = false,
                            .poisson = 0});
  const double bending = std::pow(0.05, 3) * mesh.thickness / 12;
  mesh.line_force = 100 * bending;
  ArmOptions<2> options;
  options.dead_load.setZero(mesh.vertices.size());
  for (int vertex : mesh.tip) options.dead_load[2 * vertex] = load * bending / static_cast<double>(mesh.tip.size());
  const Statics<2> statics{SoftArm<2>(mesh, options)};
  VectorXd y;
  statics.evaluate(Vector2d::Zero(), y);
  const VectorXd tip = statics.arm().tip_rows() * y;
  return {tip[0], 1 - tip[1], std::atan2(tip[0] - tip[2], tip[1] - tip[3])};
}

// Rotation between the quarter and the three-quarter section of a beam pulled by a straight cable at offset d, and the
// mean stretch between them, away from the effects of the anchors on the ends (Saint-Venant).
Vector2d cable_beam(double tension, int n) {
  const double length = 0.2, axial = 100, bending = 0.01, offset = 0.01;
  const double width = std::sqrt(12 * bending / axial);
  auto mesh = make_beam<2>({.length = length,
                            .width = width,
                            .cells_across = n,
                            .cells_along = 4 * n,
                            .young = axial / (width * width),
                            .stiff_every = 0,
                            .stiff_cap = true,
                            .poisson = 0,
                            .line_force = tension});
  // Columns of vertices at a quarter of the width from the middle are moved to the cable's offset.
  for (int v = 0; v < mesh.vertices.cols(); ++v) {
    double& x = mesh.vertices(0, v);
    const double side = x < 0 ? -1 : 1, r = std::abs(x), quarter = width / 4;
    x = side *
        (r < quarter ? r * offset / quarter : offset + (r - quarter) * (width / 2 - offset) / (width / 2 - quarter));
  }
  const int row = n + 1;
  for (int line = 0; line < 2; ++line)
    for (int k = 0; k <= 4 * n; ++k) mesh.lines[line][k] = k * row + (line == 0 ? n / 4 : 3 * n / 4);
  const Statics<2> statics{SoftArm<2>(mesh)};
  VectorXd y;
  statics.evaluate(Vector2d(0, 1), y);
  const auto section = [&](int k) {
    const Vector2d left = y.segment<2>(2 * k * row), right = y.segment<2>(2 * (k * row + n));
    const Vector2d across = right - left;
    return std::pair(std::atan2(-across[1], across[0]), Vector2d(y.segment<2>(2 * (k * row + n / 2))));
  };
  const auto [first, from] = section(n);
  const auto [last, to] = section(3 * n);
  const double angle = last - first;
  const double arc = (to - from).norm() * (angle / 2) / std::sin(angle / 2);
  return {angle, arc / (length / 2)};
}

}  // namespace

TEST_CASE("the elastica under a dead tip load is met, with an error of second order in the mesh") {
  struct Row {
    double load;
    Eigen::Vector3d exact;
  };
  // Bisshopp, Drucker 1945; computed to six figures.
  for (const Row& row : {Row{1, {0.301721, 0.056433, 0.461352}}, Row{5, {0.713792, 0.387628, 1.215368}}}) {
    const Eigen::Vector3d coarse = elastica(row.load, 8);
    const Eigen::Vector3d middle = elastica(row.load, 16), fine = elastica(row.load, 32);
    for (int i = 0; i < 3; ++i) {
      CAPTURE(row.load, i, coarse[i], middle[i], fine[i]);
      const double order = std::log2((middle[i] - coarse[i]) / (fine[i] - middle[i]));
      CHECK(order > 1.8);
      CHECK(order < 2.2);
      // After the discretization error is removed, shear and stretch remain, 0.4 % at this slenderness.
      CHECK(std::abs(fine[i] + (fine[i] - middle[i]) / 3 - row.exact[i]) < 5e-3 * row.exact[i]);
      CHECK(std::abs(fine[i] - row.exact[i]) < 0.02 * row.exact[i]);
    }
  }
}

TEST_CASE("a cable at an offset bends the beam to constant curvature and shortens it, with an error of second order") {
  // kappa = T d / EI = 1 / m over 0.1 m, stretch 1 - T / EA.
  const Vector2d exact(0.1, 0.99);
  const Vector2d coarse = cable_beam(1, 4), middle = cable_beam(1, 8), fine = cable_beam(1, 16);
  CAPTURE(coarse, middle, fine);
  const Vector2d limit = fine + (fine - middle) / 3;
  CHECK(std::abs(limit[0] - exact[0]) < 0.02 * exact[0]);
  CHECK(std::abs(limit[1] - exact[1]) < 5e-4);
  const double order = std::log2((coarse[0] - middle[0]) / (middle[0] - fine[0]));
  CHECK(order > 1.5);
  CHECK(order < 2.5);
}

TEST_CASE("the mesh's stiffness against Euler-Bernoulli is what is documented: 0.43, 0.74, 0.86, 0.91") {
  // Independent figures of the same beam, elements and Poisson's ratio 0.4: 2, 4, 6, 8 cells across.
  const double documented[] = {0.43, 0.74, 0.86};
  for (int i = 0; i < 3; ++i) {
    const int n = 2 * (i + 1);
    const Statics<3> statics{SoftArm<3>(make_beam<3>({.cells_across = n, .cells_along = 5 * n, .stiff_every = 0}))};
    VectorXd y;
    MatrixXd J;
    statics.evaluate(Vector4d::Zero(), y, J);
    const VectorXd tip = statics.arm().tip_rows() * J.col(0);
    // The cap bends ten times less.
    const double angle = (tip.head(2) - tip.segment(3, 2)).norm() / (0.5 / (5 * n)) / (1 - 0.9 / (5 * n));
    CHECK(angle == Approx(documented[i]).margin(0.006));
  }
}

TEST_CASE("the lengths' Jacobian is symmetric and negative semi-definite") {
  const Statics<3> statics{SoftArm<3>(make_beam<3>())};
  VectorXd y;
  MatrixXd J;
  statics.evaluate({1.5, 0.2, 0.4, 1}, y, J);
  const Eigen::Matrix4d lengths = J.bottomRows<4>();
  CHECK((lengths - lengths.transpose()).norm() < 1e-10 * lengths.norm());
  CHECK((lengths.diagonal().array() < 0).all());
  CHECK(lengths.llt().info() == Eigen::NumericalIssue);
  CHECK((-lengths).llt().info() == Eigen::Success);
}

TEST_CASE("f_s is as symmetric as the arm") {
  const Statics<3> statics{SoftArm<3>(make_beam<3>())};
  VectorXd y, mirrored;
  // Mirroring x swaps lines 1 and 2, 3 and 4.
  statics.evaluate({1.5, 0.2, 0.4, 1}, y);
  statics.evaluate({0.2, 1.5, 1, 0.4}, mirrored);
  const VectorXd tip = statics.arm().tip_rows() * y, other = statics.arm().tip_rows() * mirrored;
  CHECK((tip - Vector4d(-1, 1, 1, 0).head<3>().replicate(2, 1).cwiseProduct(other)).norm() < 1e-11);
  CHECK((y.tail<4>() - Vector4d(mirrored[1576], mirrored[1575], mirrored[1578], mirrored[1577])).norm() < 1e-11);
}

TEST_CASE("cold, continued and disturbed starts agree to what the map promises, all over its range") {
  const SoftArm<3> arm(make_beam<3>({.cells_across = 2, .cells_along = 10}));
  const Statics<3> cold(arm), warm(arm);
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 1e-3);
  VectorXd y, z;
  MatrixXd J, K;
  for (int sample = 0; sample < 60; ++sample) {
    const Vector4d alpha = random_controls(random, -1.5, 6);
    CAPTURE(alpha.transpose());
    cold.forget();
    REQUIRE(cold.solve(alpha, y, &J).status == StaticsStatus::ok);
    REQUIRE(warm.solve(alpha, z, &K).status == StaticsStatus::ok);
    CHECK(difference(z, y) < warm.traits().repeatable_to);
    CHECK((K - J).cwiseAbs().maxCoeff() < 10 * warm.traits().repeatable_to * J.cwiseAbs().maxCoeff());
    VectorXd start = y.head(arm.size());
    for (int dof : arm.free_dofs()) start[dof] += noise(random);
    const auto from = warm.solve_from(start, alpha, z);
    REQUIRE(from.status == StaticsStatus::ok);
    CHECK(difference(z, y) < warm.traits().repeatable_to);
  }
}

TEST_CASE("a long way is walked in steps: one tangent over all of it may land on another equilibrium") {
  const SoftArm<3> arm(make_beam<3>({.cells_across = 2, .cells_along = 10}));
  const Statics<3> statics(arm);
  VectorXd y;
  const auto far = statics.solve({6, 0, 0, 3}, y);
  CHECK(far.status == StaticsStatus::ok);
  CHECK(far.continuation_steps >= 12);
  const auto near = statics.solve({5.6, 0.4, 0, 3}, y);
  CHECK(near.continuation_steps == 1);
  const auto back = statics.solve({4.5, 0, 0, 3}, y);
  CHECK(back.continuation_steps >= 3);
}

TEST_CASE("a query at exactly a remembered point is a lookup, and copies share what is remembered") {
  const Statics<2> statics{SoftArm<2>(make_beam<2>())};
  const Statics<2> copy = statics;
  VectorXd y, again;
  MatrixXd J, J_again;
  statics.evaluate({1, 0.5}, y, J);
  CHECK(statics.solves() == 1);
  CHECK(statics.newton_iterations() > 0);
  copy.evaluate({1, 0.5}, again, J_again);
  CHECK(copy.solves() == 1);
  CHECK(again == y);
  CHECK(J_again == J);
  statics.forget();
  copy.evaluate({1, 0.5}, again);
  CHECK(statics.solves() == 2);
  CHECK(difference(again, y) < statics.traits().repeatable_to);
}

TEST_CASE("memory is bounded, and no memory at all still solves") {
  for (const int remembered : {0, 2}) {
    const Statics<2> statics{SoftArm<2>(make_beam<2>()), {.remembered = remembered}};
    VectorXd y;
    for (const double u : {0.5, 1.0, 1.5, 0.5}) statics.evaluate({u, 0.2}, y);
    CHECK(statics.solves() == 4);
  }
}

TEST_CASE("many threads get the answers of one") {
  const SoftArm<2> arm(make_beam<2>());
  const Statics<2> alone(arm), shared(arm);
  std::vector<VectorXd> answers(32);
  const auto at = [](int i) { return Vector2d(0.1 * i, 2 - 0.05 * i); };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = t; i < 32; i += 4) shared.evaluate(at(i), answers[i]);
    });
  for (auto& thread : threads) thread.join();
  VectorXd y;
  for (int i = 0; i < 32; ++i) {
    alone.evaluate(at(i), y);
    CHECK(difference(answers[i], y) < alone.traits().repeatable_to);
  }
}

TEST_CASE("a load without solution is reported as such, by status and by exception") {
  const Statics<3> statics{SoftArm<3>(make_beam<3>({.cells_across = 2, .cells_along = 10}))};
  const Vector4d pull(1000, 0, 0, 0);
  VectorXd y = VectorXd::Constant(3, 7);
  MatrixXd J;
  const auto result = statics.solve(pull, y);
  CHECK(result.status != StaticsStatus::ok);
  CHECK(y == VectorXd::Constant(3, 7));
  CHECK(statics.try_evaluate(pull, y, J).trust == quoin::Trust::failed);
  CHECK_THROWS_AS(statics.evaluate(pull, y), StaticsFailure);
  CHECK_THROWS_WITH(statics.evaluate(pull, y), Catch::Contains("alpha = (1000, 0, 0, 0)"));
  CHECK_THROWS_AS(statics.evaluate(Vector4d(std::nan(""), 0, 0, 0), y), std::invalid_argument);
  CHECK(statics.try_evaluate(Vector4d(std::nan(""), 0, 0, 0), y, J).trust == quoin::Trust::failed);
  // A failure does not spoil later solutions.
  CHECK(statics.solve({1, 0, 0, 0}, y).status == StaticsStatus::ok);
}

TEST_CASE("pushing lines buckle the standard arm between -1.75 and -1.8: beyond, no equilibrium is given") {
  const Statics<3> statics{SoftArm<3>(make_beam<3>())};
  VectorXd y;
  CHECK(statics.solve(Vector4d::Constant(-1.75), y).status == StaticsStatus::ok);
  for (const double push : {-1.8, -2.5}) {
    CHECK(statics.solve(Vector4d::Constant(push), y).status == StaticsStatus::unstable);
    statics.forget();
    CHECK(statics.solve(Vector4d::Constant(push), y).status == StaticsStatus::unstable);
  }
}

TEST_CASE("an upright arm buckles under its own weight where Greenhill says, up to its mesh's excess of stiffness") {
  // q L^3 / EI = 7.837 (Greenhill 1881), plane strain: EI = E W^3 t / (12 (1 - nu^2)), q = rho g W t.
  const auto stands = [](double ratio) {
    BeamOptions beam{.stiff_every = 0, .stiff_cap = false, .poisson = 0};
    beam.young = 12 * 1000 * 9.81 * std::pow(0.5, 3) / (ratio * 0.05 * 0.05);
    ArmOptions<2> options;
    options.gravity[1] = -9.81;
    const Statics<2> statics{SoftArm<2>(make_beam<2>(beam), options)};
    VectorXd y;
    // Started from the straight shape, Newton stays on it by symmetry.
    return statics.solve_from(statics.arm().rest(), Vector2d::Zero(), y).status == StaticsStatus::ok &&
           std::abs((statics.arm().tip_rows() * y)[0]) < 1e-6;
  };
  CHECK(stands(7.0));
  CHECK_FALSE(stands(7.837 * 2.2));
}

TEST_CASE("an equilibrium with an element turned inside out is refused") {
  const SoftArm<2> arm(make_beam<2>({.cells_across = 2, .cells_along = 4}));
  // An edge vertex pushed through its neighbours.
  ArmOptions<2> options;
  options.dead_load.setZero(arm.size());
  options.dead_load[2 * 6 + 1] = -3000;
  const Statics<2> loaded{SoftArm<2>(arm.mesh(), options), {.tolerance = 1e-7}};
  VectorXd y;
  CHECK(loaded.solve_from(arm.rest(), Vector2d::Zero(), y).status == StaticsStatus::inverted);
}

TEST_CASE("options of Statics that mean nothing are refused with their name") {
  using Options = quoin::soft_arm::StaticsOptions;
  const SoftArm<2> arm(make_beam<2>({.cells_across = 2, .cells_along = 4}));
  quoin::test::RefusedOptions("Statics", Options{}, [&](const Options& o) { Statics<2>(arm, o); })
      .positive("tolerance", &Options::tolerance)
      .positive("continuation_step", &Options::continuation_step)
      .not_negative("taylor_step", &Options::taylor_step)
      .positive("iterations", &Options::iterations)
      .not_negative("remembered", &Options::remembered)
      .not_negative("remembered_jets", &Options::remembered_jets);
}
