// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/soft_arm/shape_basis.hpp"
#include "quoin/robots/models/soft_arm/mass_scaled_map.hpp"
#include "small_arm.hpp"
#include "toy_arm.hpp"

#include <Eigen/QR>
#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin;
using namespace quoin::soft_arm;
using quoin::soft_arm::test::CellwiseMap;
using quoin::soft_arm::test::ToyArm;

namespace {

Eigen::VectorXd some_mass(Eigen::Index n) { return Eigen::VectorXd::LinSpaced(n, 0.5, 3); }

}  // namespace

TEST_CASE("shapes are orthonormal in the mass matrix and span the samples, few or many") {
  for (Eigen::Index count : {7, 60}) {
    const Eigen::MatrixXd samples = random_matrix(40, 5, 1) * random_matrix(5, count, 2);
    const Eigen::VectorXd mass = some_mass(40), reference = random_matrix(40, 1, 3);
    const ShapeBasis basis(samples, mass, reference, 1e-10);
    REQUIRE(basis.size() == 5);
    const Eigen::MatrixXd gram = basis.shapes().transpose() * mass.asDiagonal() * basis.shapes();
    CHECK((gram - Eigen::MatrixXd::Identity(5, 5)).norm() < 1e-13);
    for (Eigen::Index i = 0; i < count; ++i) CHECK(basis.remainder(reference + samples.col(i)) < 1e-12);
    CHECK(basis.remainder(reference) == 0);
    const Eigen::VectorXd other = random_matrix(40, 1, 4);
    CHECK(basis.remainder(other) > 0.1);
    CHECK((basis.coordinates(basis.shape(Eigen::VectorXd::Ones(5))) - Eigen::VectorXd::Ones(5)).norm() < 1e-13);
  }
}

TEST_CASE("singular directions below the tolerance are dropped, even at 1e-9 of the largest") {
  Eigen::MatrixXd samples = random_matrix(40, 10, 5);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(samples);
  const Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(40, 10);
  Eigen::VectorXd scale(10);
  for (int i = 0; i < 10; ++i) scale[i] = std::pow(10, -i);
  samples = q * scale.asDiagonal();
  const Eigen::VectorXd mass = Eigen::VectorXd::Ones(40), zero = Eigen::VectorXd::Zero(40);
  CHECK(ShapeBasis(samples, mass, zero, 3e-4).size() == 4);
  CHECK(ShapeBasis(samples, mass, zero, 3e-9).size() == 9);
  CHECK(ShapeBasis(samples, mass, zero, 3e-4).remainder(samples.leftCols(5).rowwise().sum()) ==
        Approx(1e-4 / samples.leftCols(5).rowwise().sum().norm()).epsilon(1e-6));
}

TEST_CASE("a grown basis keeps its shapes, spans the further samples, and stays orthonormal") {
  const Eigen::VectorXd mass = some_mass(40), reference = random_matrix(40, 1, 12);
  const Eigen::MatrixXd first = random_matrix(40, 4, 9), both = random_matrix(40, 8, 10);
  Eigen::MatrixXd further = first * random_matrix(4, 60, 11);
  CHECK(ShapeBasis(first, mass, reference).grown(further).size() == 4);
  further.rightCols(50) += 1e-4 * both.leftCols(3) * random_matrix(3, 50, 13);
  const ShapeBasis basis(first, mass, reference), grown = basis.grown(further, 1e-7);
  REQUIRE(grown.size() == 7);
  CHECK(grown.shapes().leftCols(4) == basis.shapes());
  const Eigen::MatrixXd gram = grown.shapes().transpose() * mass.asDiagonal() * grown.shapes();
  CHECK((gram - Eigen::MatrixXd::Identity(7, 7)).norm() < 1e-13);
  for (Eigen::Index i = 0; i < further.cols(); ++i) CHECK(grown.remainder(reference + further.col(i)) < 1e-11);
  CHECK(basis.remainder(reference + further.col(59)) > 1e-6);
  CHECK(basis.grown(further, 0.1).size() == 4);  // the missing part is too small to count
  CHECK(basis.grown(Eigen::MatrixXd::Zero(40, 2)).size() == 4);
  CHECK_THROWS_WITH(basis.grown(random_matrix(39, 2, 1)), Catch::Contains("39 x 2") && Catch::Contains("40"));
  CHECK_THROWS_WITH(basis.grown(further, 2), Catch::Contains("tolerance 2"));
  CHECK_THROWS_WITH(basis.grown(further * std::nan("")), Catch::Contains("not finite"));
}

