// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/choosing/table.hpp"

#include "quoin/grid/sample_storage.hpp"
#include "quoin/map/exact_function.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace quoin;
using Catch::Matchers::Contains;

namespace {

/// Smooth in the logarithms of T and n and in an angle, of outputs of very different sizes.
void gas(const Point<3>& x, Eigen::Ref<Eigen::VectorXd> y) {
  y[0] = 1 / (1 + std::pow(1e4 / x[0], 2) * std::pow(x[1], 0.05));
  y[1] = 1e6 * std::log(x[1]) * (2 + std::cos(x[2]));
}

const Table<3>::Axes gas_axes = {log_axis("T", 3e3, 3e4), log_axis("n", 1e2, 1e6),
                                 periodic_axis("phi", 0, 2 * std::numbers::pi)};

struct CountedGas {
  std::shared_ptr<std::atomic<int>> calls = std::make_shared<std::atomic<int>>(0);
  auto function() const {
    return exact_function_without_derivatives<3>(
        2, [calls = calls](const Point<3>& x, Eigen::Ref<Eigen::VectorXd> y) { ++*calls, gas(x, y); });
  }
};

Point<3> drawn_state(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit;
  return {std::exp(std::log(3e3) + unit(random) * std::log(10.0)),
          std::exp(std::log(1e2) + unit(random) * std::log(1e4)), 40 * unit(random) - 20};
}

Table<1> cube() {
  return {exact_function<1>(1,
                            [](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
                              if (x[0] > 90) throw std::runtime_error("too hot");
                              y[0] = std::pow(x[0], 3);
                              J(0, 0) = 3 * x[0] * x[0];
                            }),
          {log_axis("a", 1, 100)}};
}

/// Keeps samples in memory, as a file would.
class Kept final : public SampleStorage<1> {
 public:
  void open(Eigen::Index, int) override {}
  bool find(CornerSample<1>& sample, const Point<1>& within, Eigen::Index derivatives) override {
    for (const CornerSample<1>& one : samples)
      if (std::abs(one.x[0] - sample.x[0]) <= within[0] && one.jet.cols() >= derivatives) {
        sample.jet = one.jet.leftCols(derivatives);
        sample.branch = one.branch;
        sample.seconds = one.seconds;
        return true;
      }
    return false;
  }
  void keep(const CornerSample<1>& sample) override { samples.push_back(sample); }

  std::vector<CornerSample<1>> samples;
};

}  // namespace

TEST_CASE("what is stored is by f's own variables: tables on any axes and grids find it, and answer right") {
  const auto storage = std::make_shared<Kept>();
  const auto calls = std::make_shared<int>(0);
  const auto f =
      exact_function<1>(1, [calls](const Point<1>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        ++*calls;
        y[0] = x[0] * x[0];
        J(0, 0) = 2 * x[0];
      });
  const auto right = [](const auto& map) {
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    for (double x = 10; x <= 20; x += 0.37) {
      map.evaluate(Point<1>(x), y, J);
      CHECK(y[0] == Approx(x * x).margin(0.5));
      CHECK(J(0, 0) == Approx(2 * x).margin(0.5));
    }
  };
  right(Table<1>(f, {linear_axis("x", 10, 20)}, {.storage = storage}));
  right(Table<1>(f, {log_axis("x", 10, 20)}, {.storage = storage}));
  const int before = *calls;
  right(Table<1>(f, {log_axis("x", 10, 20)}, {.storage = storage}));
  right(Table<1>(f, {linear_axis("x", 10, 20)}, {.storage = storage}));
  CHECK(*calls == before);
  for (const CornerSample<1>& one : storage->samples) CHECK(one.jet(0, 1) == Approx(2 * one.x[0]));
  GridOptions<1> plain = GridOptions<1>::over(Point<1>(10), Point<1>(20), {3});
  plain.storage = storage;
  right(AdaptiveGrid<1>(f, plain));
}

TEST_CASE("a filled table is right to the parts of the sizes that were asked for, at any turn, and calls nothing") {
  const CountedGas counted;
  const Table<3> table(counted.function(), gas_axes);
  CHECK(table.fill() > 100);
  const int calls = *counted.calls;
  std::mt19937_64 random(2);
  int over = 0, over_stated = 0;
  for (int draw = 0; draw < 1000; ++draw) {
    const Point<3> x = drawn_state(random);
    Eigen::VectorXd y, truth(2);
    const Answer said = table.evaluate(x, y);
    gas(x, truth);
    const double off = ((y - truth).array() / table.sizes().array()).abs().maxCoeff();
    over += off > 1e-3;
    over_stated += off > said.error;
  }
  CHECK(over <= 10);
  CHECK(over_stated <= 10);
  CHECK(*counted.calls == calls);
}

TEST_CASE("derivatives are by the variables themselves") {
  const Table<3> table(CountedGas{}.function(), gas_axes);
  std::mt19937_64 random(3);
  for (int draw = 0; draw < 20; ++draw) {
    const Point<3> x = drawn_state(random), scale(x[0], x[1], 1);
    Eigen::VectorXd y, above, below;
    Eigen::MatrixXd J;
    table.evaluate(x, y, J);
    for (int axis = 0; axis < 3; ++axis) {
      const Point<3> step = 1e-5 * scale[axis] * Point<3>::Unit(axis);
      if (!table.try_evaluate(x + step, above).has_value() || !table.try_evaluate(x - step, below).has_value())
        continue;
      const Eigen::VectorXd off = J.col(axis) * scale[axis] - (above - below) / 2e-5;
      CHECK((off.array() / table.sizes().array()).abs().maxCoeff() < 1e-4);
    }
  }
}

