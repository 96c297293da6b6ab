// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/adaptive_grid.hpp"
#include "testing/functions.hpp"
#include "testing/laws.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

template <int Dim>
GridOptions<Dim> skewed_options() {
  GridOptions<Dim> options;
  for (int i = 0; i < Dim; ++i) {
    options.origin[i] = 0.137 - 0.3 * i;
    options.spacing[i] = 0.5 * (1 + 0.4 * i);
  }
  return options;
}

template <int Dim>
Point<Dim> at(const GridOptions<Dim>& options, const Point<Dim>& cells) {
  return options.origin + cells.cwiseProduct(options.spacing);
}

bool same(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a.array() == b.array()).all();
}

}  // namespace

static_assert(DifferentiableMap<AdaptiveGrid<2>, 2> && TryableMap<AdaptiveGrid<2>, 2>);
static_assert(DifferentiableMap<GridView<3>, 3> && TryableMap<GridView<3>, 3>);
static_assert(!std::is_copy_constructible_v<AdaptiveGrid<2>> && std::is_move_constructible_v<AdaptiveGrid<2>>);
static_assert(std::is_copy_constructible_v<GridView<2>>);

TEST_CASE("a cell costs its corners once; cells that touch share them") {
  const Calls calls = new_calls();
  const GridOptions<2> options = skewed_options<2>();
  const AdaptiveGrid<2> grid(counted_waves<2>(calls), options);
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  CHECK(*calls == 0);
  grid.evaluate(at(options, {0.3, 0.6}), y);
  CHECK(*calls == 4);
  grid.evaluate(at(options, {0.9, 0.1}), y, J);
  CHECK(*calls == 4);
  grid.evaluate(at(options, {1.2, 0.5}), y, J);  // shares an edge
  CHECK(*calls == 6);
  grid.evaluate(at(options, {-0.5, -0.5}), y);  // shares a corner
  CHECK(*calls == 9);
  grid.evaluate(at(options, {-0.5, 0.5}), y);  // between: one new corner
  CHECK(*calls == 10);
  CHECK(grid.statistics().exact_evaluations == 10);
  CHECK(grid.statistics().corners == 10);
  CHECK(grid.statistics().cells == 4);
  CHECK(grid.statistics().queries == 5);
  CHECK(grid.statistics().failed_corners == 0);
}

TEST_CASE("levels share corners: a corner of a coarse level is not evaluated again on a finer one") {
  const Calls calls = new_calls();
  const GridOptions<2> options = skewed_options<2>();
  AdaptiveGrid<2> grid(counted_waves<2>(calls), options);
  Eigen::VectorXd y;
  const Point<2> x = at(options, {0.2, 0.3});
  grid.evaluate(x, y);
  CHECK(*calls == 4);
  grid.refine();
  CHECK(grid.level() == 1);
  CHECK(grid.spacing() == options.spacing / 2);
  grid.evaluate(x, y);  // (0,0) is shared, three are new
  CHECK(*calls == 7);
  grid.at_level(0).evaluate(x, y);
  CHECK(*calls == 7);
  grid.at_level(3).evaluate(x, y);  // cell [1/8, 2/8] x [2/8, 3/8]: no corner in common
  CHECK(*calls == 11);
  grid.at_level(2).evaluate(x, y);  // [0, 1/4] x [1/4, 1/2]: (0, 1/2) from level 1, (1/4, 1/4) from level 3
  CHECK(*calls == 13);
}

TEST_CASE("prepare and batches evaluate each missing corner once, and queries after them nothing") {
  const Calls calls = new_calls();
  const GridOptions<2> options = skewed_options<2>();
  const AdaptiveGrid<2> grid(counted_waves<2>(calls), options);
  Eigen::MatrixXd X(2, 40);
  const auto points = random_points<2>(40, at<2>(options, {0, 0}), at<2>(options, {3, 2}), 1);
  for (int m = 0; m < 40; ++m) X.col(m) = points[m];
  grid.prefetch(X.leftCols(39));
  CHECK(*calls <= 12);
  Eigen::MatrixXd Y;
  grid.evaluate_batch(X, Y);
  CHECK(*calls == 12);
  CHECK(grid.statistics().queries == 40);
  Eigen::VectorXd y;
  for (const Point<2>& x : points) grid.evaluate(x, y);
  CHECK(*calls == 12);
}

