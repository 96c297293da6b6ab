// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/choosing/surrogate.hpp"

#include "choosing/two_waves.hpp"
#include "quoin/evaluation/threads.hpp"
#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/hintable.hpp"
#include "quoin/util/errors.hpp"
#include "testing/drawn.hpp"
#include "testing/functions.hpp"
#include "testing/laws.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

static_assert(TwiceDifferentiableMap<Surrogate<2>, 2> && TryableMap<Surrogate<2>, 2> && Hintable<Surrogate<2>>);
static_assert(TwiceDifferentiableMap<SurrogateView<3>, 3> && TryableMap<SurrogateView<3>, 3>);

const Point<2> lower(-1, -1.5), upper(1.5, 1);

/// Fresh points of the box, and what a map errs there, in root mean square over the outputs.
template <class Map, class Exact>
std::vector<double> errors_of(const Map& map, const Exact& exact, unsigned seed, int count = 100) {
  std::vector<double> errors;
  Eigen::VectorXd y;
  for (const Point<2>& x : random_points<2>(count, lower, upper, seed)) {
    map.evaluate(x, y);
    const Eigen::VectorXd off = y - exact(x);
    errors.push_back(off.norm() / std::sqrt(static_cast<double>(off.size())));
  }
  return errors;
}
double largest(const std::vector<double>& errors) { return *std::ranges::max_element(errors); }

Eigen::VectorXd value_of(const TwoWaves& waves, const Point<2>& x) {
  return Eigen::Vector2d(waves.derivative(0, MultiIndex<2>{}, x), waves.derivative(1, MultiIndex<2>{}, x));
}
auto values_alone(const TwoWaves& waves) {
  return exact_function_without_derivatives<2>(
      2, [waves](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y) { y = value_of(waves, x); });
}
GridOptions<2> one_cell() { return {.origin = lower, .spacing = upper - lower, .lower = lower, .upper = upper}; }

/// To the bit, at 20 points.
void answer_alike(const Surrogate<2>& one, const Surrogate<2>& other) {
  Eigen::VectorXd y, same;
  for (const Point<2>& x : random_points<2>(20, lower, upper, 12)) {
    one.evaluate(x, y);
    other.evaluate(x, same);
    CHECK(y == same);
  }
}

}  // namespace

TEST_CASE("drawn smooth functions get kernels of few samples, of values or jets, that err as little as was asked") {
  const unsigned first = seed_wanted();
  const int draws = draws_wanted(20);
  int kernels = 0, within = 0, points = 0, held = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed)
    for (const bool jets : {false, true}) {
      std::mt19937 generator(seed * 7919 + 61);
      const TwoWaves waves(generator);
      std::uniform_real_distribution<double> uniform(-1, 1);
      const double error = waves.amplitude.cwiseAbs().maxCoeff() * std::pow(10, -3 + uniform(generator));
      const auto grid = jets ? std::make_shared<AdaptiveGrid<2>>(waves.jet<1>(), one_cell())
                             : std::make_shared<AdaptiveGrid<2>>(values_alone(waves), one_cell());
      const Surrogate<2> surrogate(grid, {.error = error});
      const SurrogateReport& report = surrogate.report();
      const std::size_t taken = surrogate.evaluations();
      const auto errors = errors_of(
          surrogate, [&](const Point<2>& x) { return value_of(waves, x); }, seed + 1000);
      CAPTURE(seed, jets, report.message, error, largest(errors));
      within += static_cast<int>(std::ranges::count_if(errors, [&](double off) { return off <= error; }));
      points += static_cast<int>(errors.size());
      if (report.kind != SurrogateKind::kernel) continue;
      ++kernels;
      held += largest(errors) <= 10 * error;
      CHECK(report.error <= error);
      CHECK(report.held_out == 8);
      CHECK(report.failed == 0);
      CHECK(report.rounds.back().error <= error);
      CHECK(std::ranges::is_sorted(report.rounds, {}, &SurrogateRound::samples));
      CHECK(report.message.find(jets ? "2 -> 2, kernel of " + std::to_string(report.rounds.back().samples) +
                                           " jets of order 1, held-out error "
                                     : "2 -> 2, kernel of " + std::to_string(report.rounds.back().samples) +
                                           " values, held-out error ") == 0);
      CHECK(taken <= (jets ? 90 : 200));
      CHECK(surrogate.evaluations() == taken);  // answers call nothing
    }
  INFO(kernels << " kernels of " << 2 * draws << ", " << within << " of " << points << " points within, " << held
               << " kernels within ten times");
  CHECK(kernels >= 1.8 * draws);
  CHECK(within >= 0.95 * points);
  CHECK(held >= 0.95 * kernels);
}

