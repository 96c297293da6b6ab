// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/map/samples.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/kernel/kernel_interpolant.hpp"
#include "quoin/map/exact_function.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

using namespace quoin;

namespace {

// How often a function was called at each point.
class CallCounts {
 public:
  void note(const Point<2>& x) {
    const std::lock_guard lock(mutex_);
    ++counts_[{x[0], x[1]}];
  }
  std::size_t points() const { return counts_.size(); }
  int most() const {
    int most = 0;
    for (const auto& [x, count] : counts_) most = std::max(most, count);
    return most;
  }

 private:
  std::map<std::pair<double, double>, int> counts_;
  std::mutex mutex_;
};

// sin(1.3 x + 0.7 i) exp(0.4 y) for i = 0, 1, and what it is differentiated a times by x and b times by y.
double wave_derivative(int i, const Point<2>& x, int a = 0, int b = 0) {
  return std::pow(1.3, a) * std::pow(0.4, b) * std::sin(1.3 * x[0] + 0.7 * i + a * std::acos(0.0)) *
         std::exp(0.4 * x[1]);
}

template <int K>
auto wave_jets(CallCounts& calls) {
  return exact_jet<2, K>(2,
                         [&calls](const Point<2>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
                           calls.note(x);
                           const auto indices = graded_multi_indices<2>(K);
                           for (int i = 0; i < 2; ++i)
                             for (std::size_t a = 0; a < indices.size(); ++a)
                               jet(i, static_cast<Eigen::Index>(a)) =
                                   wave_derivative(i, x, indices[a][0], indices[a][1]);
                         },
                         {.concurrent = true});
}

GridOptions<2> with_spacing(double spacing) {
  GridOptions<2> options;
  options.spacing = Point<2>::Constant(spacing);
  return options;
}

Eigen::MatrixXd square_points(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(-2, 2);
  return Eigen::MatrixXd::NullaryExpr(2, count, [&] { return place(random); });
}

template <class Map>
Eigen::MatrixXd all_answers(const Map& map, const Eigen::MatrixXd& X) {
  Eigen::MatrixXd all(map.output_size() * 3, X.cols());
  for (Eigen::Index m = 0; m < X.cols(); ++m) {
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    map.evaluate(X.col(m), y, J);
    all.col(m) << y, J.col(0), J.col(1);
  }
  return all;
}

}  // namespace

TEST_CASE("a grid with another's samples answers the same to the bit and calls nothing again") {
  CallCounts first, second;
  AdaptiveGrid<2> grid(wave_jets<1>(first), with_spacing(0.5));
  const Eigen::MatrixXd X = square_points(40, 1);
  const Eigen::MatrixXd wanted = all_answers(grid, X), finer = all_answers(grid.at_level(2), X);
  const Samples<2> samples = grid.samples();
  REQUIRE(samples.size() == static_cast<Eigen::Index>(first.points()));
  REQUIRE(samples.output_size() == 2);
  CHECK(samples.jet_order == 1);

  AdaptiveGrid<2> other(wave_jets<1>(second), with_spacing(0.5));
  const InsertedSamples use = other.insert(samples);
  CHECK(use.used == first.points());
  CHECK(all_answers(other, X) == wanted);
  CHECK(all_answers(other.at_level(2), X) == finer);
  CHECK(second.points() == 0);
  CHECK(other.statistics().exact_evaluations == 0);
  CHECK(other.statistics().corners == first.points());
  CHECK(other.insert(samples).known == first.points());
  // Read, not only answered from: what was inserted can be passed on.
  CHECK(other.samples().size() == samples.size());
}