TEST_CASE("without derivatives a cell costs 2^d (1 + 2 d) values in the interior, fewer at a corner of the domain") {
  const auto cost = []<int Dim>(bool bounded) {
    const Calls calls = new_calls();
    GridOptions<Dim> options = skewed_options<Dim>();
    if (bounded) {
      options.lower = options.origin;
      options.upper = options.origin + 6 * options.spacing;
    }
    const AdaptiveGrid<Dim> grid(
        exact_function_without_derivatives<Dim>(
            2,
            [calls, waves = Waves<Dim>(2)](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y) {
              ++*calls;
              y = waves.value(x);
            }),
        options);
    Eigen::VectorXd y;
    grid.evaluate(at<Dim>(options, Point<Dim>::Constant(0.4)), y);
    return calls->load();
  };
  CHECK(cost.operator()<1>(false) == 2 * 3);
  CHECK(cost.operator()<2>(false) == 4 * 5);
  CHECK(cost.operator()<3>(false) == 8 * 7);
  CHECK(cost.operator()<4>(false) == 16 * 9);
  // One-sided: along each of the d 2^(d-1) edges the five values 0..4 instead of six.
  CHECK(cost.operator()<1>(true) == 2 + 3);
  CHECK(cost.operator()<2>(true) == 4 + 4 * 3);
  CHECK(cost.operator()<3>(true) == 8 + 12 * 3);
}

TEST_CASE("at corners the grid is f to the bit, whatever K, the spacing and the level") {
  const auto check = []<int Dim, int K>() {
    const Waves<Dim> waves(5);
    const GridOptions<Dim> options = skewed_options<Dim>();
    const AdaptiveGrid<Dim> grid(waves.template jet<K>(), options);
    Eigen::VectorXd y;
    Eigen::MatrixXd J, jet(5, jet_size(Dim, K));
    for (const Point<Dim>& cells : random_points<Dim>(20, Point<Dim>::Constant(-9), Point<Dim>::Constant(9), 3))
      for (int level = 0; level < 3; ++level) {
        const GridView<Dim> view = grid.at_level(level);
        const Point<Dim> x = view.nearest_corner(at<Dim>(options, cells * std::ldexp(1.0, -level)));
        view.evaluate(x, y, J);
        waves.template jet<K>().sample(x, jet);
        CHECK((y.array() == jet.col(0).array()).all());
        if constexpr (K > 0) CHECK((J.array() == jet.middleCols(1, Dim).array()).all());
      }
  };
  check.operator()<1, 0>();
  check.operator()<1, 3>();
  check.operator()<2, 1>();
  check.operator()<3, 1>();
  check.operator()<2, 2>();
  check.operator()<3, 3>();
  check.operator()<4, 1>();
}

TEST_CASE("values are continuous across the faces of cells, at coordinates negative and huge") {
  const Waves<2> waves(4);
  for (const double far : {0.0, -1e3, 1e7}) {
    GridOptions<2> options = skewed_options<2>();
    options.origin.array() += far;
    const AdaptiveGrid<2> grid(waves.jet<1>(), options);
    const double tiny = 1e-12 * std::max(1.0, std::abs(far));
    Eigen::VectorXd below, above;
    for (const Point<2>& x : random_points<2>(50, at<2>(options, {-5, -5}), at<2>(options, {5, 5}), 8))
      for (int axis = 0; axis < 2; ++axis) {
        const double cells = std::round((x[axis] - options.origin[axis]) / options.spacing[axis]);
        Point<2> left = x, right = x;
        left[axis] = options.origin[axis] + cells * options.spacing[axis] - tiny;
        right[axis] = left[axis] + 2 * tiny;
        grid.evaluate(left, below);
        grid.evaluate(right, above);
        REQUIRE((below - above).cwiseAbs().maxCoeff() < 10 * tiny);
      }
  }
}

TEST_CASE("a grid obeys the laws of maps inside its cells, with and without derivatives of f") {
  const GridOptions<2> options = skewed_options<2>();
  std::vector<Point<2>> points;  // inside their cells: the steps of the check must not cross a face
  for (int n = 0; n < 6; ++n) points.push_back(at<2>(options, {n - 2.6, 0.37 + n}));
  MapLaws laws;
  laws.derivatives.largest_step = 0.1;
  const AdaptiveGrid<2> grid(Waves<2>(11, 2.0).jet<1>(), options);
  obeys_the_laws_of_maps<2>(grid, points, laws);
  obeys_the_laws_of_maps<2>(AdaptiveGrid<2>(Waves<2>(4, 2.0).jet<3>(), options), points, laws);
  const AdaptiveGrid<2> differenced(
      exact_function_without_derivatives<2>(
          3, [waves = Waves<2>(3, 2.0)](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y) { y = waves.value(x); }),
      options);
  obeys_the_laws_of_maps<2>(differenced, points, laws);
  obeys_the_laws_of_maps<2>(grid.at_level(0).linear_output(Eigen::MatrixXd::Random(2, 11)), points, laws);
}