TEST_CASE("a smaller error is met with more samples, and no worse") {
  const unsigned first = seed_wanted();
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws_wanted(5)); ++seed) {
    std::mt19937 generator(seed * 7919 + 67);
    const TwoWaves waves(generator);
    const double size = waves.amplitude.cwiseAbs().maxCoeff();
    double coarser = std::numeric_limits<double>::infinity();
    std::size_t fewer = 0;
    for (const double error : {1e-1, 1e-2, 1e-3, 1e-4}) {
      const Surrogate<2> surrogate(values_alone(waves), lower, upper, {.error = error * size});
      const std::size_t taken = surrogate.evaluations();
      const double off = largest(errors_of(
          surrogate, [&](const Point<2>& x) { return value_of(waves, x); }, seed + 2000));
      CAPTURE(seed, error, surrogate.report().message, coarser);
      CHECK(off <= coarser);
      CHECK(taken >= fewer);
      coarser = off;
      fewer = taken;
    }
  }
}

TEST_CASE("where samples do not converge the grid answers, to the error, and says so") {
  const unsigned first = seed_wanted();
  int within = 0, points = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws_wanted(8)); ++seed) {
    std::mt19937 generator(seed * 7919 + 71);
    std::uniform_real_distribution<double> uniform(-0.8, 0.8);
    const Point<2> at(uniform(generator), uniform(generator));
    const auto kinks = [at](const Point<2>& x) {
      return Eigen::VectorXd::Constant(1, (x - at).cwiseAbs().sum()).eval();
    };
    const auto f = exact_function_without_derivatives<2>(
        1, [kinks](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y) { y = kinks(x); });
    const Surrogate<2> surrogate(f, lower, upper, {.error = 1e-2});
    CAPTURE(seed, surrogate.report().message);
    CHECK(surrogate.report().kind == SurrogateKind::grid_tolerance);
    CHECK(surrogate.report().message.find("2 -> 1, grid to 0.01, held-out error ") == 0);
    CHECK(surrogate.report().held_out > 0);
    const auto errors = errors_of(surrogate, kinks, seed + 3000);
    within += static_cast<int>(std::ranges::count_if(errors, [](double off) { return off <= 1e-2; }));
    points += static_cast<int>(errors.size());
  }
  INFO(within << " of " << points << " points within");
  CHECK(within >= 0.95 * points);
}

TEST_CASE("where f fails in a part of the box the grid answers in the rest, and the report says how often and why") {
  const auto f = exact_function_without_derivatives<2>(1, [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y) {
    if (x.sum() > 2) throw std::runtime_error("too far");
    y[0] = std::sin(x[0]) * x[1];
  });
  const Surrogate<2> surrogate(f, lower, upper, {.error = 1e-2});
  const SurrogateReport& report = surrogate.report();
  CAPTURE(report.message);
  CHECK(report.kind == SurrogateKind::grid_tolerance);
  CHECK(report.failed >= 1);
  CHECK(report.reason.find("too far") != std::string::npos);
  CHECK(report.message.find("f failed at " + std::to_string(report.failed) + " points: ") != std::string::npos);
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  CHECK(surrogate.evaluate({-0.5, -0.5}, y).has_value());
  CHECK(std::abs(y[0] - 0.5 * std::sin(0.5)) < 1e-2);
  CHECK_THROWS_AS(surrogate.evaluate({1.45, 0.95}, y), CornerFailure);
  CHECK(surrogate.try_evaluate({1.45, 0.95}, y, J).trust == Trust::failed);
}

TEST_CASE("branches that f labels lead to a grid, which keeps them apart") {
  const auto f =
      exact_function<2>(1, [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) -> int {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        y[0] = x[0] > 0.2 ? 3 : 1;
        J.setZero();
        return x[0] > 0.2;
      });
  const Surrogate<2> surrogate(f, lower, upper, {.error = 1e-2});
  CHECK(surrogate.report().kind == SurrogateKind::grid_tolerance);
  Eigen::VectorXd y;
  surrogate.evaluate({1, 0.3}, y);
  CHECK(y[0] == Approx(3));
  surrogate.evaluate({-0.7, 0.3}, y);
  CHECK(y[0] == Approx(1));
}

