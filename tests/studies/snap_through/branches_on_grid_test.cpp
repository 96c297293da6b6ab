// SPDX-License-Identifier: BSD-3-Clause
// Bodies with several ways to rest under a grid.
#include "examples/studies/snap_through/arch.hpp"
#include "examples/studies/snap_through/buckled_arm.hpp"
#include "quoin/quoin.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace studies;
using namespace studies::branches;
using Eigen::VectorXd;

namespace {

/// The plane arm under its payload; made once.
const BuckledArm<2>& arm() {
  static const BuckledArm<2> body = loaded_arm();
  return body;
}

/// The labelled function without its labels.
template <class Body>
auto without_labels(const Body& body) {
  return exact_function<2>(body.output_size(), [f = labelled(body)](const Point<2>& x, Eigen::Ref<VectorXd> y,
                                                                    Eigen::Ref<Eigen::MatrixXd> J) {
    Eigen::MatrixXd jet(y.size(), 3);
    f.sample(x, jet);
    y = jet.col(0);
    J = jet.rightCols(2);
  });
}

double mean_size(const VectorXd& v) { return v.norm() / std::sqrt(static_cast<double>(v.size())); }

struct Worst {
  double interpolated = 0;     // error of interpolated answers, in units of the jump
  double off_equilibrium = 0;  // of all answers
  int nearest = 0, exact = 0;
};

/// Queries across the jump; the jump: distance of the two equilibria there.
template <class Body>
Worst across(const Body& body, const AdaptiveGrid<2>& grid, const std::vector<Point<2>>& points, double jump) {
  Worst worst;
  VectorXd y;
  for (const Point<2>& x : points) {
    const Answer answer = grid.evaluate(x, y);
    double off = std::numeric_limits<double>::infinity();
    for (const Equilibrium& equilibrium : equilibria(body, x)) off = std::min(off, (y - equilibrium.y).norm() / jump);
    worst.off_equilibrium = std::max(worst.off_equilibrium, off);
    worst.nearest += answer.trust == Trust::nearest_branch;
    worst.exact += answer.trust == Trust::exact;
    if (answer.trust == Trust::nearest_branch) continue;
    worst.interpolated = std::max(worst.interpolated, (y - lowest_equilibrium(body, x).y).norm() / jump);
  }
  return worst;
}

template <class Body>
void check_labels(const Body& body, GridOptions<2> options, const std::vector<Point<2>>& points, double jump) {
  const AdaptiveGrid<2> blind(without_labels(body), options), nearest(labelled(body), options);
  options.on_branches = BranchPolicy::call_function;
  const AdaptiveGrid<2> calling(labelled(body), options);
  const Worst unlabelled = across(body, blind, points, jump);
  CHECK(unlabelled.interpolated > 0.4);
  CHECK(unlabelled.off_equilibrium > 0.2);
  const Worst labels = across(body, nearest, points, jump);
  CHECK(labels.interpolated < 1e-3);
  CHECK(labels.off_equilibrium < 1e-3);
  CHECK(labels.nearest > 0);
  CHECK(labels.nearest < static_cast<int>(points.size()) / 5);
  const Worst called = across(body, calling, points, jump);
  CHECK(called.interpolated < 1e-3);
  CHECK(called.nearest == 0);
  CHECK(called.exact == labels.nearest);
}

std::vector<Point<2>> on_line(const Point<2>& from, const Point<2>& to, int count) {
  std::vector<Point<2>> points;
  for (int i = 0; i < count; ++i) points.push_back(from + (i + 0.37) / count * (to - from));
  return points;
}

}  // namespace

TEST_CASE("across an arch's snap a grid without labels answers no equilibrium, one with labels always does") {
  const Arch arch;
  GridOptions<2> options{.spacing = {2, 2}, .lower = {-8, -4}, .upper = {16, 4}};
  const std::vector<Equilibrium> both = equilibria(arch, {3.7, 1.3});
  check_labels(arch, options, on_line({-2, 1.3}, {8, 1.3}, 80), (both[0].y - both[1].y).norm());
}

TEST_CASE(
    "an arch verifies how far an interpolated answer is from the equilibrium of its branch, and leaves others alone") {
  const Arch arch;
  const AdaptiveGrid<2> grid(labelled(arch), {.spacing = {2, 2}, .lower = {-8, -4}, .upper = {16, 4}});
  const GridView<2> view = grid.at_level(1);
  const auto map = verified<2>(view, arch), corrected = verified<2>(view, arch, {.corrected = true});
  std::mt19937 random(4021);
  std::uniform_real_distribution<double> crown(-8, 16), quarter(-4, 4);
  int verified_answers = 0, nearest = 0, other_branch = 0;
  for (int i = 0; i < 300; ++i) {
    const Point<2> x(crown(random), quarter(random));
    VectorXd y, better;
    const Answer answer = map.evaluate(x, y);
    nearest += answer.trust == Trust::nearest_branch;
    if (answer.trust != Trust::verified) continue;
    ++verified_answers;
    corrected.evaluate(x, better);
    // The equation knows all branches alike: where f changes its branch in a cell whose corners do not, it verifies the
    // corners' branch.
    const auto truth = arch.settle(y, x);
    REQUIRE(truth);
    other_branch += truth->branch != lowest_equilibrium(arch, x).branch;
    CHECK(answer.error == Approx(mean_size(y - truth->y)).epsilon(0.05));
    CHECK((better - truth->y).norm() <= 0.05 * (y - truth->y).norm());
  }
  CAPTURE(verified_answers, nearest, other_branch);
  CHECK(verified_answers + nearest >= 285);
  CHECK(nearest > 0);
  CHECK(other_branch <= 6);
}

