// SPDX-License-Identifier: BSD-3-Clause
// W, the static response of an arm to the inertia of bending, and what belongs to it: its definition, its derivatives,
// and the frequencies that it gives the arm.
#include "quoin/robots/models/soft_arm/inertial_shapes.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"
#include "small_arm.hpp"

#include <Eigen/Dense>
#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <string>

using namespace quoin;
using namespace quoin::soft_arm;

namespace {

template <int D>
Eigen::MatrixXd jet_at(const Statics<D>& statics, const Point<line_count<D>>& alpha) {
  Eigen::MatrixXd jet(statics.output_size(), jet_size(line_count<D>, 2));
  statics.evaluate_jet(2, alpha, jet);
  return jet;
}

/// A beam of drawn proportions, material and gravity.
template <int D>
Statics<D> drawn_arm(std::mt19937& random) {
  const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  BeamOptions beam{.length = between(0.3, 0.7), .cells_across = 2, .cells_along = 8};
  beam.width = beam.length * between(0.08, 0.13);
  ArmOptions<D> loads;
  loads.gravity[D - 1] = between(-1, 1);
  return Statics<D>(SoftArm<D>(make_beam<D>(beam), loads));
}

template <int D>
Point<line_count<D>> drawn_alpha(std::mt19937& random) {
  std::uniform_real_distribution<double> pull(-0.3, 2);
  return Point<line_count<D>>::NullaryExpr([&] { return pull(random); });
}

template <int D>
InertialShapes<D> inertia_of(const Statics<D>& statics) {
  return {statics, bending_directions(statics.arm(), jet_at(statics, Point<line_count<D>>::Zero()))};
}

/// d2E/dx2 of the free coordinates.
template <int D>
Eigen::MatrixXd stiffness(const SoftArm<D>& arm, const Eigen::VectorXd& x, const Point<line_count<D>>& alpha) {
  auto lower = arm.hessian_pattern();
  arm.hessian(x, alpha, lower);
  return Eigen::MatrixXd(lower).template selfadjointView<Eigen::Lower>();
}

template <int D>
void check_definition(unsigned seed) {
  constexpr int lines = line_count<D>;
  std::mt19937 random(seed);
  const Statics<D> statics = drawn_arm<D>(random);
  const SoftArm<D>& arm = statics.arm();
  const InertialShapes<D> inertia = inertia_of(statics);
  const auto& T = inertia.directions();
  const Point<lines> alpha = drawn_alpha<D>(random);
  const Eigen::MatrixXd jet = jet_at(statics, alpha), W = inertia.shapes(alpha)(arm.free_dofs(), Eigen::all),
                        J = jet(arm.free_dofs(), Eigen::seqN(1, lines)),
                        K = stiffness(arm, jet.col(0).head(arm.size()), alpha);
  const Eigen::VectorXd mass = arm.free_part(arm.mass());
  REQUIRE(T.cols() == D - 1);

  // K W differs from the inertia of bending by forces of the lines alone, and W does not move along these.
  Eigen::MatrixXd G;
  arm.length_gradients(jet.col(0).head(arm.size()), G);
  CHECK((G.transpose() * W).norm() < 1e-8 * G.norm() * W.norm());
  const Eigen::MatrixXd rest = K * W - mass.asDiagonal() * (J * T);
  const Eigen::MatrixXd of_lines = G * G.colPivHouseholderQr().solve(rest);
  CHECK((rest - of_lines).norm() < 1e-7 * rest.norm());

  Eigen::VectorXd y;
  inertia.evaluate(alpha, y);
  const InertialOutputs& at = inertia.outputs();
  REQUIRE(y.size() == at.size());
  const Eigen::MatrixXd Kq = W.transpose() * K * W;
  const int m = at.modes;
  for (int j = 0; j < m; ++j)
    for (int k = j; k < m; ++k)
      CHECK(y[at.stiffness() + second_derivative_index(m, j, k)] ==
            Approx(Kq(j, k)).epsilon(1e-7).margin(1e-9 * Kq.norm()));
  for (int j = 0; j < m; ++j) {
    const Eigen::VectorXd scaled = mass.cwiseSqrt().asDiagonal() * W.col(j);
    CHECK((Eigen::VectorXd(y.segment(j * arm.size(), arm.size())(arm.free_dofs())) - scaled).norm() <
          1e-12 * scaled.norm());
  }
  Eigen::MatrixXd HJ, HW;
  for (int k = 0; k < lines; ++k) {
    arm.length_hessian_times(jet.col(0).head(arm.size()), J.col(k), HJ);  // column l: H_l J_k
    for (int l = 0; l < lines; ++l) {
      for (int j = 0; j <= k; ++j)
        CHECK(y[at.along() + l * at.pairs() + second_derivative_index(lines, j, k)] ==
              Approx(arm.line_force() * J.col(j).dot(HJ.col(l))).epsilon(1e-9).margin(1e-12));
      for (int j = 0; j < m; ++j)
        CHECK(y[at.across() + (l * m + j) * lines + k] ==
              Approx(arm.line_force() * W.col(j).dot(HJ.col(l))).epsilon(1e-9).margin(1e-12));
    }
  }
}

template <int D>
void check_derivatives_of_shapes(unsigned seed) {
  std::mt19937 random(seed);
  const InertialShapes<D> inertia = inertia_of(drawn_arm<D>(random));
  const Point<line_count<D>> alpha = drawn_alpha<D>(random), w = drawn_alpha<D>(random);
  Eigen::VectorXd y, far, near;
  Eigen::MatrixXd J;
  inertia.evaluate(alpha, y, J);
  inertia.evaluate(alpha + 0.04 * w, far);
  inertia.evaluate(alpha + 0.01 * w, near);
  const InertialOutputs& at = inertia.outputs();
  // Each block has a size of its own.
  for (const auto& [first, count] :
       {std::pair{Eigen::Index{0}, at.stiffness()}, std::pair{at.stiffness(), at.along() - at.stiffness()},
        std::pair{at.along(), at.across() - at.along()}, std::pair{at.across(), at.size() - at.across()}}) {
    const auto remainder = [&](const Eigen::VectorXd& ahead, double h) {
      return (ahead - y - h * (J * w)).segment(first, count).norm();
    };
    const double order = std::log(remainder(far, 0.04) / remainder(near, 0.01)) / std::log(4.0);
    CAPTURE(seed, first, order);
    CHECK(order > 1.8);
  }
}

}  // namespace

