// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/arm_unknowns.hpp"
#include "examples/studies/fluidic_grab/setup.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace studies;
using namespace studies::grab;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// One damping, a stiffness of the first two segments in a ratio of 2, the delay.
ArmUnknowns three_unknowns() {
  ArmUnknowns unknowns(nominal_system(), Eigen::Vector4d(0.1, -0.2, 0.3, 0.1));
  const fluidic_arm::SystemParameters layout = unknowns.layout();
  unknowns.add({.name = "b"}, {{layout.damping(0)}, {layout.damping(1)}, {layout.damping(2)}, {layout.damping(3)}});
  unknowns.add({.name = "k"}, {{layout.stiffness(0)}, {layout.stiffness(1), 2}});
  unknowns.add({.name = "t_d"}, {{layout.delay()}});
  return unknowns;
}

}  // namespace

TEST_CASE("an unknown of an arm moves all its shares, and nothing else") {
  const ArmUnknowns unknowns = three_unknowns();
  const fluidic_arm::FluidicSystem system = unknowns.system(Eigen::Vector3d(3e-3, 0.05, 0.04));
  for (const fluidic_arm::Segment& segment : system.arm.segments) CHECK(segment.damping == 3e-3);
  CHECK(system.arm.segments[0].stiffness == 0.05);
  CHECK(system.arm.segments[1].stiffness == 0.1);
  CHECK(system.arm.segments[2].stiffness == 0.108);
  CHECK(system.arm.segments[1].mass == 0.146);
  CHECK(system.delay == 0.04);
}

TEST_CASE("derivatives of an arm's motion by unknowns leave Taylor remainders of second order") {
  const MatrixXd inputs = MatrixXd::NullaryExpr(
      3, 21, [](Eigen::Index i, Eigen::Index j) { return 40 * std::sin(0.3 * static_cast<double>(j + i)); });
  const auto prediction = three_unknowns().prediction(inputs, 0.02);
  const VectorXd p = Eigen::Vector3d(4e-3, 0.08, 0.05), unit = Eigen::Vector3d(1e-3, 0.02, 0.01);
  MatrixXd Y, J, next;
  REQUIRE(prediction(p, Y, &J));
  REQUIRE(J.rows() == 8 * 21);
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const auto remainder = [&](double h) {
      REQUIRE(prediction(p + h * unit[i] * VectorXd::Unit(3, i), next, nullptr));
      return (next.reshaped() - Y.reshaped() - h * unit[i] * J.col(i)).norm();
    };
    const double order = std::log10(remainder(0.1) / remainder(0.01));
    CAPTURE(i, order);
    CHECK(order > 1.7);
    CHECK(order < 2.3);
  }
}

TEST_CASE("trials of an arm may begin at unknown angles of their own: the last parameters, with derivatives") {
  const MatrixXd inputs = MatrixXd::NullaryExpr(
      3, 11, [](Eigen::Index i, Eigen::Index j) { return 40 * std::sin(0.3 * static_cast<double>(j + i)); });
  const ArmUnknowns unknowns = three_unknowns();
  const auto known = unknowns.prediction(std::vector{inputs, inputs}, 0.02);
  const auto free = unknowns.prediction(std::vector{inputs, inputs}, 0.02, 4e-3, ArmUnknowns::Starts::unknown);
  VectorXd p(11);
  p << 4e-3, 0.08, 0.05, 0.1, -0.2, 0.3, 0.1, 0.2, 0.1, -0.1, 0.05;
  MatrixXd same, Y, J, next;
  REQUIRE(known(p.head(3), same, nullptr));
  REQUIRE(free(p, Y, &J));
  CHECK((Y.leftCols(11) - same.leftCols(11)).norm() < 1e-14);   // begins where the constructor says
  CHECK((Y.rightCols(11) - same.rightCols(11)).norm() > 1e-2);  // does not
  REQUIRE(J.rows() == 8 * 22);
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const double h = i < 3 ? 1e-3 * p[i] : 1e-4;
    REQUIRE(free(p + h * VectorXd::Unit(11, i), next, nullptr));
    const VectorXd difference = (next - Y).reshaped() / h;
    CAPTURE(i);
    CHECK((J.col(i) - difference).norm() < 1e-2 * difference.norm());
  }
}