TEST_CASE("across a buckled arm's jump a grid without labels answers no equilibrium, one with labels always does") {
  GridOptions<2> options{.spacing = {0.5, 0.5}, .lower = {0, 0}, .upper = {2, 2}};
  const std::vector<Equilibrium> both = equilibria(arm(), {0.8, 0.75});
  check_labels(arm(), options, on_line({0.8, 0.3}, {0.8, 1.2}, 80), (both[0].y - both[1].y).norm());
}

TEST_CASE("two starts of the buckled arm end in two stable equilibria, each with its Jacobian") {
  const std::vector<Equilibrium> both = equilibria(arm(), {1, 1});
  CHECK(both[0].branch == 1);
  CHECK(both[1].branch == -1);
  const Eigen::RowVectorXd tip = arm().arm().tip_rows().row(0);
  CHECK(tip * both[0].y > 0.3);
  CHECK(tip * both[1].y < -0.3);
  // By central differences on the branch.
  const double h = 1e-4;
  for (const Equilibrium& equilibrium : both)
    for (int k = 0; k < 2; ++k) {
      const auto ahead = arm().settle(equilibrium.y, Point<2>(1, 1) + h * Point<2>::Unit(k));
      const auto behind = arm().settle(equilibrium.y, Point<2>(1, 1) - h * Point<2>::Unit(k));
      REQUIRE((ahead && behind));
      CHECK(((ahead->y - behind->y) / (2 * h) - equilibrium.J.col(k)).norm() < 1e-6 * equilibrium.J.col(k).norm());
    }
}

TEST_CASE("the arm of space pushed beyond its buckling rests in two ways, mirror images but for a slight gravity") {
  const BuckledArm<3> pushed = pushed_arm();
  const std::vector<Equilibrium> both = equilibria(pushed, {2.5, 0});
  CHECK(both[0].branch == 1);
  CHECK(both[1].branch == -1);
  const Eigen::MatrixXd tip = pushed.arm().tip_rows();
  const double right = (tip * both[0].y)[0], left = (tip * both[1].y)[0];
  CHECK(right > 0.07);
  CHECK(right == Approx(-left).epsilon(0.15));
  CHECK(both[0].energy < both[1].energy);  // gravity is to the right
}

TEST_CASE(
    "grids over an arch that follows its loads snap near its folds, each on its own side, and keep what they said") {
  const Arch arch;
  GridOptions<2> options{.spacing = {1, 1}, .lower = {-8, -4}, .upper = {16, 4}};
  const auto f = following(arch, 0.25, 1e-9);
  const double beside = 1.3;
  const auto up = arch.settle(arch.rest(), {3, beside});
  const auto down = arch.settle(arch.starts()[1], {3, beside});
  const double upper = 3 + 13 * fold(arch, {3, beside}, *up, {16, beside}, 0.02, 1e-5);
  const double lower = 3 - 11 * fold(arch, {3, beside}, *down, {-8, beside}, 0.02, 1e-5);

  const auto ask = [&](const AdaptiveGrid<2>& grid, const std::vector<Point<2>>& points) {
    std::vector<double> heights;
    VectorXd y;
    for (const Point<2>& x : points) {
      grid.evaluate(x, y);
      heights.push_back(arch.crown_height(y));
    }
    return heights;
  };
  const auto snap = [](const std::vector<Point<2>>& points, const std::vector<double>& heights) {
    std::size_t i = 0;
    while (i < heights.size() && (heights[i] > 0) == (heights.front() > 0)) ++i;
    REQUIRE(i < heights.size());
    return points[i][0];
  };
  const std::vector<Point<2>> rising = on_line({-8, beside}, {16, beside}, 120);
  const std::vector<Point<2>> falling(rising.rbegin(), rising.rend());
  const AdaptiveGrid<2> first(f, options), second(f, options);
  const std::vector<double> way_up = ask(first, rising), way_down = ask(second, falling);
  CHECK(way_up.front() > 0);
  CHECK(way_down.front() < 0);
  CHECK(std::abs(snap(rising, way_up) - upper) < 1);
  CHECK(std::abs(snap(falling, way_down) - lower) < 1);

  const std::size_t calls = first.statistics().exact_evaluations;
  std::vector<double> back = ask(first, falling);
  std::reverse(back.begin(), back.end());
  CHECK(back == way_up);
  CHECK(first.statistics().exact_evaluations == calls);
}
