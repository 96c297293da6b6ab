// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/peers/sections.hpp"

#ifdef QUOIN_HAS_FCL
#include "benchmarks/peers/side_by_side.hpp"
#include "benchmarks/support/pairs_apart.hpp"

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/narrowphase/distance.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace benchmarks {
namespace {

struct Placed {
  std::shared_ptr<fcl::CollisionGeometryd> shape;
  fcl::Transform3d pose;
};
Placed placed(const Capsule& capsule) {
  const Eigen::Vector3d along = capsule.b - capsule.a;
  fcl::Transform3d pose = fcl::Transform3d::Identity();
  pose.linear() = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), along).toRotationMatrix();
  pose.translation() = 0.5 * (capsule.a + capsule.b);
  return {std::make_shared<fcl::Capsuled>(capsule.radius, along.norm()), pose};
}
Placed placed(const Box& box) { return {std::make_shared<fcl::Boxd>(2 * box.half_extents), box.pose}; }

/// The same pairs by FCL's own distance of its own shapes, with closest points.
struct ByFcl {
  std::vector<Placed> first, second;
  std::vector<double> found = std::vector<double>(pairs_apart);
  fcl::DistanceRequestd request{true};

  template <class Other>
  ByFcl(const PairsApart<Other>& of, double tolerance) {
    request.distance_tolerance = tolerance;
    for (std::size_t i = 0; i < pairs_apart; ++i) {
      first.push_back(placed(of.first[i]));
      second.push_back(placed(of.second[i]));
    }
  }
  void measure() {
    for (std::size_t i = 0; i < pairs_apart; ++i) {
      fcl::DistanceResultd result;
      found[i] =
          fcl::distance(first[i].shape.get(), first[i].pose, second[i].shape.get(), second[i].pose, request, result);
    }
  }
  template <class Other>
  double difference(const PairsApart<Other>& of) const {
    double greatest = 0;
    for (std::size_t i = 0; i < pairs_apart; ++i)
      greatest = std::max(greatest, std::abs(found[i] - closest(of.first[i], of.second[i]).distance));
    return greatest;
  }
};

template <class Other>
void compare(const std::string& what, PairsApart<Other> of, double tolerance, double bound, int rounds, Report& report,
             studies::figures::JsonResults& table) {
  ByFcl by_fcl(of, tolerance);
  const SideBySide seen = side_by_side([&] { of.measure(); }, [&] { by_fcl.measure(); }, rounds);
  const double difference = by_fcl.difference(of);
  studies::figures::ResultRow row;
  row.show("task", what).show("tolerance", tolerance, "FCL's tolerance", 1);
  show_times(row, seen, pairs_apart, 1e-9, "ns");
  row.show("difference", difference, "answers differ by [m]", 1);
  table.add(row);
  const std::string with = what + ", FCL at " + studies::figures::format_number(tolerance, 1);
  check_same(report, with + " [m]", difference, bound);
  claim_faster(report, what, "FCL at " + studies::figures::format_number(tolerance, 1), seen);
  if (!std::isfinite(of.sum)) report.checks.push_back({what + ": every distance is finite", false});
}

}  // namespace

void distances_beside_fcl(Report& report, bool quick) {
  studies::figures::JsonResults table;
  quoin::test::Random random(10001);
  const PairsApart<Capsule> capsules(random, [&] { return random.capsule(1); });
  const PairsApart<Box> boxes(random, [&] { return random.box(1); });
  const double usual = fcl::DistanceRequestd().distance_tolerance;
  const int rounds = quick ? 100 : 2000;
  compare("two capsules", capsules, usual, 1e-9, rounds, report, table);
  compare("a capsule and a box", boxes, usual, 1e-4, rounds, report, table);
  compare("a capsule and a box", boxes, 1e-12, 1e-8, rounds, report, table);
  report.add_table(
      "### Distances beside FCL\n\n256 pairs with coordinates of up to 1 m, apart; distance and closest "
      "points, `closest` beside `fcl::distance` of FCL's own shapes.",
      table);
}

}  // namespace benchmarks
#else
void benchmarks::distances_beside_fcl(Report&, bool) {}
#endif