TEST_CASE("a sample serves every grid whose lattice holds its point, at whatever spacing and level") {
  CallCounts calls;
  AdaptiveGrid<2> coarse(wave_jets<1>(calls), with_spacing(1));
  const Eigen::MatrixXd X = square_points(30, 2);
  all_answers(coarse.at_level(1), X);  // multiples of 0.5
  const Samples<2> samples = coarse.samples();

  for (const double spacing : {0.125, 0.25, 2.0}) {
    CallCounts again, fresh;
    AdaptiveGrid<2> other(wave_jets<1>(again), with_spacing(spacing)),
        alone(wave_jets<1>(fresh), with_spacing(spacing));
    CHECK(other.insert(samples).used == calls.points());
    const int level = spacing == 2.0 ? 3 : 0;
    CHECK(all_answers(other.at_level(level), X) == all_answers(alone.at_level(level), X));
    // What is saved are the points that both ask for.
    std::size_t shared = 0;
    const Samples<2> theirs = alone.samples();
    for (Eigen::Index m = 0; m < theirs.size(); ++m)
      for (Eigen::Index s = 0; s < samples.size(); ++s) shared += theirs.point(m) == samples.point(s);
    CHECK(shared >= 5);
    CHECK(again.points() == fresh.points() - shared);
  }

  CallCounts none;
  AdaptiveGrid<2> thirds(wave_jets<1>(none), with_spacing(0.75));
  const InsertedSamples use = thirds.insert(samples);
  CHECK(use.used + use.off_lattice == calls.points());
  for (Eigen::Index m = 0; m < samples.size(); ++m) {
    const auto on = [](double x) { return std::abs(x / 0.1875 - std::round(x / 0.1875)) < 1e-9; };
    if (on(samples.point(m)[0]) && on(samples.point(m)[1])) continue;
    CHECK(use.off_lattice > 0);
  }
}

TEST_CASE("coordinates that are lattice points but for rounding are those lattice points") {
  Samples<2> samples;
  samples.resize(1, 3);
  samples.points << 0.3, 3 * 0.1, 0.30000001,  // 3 * 0.1 is the double above 0.3
      1e6, 1e6 + 0.1, 0.0;
  samples.jets.setOnes();
  AdaptiveGrid<2> grid(samples, with_spacing(0.1));
  CHECK(grid.statistics().corners == 2);
  auto bounded = with_spacing(0.1);
  bounded.lower = Point<2>(0, 0);
  bounded.upper = Point<2>(1, 2e5);
  CHECK(AdaptiveGrid<2>(samples, bounded).insert(samples).off_lattice == 3);
}

TEST_CASE("samples of a higher order serve a lower one, never the other way") {
  CallCounts of_two, of_one, again;
  AdaptiveGrid<2> two(wave_jets<2>(of_two), with_spacing(0.5)), one(wave_jets<1>(of_one), with_spacing(0.5));
  const Eigen::MatrixXd X = square_points(10, 3);
  all_answers(two, X);
  const Eigen::MatrixXd wanted = all_answers(one, X);
  AdaptiveGrid<2> lower(wave_jets<1>(again), with_spacing(0.5));
  CHECK(lower.insert(two.samples()).used == of_two.points());
  CHECK(all_answers(lower, X) == wanted);
  CHECK(again.points() == 0);
  CHECK(two.insert(one.samples()).of_lower_order == of_one.points());
}