TEST_CASE("a function that gives its Jacobian is asked for it, and its samples come back by its own variables") {
  const Table<1> table = cube();
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  table.evaluate(Point<1>(50.0), y, J);
  CHECK(y[0] == Approx(125000).margin(1e-3 * table.sizes()[0]));
  CHECK(J(0, 0) == Approx(7500).epsilon(0.02));
  const Samples<1> samples = table.samples();
  for (Eigen::Index m = 0; m < samples.size(); ++m) {
    if (samples.failed(m)) continue;
    CHECK(samples.jet(m)(0, 0) == Approx(std::pow(samples.point(m)[0], 3)));
    CHECK(samples.jet(m)(0, 1) == Approx(3 * std::pow(samples.point(m)[0], 2)));
  }
}

TEST_CASE("a table of another one's samples answers the same to the bit, without the function") {
  const Table<3> table(CountedGas{}.function(), gas_axes);
  table.fill();
  const Table<3> again(table.samples(), table.axes(), {.sizes = table.sizes()});
  std::mt19937_64 random(4);
  for (int draw = 0; draw < 200; ++draw) {
    const Point<3> x = drawn_state(random);
    Eigen::VectorXd y, other;
    table.evaluate(x, y);
    again.evaluate(x, other);
    CHECK(y == other);
  }
}

TEST_CASE("what is outside, or fails, is told by the variable's name") {
  const Table<1> table = cube();
  Eigen::VectorXd y;
  CHECK_THROWS_WITH(table.evaluate(Point<1>(0.5), y), Contains("a = 0.5 is below lower = 1"));
  CHECK_THROWS_WITH(table.evaluate(Point<1>(std::nan("")), y), Contains("a = nan is not finite"));
  CHECK(table.try_evaluate(Point<1>(101.0), y).trust == Trust::outside);
  CHECK(table.try_evaluate(Point<1>(99.0), y).trust == Trust::failed);
  CHECK_THROWS_WITH(table.evaluate(Point<1>(99.0), y), Contains("too hot") && Contains("logarithms of a"));
}

TEST_CASE("without cells a table chooses them along each axis: few calls where f bends along one of four") {
  const auto wave = [](const Point<4>& x, Eigen::Ref<Eigen::VectorXd> y) {
    y[0] = std::sin(6 * x[0]) * std::cos(x[1]) + 0.3 * x[2];
    y[1] = std::exp(-x[3]) * std::cos(3 * x[0]);
  };
  const auto filled = [&](int first, int others) {
    Table<4> table(exact_function_without_derivatives<4>(2, wave),
                   {linear_axis("a", 0, 1, first), linear_axis("b", 0, 1, others), linear_axis("c", 0, 1, others),
                    linear_axis("d", 0, 1, others)});
    table.fill();
    return table;
  };
  const Table<4> own = filled(0, 0);
  CHECK(own.axes()[0].cells == 8);
  CHECK(own.axes()[2].cells == 1);
  CHECK(own.samples().size() < 2 * filled(8, 1).samples().size());
  CHECK(2 * own.samples().size() < filled(3, 3).samples().size());
  CHECK(filled(2, 0).axes()[0].cells == 2);
}

TEST_CASE("mistakes in axes, errors and sizes are told with their numbers") {
  CHECK_THROWS_WITH(log_axis("T", 0, 1), Contains("axis T: lower = 0 has no logarithm"));
  CHECK_THROWS_WITH(linear_axis("x", 1, 1), Contains("axis x: lower = 1, upper = 1"));
  CHECK_THROWS_WITH(periodic_axis("phi", 0, 1, 1), Contains("axis phi: cells = 1, expected at least 2"));
  CHECK_THROWS_WITH((Table<1>(cube().samples(), {linear_axis("x", 1, 100)}, {.sizes = cube().sizes()})),
                    Contains("axis x: cells = 0") && Contains("axes() of the table"));
  const CountedGas counted;
  const auto made = [&](const TableOptions<3>& options) { Table<3>(counted.function(), gas_axes, options); };
  CHECK_THROWS_WITH(made({.relative = Eigen::Vector3d::Constant(1e-3)}), Contains("relative: 3 for 2 outputs"));
  CHECK_THROWS_WITH(made({.relative = Eigen::Vector2d(1e-3, 0)}), Contains("relative[1] = 0"));
  CHECK_THROWS_WITH(made({.sizes = Eigen::Vector2d(-1, 1)}), Contains("sizes[0] = -1"));
  CHECK(*counted.calls == 0);
  const auto zero =
      exact_function_without_derivatives<1>(1, [](const Point<1>&, Eigen::Ref<Eigen::VectorXd> y) { y[0] = 0; });
  CHECK_THROWS_WITH((Table<1>(zero, {linear_axis("x", 0, 1)})),
                    Contains("all outputs are 0") && Contains("give sizes"));
}
