// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/quoin.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
bool same(const Answer& a, const Answer& b) {
  return a.trust == b.trust && a.level == b.level && same(a.error, b.error) && same(a.jacobian_error, b.jacobian_error);
}
bool same(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a.array() == b.array()).all();
}

/// `crowd` points of one cell and `others` of its neighbours, in random order.
template <int Dim>
Eigen::MatrixXd crowd(int crowd, int others) {
  std::mt19937_64 random(Dim);
  std::uniform_real_distribution<double> unit;
  Eigen::MatrixXd X(Dim, crowd + others);
  for (int m = 0; m < X.cols(); ++m)
    for (int i = 0; i < Dim; ++i) X(i, m) = unit(random);
  for (int m = crowd; m < X.cols(); ++m) X(m % Dim, m) += m % 2 ? 1 : -1;
  Eigen::PermutationMatrix<Eigen::Dynamic> shuffle(X.cols());
  shuffle.setIdentity();
  std::shuffle(shuffle.indices().begin(), shuffle.indices().end(), random);
  return X * shuffle;
}

/// Batches equal a loop to the bit, on cells that are missing and on cells that exist. Returns the
/// trusts that occurred.
template <int Dim, class Batched, class Alone>
std::set<Trust> require_loop(const Batched& batched, const Alone& alone, const Eigen::MatrixXd& X) {
  Eigen::MatrixXd Y, Y_too, Y_warm, J;
  const std::vector<Answer> answers = batched.evaluate_batch(X, Y);
  const std::vector<Answer> warm = batched.evaluate_batch(X, Y_warm);
  const std::vector<Answer> too = batched.evaluate_batch(X, Y_too, J);
  REQUIRE(answers.size() == static_cast<std::size_t>(X.cols()));
  REQUIRE(J.cols() == Dim * X.cols());
  CHECK(same(Y, Y_too));
  CHECK(same(Y, Y_warm));
  std::set<Trust> met;
  int wrong = 0;
  for (Eigen::Index m = 0; m < X.cols(); ++m) {
    Eigen::VectorXd y;
    Eigen::MatrixXd J_m;
    const Answer answer = alone.evaluate(Point<Dim>(X.col(m)), y, J_m);
    wrong += !same(answers[m], answer) || !same(warm[m], answer) || !same(too[m], answer);
    wrong += !same(Y.col(m), y) || !same(J.middleCols(Dim * m, Dim), J_m);
    met.insert(answer.trust);
  }
  CHECK(wrong == 0);
  return met;
}

template <int Dim, int K>
void require_loops(int outputs, int in_one_cell, int others, std::optional<double> tolerance = {}) {
  CAPTURE(Dim, K, outputs, tolerance.has_value());
  GridOptions<Dim> options;
  options.tolerance = tolerance;
  const Waves<Dim> waves(outputs);
  AdaptiveGrid<Dim> batched(waves.template jet<K>(), options), alone(waves.template jet<K>(), options);
  const Eigen::MatrixXd X = crowd<Dim>(in_one_cell, others);
  require_loop<Dim>(batched, alone, X);
  const Eigen::MatrixXd C = Eigen::MatrixXd::Ones(2, outputs);
  require_loop<Dim>(batched.linear_output(C), alone.linear_output(C), X);
}

template <int Dim>
void require_loops_of_all_orders() {
  for (const int outputs : {1, 3, 8}) {
    require_loops<Dim, 0>(outputs, 20, 5);
    require_loops<Dim, 1>(outputs, 20, 5);
    require_loops<Dim, 2>(outputs, 20, 5);
    require_loops<Dim, 3>(outputs, 20, 5);
  }
}

/// Fails near x_0 = 1, changes its branch at x_0 = -1.63.
auto troubled() {
  return exact_function<2>(
      3, [waves = Waves<2>(3)](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) -> int {
        if (std::abs(x[0] - 1) < 0.1) throw std::domain_error("gap");
        y = waves.value(x);
        J = waves.jacobian(x);
        return x[0] > -1.63;
      });
}

GridOptions<2> box(double lower, double upper) {
  GridOptions<2> options;
  options.lower.setConstant(lower);
  options.upper.setConstant(upper);
  return options;
}

}  // namespace

TEST_CASE("a batch is a loop to the bit, in every dimension and at every order") {
  require_loops_of_all_orders<1>();
  require_loops_of_all_orders<2>();
  require_loops_of_all_orders<3>();
  require_loops_of_all_orders<4>();
  require_loops<5, 1>(3, 20, 3);
  require_loops<5, 3>(8, 9, 1);
  require_loops<6, 0>(1, 20, 3);
  require_loops<6, 1>(8, 20, 3);
  require_loops<6, 2>(3, 9, 1);
}