TEST_CASE("failures travel with their reasons; those that may pass are tried where they are asked for") {
  int mended = 0;
  const auto broken = [&mended](const Point<2>& x, auto y, auto J) {
    if (x[0] > 0.9) throw std::runtime_error("the mesh is torn");
    if (x[0] < -0.9 && !mended) throw RetryableFailure("no licence");
    y[0] = x[1];
    J << 0, 1;
  };
  AdaptiveGrid<2> grid(exact_function<2>(1, broken), with_spacing(1));
  Eigen::VectorXd y;
  CHECK_THROWS_AS(grid.evaluate({0.5, 0.5}, y), CornerFailure);
  CHECK_THROWS_AS(grid.evaluate({-0.5, 0.5}, y), CornerFailure);
  const Samples<2> samples = grid.samples();
  REQUIRE(samples.size() == 6);
  for (Eigen::Index m = 0; m < samples.size(); ++m) {
    const auto s = static_cast<std::size_t>(m);
    const double x = samples.point(m)[0];
    CHECK(samples.reasons[s] == (x > 0.9 ? "the mesh is torn" : x < -0.9 ? "no licence" : ""));
    CHECK(samples.retry[s] == (x < -0.9));
    CHECK(samples.jet(m).allFinite() == !samples.failed(m));
  }
  mended = 1;
  AdaptiveGrid<2> other(exact_function<2>(1, broken), with_spacing(1));
  const InsertedSamples use = other.insert(samples);
  CHECK(use.used == 4);
  CHECK(use.to_retry == 2);
  CHECK_THROWS_WITH(other.evaluate({0.5, 0.5}, y), Catch::Contains("the mesh is torn"));
  other.evaluate({-0.5, 0.5}, y);
  CHECK(other.statistics().exact_evaluations == 2);

  KernelInterpolant<2> kernel(1, 1);
  const InsertedSamples in_kernel = kernel.insert(samples);
  CHECK(in_kernel.used == 2);
  CHECK(in_kernel.failed == 2);
  CHECK(in_kernel.to_retry == 2);
}

TEST_CASE("a grid without a function answers from its samples, and fails where they end") {
  CallCounts calls;
  AdaptiveGrid<2> grid(wave_jets<1>(calls), with_spacing(1));
  const Eigen::MatrixXd X = square_points(20, 4);
  const Eigen::MatrixXd wanted = all_answers(grid, X);
  Eigen::VectorXd y;
  const Point<2> here(0.1, 0.1), far(7.5, 7.5);
  grid.at_level(2).evaluate(here, y);
  const Eigen::VectorXd fine = y;

  auto options = with_spacing(1);
  const AdaptiveGrid<2> known(grid.samples(), options);
  CHECK(all_answers(known, X) == wanted);
  known.at_level(2).evaluate(here, y);
  CHECK(y == fine);
  CHECK_THROWS_WITH(known.evaluate(far, y), Catch::Contains("there is no sample here, and the grid has no function"));
  CHECK(known.try_evaluate(far, y).trust == Trust::failed);
  CHECK(known.statistics().exact_evaluations == 0);

  options.on_failure = FailurePolicy::coarser;
  AdaptiveGrid<2> forgiving(grid.samples(), options);
  const Point<2> elsewhere = X.col(0);
  CHECK(forgiving.at_level(3).evaluate(elsewhere, y).trust == Trust::coarser);
  Eigen::VectorXd coarse;
  known.evaluate(elsewhere, coarse);
  CHECK(y == coarse);

  // What was missing may come later.
  grid.at_level(3).evaluate(elsewhere, coarse);
  CHECK(forgiving.insert(grid.samples()).used >= 4);
  CHECK(forgiving.at_level(3).evaluate(elsewhere, y).trust == Trust::unchecked);
  CHECK(y == coarse);
}

TEST_CASE("labels of branches and differenced gradients come through samples") {
  CallCounts calls;
  const auto labelled = exact_function<2>(1, [&calls](const Point<2>& x, auto y, auto J) {
    calls.note(x);
    const int branch = x[0] > 0.3;
    y[0] = branch;
    J << 0, 0;
    return branch;
  });
  const AdaptiveGrid<2> grid(labelled, with_spacing(1));
  Eigen::VectorXd y;
  const Answer wanted = grid.evaluate({0.31, 0.4}, y);
  const AdaptiveGrid<2> known(grid.samples(), with_spacing(1));
  const Answer answer = known.evaluate({0.31, 0.4}, y);
  CHECK(answer.trust == wanted.trust);
  CHECK(wanted.trust == Trust::nearest_branch);

  const auto values =
      exact_function_without_derivatives<2>(1, [](const Point<2>& x, auto value) { value[0] = wave_derivative(0, x); });
  const AdaptiveGrid<2> differenced(values, with_spacing(0.5));
  const Eigen::MatrixXd X = square_points(10, 5);
  const Eigen::MatrixXd from_values = all_answers(differenced, X);
  const Samples<2> of_values = differenced.samples();
  CHECK(of_values.jet_order == 0);
  CHECK(of_values.difference_gradients);
  const AdaptiveGrid<2> again(of_values, with_spacing(0.5));
  CHECK(all_answers(again, X) == from_values);
}