TEST_CASE("the functional gives coordinates up to a constant, lengths, and the further rows") {
  const Eigen::VectorXd mass = some_mass(40), reference = random_matrix(40, 1, 6);
  const ShapeBasis basis(random_matrix(40, 6, 7), mass, reference);
  const Eigen::MatrixXd more = random_matrix(3, 42, 8);
  const Eigen::MatrixXd rows = basis.functional(2, more);
  REQUIRE(rows.rows() == 6 + 2 + 3);
  REQUIRE(rows.cols() == 42);
  const Eigen::VectorXd a = random_matrix(42, 1, 9), b = random_matrix(42, 1, 10), d = rows * a - rows * b;
  CHECK((d.head(6) - basis.coordinates(a.head(40)) + basis.coordinates(b.head(40))).norm() < 1e-12);
  CHECK((d.segment(6, 2) - (a - b).tail(2)).norm() < 1e-14);
  CHECK((d.tail(3) - more * (a - b)).norm() < 1e-12);
  CHECK(basis.functional(2).rows() == 8);
}

TEST_CASE("a basis from a map's corners holds values and Jacobians; points without an answer are left out") {
  const CellwiseMap<ToyArm> map(ToyArm(), 0.5, -1, 2);
  Eigen::Matrix<double, 2, Eigen::Dynamic> points(2, 3);
  points << 0.5, 1, 5, 0.5, 0, 0;
  const Eigen::VectorXd mass = Eigen::VectorXd::Ones(6), zero = Eigen::VectorXd::Zero(6);
  const auto basis = make_shape_basis<2>(map, points, Point<2>(0.5, 0.5), mass, zero, 1e-12);
  CHECK(basis.singular_values().size() == 6);
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  map.evaluate(points.col(1), y, J);
  CHECK(basis.remainder(y.head(6)) < 1e-12);
  CHECK(basis.remainder(J.col(0).head(6)) < 1e-12);
  CHECK_THROWS_AS(make_shape_basis<2>(map, Eigen::MatrixXd(points.rightCols(1)).eval(), Point<2>(1, 1), mass, zero),
                  std::invalid_argument);
}

TEST_CASE("ShapeBasis and MassScaledMap refuse what does not fit, with its numbers") {
  const Eigen::MatrixXd samples = random_matrix(4, 2, 1);
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(4);
  CHECK_THROWS_WITH(ShapeBasis(samples, Eigen::VectorXd::Ones(3), ones), Catch::Contains("4 x 2, 3 masses"));
  CHECK_THROWS_WITH(ShapeBasis(samples, Eigen::VectorXd::Zero(4), ones), Catch::Contains("a mass of 0"));
  CHECK_THROWS_AS(ShapeBasis(0 * samples, ones, ones), std::invalid_argument);
  CHECK_THROWS_AS(ShapeBasis(samples, ones, ones, 0), std::invalid_argument);
  CHECK_THROWS_WITH(ShapeBasis(samples, ones, ones).remainder(Eigen::VectorXd::Ones(5)),
                    Catch::Contains("size 5, wanted 4"));
  using Scaled = MassScaledMap<2, ToyArm>;
  CHECK_THROWS_AS(Scaled(ToyArm(), Eigen::VectorXd::Ones(9)), std::invalid_argument);
  CHECK_THROWS_AS(Scaled(ToyArm(), -ones), std::invalid_argument);
  for (Eigen::Index i = 0; i < ones.size(); ++i) {
    Eigen::VectorXd spoilt = ones;
    spoilt[i] = std::nan("");
    CHECK_THROWS_WITH(Scaled(ToyArm(), spoilt), Catch::Contains("a mass of nan"));
  }
}

TEST_CASE("MassScaledMap scales the first outputs and their Jacobian, and leaves the others") {
  static_assert(TryableMap<MassScaledMap<2, ToyArm>, 2>);
  const ToyArm arm;
  const Eigen::VectorXd mass = Eigen::VectorXd::LinSpaced(6, 1, 4);
  const MassScaledMap<2, ToyArm> scaled(arm, mass);
  CHECK(scaled.coordinates() == 6);
  CHECK(scaled.output_size() == 8);
  Eigen::VectorXd y, z;
  Eigen::MatrixXd J, K;
  arm.evaluate(Point<2>(1, 0.5), y, J);
  scaled.evaluate(Point<2>(1, 0.5), z, K);
  const Eigen::VectorXd root = mass.cwiseSqrt();
  CHECK((z.head(6) - root.cwiseProduct(y.head(6))).norm() < 1e-15);
  CHECK((K.topRows(6) - root.asDiagonal() * J.topRows(6)).norm() < 1e-15);
  CHECK((K.bottomRows(2) - J.bottomRows(2)).norm() < 1e-15);
  scaled.evaluate(Point<2>(1, 0.5), y);
  CHECK(y == z);
}