TEST_CASE("a batch is a loop to the bit, however many points of a cell it sweeps together") {
  for (const int points : {1, 2, 7, 8, 9, 16, 17, 63, 64, 65, 129}) require_loops<2, 1>(150, points, 3);
  require_loops<4, 1>(1575, 20, 4);
  require_loops<1, 3>(1575, 70, 0);
}

TEST_CASE("a batch is a loop to the bit, to a tolerance") {
  require_loops<1, 1>(3, 40, 10, 1e-6);
  require_loops<2, 1>(8, 40, 10, 1e-4);
  require_loops<2, 2>(3, 40, 10, 1e-7);
  require_loops<3, 1>(3, 20, 4, 1e-2);
}

TEST_CASE("a batch is a loop to the bit, certificates included") {
  for (const bool to_tolerance : {false, true}) {
    GridOptions<2> options;
    options.fourth_derivatives = [](const Point<2>&, const Point<2>&) {
      return FourthDerivativeBounds<2>::common(1.0);
    };
    if (to_tolerance) options.tolerance = 1e-3;
    const auto f = Waves<2>(3).jet<1>();
    const AdaptiveGrid<2> batched(f, options), alone(f, options);
    CHECK(require_loop<2>(batched, alone, crowd<2>(30, 10)) == std::set{Trust::certified});
  }
}

TEST_CASE("a batch is a loop to the bit, whatever answers where f fails, changes its branch, or is not defined") {
  for (const FailurePolicy on_failure : {FailurePolicy::coarser, FailurePolicy::call_function})
    for (const BranchPolicy on_branches : {BranchPolicy::nearest_corner, BranchPolicy::call_function})
      for (const OutsidePolicy outside : {OutsidePolicy::clamp, OutsidePolicy::extend}) {
        CAPTURE(static_cast<int>(on_failure), static_cast<int>(on_branches), static_cast<int>(outside));
        GridOptions<2> options = box(-2, 4);
        options.spacing.setConstant(2);
        options.on_failure = on_failure;
        options.on_branches = on_branches;
        options.outside = outside;
        options.branch_splits = 1;
        Eigen::MatrixXd X(2, 300);
        const auto points = random_points<2>(300, Point<2>(-3, -3), Point<2>(5, 5), 3);
        for (int m = 0; m < 300; ++m)
          X.col(m) = std::abs(points[m][0] - 1) < 0.2 ? Point<2>(points[m] + Point<2>(0.4, 0)) : points[m];
        const AdaptiveGrid<2> batched(troubled(), options), alone(troubled(), options);
        const std::set<Trust> met = require_loop<2>(batched.at_level(1), alone.at_level(1), X);
        CHECK(met.count(Trust::unchecked) == 1);
        CHECK(met.count(Trust::extended) == 1);
        CHECK(met.count(on_branches == BranchPolicy::nearest_corner ? Trust::nearest_branch : Trust::exact) == 1);
        CHECK(met.count(on_failure == FailurePolicy::coarser ? Trust::coarser : Trust::exact) == 1);
      }
}

TEST_CASE("a batch writes into blocks and into memory that the caller has, and nothing beside them") {
  const AdaptiveGrid<2> grid(Waves<2>(3).jet<1>());
  const Eigen::MatrixXd X = crowd<2>(12, 5);
  const Eigen::Index M = X.cols();
  Eigen::MatrixXd Y, J;
  grid.evaluate_batch(X, Y, J);

  Eigen::MatrixXd frame = Eigen::MatrixXd::Constant(8, M + 2, 7.0);
  grid.evaluate_batch(X, frame.block(2, 1, 3, M));
  CHECK(same(frame.block(2, 1, 3, M), Y));
  frame.block(2, 1, 3, M).setConstant(7);
  CHECK((frame.array() == 7).all());

  std::vector<double> memory(5 * 3 * M, 7.0);
  Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>> Y_map(memory.data(), 3, M, Eigen::OuterStride<>(5));
  Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>> J_map(memory.data() + 5 * M, 3, 2 * M, Eigen::OuterStride<>(5));
  grid.evaluate_batch(X, Y_map, J_map);
  CHECK(same(Y_map, Y));
  CHECK(same(J_map, J));
  for (std::size_t i = 0; i < memory.size(); ++i)
    if (i % 5 > 2) REQUIRE(memory[i] == 7);

  Eigen::VectorXd y(3);
  grid.evaluate_batch(X.col(4), y);
  CHECK(same(y, Y.col(4)));
  const GridView<2> view = grid.at_level(0);
  view.evaluate_batch(X.leftCols(4), frame.topRows(3).leftCols(4));
  CHECK(same(frame.topLeftCorner(3, 4), Y.leftCols(4)));
}

