// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/reach_through_loop/hollow_box.hpp"

#include "examples/studies/reach_through_loop/rod_way.hpp"
#include "quoin/robots/geometry/closest.hpp"
#include "quoin/robots/models/topology/writhe.hpp"

#include <catch2/catch.hpp>

#include <random>

namespace studies::loop {
namespace {

HollowBox box_anywhere(std::mt19937_64& random) {
  const auto number = [&] { return 2 * std::generate_canonical<double, 53>(random) - 1; };
  HollowBox box;
  box.pose.translation() << number(), number(), number();
  box.pose.linear() = Eigen::Quaterniond(number(), number(), number(), number()).normalized().toRotationMatrix();
  return box;
}

/// The chain closed by a wide way around the rim.
Eigen::Matrix3Xd closed(const Eigen::Matrix3Xd& chain, const HollowBox& box) {
  const Eigen::Matrix3Xd in_box = box.pose.inverse() * chain;
  const auto side = [](double z) { return z < 0 ? -1.0 : 1.0; };
  const Eigen::Vector3d first = in_box.leftCols<1>(), last = in_box.rightCols<1>();
  Eigen::Matrix3Xd all(3, in_box.cols() + 5);
  all.leftCols(in_box.cols()) = in_box;
  all.col(in_box.cols()) << last.x(), last.y(), 50 * side(last.z());
  all.col(in_box.cols() + 1) << 70, 3, 50 * side(last.z());
  all.col(in_box.cols() + 2) << 70, 3, 50 * side(first.z());
  all.col(in_box.cols() + 3) << first.x(), first.y(), 50 * side(first.z());
  all.rightCols<1>() = first;
  return box.pose * all;
}

}  // namespace

TEST_CASE("crossings of the mouth are the linking number of the rim and the closed chain") {
  std::mt19937_64 random(11);
  const auto number = [&] { return 2 * std::generate_canonical<double, 53>(random) - 1; };
  int linked = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const HollowBox box = box_anywhere(random);
    const Eigen::Matrix3Xd chain =
        box.pose * Eigen::Matrix3Xd(0.3 * Eigen::Matrix3Xd::NullaryExpr(3, 7, [&] { return number(); }));
    const int count = crossings(chain, box);
    linked += count != 0;
    const double turns = topology::writhe_matrix(closed(chain, box), box.rim()).sum();
    REQUIRE(turns == Approx(count).margin(1e-9));
  }
  CHECK(linked > 30);
}

TEST_CASE("a rod on the axis passes the rim once, inwards, at equal distance from opposite walls") {
  std::mt19937_64 random(12);
  const HollowBox box = box_anywhere(random);
  const Eigen::Matrix3Xd rod = box.rod_on_axis(Eigen::Vector2d(0.3, 0));
  CHECK((rod.col(1) - box.goal()).norm() < 1e-15);
  CHECK((rod.col(0) - rod.col(1)).norm() == Approx(0.3));
  CHECK(crossings(rod, box) == 1);
  CHECK(crossings(rod.rowwise().reverse(), box) == -1);
  const Obstacles walls = box.obstacles();
  REQUIRE(walls.size() == 5);
  for (int w = 0; w < 4; ++w) {
    const Closest near =
        closest(Capsule{rod.col(0), rod.col(1), 0.01}, std::get<Box>(walls[static_cast<std::size_t>(w)]));
    CHECK(near.distance == Approx(box.side / 2 - box.thickness / 2 - 0.01));
  }
  const Closest back = closest(Capsule::sphere(rod.col(1), 0), std::get<Box>(walls[4]));
  CHECK(back.distance == Approx(box.depth - box.goal_depth - box.thickness / 2));
}

TEST_CASE("targets begin at the start, end on the axis, and before it are straight lines") {
  std::mt19937_64 random(13);
  const HollowBox box = box_anywhere(random);
  const Eigen::Vector3d from_tip(0.3, 0.15, 0);
  const Eigen::Matrix3Xd start = Eigen::Matrix3Xd::Random(3, 3);
  const auto places = [](const Eigen::Matrix3Xd& rod) -> Eigen::VectorXd { return rod.reshaped(); };
  for (const Way way : {Way::to_end, Way::into_box}) {
    const Eigen::MatrixXd targets = targets_along(way, box, from_tip, start, 50, places);
    REQUIRE(targets.cols() == 51);
    CHECK((targets.col(0) - start.reshaped()).norm() < 1e-14);
    CHECK((targets.col(50) - box.rod_on_axis(from_tip).reshaped()).norm() < 1e-14);
    CHECK((targets.col(10) - 2 * targets.col(11) + targets.col(12)).norm() < 1e-13);
    const Eigen::Matrix3Xd late = targets.col(40).reshaped(3, 3);
    const double off_axis = (box.pose.inverse() * late).topRows<2>().norm();
    CHECK((way == Way::into_box) == (off_axis < 1e-14));
  }
  const Eigen::MatrixXd in = targets_along(Way::into_box, box, from_tip, start, 50, places);
  CHECK(crossings(in.col(25).reshaped(3, 3), box) == 0);
  CHECK(crossings(in.col(50).reshaped(3, 3), box) == 1);
}

}  // namespace studies::loop
