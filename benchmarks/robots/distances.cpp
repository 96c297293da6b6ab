// SPDX-License-Identifier: BSD-3-Clause
// The figures of docs/notes/geometry.md: what distances of capsules and boxes cost, what a checker saves, and how exact
// they are. Beside FCL's: benchmarks/peers.
#include "benchmarks/support/pairs_apart.hpp"
#include "benchmarks/support/timed_task.hpp"
#include "quoin/robots/geometry/collision_checker.hpp"
#include "testing/robots/closest_reference.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

namespace {
using namespace benchmarks;
using namespace quoin;
using quoin::test::Random;
using studies::figures::format_number;
using studies::figures::ResultRow;

/// An arm of 20 links wound around the z axis, with a hand of three fingers of three links: 29 bodies.
CollisionModel wound_arm(double turns, Eigen::Matrix3Xd& points) {
  points.resize(3, 30);
  CollisionModel model{.points = 30};
  for (int i = 0; i <= 20; ++i) {
    const double angle = 2 * std::numbers::pi * turns * i / 20;
    points.col(i) = Eigen::Vector3d(0.16 * std::cos(angle), 0.16 * std::sin(angle), 0.03 * i);
    if (i > 0) model.bodies.push_back({i - 1, i, 0.02});
  }
  for (int finger = 0; finger < 3; ++finger)
    for (int k = 0; k < 3; ++k) {
      const int at = 21 + 3 * finger + k;
      const double spread = 2 * std::numbers::pi * finger / 3;
      points.col(at) =
          points.col(20) + 0.05 * (k + 1) * Eigen::Vector3d(0.5 * std::cos(spread), 0.5 * std::sin(spread), 1);
      model.bodies.push_back({k > 0 ? at - 1 : 20, at, 0.01});
    }
  model.self_pairs = bodies_apart(model.bodies, 2);
  return model;
}

void accuracy(Report& report, bool quick) {
  Random random(10001);
  const int count = quick ? 300 : 4000;
  double apart = 0, apart_box = 0, under = 0, beyond = 0;
  for (int i = 0; i < count; ++i) {
    const bool awkward = i % 2 == 1;
    const Capsule one = awkward ? random.awkward_capsule() : random.capsule(1);
    const Capsule other = awkward ? random.awkward_capsule() : random.capsule(1);
    const Box box = awkward ? random.awkward_box() : random.box(1);
    apart = std::max(apart, std::abs(closest(one, other).distance - quoin::test::searched(one, other)));
    const double distance = closest(one, box).distance, searched = quoin::test::searched_outside(one, box);
    if (searched > 1e-9) {
      apart_box = std::max(apart_box, std::abs(distance - searched + one.radius));
    } else if (!awkward && i < (quick ? 100 : 1000)) {
      const double less = quoin::test::min_way_out(one, box, random) + one.radius + distance;
      under = std::max(under, less);
      beyond = std::max(beyond, -less);
    }
  }
  studies::figures::JsonResults table;
  const auto row = [&](const char* what, double error) {
    table.add(ResultRow().show("pair", what).show("error", error, "greatest difference [m]", 1));
  };
  row("two capsules, against golden section", apart);
  row("a capsule and a box, apart, against golden section", apart_box);
  row("a capsule in a box: the best way out that a search of 40 starts finds is longer by up to", under);
  row("and shorter by up to", beyond);
  report.add_table(std::to_string(count) +
                       " drawn pairs of each kind with coordinates of about 1 m, half of them parallel, "
                       "collinear, touching or degenerate; depths of the others.",
                   table);
  report.checks.push_back({"distances are exact to 1e-13: " + format_number(std::max(apart, apart_box)),
                           std::max(apart, apart_box) < 1e-13});
  report.checks.push_back(
      {"no way out of a box is shorter than the depth by 1e-13, and the search comes within 1e-3: " +
           format_number(beyond) + ", " + format_number(under),
       beyond < 1e-13 && under < 1e-3});
}

Report run(bool quick) {
  Report report;
  Random random(10001);
  PairsApart<Capsule> capsules(random, [&] { return random.capsule(1); });
  PairsApart<Box> boxes(random, [&] { return random.box(1); });
  std::vector<TimedTask> tasks;
  tasks.push_back({"`closest`, two capsules", [&] { capsules.measure(); }});
  tasks.push_back({"`closest`, a capsule and a box", [&] { boxes.measure(); }});
  const std::size_t per_pair = tasks.size();

  Eigen::Matrix3Xd points;
  const CollisionChecker checker(wound_arm(2.5, points));
  Box box{Eigen::Isometry3d(Eigen::Translation3d(0.6, 0.2, 0.5)), {0.2, 0.1, 0.3}};
  const Obstacles world{Capsule{{0, 0, -0.2}, {0, 0, 0.45}, 0.1}, box};
  const Eigen::MatrixXd jacobian = Eigen::MatrixXd::Random(90, 29);
  Eigen::VectorXd all, r;
  Eigen::MatrixXd J;
  int collisions = 0;
  const auto often = [](auto&& work) {
    return [work] {
      for (int i = 0; i < 20; ++i) work();
    };
  };
  tasks.push_back(
      {"`collides`, free: the longest case", often([&] { collisions += checker.collides(points, world); })});
  tasks.push_back({"`min_distance`", often([&] { checker.min_distance(points, world); })});
  tasks.push_back({"`distances`, all pairs: what spheres save", often([&] { checker.distances(points, world, all); })});
  tasks.push_back(
      {"`margin_residuals`, margin 0.02", often([&] { checker.margin_residuals(points, world, 0.02, r); })});
  tasks.push_back({"with the Jacobian by 29 joints",
                   often([&] { checker.margin_residuals(points, world, 0.02, jacobian, r, J); })});
  time_in_turns(
      tasks, [&] { capsules.measure(); }, quick ? 200 : 5000);

  std::vector<double> ratios;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const double calls = i < per_pair ? pairs_apart : 20;
    ratios.push_back(median(tasks[i].ratios) * pairs_apart / calls);
    ResultRow row;
    row.show("task", tasks[i].name, "question")
        .show("ns", 1e9 * median(tasks[i].seconds) / calls, "ns, median")
        .show("ratio", ratios.back(), "/ `closest` of two capsules");
    if (i >= per_pair) {
      const long long before = checker.counts().pairs, checks = checker.counts().checks;
      tasks[i].work();
      row.show("pairs", (checker.counts().pairs - before) / (checker.counts().checks - checks), "pairs computed");
    }
    report.results.add(row);
  }
  report.columns = {{"task", "question"},
                    {"ns", "ns, median"},
                    {"ratio", "/ `closest` of two capsules"},
                    {"pairs", "pairs computed"}};
  report.notes =
      "Each question beside 256 pairs of capsules timed just before; capsules and boxes with coordinates of up to 1 m, "
      "apart; "
      "an arm of 29 bodies wound 2.5 turns around a pole, free, with a box: " +
      std::to_string(checker.pair_count(world)) + " pairs. One thread. Compiler: " __VERSION__ ".\n";
  report.checks.push_back({"the arm is free, and spheres spare at least half of the time of all pairs: " +
                               format_number(ratios[per_pair + 1] / ratios[per_pair + 2]),
                           collisions == 0 && ratios[per_pair + 1] < 0.5 * ratios[per_pair + 2]});
  accuracy(report, quick);
  if (!std::isfinite(capsules.sum + boxes.sum)) report.checks.push_back({"every distance is finite", false});
  return report;
}
}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "distances", "Distances of capsules and boxes: times, accuracy.", run);
}