TEST_CASE("a function with derivatives that takes less than 5 us answers itself; over a grid it does not") {
  const Calls calls = new_calls();
  const Surrogate<2> surrogate(counted_waves<2>(calls), lower, upper, {.error = 1e-3});
  if (surrogate.report().kind != SurrogateKind::function) {
    WARN("this machine, or its sanitizer, takes longer");
    return;
  }
  CAPTURE(surrogate.report().message);
  CHECK(surrogate.report().message.find("2 -> 3, f itself, ") == 0);
  CHECK(surrogate.report().held_out == 0);
  const int begun = *calls;
  CHECK(begun == 8);
  const Waves<2> waves(3);
  const Surrogate<2> with_order_2(waves.jet<2>(), lower, upper, {.error = 1e-3});
  const auto sum = surrogate.linear_output(Eigen::MatrixXd::Ones(2, 3)).linear_output(Eigen::MatrixXd::Ones(1, 2));
  Eigen::VectorXd y, total;
  Eigen::MatrixXd J, H, J_total, H_total, H_exact;
  for (const Point<2>& x : {Point<2>(0.3, 0.4), Point<2>(1.5, 1), Point<2>(-1, -1.5)}) {
    CHECK(surrogate.evaluate(x, y, J, H).trust == Trust::exact);
    CHECK(y == waves.value(x));
    CHECK(J == waves.jacobian(x));
    sum.evaluate(x, total, J_total, H_total);
    CHECK(total[0] == Approx(2 * y.sum()));
    CHECK(J_total.isApprox(2 * J.colwise().sum()));
    CHECK(H_total.isApprox(2 * H.colwise().sum(), 1e-6));
    with_order_2.evaluate(x, y, J, H_exact);
    CHECK((H - H_exact).cwiseAbs().maxCoeff() < 1e-4);
  }
  CHECK_THROWS_AS(surrogate.evaluate({1.6, 0}, y), DomainError);
  CHECK(surrogate.try_evaluate({1.6, 0}, y, J, H).trust == Trust::outside);
  CHECK_THROWS_WITH(surrogate.linear_output(Eigen::MatrixXd::Ones(1, 2)), Catch::Contains("C is 1 x 2"));

  const auto grid = std::make_shared<AdaptiveGrid<2>>(counted_waves<2>(calls), one_cell());
  CHECK(Surrogate<2>(grid, {.error = 1e-3}).report().kind == SurrogateKind::kernel);
}

TEST_CASE("whatever answers obeys the laws of maps, as do its functionals") {
  const Calls calls = new_calls();
  const auto points = random_points<2>(10, lower, upper, 5);
  const auto grid = std::make_shared<AdaptiveGrid<2>>(counted_waves<2>(calls), one_cell());
  const Surrogate<2> kernel(grid, {.error = 1e-4}), itself(counted_waves<2>(calls), lower, upper, {.error = 1e-4}),
      gridded(grid, {.error = 1e-4, .most_samples = 8});
  REQUIRE(kernel.report().kind == SurrogateKind::kernel);
  REQUIRE(gridded.report().kind == SurrogateKind::grid_tolerance);
  const Eigen::MatrixXd C = Eigen::MatrixXd::Random(2, 3);
  for (const Surrogate<2>& surrogate : {kernel, itself, gridded}) {
    CAPTURE(surrogate.report().message);
    // A grid's Jacobian is that of its cell: within one of a tolerance steps stay.
    const MapLaws laws{.repeatable_to = 1e-14, .derivatives = {.largest_step = 1e-3}};
    obeys_the_laws_of_maps<2>(surrogate, points, laws);
    const SurrogateView<2> functional = surrogate.linear_output(C);
    obeys_the_laws_of_maps<2>(functional, points, laws);
    Eigen::VectorXd y, Cy;
    for (const Point<2>& x : points) {
      surrogate.evaluate(x, y);
      functional.evaluate(x, Cy);
      CHECK((C * y - Cy).norm() < 1e-3);
    }
  }
}

TEST_CASE("the same box is sampled at the same points: what a grid knows is not called for again") {
  std::mt19937 generator(11);
  const TwoWaves waves(generator);
  const double error = 1e-3 * waves.amplitude.cwiseAbs().maxCoeff();
  const auto grid = std::make_shared<AdaptiveGrid<2>>(values_alone(waves), one_cell());
  const Surrogate<2> once(grid, {.error = error});
  const std::size_t taken = once.evaluations();
  CHECK(static_cast<std::size_t>(once.grid().samples().size()) == taken);
  const Surrogate<2> again(grid, {.error = error});
  CHECK(again.evaluations() == taken);
  answer_alike(once, again);
}

TEST_CASE("threads evaluate the samples of a round together, to the same surrogate") {
  std::mt19937 generator(13);
  const TwoWaves waves(generator);
  const SurrogateOptions options{.error = 1e-3 * waves.amplitude.cwiseAbs().maxCoeff()};
  const auto f = exact_function_without_derivatives<2>(
      2, [waves](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y) { y = value_of(waves, x); }, {.concurrent = true});
  const Surrogate<2> alone(f, lower, upper, options), together(f, lower, upper, options, Threads(3));
  CHECK(together.evaluations() == alone.evaluations());
  CHECK(together.grid().statistics().batches < alone.grid().statistics().batches);
  answer_alike(alone, together);
}

