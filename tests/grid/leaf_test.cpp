// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/evaluation/threads.hpp"
#include "quoin/quoin.hpp"
#include "testing/functions.hpp"
#include "testing/laws.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

using namespace quoin;
using namespace quoin::test;

TEST_CASE("neither huge nor tiny outputs, nor huge nor tiny coordinates change a leaf") {
  const Waves<2> waves(2, 1.5);
  const auto scaled = [&](double by, double stretch) {
    return exact_function<2>(2, [=](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
      y = by * waves.value(x / stretch);
      J = by / stretch * waves.jacobian(x / stretch);
    });
  };
  const AdaptiveGrid<2> plain(scaled(1, 1));
  const auto points = random_points<2>(50, Point<2>(-2, -2), Point<2>(2, 2), 7);
  for (const double by : {0x1p-900, 0x1p-200, 0x1p300, 0x1p900})
    for (const double stretch : {0x1p-80, 1.0, 0x1p60}) {
      CAPTURE(by, stretch);
      GridOptions<2> options;
      options.spacing.setConstant(stretch);
      const AdaptiveGrid<2> grid(scaled(by, stretch), options);
      Eigen::VectorXd y, y_plain;
      for (const Point<2>& x : points) {
        const Answer answer = grid.at_tolerance(1e-4 * by).evaluate(stretch * x, y);
        const Answer answer_plain = plain.at_tolerance(1e-4).evaluate(x, y_plain);
        CHECK(answer.level == answer_plain.level);
        CHECK(answer.error == Approx(by * answer_plain.error).epsilon(1e-6));
        CHECK((y - by * y_plain).norm() <= 1e-12 * by);
      }
    }
}

TEST_CASE("leaves do not depend on the order of queries, other tolerances, batches or threads, to the bit") {
  const auto f = Waves<3>(5, 2.5).jet<1>();
  const auto points = random_points<3>(120, Point<3>::Constant(-1), Point<3>::Constant(1), 8);
  Eigen::MatrixXd X(3, 120);
  for (int m = 0; m < 120; ++m) X.col(m) = points[m];
  const AdaptiveGrid<3> forward(f), backward(f), batched(f, {}, Threads{3}), threaded(f);

  Eigen::MatrixXd expected(5, 120), Y;
  std::vector<Answer> answers(120);
  Eigen::VectorXd y;
  for (int m = 0; m < 120; ++m) {
    answers[m] = forward.at_tolerance(1e-4).evaluate(points[m], y);
    expected.col(m) = y;
  }
  const auto agrees = [&](int m, const Answer& answer, const Eigen::VectorXd& value) {
    return answer.level == answers[m].level && answer.error == answers[m].error &&
           answer.jacobian_error == answers[m].jacobian_error && value == expected.col(m);
  };
  for (int m = 119; m >= 0; --m) {
    backward.at_tolerance(m % 2 ? 1e-2 : 1e-6).evaluate(points[m], y);
    const Answer answer = backward.at_tolerance(1e-4).evaluate(points[m], y);
    CHECK(agrees(m, answer, y));
  }
  const auto batch = batched.at_tolerance(1e-4).evaluate_batch(X, Y);
  for (int m = 0; m < 120; ++m) CHECK(agrees(m, batch[m], Y.col(m)));
  const auto prepared = batched.statistics().exact_evaluations;
  for (int m = 0; m < 120; ++m) batched.at_tolerance(1e-4).evaluate(points[m], y);
  CHECK(batched.statistics().exact_evaluations == prepared);
  CHECK(prepared == forward.statistics().exact_evaluations);

  std::vector<int> differ(4, 0);
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      Eigen::VectorXd own;
      for (int m = 0; m < 120; ++m) {
        const int at = (m * 7 + 31 * k) % 120;
        const Answer answer = threaded.at_tolerance(1e-4).evaluate(points[at], own);
        differ[k] += !agrees(at, answer, own);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const int count : differ) CHECK(count == 0);
  CHECK(threaded.statistics().exact_evaluations == forward.statistics().exact_evaluations);
}