TEST_CASE("J w and J^T v are those of the Jacobian, for every number of outputs") {
  for (const int outputs : {1, 2, 7, 8, 9, 16, 17, 130}) {
    CAPTURE(outputs);
    const AdaptiveGrid<3> grid(Waves<3>(outputs).jet<1>(), skewed_options<3>());
    for (const Point<3>& x : random_points<3>(5, Point<3>::Constant(-2), Point<3>::Constant(2), 4)) {
      Eigen::VectorXd y, Jw, Jtv;
      Eigen::MatrixXd J;
      grid.evaluate(x, y, J);
      const Eigen::VectorXd w = Eigen::VectorXd::LinSpaced(3, -1, 2), v = Eigen::VectorXd::LinSpaced(outputs, -1, 1);
      CHECK(grid.jvp(x, w, Jw).level == 0);
      CHECK(grid.vjp(x, v, Jtv).trust == Trust::unchecked);
      REQUIRE(Jw.size() == outputs);
      REQUIRE(Jtv.size() == 3);
      CHECK((Jw - J * w).norm() < 1e-13 * (1 + (J * w).norm()));
      CHECK((Jtv - J.transpose() * v).norm() < 1e-13 * outputs);
    }
    Eigen::VectorXd out;
    CHECK_THROWS_WITH(grid.jvp(Point<3>::Zero(), Eigen::VectorXd::Ones(2), out),
                      Catch::Contains("jvp") && Catch::Contains("2, expected 3"));
    CHECK_THROWS_AS(grid.vjp(Point<3>::Zero(), Eigen::VectorXd::Ones(outputs + 1), out), std::invalid_argument);
  }
}

TEST_CASE("a batch gives, to the bit, what its points give alone") {
  const GridOptions<2> options = skewed_options<2>();
  const AdaptiveGrid<2> batched(Waves<2>(19).jet<1>(), options), alone(Waves<2>(19).jet<1>(), options);
  const auto points = random_points<2>(100, at<2>(options, {-2, -2}), at<2>(options, {2, 1}), 6);
  Eigen::MatrixXd X(2, 100), Y, Y_too, J;
  for (int m = 0; m < 100; ++m) X.col(m) = points[m];
  const std::vector<Answer> answers = batched.evaluate_batch(X, Y);
  batched.evaluate_batch(X, Y_too, J);
  REQUIRE(answers.size() == 100);
  REQUIRE(J.cols() == 200);
  CHECK(same(Y, Y_too));
  for (int m = 0; m < 100; ++m) {
    Eigen::VectorXd y;
    Eigen::MatrixXd J_m;
    CHECK(answers[m].trust == alone.evaluate(points[m], y, J_m).trust);
    CHECK(same(Y.col(m), y));
    CHECK(same(J.middleCols(2 * m, 2), J_m));
  }
  CHECK(batched.evaluate_batch(Eigen::MatrixXd(2, 0), Y).empty());
  CHECK(Y.cols() == 0);
  CHECK_THROWS_AS(batched.evaluate_batch(Eigen::MatrixXd::Zero(3, 4), Y), std::invalid_argument);
}

TEST_CASE("trim keeps what the present level needs, functionals and failures too, and gives the rest back") {
  const Calls calls = new_calls();
  const GridOptions<2> options = skewed_options<2>();
  AdaptiveGrid<2> grid(counted_waves<2>(calls), options);
  const GridView<2> coarse = grid.at_level(0);
  Eigen::VectorXd y, before, z;
  const auto points = random_points<2>(200, at<2>(options, {-4, -4}), at<2>(options, {4, 4}), 2);
  for (const Point<2>& x : points) coarse.evaluate(x, y);
  grid.refine();
  const Point<2> x = at(options, {0.2, 0.3}), only_tip = at(options, {1.2, 1.3}), prepared = at(options, {-2.8, 1.3});
  grid.evaluate(x, before);
  const GridView<2> tip = grid.linear_output(Eigen::MatrixXd::Ones(1, 3));
  tip.evaluate(only_tip, z);
  const std::size_t bytes = grid.statistics().bytes;
  const int used = *calls;
  grid.trim();
  CHECK(grid.statistics().bytes < bytes);
  CHECK(grid.statistics().corners == 8);
  grid.evaluate(x, y);
  tip.evaluate(only_tip, z);
  grid.evaluate(only_tip, y);
  tip.evaluate(x, z);
  CHECK(*calls == used);
  grid.evaluate(x, y);
  CHECK(same(y, before));
  coarse.evaluate(points[0], y);  // the view lives; its corners are evaluated again
  CHECK(*calls > used);
  grid.evaluate(prepared, y);
}

