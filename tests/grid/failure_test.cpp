// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/adaptive_grid.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

using namespace quoin;
using namespace quoin::test;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// Waves on unit cells that misbehave in the given way where x_0 is near 1.
using Misbehaviour = std::function<void(Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J)>;
auto misbehaving(const Calls& calls, Misbehaviour misbehave) {
  return exact_function<2>(
      3, [=, waves = Waves<2>(3)](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        ++*calls;
        y = waves.value(x);
        J = waves.jacobian(x);
        if (std::abs(x[0] - 1) < 1e-9) misbehave(y, J);
      });
}

template <class Call>
std::string failure(Call&& call) {
  try {
    call();
  } catch (const CornerFailure& error) {
    return error.what();
  }
  return "no failure";
}

void untouched_by(const AdaptiveGrid<2>& grid, const Point<2>& x, Trust trust) {
  Eigen::VectorXd y = Eigen::VectorXd::Constant(7, 5.0);
  Eigen::MatrixXd J = Eigen::MatrixXd::Constant(2, 9, 5.0);
  CHECK(grid.try_evaluate(x, y, J).trust == trust);
  CHECK(grid.try_evaluate(x, y).trust == trust);
  CHECK((y.size() == 7 && (y.array() == 5).all()));
  CHECK((J.rows() == 2 && J.cols() == 9 && (J.array() == 5).all()));
}

GridOptions<2> box() {
  GridOptions<2> options;
  options.lower = {-1, -2};
  options.upper = {3, 2};
  return options;
}

}  // namespace

TEST_CASE("a corner whose function fails is reported with its place and reason, and not called again") {
  struct Case {
    Misbehaviour misbehave;
    std::string reason;
  };
  const Case cases[] = {
      {[](auto, auto) { throw std::runtime_error("mesh inverted"); }, "mesh inverted"},
      {[](auto, auto) { throw std::runtime_error(""); }, "without words"},
      {[](auto, auto) { throw 42; }, "no std::exception"},
      {[](auto, auto) { throw "text"; }, "no std::exception"},
      {[](auto y, auto) { y[1] = nan_value; }, "value 1 is nan"},
      {[](auto y, auto) { y[1] = -1e305; }, "value 1 is -1e+305, too large"},
      {[](auto, auto J) { J(2, 1) = std::numeric_limits<double>::infinity(); }, "derivative 2 of output 2 is inf"},
  };
  for (const Case& c : cases) {
    const Calls calls = new_calls();
    const AdaptiveGrid<2> grid(misbehaving(calls, c.misbehave));
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    const Point<2> bad(0.5, 0.5), good(-0.5, 0.5);
    const std::string message = failure([&] { grid.evaluate(bad, y, J); });
    CHECK_THAT(message, Catch::Contains(c.reason) && Catch::Contains("(1, 0)"));
    CHECK(*calls == 4);
    CHECK(failure([&] { grid.evaluate(bad, y, J); }) == message);
    CHECK(*calls == 4);
    untouched_by(grid, bad, Trust::failed);
    CHECK(grid.evaluate(good, y, J).trust == Trust::unchecked);
    CHECK(*calls == 6);
    CHECK(grid.statistics().failed_corners == 2);
    CHECK(grid.statistics().corners == 6);
  }
}

TEST_CASE("outputs that the function did not write are a failure") {
  const AdaptiveGrid<1> grid(exact_function<1>(
      2, [](const Point<1>&, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd>) { y[0] = 1; }));
  Eigen::VectorXd y;
  CHECK_THAT(failure([&] { grid.evaluate(Point<1>(0.5), y); }), Catch::Contains("was not written"));
}

namespace {
struct WrongSize {
  Eigen::Index output_size() const { return 3; }
  Answer evaluate(const Point<1>&, Eigen::VectorXd& y) const {
    y.setZero(2);
    return {};
  }
  Answer evaluate(const Point<1>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    J.setZero(2, 1);
    return evaluate(x, y);
  }
};
struct Empty : WrongSize {
  Eigen::Index output_size() const { return 0; }
};
}  // namespace

TEST_CASE("a map whose answer is not of the size that it promised is a failure, one that promises none is refused") {
  const AdaptiveGrid<1> grid(WrongSize{});
  Eigen::VectorXd y;
  CHECK_THAT(failure([&] { grid.evaluate(Point<1>(0.5), y); }),
             Catch::Contains("2 values") && Catch::Contains("expected 3"));
  CHECK_THROWS_WITH(AdaptiveGrid<1>(Empty{}), Catch::Contains("output size is 0"));
}