TEST_CASE("trim in tolerance mode keeps what tolerances have met, however often") {
  const auto keeps = [](auto f, const Calls& calls, GridOptions<2> options) {
    options.tolerance = 1e-4;
    AdaptiveGrid<2> grid(std::move(f), options);
    const auto points = random_points<2>(60, Point<2>(-1, -1), Point<2>(1, 1), 9);
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    for (const Point<2>& x : points) grid.try_evaluate(x, y, J);
    const int met = *calls;
    const std::size_t corners_met = grid.statistics().corners;  // of f, which was looked at between corners, too
    for (const Point<2>& x : points) grid.at_level(7).try_evaluate(x, y, J);
    CHECK(*calls > met);
    const std::size_t corners = grid.statistics().corners;
    for (int times = 0; times < 3; ++times) grid.trim();
    CHECK(grid.statistics().corners < corners);
    const int before = *calls;
    for (const Point<2>& x : points) grid.try_evaluate(x, y, J);
    CHECK(*calls == before);
    CHECK(grid.statistics().corners == corners_met);
  };
  const Calls calls = new_calls();
  keeps(counted_waves<2>(calls, 3), calls, {});
  *calls = 0;
  keeps(exact_function_without_derivatives<2>(1,
                                              [calls](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y) {
                                                ++*calls;
                                                y[0] = std::sin(x[0] + 2 * x[1]);
                                              }),
        calls, {});
  GridOptions<2> certified;
  certified.fourth_derivatives = [](const Point<2>&, const Point<2>&) {
    return FourthDerivativeBounds<2>::common(0.6);
  };
  *calls = 0;
  keeps(counted_waves<2>(calls, 3), calls, certified);
  *calls = 0;  // corners that fail, and cells with two branches
  keeps(exact_function<2>(
            1,
            [calls](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) -> int {
              ++*calls;
              if (x.norm() < 0.2) throw std::runtime_error("no solution");
              y[0] = x[0] * x[0];
              J << 2 * x[0], 0;
              return x[0] > 0.7;
            }),
        calls, {});
}

TEST_CASE("a centre that fails sends the query deeper, and the policy for failures answers") {
  // Fails in a small ball around the centre of the cell [0, 1]^2.
  const auto f =
      exact_function<2>(1, [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        if ((x - Point<2>(0.5, 0.5)).norm() < 0.1) throw std::runtime_error("no solution");
        y[0] = x[0] * x[1];
        J << x[1], x[0];
      });
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  const AdaptiveGrid<2> split(f, {.tolerance = 1e-6});
  CHECK(split.evaluate(Point<2>(0.3, 0.3), y, J).trust == Trust::estimated);
  CHECK(y[0] == Approx(0.09));
  CHECK_THROWS_WITH(split.evaluate(Point<2>(0.48, 0.48), y), Catch::Contains("no solution"));
  const AdaptiveGrid<2> strict(f, {.tolerance = 1e-6, .failure_splits = 0});
  CHECK_THROWS_WITH(strict.evaluate(Point<2>(0.3, 0.3), y), Catch::Contains("no solution"));
  CHECK(strict.try_evaluate(Point<2>(0.3, 0.3), y, J).trust == Trust::failed);
  const AdaptiveGrid<2> lenient(f, {.tolerance = 1e-6, .on_failure = FailurePolicy::coarser, .failure_splits = 0});
  const Answer answer = lenient.evaluate(Point<2>(0.3, 0.3), y);
  CHECK(answer.trust == Trust::coarser);
  CHECK(answer.level == 0);
  CHECK(y[0] == Approx(0.09));
}

TEST_CASE("a grid to a tolerance is a map like any other, and so are its functionals") {
  AdaptiveGrid<2> grid(Waves<2>(4).jet<1>(), {.tolerance = 1e-3});
  std::vector<Point<2>> points;  // away from faces, where the Jacobian may jump
  for (const Point<2>& x : random_points<2>(20, Point<2>(0.27, 0.27), Point<2>(0.48, 0.48), 10)) points.push_back(x);
  const MapLaws laws{.derivatives = {.largest_step = 1e-3}};
  obeys_the_laws_of_maps<2>(grid, points, laws);
  obeys_the_laws_of_maps<2>(grid.linear_output(Eigen::MatrixXd::Random(2, 4)), points, laws);
}
