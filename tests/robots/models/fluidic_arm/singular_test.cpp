// SPDX-License-Identifier: BSD-3-Clause
// What `ok` of an arm's acceleration promises: that rounding does not determine it.
#include "quoin/robots/models/fluidic_arm/arm_over_map.hpp"
#include "testing/drawn.hpp"
#include "testing/robots/fluidic_arms.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace quoin::fluidic_arm::test {
namespace {

/// Of a matrix whose rows and columns are divided by the roots of its diagonal; infinite where that is not definite.
double condition_in_sizes(const Matrix& M) {
  const Vector root = M.diagonal().cwiseSqrt();
  const Matrix scaled = M.cwiseQuotient(root * root.transpose());
  if (!scaled.allFinite()) return std::numeric_limits<double>::infinity();
  const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(scaled).eigenvalues();
  return values[0] > 0 ? values[values.size() - 1] / values[0] : std::numeric_limits<double>::infinity();
}

/// A mass matrix that is the same everywhere, in a world without gravity.
struct ConstantMass {
  Matrix M;
  Eigen::Index output_size() const { return 9; }
  Answer evaluate(const Point<3>&, Vector& y) const {
    y.setZero(9);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j) y[MassGravityMap<3>::mass(i, j)] = M(i, j);
    return {};
  }
  Answer evaluate(const Point<3>& q, Vector& y, Matrix& J) const {
    J.setZero(9, 3);
    return evaluate(q, y);
  }
};

}  // namespace

TEST_CASE("an arm over a map is singular where its mass matrix is not definite or beyond 1e12, and ok below 1e9") {
  std::mt19937 generator(quoin::test::seed_wanted() + 80);
  std::uniform_real_distribution<double> uniform, decades(-3, 3);
  const int draws = quoin::test::draws_wanted(2000);
  int well = 0, ill = 0, wrong_ok = 0, wrong_singular = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const Matrix Q = Eigen::HouseholderQR<Matrix>(random_vector(generator, 9, 1).reshaped(3, 3)).householderQ();
    Vector values(3);
    values << 1, uniform(generator), std::pow(10, -18 * uniform(generator));
    if (draw % 4 == 0) values[2] *= -1;
    Vector unit(3);
    for (double& u : unit) u = std::pow(10, decades(generator));
    Matrix M = unit.asDiagonal() * Q * values.asDiagonal() * Q.transpose() * unit.asDiagonal();
    M = (0.5 * (M + M.transpose())).eval();
    const double condition = condition_in_sizes(M);
    const ArmOverMap<3, ConstantMass> arm({M}, {.segments = std::vector<Segment>(3), .passive_segments = 0});
    const Vector wanted = unit.cwiseInverse().cwiseProduct(random_vector(generator, 3, 1));
    Vector rate;
    const StepStatus status = arm.rate(Vector::Zero(6), M * wanted, rate);
    well += condition < 1e9;
    ill += condition > 1e12;
    wrong_singular += condition < 1e9 && status != StepStatus::ok;
    wrong_ok += condition > 1e12 && status == StepStatus::ok;
    CAPTURE(draw, condition);
    if (status == StepStatus::ok)
      CHECK((rate.tail(3) - wanted).cwiseProduct(unit).norm() < 1e-2 * wanted.cwiseProduct(unit).norm());
  }
  INFO(wrong_ok << " of " << ill << " ill ones ok, " << wrong_singular << " of " << well << " well ones singular");
  CHECK(wrong_ok == 0);
  CHECK(wrong_singular == 0);
  CHECK(ill > draws / 5);
  CHECK(well > draws / 5);
}

TEST_CASE("a drawn arm is singular where its mass matrix is beyond 1e12, and ok below 1e9, with digits left") {
  std::mt19937 generator(quoin::test::seed_wanted() + 90);
  std::uniform_real_distribution<double> uniform;
  const int draws = quoin::test::draws_wanted(1500);
  int well = 0, ill = 0, wrong_ok = 0, wrong_singular = 0;
  for (int draw = 0; draw < draws; ++draw) {
    ArmDescription description{.mass_model = all_mass_models[draw % 3], .passive_segments = 0};
    const double metre = std::pow(10, 6 * uniform(generator) - 3), light = std::pow(10, -14 * uniform(generator));
    const int n = 2 + draw % 7;
    for (int i = 0; i < n; ++i)
      description.segments.push_back(
          {.length = metre * (0.5 + uniform(generator)), .mass = (0.1 + uniform(generator)) * (i % 2 ? light : 1)});
    if (draw % 10 == 0) description.segments.back().mass = 0;
    const FluidicArm arm(description);
    Vector x = Vector::Zero(2 * n);
    x.head(n) = random_vector(generator, n, std::pow(10, -6 * uniform(generator)));
    const Matrix M = arm.mass_matrix(x.head(n));
    const double condition = condition_in_sizes(M);
    const Vector wanted = random_vector(generator, n, 1);
    Vector forces, rate;
    REQUIRE(arm.inverse_dynamics(x.head(n), x.tail(n), wanted, forces) == StepStatus::ok);
    const StepStatus status = arm.rate(x, forces, rate);
    well += condition < 1e9;
    ill += condition > 1e12;
    wrong_singular += condition < 1e9 && status != StepStatus::ok;
    wrong_ok += condition > 1e12 && status == StepStatus::ok;
    CAPTURE(draw, condition, n);
    // Gravity is a part of the forces: its rounding is, too.
    if (status == StepStatus::ok && condition < 1e9) CHECK((rate.tail(n) - wanted).norm() < 1e-2 * (1 + 10 / metre));
  }
  INFO(wrong_ok << " of " << ill << " ill ones ok, " << wrong_singular << " of " << well << " well ones singular");
  CHECK(wrong_ok == 0);
  CHECK(wrong_singular == 0);
  CHECK(ill > draws / 20);
  CHECK(well > draws / 5);
}

}  // namespace quoin::fluidic_arm::test