TEST_CASE("views outlive the grid and a refine, at their level") {
  const Calls calls = new_calls();
  const GridOptions<2> options = skewed_options<2>();
  auto grid = std::make_unique<AdaptiveGrid<2>>(counted_waves<2>(calls), options);
  const GridView<2> view = grid->at_level(0);
  const GridView<2> tip = grid->linear_output(Eigen::MatrixXd::Ones(1, 3));
  Eigen::VectorXd before, after;
  const Point<2> x = at(options, {0.2, 0.3});
  view.evaluate(x, before);
  grid->refine();
  CHECK(view.level() == 0);
  view.evaluate(x, after);
  CHECK(same(before, after));
  grid.reset();
  view.evaluate(x, after);
  CHECK(same(before, after));
  CHECK(*calls == 4);
  view.evaluate(at(options, {7.2, 0.3}), after);
  tip.evaluate(x, after);
  CHECK(std::abs(after[0] - before.sum()) < 1e-14);
  CHECK(*calls == 8);
}

TEST_CASE("a grid can be moved, with its corners") {
  const Calls calls = new_calls();
  AdaptiveGrid<2> grid(counted_waves<2>(calls), skewed_options<2>());
  Eigen::VectorXd y;
  grid.evaluate(Point<2>::Zero(), y);
  AdaptiveGrid<2> moved = std::move(grid);
  moved.evaluate(Point<2>::Zero(), y);
  CHECK(*calls == 4);
  Eigen::VectorXd still;
  grid.evaluate(Point<2>::Zero(), still);  // the moved-from grid still answers
  CHECK(still == y);
  GridView<2> view = moved.at_level(1);
  const GridView<2> other = std::move(view);
  CHECK(view.output_size() == 3);
  CHECK(*calls == 4);
}

TEST_CASE("J w and J^T v may be written over w and v, also where a policy answers") {
  GridOptions<2> options;
  options.lower = {-1, -1};
  options.upper = {1, 1};
  options.outside = OutsidePolicy::extend;
  const AdaptiveGrid<2> grid(Waves<2>(2).jet<1>(), options);
  for (const Point<2>& x : {Point<2>(0.3, 0.1), Point<2>(1.5, -3)}) {
    Eigen::VectorXd w = Eigen::Vector2d(1, -2), v = w, Jw, Jtv;
    grid.jvp(x, w, Jw);
    grid.vjp(x, v, Jtv);
    grid.jvp(x, w, w);
    grid.vjp(x, v, v);
    CHECK(w == Jw);
    CHECK(v == Jtv);
  }
}

TEST_CASE("levels beyond the deepest are refused with the numbers, and leave the grid as it was") {
  GridOptions<2> options = skewed_options<2>();
  options.deepest_level = 2;
  AdaptiveGrid<2> grid(Waves<2>(1).jet<1>(), options);
  grid.refine();
  grid.refine();
  CHECK_THROWS_WITH(grid.refine(), Catch::Contains("level 3") && Catch::Contains("0..2"));
  CHECK(grid.level() == 2);
  CHECK_THROWS_AS(grid.at_level(-1), std::invalid_argument);
}

TEST_CASE("the break-even count is the number of queries at which both ways cost the same") {
  const Calls calls = new_calls();
  const AdaptiveGrid<2> grid(
      exact_function<2>(2,
                        [calls](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
                          ++*calls;
                          double slow = 0;
                          for (int n = 0; n < 200000; ++n) slow += std::sin(n * x[0]);
                          y.setConstant(slow);
                          J.setZero();
                        }),
      skewed_options<2>());
  CHECK(grid.statistics().break_even_queries == 0);
  Eigen::VectorXd y;
  for (int n = 0; n < 1000; ++n) grid.evaluate(Point<2>::Constant(0.001 * n), y);
  const GridStatistics s = grid.statistics();
  CHECK(s.queries == 1000);
  CHECK(s.exact_evaluations == static_cast<std::size_t>(*calls));
  REQUIRE(s.seconds_per_query > 0);
  const double call = s.seconds_in_function / static_cast<double>(s.exact_evaluations);
  REQUIRE(call > s.seconds_per_query);
  CHECK(s.break_even_queries * call == Approx(s.seconds_in_function + s.break_even_queries * s.seconds_per_query));
}