TEST_CASE("a failure that may pass is called again, and only it") {
  const Calls calls = new_calls();
  const auto broken = std::make_shared<bool>(true);
  AdaptiveGrid<2> grid(misbehaving(calls, [broken](auto, auto) {
    if (*broken) throw RetryableFailure("no licence");
  }));
  Eigen::VectorXd y, z;
  const Point<2> x(0.5, 0.5);
  const GridView<2> tip = grid.linear_output(Eigen::MatrixXd::Ones(1, 3));
  CHECK_THAT(failure([&] { grid.evaluate(x, y); }), Catch::Contains("no licence"));
  CHECK(*calls == 4);
  CHECK_THAT(failure([&] { tip.evaluate(x, y); }), Catch::Contains("no licence"));
  CHECK(*calls == 6);
  *broken = false;
  tip.evaluate(x, z);
  CHECK(*calls == 8);
  grid.evaluate(x, y);
  CHECK(*calls == 8);
  CHECK(std::abs(z[0] - y.sum()) < 1e-14);
  CHECK(grid.statistics().failed_corners == 0);
  CHECK(grid.statistics().corners == 4);
  CHECK(grid.statistics().exact_evaluations == 8);
}

TEST_CASE("memory that ran out in f is a failure that may pass") {
  const Calls calls = new_calls();
  const auto full = std::make_shared<bool>(true);
  const AdaptiveGrid<2> grid(misbehaving(calls, [full](auto, auto) {
    if (*full) throw std::bad_alloc();
  }));
  Eigen::VectorXd y;
  CHECK_THAT(failure([&] { grid.evaluate({0.5, 0.5}, y); }), Catch::Contains("out of memory"));
  *full = false;
  grid.evaluate({0.5, 0.5}, y);
  CHECK(*calls == 6);
}

TEST_CASE("a corner that is tried again and again takes no more memory, whatever it says") {
  const Calls calls = new_calls();
  const AdaptiveGrid<2> grid(misbehaving(calls, [calls](auto, auto) {
    throw RetryableFailure("licence server at lic01.example.org does not answer, attempt " + std::to_string(*calls));
  }));
  Eigen::VectorXd y;
  const auto ask = [&](int count) {
    for (int i = 0; i < count; ++i) grid.try_evaluate({0.5, 0.5}, y);
    return grid.statistics();
  };
  const GridStatistics before = ask(1), after = ask(2000);
  CHECK(after.bytes < before.bytes + 64);
  CHECK(after.corners == 4);
  CHECK(after.failed_corners == 2);
  CHECK(after.exact_evaluations == before.exact_evaluations + 4000);
  CHECK_THAT(failure([&] { grid.evaluate({0.5, 0.5}, y); }), Catch::Contains("attempt 4005"));
}

TEST_CASE("a failed corner makes the finest coarser cell that is whole answer, where that is asked for") {
  const Calls calls = new_calls();
  GridOptions<2> options;
  options.on_failure = FailurePolicy::coarser;
  // Fails at x_0 = 0.75 and x_0 = 0.5: cells of levels 2 and 1 around 0.6 are broken, those of level 0 are not.
  const Waves<2> waves(3);
  AdaptiveGrid<2> grid(
      exact_function<2>(3,
                        [=](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
                          ++*calls;
                          if (x[0] == 0.75 || x[0] == 0.5) throw std::domain_error("gap");
                          y = waves.value(x);
                          J = waves.jacobian(x);
                        }),
      options);
  Eigen::VectorXd y, coarse, z;
  Eigen::MatrixXd J, J_coarse;
  const Point<2> x(0.6, 0.3);
  const GridView<2> view = grid.at_level(2);
  const Answer answer = view.evaluate(x, y, J);
  CHECK(answer.trust == Trust::coarser);
  CHECK(answer.level == 0);
  const int used = *calls;
  CHECK(view.evaluate(x, y, J).trust == Trust::coarser);
  CHECK(grid.at_level(0).evaluate(x, coarse, J_coarse).trust == Trust::unchecked);
  CHECK(*calls == used);
  CHECK((y.array() == coarse.array()).all());
  CHECK((J.array() == J_coarse.array()).all());
  Eigen::MatrixXd X(2, 2), Y;
  X << 0.6, 0.2, 0.3, 0.3;
  const auto answers = view.evaluate_batch(X, Y);
  CHECK(answers[0].trust == Trust::coarser);
  CHECK(answers[1].trust == Trust::unchecked);
  CHECK((Y.col(0).array() == coarse.array()).all());
  CHECK(view.linear_output(Eigen::MatrixXd::Ones(1, 3)).evaluate(x, z).level == 0);
  CHECK(std::abs(z[0] - coarse.sum()) < 1e-14);
}