TEST_CASE("samples that come while other threads query are used, and no corner is evaluated twice") {
  const Eigen::MatrixXd X = square_points(200, 6);
  CallCounts of_source;
  AdaptiveGrid<2> source(wave_jets<1>(of_source), with_spacing(0.25));
  const Eigen::MatrixXd wanted = all_answers(source, X);
  const Samples<2> samples = source.samples();
  for (int round = 0; round < 5; ++round) {
    CallCounts calls;
    AdaptiveGrid<2> grid(wave_jets<1>(calls), with_spacing(0.25));
    std::vector<Eigen::MatrixXd> seen(3);
    InsertedSamples use;
    {
      std::vector<std::jthread> threads;
      for (auto& answer : seen) threads.emplace_back([&] { answer = all_answers(grid, X); });
      threads.emplace_back([&] { use = grid.insert(samples); });
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) static_cast<void>(grid.samples());
      });
    }
    for (const auto& answer : seen) CHECK(answer == wanted);
    CHECK(calls.most() <= 1);
    CHECK(use.used + use.known == of_source.points());
    CHECK(calls.points() + use.used == of_source.points());
  }
}

TEST_CASE("a kernel gives its samples and takes those of a grid") {
  CallCounts calls;
  AdaptiveGrid<2> grid(wave_jets<1>(calls), with_spacing(1));
  all_answers(grid, square_points(10, 7));
  KernelInterpolant<2> kernel(2, 1), other(2, 1);
  CHECK(kernel.insert(grid.samples()).used == calls.points());
  CHECK(kernel.insert(grid.samples()).known == calls.points());
  const Samples<2> samples = kernel.samples();
  REQUIRE(samples.size() == kernel.size());
  CHECK((samples.jets - grid.samples().jets).norm() < 1e-13);
  other.insert(samples);
  Eigen::VectorXd y, again;
  kernel.evaluate({0.2, -0.3}, y);
  other.evaluate({0.2, -0.3}, again);
  CHECK((y - again).norm() < 1e-9);
  CallCounts none;
  AdaptiveGrid<2> back(wave_jets<1>(none), with_spacing(0.5));
  CHECK(back.insert(samples).used == calls.points());
}

TEST_CASE("samples that do not fit are refused with their numbers, and none is kept") {
  CallCounts calls;
  AdaptiveGrid<2> grid(wave_jets<1>(calls), with_spacing(1));
  all_answers(grid, square_points(3, 8));
  const Samples<2> good = grid.samples();
  AdaptiveGrid<2> other(wave_jets<1>(calls), with_spacing(1));
  const auto refuses = [&](auto&& spoil, const char* words) {
    Samples<2> bad = good;
    spoil(bad);
    CHECK_THROWS_WITH(other.insert(bad), Catch::Contains(words));
    CHECK(other.statistics().corners == 0);
  };
  refuses([](auto& s) { s.jets.conservativeResize(3, Eigen::NoChange); }, "samples of 3 outputs, expected 2");
  refuses([](auto& s) { s.jet_order = 2; }, "points of 6 derivatives");
  refuses([](auto& s) { s.jet_order = 7; }, "jet order 7, expected 0 to 3");
  refuses([](auto& s) { s.branches.pop_back(); }, "branches for");
  refuses([](auto& s) { s.reasons.pop_back(); }, "reasons for");
  refuses([](auto& s) { s.jets(0, 0) = std::numeric_limits<double>::quiet_NaN(); }, "is not finite");
  refuses([](auto& s) { s.points(1, 2) = std::numeric_limits<double>::infinity(); }, "point 2 is");
  CHECK_THROWS_AS(AdaptiveGrid<2>(Samples<2>{}), std::invalid_argument);
}