TEST_CASE("points and values may lie in one matrix, and values may take the points' own memory") {
  const AdaptiveGrid<2> grid(Waves<2>(2).jet<1>()), wide(Waves<2>(9).jet<1>());
  const Eigen::MatrixXd X = crowd<2>(12, 5);
  Eigen::MatrixXd Y, path(4, X.cols());
  grid.evaluate_batch(X, Y);
  path.topRows(2) = X;
  grid.evaluate_batch(path.topRows(2), path.bottomRows(2));
  CHECK(same(path.topRows(2), X));
  CHECK(same(path.bottomRows(2), Y));
  grid.evaluate_batch(path.topRows(2), path.topRows(2));
  CHECK(same(path.topRows(2), Y));
  Eigen::MatrixXd in_place = X;
  wide.evaluate_batch(X, Y);
  wide.evaluate_batch(in_place, in_place);
  CHECK(same(in_place, Y));
}

TEST_CASE("outputs of the wrong shape, or in each other's memory, are refused with their shapes") {
  const AdaptiveGrid<2> grid(Waves<2>(3).jet<1>());
  const Eigen::MatrixXd X = crowd<2>(4, 0);
  Eigen::MatrixXd frame = Eigen::MatrixXd::Zero(6, 16), three_rows(3, 4);
  const std::size_t before = grid.statistics().exact_evaluations;
  CHECK_THROWS_WITH(grid.evaluate_batch(X, frame.topLeftCorner(3, 5)), Catch::Contains("Y is 3 x 5, expected 3 x 4"));
  CHECK_THROWS_WITH(grid.evaluate_batch(X, frame.topLeftCorner(3, 4), frame.bottomLeftCorner(3, 4)),
                    Catch::Contains("J is 3 x 4, expected 3 x 8"));
  CHECK_THROWS_AS(grid.evaluate_batch(X, frame.topLeftCorner(2, 4)), std::invalid_argument);
  CHECK_THROWS_WITH(grid.evaluate_batch(three_rows, frame.topLeftCorner(3, 4)), Catch::Contains("3, expected 2"));
  CHECK_THROWS_WITH(grid.evaluate_batch(X, frame.block(0, 3, 3, 4), frame.block(0, 6, 3, 8)),
                    Catch::Contains("share memory"));
  CHECK_THROWS_WITH(grid.evaluate_batch(X, frame.block(1, 3, 3, 4), frame.block(3, 0, 3, 8)),
                    Catch::Contains("share memory"));
  CHECK(grid.statistics().exact_evaluations == before);
  CHECK_NOTHROW(grid.evaluate_batch(X, frame.topLeftCorner(3, 4), frame.bottomRightCorner(3, 8)));
  CHECK_NOTHROW(grid.evaluate_batch(X, frame.topLeftCorner(3, 4), frame.bottomLeftCorner(3, 8)));
  CHECK_THROWS_WITH(grid.evaluate_batch(X, frame, frame), Catch::Contains("share memory"));
}

TEST_CASE("what a batch misses is evaluated in one go, though some of its cells are there") {
  const auto asked = std::make_shared<std::vector<std::size_t>>();
  const AdaptiveGrid<2> grid(counted_waves<2>(new_calls()), {},
                             [asked](const CornerFunction<2>& f, std::span<CornerSample<2>> samples) {
                               asked->push_back(samples.size());
                               for (CornerSample<2>& sample : samples) f.evaluate(sample);
                             });
  Eigen::MatrixXd X(2, 4), Y;
  X << 0.5, 5.5, 0.4, 9.5,  //
      0.5, 5.5, 0.6, 9.5;
  Eigen::VectorXd y;
  grid.evaluate(Point<2>(0.1, 0.1), y);
  grid.evaluate_batch(X, Y);
  CHECK(*asked == std::vector<std::size_t>{4, 8});
  grid.evaluate_batch(X, Y);
  CHECK(asked->size() == 2);
  CHECK(grid.statistics().queries == 9);
}

TEST_CASE("a batch is all or nothing: outputs are left alone where one of its points throws") {
  const AdaptiveGrid<2> grid(troubled(), box(-4, 4));
  Eigen::MatrixXd X(2, 3), Y = Eigen::MatrixXd::Constant(3, 3, 7.0), J = Eigen::MatrixXd::Constant(3, 6, 7.0);
  X << -3.5, -2.5, 0.5,  // the last one's cell has failed corners
      -0.5, -0.5, -0.5;
  Eigen::MatrixXd Y_empty;
  for (int run = 0; run < 2; ++run) {
    CHECK_THROWS_AS(grid.evaluate_batch(X, Y), CornerFailure);
    CHECK_THROWS_AS(grid.evaluate_batch(X, Y_empty, J), CornerFailure);
    CHECK_THROWS_AS(grid.evaluate_batch(X, Y.leftCols(3), J.leftCols(6)), CornerFailure);
    X(0, 2) = run == 0 ? 0.5 : 9;
  }
  X(0, 2) = 9;
  CHECK_THROWS_AS(grid.evaluate_batch(X, Y.leftCols(3), J.leftCols(6)), DomainError);
  CHECK((Y.array() == 7).all());
  CHECK((J.array() == 7).all());
  CHECK(Y_empty.size() == 0);
}