TEST_CASE("the inertial shapes of drawn arms are the response to inertia that leaves the lines' lengths alone") {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    check_definition<2>(seed);
    check_definition<3>(seed);
  }
}

TEST_CASE("derivatives of inertial shapes, stiffness and tensions leave a Taylor remainder of second order") {
  for (unsigned seed = 11; seed <= 14; ++seed) {
    check_derivatives_of_shapes<2>(seed);
    check_derivatives_of_shapes<3>(seed);
  }
}

TEST_CASE(
    "with inertial shapes the arm has the first frequencies of its mesh, which shapes at rest alone do not have") {
  std::mt19937 random(21);
  for (int draw = 0; draw < 3; ++draw) {
    const Statics<3> statics = drawn_arm<3>(random);
    const SoftArm<3>& arm = statics.arm();
    const InertialShapes<3> inertia = inertia_of(statics);
    const Point<4> alpha = draw == 0 ? Point<4>::Zero() : drawn_alpha<3>(random);
    const Eigen::MatrixXd jet = jet_at(statics, alpha), K = stiffness(arm, jet.col(0).head(arm.size()), alpha),
                          J = jet(arm.free_dofs(), Eigen::seqN(1, 4));
    const Eigen::MatrixXd M = arm.free_part(arm.mass()).asDiagonal();
    const auto first_two = [&](const Eigen::MatrixXd& shapes) -> Eigen::Vector2d {
      const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> modes(
          shapes.transpose() * K * shapes, shapes.transpose() * M * shapes, Eigen::EigenvaluesOnly);
      return modes.eigenvalues().head<2>().cwiseSqrt();
    };
    const Eigen::Vector2d mesh = first_two(Eigen::MatrixXd::Identity(K.rows(), K.rows())), at_rest = first_two(J);
    Eigen::MatrixXd with_inertia(J.rows(), 6);
    with_inertia << J, inertia.shapes(alpha)(arm.free_dofs(), Eigen::all);
    CHECK((first_two(with_inertia) - mesh).norm() < 2e-3 * mesh.norm());
    CHECK((at_rest - mesh).minCoeff() > 0.15 * mesh.maxCoeff());
  }
}