TEST_CASE("where no coarser cell is whole either, the failure is reported") {
  GridOptions<2> options;
  options.on_failure = FailurePolicy::coarser;
  const AdaptiveGrid<2> grid(misbehaving(new_calls(), [](auto, auto) { throw std::runtime_error("gap"); }), options);
  Eigen::VectorXd y;
  CHECK_THAT(failure([&] { grid.at_level(3).evaluate({0.99, 0.3}, y); }), Catch::Contains("gap"));
  untouched_by(grid, {0.5, 0.5}, Trust::failed);
}

TEST_CASE("a failed corner makes the function itself answer at the query point, where that is asked for") {
  const Calls calls = new_calls();
  GridOptions<2> options;
  options.on_failure = FailurePolicy::call_function;
  const Waves<2> waves(3);
  AdaptiveGrid<2> grid(misbehaving(calls, [](auto, auto) { throw std::runtime_error("gap"); }), options);
  Eigen::VectorXd y, z;
  Eigen::MatrixXd J;
  const Point<2> x(0.6, 0.3);
  const Answer answer = grid.evaluate(x, y, J);
  CHECK(answer.trust == Trust::exact);
  CHECK(answer.error == 0);
  CHECK((y.array() == waves.value(x).array()).all());
  CHECK((J.array() == waves.jacobian(x).array()).all());
  CHECK(*calls == 5);
  CHECK(grid.statistics().exact_evaluations == 5);
  CHECK(grid.statistics().corners == 4);
  Eigen::VectorXd Jw, Jtv;
  grid.jvp(x, Eigen::Vector2d(1, 2), Jw);
  CHECK((Jw - waves.jacobian(x) * Eigen::Vector2d(1, 2)).norm() < 1e-15);
  grid.vjp(x, Eigen::Vector3d(1, 2, 3), Jtv);
  CHECK((Jtv - waves.jacobian(x).transpose() * Eigen::Vector3d(1, 2, 3)).norm() < 1e-14);
  CHECK(grid.linear_output(Eigen::MatrixXd::Ones(1, 3)).evaluate(x, z, J).trust == Trust::exact);
  CHECK(std::abs(z[0] - y.sum()) < 1e-15);
  // A query point at which the function fails as well.
  CHECK_THAT(failure([&] { grid.evaluate({1.0, 0.3}, y); }), Catch::Contains("query point") && Catch::Contains("gap"));
  untouched_by(grid, {1.0, 0.3}, Trust::failed);
}

TEST_CASE("call_function is refused for functions without derivatives, whose Jacobian it could not give") {
  GridOptions<2> options;
  options.on_failure = FailurePolicy::call_function;
  CHECK_THROWS_WITH(AdaptiveGrid<2>(Waves<2>(1).jet<0>(), options), Catch::Contains("derivatives"));
  const auto values =
      exact_function_without_derivatives<2>(1, [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y) { y[0] = x[0]; });
  CHECK_THROWS_WITH(AdaptiveGrid<2>(values, options), Catch::Contains("derivatives"));
}

TEST_CASE("a value that fails spoils the differences that need it, and those alone") {
  const AdaptiveGrid<1> grid(exact_function_without_derivatives<1>(
      1, [](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y) { y[0] = x[0] == 3 ? nan_value : x[0]; }));
  Eigen::VectorXd y;
  for (const double x : {-0.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5})  // corners 1 to 5 need the value at 3
    CHECK(grid.try_evaluate(Point<1>(x), y).trust == (x < 0 || x > 6 ? Trust::unchecked : Trust::failed));
}

TEST_CASE("outside the domain: an error with the numbers, and the function is not called there") {
  const Calls calls = new_calls();
  const AdaptiveGrid<2> grid(counted_waves<2>(calls), box());
  Eigen::VectorXd y;
  Eigen::MatrixXd X(2, 2), Y;
  X << 0, 3.2, 0, 0;
  CHECK_THROWS_WITH(grid.evaluate({3.2, 0}, y), Catch::Contains("AdaptiveGrid<2>::evaluate") &&
                                                    Catch::Contains("x[0] = 3.2 is above upper[0] = 3"));
  CHECK_THROWS_WITH(grid.evaluate({0, -2.5}, y), Catch::Contains("x[1] = -2.5 is below lower[1] = -2"));
  CHECK_THROWS_AS(grid.evaluate({nan_value, 0}, y), DomainError);
  CHECK_THROWS_WITH(grid.prefetch(X), Catch::Contains("X(0, 1) = 3.2 is above upper[0] = 3"));
  CHECK_THROWS_WITH(grid.evaluate_batch(X, Y), Catch::Contains("X(0, 1) = 3.2 is above upper[0] = 3"));
  untouched_by(grid, {3.2, 0}, Trust::outside);
  untouched_by(grid, {nan_value, 0}, Trust::outside);
  CHECK(*calls == 0);
  CHECK(grid.evaluate({3, 2}, y).trust == Trust::unchecked);
  CHECK(*calls == 4);
}