TEST_CASE("errors are measured with the weights given") {
  std::mt19937 generator(17);
  const TwoWaves waves(generator);
  const double size = waves.amplitude.cwiseAbs().maxCoeff();
  const Surrogate<2> first_alone(values_alone(waves), lower, upper,
                                 {.error = 1e-3 * size, .output_weights = Eigen::Vector2d(1, 0)});
  const Surrogate<2> both(values_alone(waves), lower, upper,
                          {.error = 1e-3 * size, .output_weights = Eigen::Vector2d(1, 100)});
  CHECK(first_alone.report().error <= 1e-3 * size);
  CHECK(both.evaluations() > first_alone.evaluations());
}

TEST_CASE("what no surrogate can be is refused with its numbers, before f is called") {
  const Calls calls = new_calls();
  const auto f = counted_waves<2>(calls);
  const auto refused = [&](const Point<2>& low, const Point<2>& high, const SurrogateOptions& options,
                           const char* with) {
    CHECK_THROWS_WITH(Surrogate<2>(f, low, high, options), Catch::Contains(with));
    CHECK_THROWS_AS(Surrogate<2>(f, low, high, options), std::invalid_argument);
  };
  refused(lower, upper, {}, "error = 0 is not positive");
  refused(lower, upper, {.error = -2}, "error = -2");
  refused(lower, upper, {.error = std::numeric_limits<double>::infinity()}, "error = inf");
  refused(lower, upper, {.error = 1, .most_samples = 3}, "most_samples = 3");
  refused(lower, upper, {.error = 1, .held_out = 0}, "held_out = 0");
  refused({2, 0}, {1, 1}, {.error = 1}, "lower[0] = 2 is not below upper[0] = 1");
  refused({0, 0}, {1, std::numeric_limits<double>::quiet_NaN()}, {.error = 1}, "upper[1] = nan");
  refused(lower, upper, {.error = 1, .output_weights = Eigen::VectorXd::Ones(2)}, "2 output weights for 3 outputs");

  const auto over = [&](const GridOptions<2>& options, const SurrogateOptions& wanted, const char* with) {
    const auto grid = std::make_shared<AdaptiveGrid<2>>(f, options);
    CHECK_THROWS_WITH(Surrogate<2>(grid, wanted), Catch::Contains(with));
  };
  over({}, {.error = 1}, "lower[0] = -inf");
  GridOptions<2> turning = one_cell();
  turning.spacing /= 2;
  turning.periodic = {false, true};
  over(turning, {.error = 1}, "a period along axis 1");
  over(one_cell(), {.error = 1, .output_weights = Eigen::VectorXd::Ones(3)}, "3 output_weights");
  CHECK(*calls == 0);
}

TEST_CASE("two labels among the samples, held-out ones included, are no kernel's") {
  std::mt19937_64 random(seed_wanted());
  for (int draw = 0; draw < draws_wanted(20); ++draw) {
    const double jump = std::uniform_real_distribution<double>(0.05, 0.95)(random);
    const auto f =
        exact_function<2>(1, [jump](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
          y[0] = std::sin(x[0]) + x[1];
          J << std::cos(x[0]), 1;
          std::this_thread::sleep_for(std::chrono::microseconds(20));
          return x[0] < jump ? 0 : 1;
        });
    const Surrogate<2> map(f, {0, 0}, {1, 1}, {.error = 1e-3});
    const auto samples = map.grid().samples();
    const bool two = std::ranges::count(samples.branches, samples.branches[0]) < std::ssize(samples.branches);
    CHECK((map.report().kind == SurrogateKind::grid_tolerance) == two);
  }
  CHECK_THROWS_WITH(Surrogate<2>(nullptr, {.error = 1e-3}), Catch::Contains("null"));
}

TEST_CASE("a surrogate that was moved from goes on answering") {
  const Calls calls = new_calls();
  Surrogate<2> here(counted_waves<2>(calls), lower, upper, {.error = 1e-3});
  const Surrogate<2> there = std::move(here);
  Eigen::VectorXd y, y_there;
  here.evaluate(Point<2>(0.3, 0.2), y);  // NOLINT: that is what is tested
  there.evaluate(Point<2>(0.3, 0.2), y_there);
  CHECK(y == y_there);
  CHECK(here.evaluations() == there.evaluations());
}