TEST_CASE("in the coordinates of a basis inertial shapes are the same, projected") {
  const Statics<2> statics(small_arm<2>());
  const SoftArm<2>& arm = statics.arm();
  const ShapeBasis basis(random_matrix(arm.size(), 7, 3), arm.mass(), arm.rest());
  const InertialShapes<2> full = inertia_of(statics);
  const InertialShapes<2> projected(
      arm, full.directions(), [&](const Point<2>& alpha, Eigen::MatrixXd& jet) { jet = jet_at(statics, alpha); },
      basis);
  const Point<2> alpha(1.1, 0.2);
  Eigen::VectorXd y, z;
  Eigen::MatrixXd J, Jz;
  full.evaluate(alpha, y, J);
  projected.evaluate(alpha, z, Jz);
  const Eigen::MatrixXd rows = basis.shapes().transpose() * arm.mass().asDiagonal();
  CHECK((z.head(7) - rows * full.shapes(alpha)).norm() < 1e-12 * z.norm());
  CHECK((z.tail(full.outputs().terms()) - y.tail(full.outputs().terms())).norm() == 0);
  CHECK((Jz.bottomRows(full.outputs().terms()) - J.bottomRows(full.outputs().terms())).norm() == 0);
}

TEST_CASE("lines that do not bend the arm, and directions that are none, are told with the numbers") {
  using Catch::Matchers::Contains;
  ArmMesh<2> twins = make_beam<2>({.cells_across = 2, .cells_along = 8});
  twins.lines[1] = twins.lines[0];
  const Statics<2> twin(SoftArm<2>{twins});
  const Eigen::MatrixXd jet = jet_at(twin, Point<2>::Zero());
  CHECK_THROWS_WITH(bending_directions(twin.arm(), jet),
                    Contains("independently of each other") && Contains("least singular value"));
  const Statics<2> statics(small_arm<2>());
  const Eigen::MatrixXd good = jet_at(statics, Point<2>::Zero());
  CHECK_THROWS_WITH(bending_directions(statics.arm(), good, 3), Contains("3 modes") && Contains("2 lines"));
  CHECK_THROWS_WITH(bending_directions(statics.arm(), good.topRows(5)), Contains("5 x 6"));
  BendingDirections<2> same(2, 2);
  same << 1, 2, 1, 2;
  CHECK_THROWS_WITH((InertialShapes<2>(statics, same)), Contains("independent of each other"));
  CHECK_THROWS_AS((InertialShapes<2>(statics, BendingDirections<2>(2, 0))), std::invalid_argument);
}

TEST_CASE("where the arm has buckled there are no inertial shapes, which is told with alpha") {
  const Statics<2> statics(small_arm<2>());
  const Eigen::MatrixXd straight = jet_at(statics, Point<2>::Zero());
  const InertialShapes<2> inertia(statics.arm(), bending_directions(statics.arm(), straight),
                                  [&](const Point<2>&, Eigen::MatrixXd& jet) { jet = straight; });
  Eigen::VectorXd y;
  CHECK_NOTHROW(inertia.evaluate({0, 0}, y));
  CHECK_THROWS_AS(inertia.evaluate({-6, -6}, y), StaticsFailure);  // the straight arm under a push that bends it away
  CHECK_THROWS_WITH(inertia.evaluate({-6, -6}, y),
                    Catch::Matchers::Contains("unstable") && Catch::Matchers::Contains("-6"));
}