TEST_CASE("outside the domain: clamped or extended where that is asked for, with the Jacobian of that") {
  for (const OutsidePolicy policy : {OutsidePolicy::clamp, OutsidePolicy::extend}) {
    const Calls calls = new_calls();
    GridOptions<2> options = box();
    options.outside = policy;
    const AdaptiveGrid<2> grid(counted_waves<2>(calls), options);
    for (const Point<2>& x : {Point<2>(3.7, 0.4), Point<2>(-1.5, 2.5), Point<2>(0.3, -7)}) {
      Eigen::VectorXd y, edge, ahead, behind, Jw;
      Eigen::MatrixXd J, J_edge;
      const Answer answer = grid.evaluate(x, y, J);
      CHECK(answer.trust == Trust::extended);
      const Point<2> nearest = x.cwiseMax(options.lower).cwiseMin(options.upper);
      CHECK(grid.evaluate(nearest, edge, J_edge).trust == Trust::unchecked);
      const Eigen::VectorXd expected =
          policy == OutsidePolicy::clamp ? edge : Eigen::VectorXd(edge + J_edge * (x - nearest));
      CHECK((y - expected).norm() < 1e-14);
      // The answer's Jacobian is the answer's derivative, across the bound and along it.
      for (int j = 0; j < 2; ++j) {
        const Point<2> step = 1e-5 * Point<2>::Unit(j);
        grid.evaluate(x + step, ahead);
        grid.evaluate(x - step, behind);
        CHECK(((ahead - behind) / 2e-5 - J.col(j)).norm() < 1e-8);
      }
      grid.jvp(x, Eigen::Vector2d(1, 2), Jw);
      CHECK((Jw - J * Eigen::Vector2d(1, 2)).norm() < 1e-14);
      CHECK(grid.try_evaluate(x, y).trust == Trust::extended);
      Eigen::MatrixXd Y, J_batch;
      CHECK(grid.evaluate_batch(x, Y, J_batch)[0].trust == Trust::extended);
      CHECK((Y - expected).norm() < 1e-14);
      CHECK((J_batch - J).norm() < 1e-14);
    }
    untouched_by(grid, {nan_value, 0}, Trust::outside);
    CHECK(*calls <= 12);
  }
}

TEST_CASE(
    "in tolerance mode cells are split around where f fails: it answers beside, at any distance that is asked for") {
  const auto f =
      exact_function<1>(1, [](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        if (x[0] > 0.9) throw std::runtime_error("no equilibrium");
        y[0] = std::sin(x[0]);
        J(0, 0) = std::cos(x[0]);
      });
  GridOptions<1> options;
  options.tolerance = 1e-4;
  const auto answered_up_to = [&](const AdaptiveGrid<1>& grid) {
    Eigen::VectorXd y;
    double last = -1;
    for (double x = 0.005; x < 0.9; x += 0.01) {
      const Answer answer = grid.try_evaluate(Point<1>(x), y);
      if (!answer.has_value()) break;
      REQUIRE(answer.trust == Trust::estimated);
      REQUIRE(std::abs(y[0] - std::sin(x)) <= 1e-4);
      last = x;
    }
    return last;
  };
  for (const auto& [splits, end] : {std::pair(0, -1.0), {1, 0.5}, {2, 0.75}, {3, 0.875}, {6, 0.890625}}) {
    INFO(splits << " splits");
    options.failure_splits = splits;
    const AdaptiveGrid<1> grid(f, options);
    CHECK(std::abs(answered_up_to(grid) - end) < 0.0101);
    // Points one by one, as a batch, and by estimates see the same leaves.
    const AdaptiveGrid<1> together(f, options);
    Eigen::MatrixXd X(1, 3);
    X << 0.1, 0.45, 0.8;
    together.prefetch(X);
    const std::size_t prepared = together.statistics().exact_evaluations;
    Eigen::VectorXd y;
    for (int i = 0; i < 3; ++i) {
      const Answer answer = together.try_evaluate(X.col(i), y);
      CHECK(answer.level == grid.try_evaluate(X.col(i), y).level);
      const Answer estimate = together.error_estimate(X.col(i));
      CHECK(estimate.trust == (answer.has_value() ? Trust::estimated : Trust::unchecked));
    }
    CHECK(together.statistics().exact_evaluations == prepared);
  }
  options.failure_splits = -1;
  CHECK_THROWS_WITH(AdaptiveGrid<1>(f, options), Catch::Contains("failure_splits = -1"));
}
