// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/grid/detail/kernels/second_weights.hpp"
#include "quoin/map/differentiable_map.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace quoin;
using namespace quoin::grid_detail;
using namespace quoin::test;

namespace {

template <int Dim>
constexpr int pairs = second_derivative_count(Dim);

/// Calls check(j, k, pair) for all pairs of axes.
template <int Dim, class Check>
void for_all_pairs(const Check& check) {
  for (int j = 0, pair = 0; j < Dim; ++j)
    for (int k = j; k < Dim; ++k, ++pair) check(j, k, pair);
}

template <int Dim>
Eigen::MatrixXd second_of(const Waves<Dim>& waves, const Point<Dim>& x) {
  Eigen::MatrixXd H(waves.outputs(), pairs<Dim>);
  for_all_pairs<Dim>([&](int j, int k, int pair) {
    MultiIndex<Dim> a{};
    ++a[j], ++a[k];
    for (int r = 0; r < waves.outputs(); ++r) H(r, pair) = waves.derivative(r, a, x);
  });
  return H;
}

template <int Dim>
GridOptions<Dim> skew_options(double spacing) {
  GridOptions<Dim> options;
  options.origin.setConstant(0.137);
  for (int i = 0; i < Dim; ++i) options.spacing[i] = spacing * (1 + 0.2 * i / Dim);
  return options;
}

/// The point at this place of the cell that is `cells` from the origin.
template <int Dim>
Point<Dim> in_cell(const GridView<Dim>& view, int cells, const Point<Dim>& place) {
  return view.options().origin + (Point<Dim>::Constant(cells) + place).cwiseProduct(view.spacing());
}

template <int Dim>
void weights_are_derivatives_of_the_jacobians() {
  // Along one axis a weight is a polynomial of degree at most 2K + 1 <= 7: this difference is exact but for rounding.
  constexpr double step = 0.05, coefficients[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  std::mt19937_64 random(Dim);
  std::uniform_real_distribution<double> unit;
  for (int order = 0; order <= 3; ++order)
    for (const bool taylor : {false, true}) {
      CAPTURE(Dim, order, taylor);
      const JetCell<Dim> cell(order);
      const SecondWeights<Dim> second(cell);
      std::vector<double> bend(second.count()), ahead(cell.weight_count()), behind(ahead);
      Point<Dim> t, h;
      for (int i = 0; i < Dim; ++i) t[i] = unit(random), h[i] = 0.5 + 1.5 * unit(random);
      const auto weights = [&](const Point<Dim>& at, std::vector<double>& w) {
        taylor ? cell.taylor_weights((1 << Dim) - 1, at, h, w.data()) : cell.weights(at, h, w.data());
      };
      second.at(t, h, taylor ? (1 << Dim) - 1 : -1, bend.data());
      double worst = 0;
      for (int k = 0; k < Dim; ++k) {
        std::vector<double> slopes(cell.weight_count());
        for (int n = 1; n <= 4; ++n) {
          weights(t + n * step * Point<Dim>::Unit(k), ahead);
          weights(t - n * step * Point<Dim>::Unit(k), behind);
          for (std::size_t w = 0; w < slopes.size(); ++w)
            slopes[w] += coefficients[n - 1] * (ahead[w] - behind[w]) / (step * h[k]);
        }
        for (std::size_t row = 0; row < slopes.size() / (1 + Dim); ++row)
          for (int j = 0; j < Dim; ++j)
            worst = std::max(worst, std::abs(slopes[row * (1 + Dim) + 1 + j] -
                                             bend[row * pairs<Dim> + second_derivative_index(Dim, j, k)]));
      }
      CHECK(worst < 2e-10);
      if (order != 1 || taylor) continue;
      std::vector<double> general(bend);
      second.general(t, h, general.data());
      for (std::size_t w = 0; w < bend.size(); ++w) worst = std::max(worst, std::abs(bend[w] - general[w]));
      CHECK(worst < 2e-10);
    }
}

/// Largest errors of H at 64 places of cells far from symmetric, by level.
template <int Dim, int K>
std::vector<double> errors_by_level(double spacing) {
  const Waves<Dim> waves(6, 1.5);
  const AdaptiveGrid<Dim> grid(waves.template jet<K>(), skew_options<Dim>(spacing));
  const auto places = random_points<Dim>(64, Point<Dim>::Zero(), Point<Dim>::Ones(), 17);
  std::vector<double> errors;
  Eigen::VectorXd y;
  Eigen::MatrixXd J, H;
  for (int level = 0; level <= 4; ++level) {
    const GridView<Dim> view = grid.at_level(level);
    double worst = 0;
    for (std::size_t n = 0; n < places.size(); ++n) {
      const Point<Dim> x = in_cell(view, static_cast<int>(n % 4) << level, places[n]);
      view.evaluate(x, y, J, H);
      worst = std::max(worst, (H - second_of(waves, x)).cwiseAbs().maxCoeff());
    }
    errors.push_back(worst);
  }
  return errors;
}

template <int Dim, int K>
void has_its_order() {
  const double spacing = K == 3 ? 1.6 / std::pow(Dim, 0.45) : K == 2 ? 1.2 / std::pow(Dim, 0.3) : 0.3;
  const std::vector<double> errors = errors_by_level<Dim, K>(spacing);
  const double order = std::log2(errors.front() / errors.back()) / static_cast<double>(errors.size() - 1);
  CAPTURE(Dim, K, order, errors.back());
  CHECK(std::abs(order - 2 * K) < 0.2);
}

/// The limits of the second derivatives at a face across `axis` from either side, and what is answered on it.
template <int Dim, int K>
void faces_have_two_sides() {
  const Waves<Dim> waves(4, 1.5);
  const AdaptiveGrid<Dim> grid(waves.template jet<K>(), skew_options<Dim>(0.4));
  Eigen::VectorXd y;
  Eigen::MatrixXd J_one, J_two, J_three, J, H, H_side, H_other;
  for (int axis = 0; axis < Dim; ++axis) {
    CAPTURE(Dim, K, axis);
    std::vector<double> jumps;
    for (int level = 0; level <= 3; ++level) {
      const GridView<Dim> view = grid.at_level(level);
      Point<Dim> place = Point<Dim>::Constant(0.3);
      place[axis] = 0;
      const Point<Dim> x = in_cell(view, 2 << level, place), along = Point<Dim>::Unit(axis);
      view.evaluate(x, y, J, H);
      const double h = view.spacing()[axis];
      for (const double side : {1.0, -1.0}) {
        view.evaluate(x + side * 1e-9 * h * along, y, J, H_side);
        // A difference of second order from points of this side alone: on the face the Jacobian is the upper cell's.
        const double step = 1e-4 * h;
        view.evaluate(x + side * step * along, y, J_one);
        view.evaluate(x + side * 2 * step * along, y, J_two);
        view.evaluate(x + side * 3 * step * along, y, J_three);
        const Eigen::MatrixXd slope = (-2.5 * J_one + 4 * J_two - 1.5 * J_three) / (side * step);
        for (int j = 0; j < Dim; ++j)
          CHECK((H_side.col(second_derivative_index(Dim, j, axis)) - slope.col(j)).cwiseAbs().maxCoeff() < 1e-5);
        if (side > 0) {
          CHECK((H_side - H).cwiseAbs().maxCoeff() < 1e-6);  // the upper cell answers on the face
          H_other = H_side;
        }
      }
      jumps.push_back((H_other - H_side).cwiseAbs().maxCoeff());
    }
    const double order = std::log2(jumps.front() / jumps.back()) / 3;
    CAPTURE(order, jumps.back());
    CHECK(jumps.back() > 1e-8);
    CHECK(std::abs(order - 2 * K) < 0.35);
  }
}

/// y and J are those of evaluate, H their derivative within the cell, and curvature its contraction.
template <int Dim>
void agrees_with_itself(const GridView<Dim>& view, const Point<Dim>& x) {
  Eigen::VectorXd y, y_too, v(view.output_size());
  Eigen::MatrixXd J, J_too, H, ahead, behind, V;
  view.evaluate(x, y, J);
  CHECK(view.evaluate(x, y_too, J_too, H).has_value());
  CHECK(y == y_too);
  CHECK(J == J_too);
  REQUIRE(H.rows() == view.output_size());
  REQUIRE(H.cols() == pairs<Dim>);
  for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = std::sin(1.0 + 2.0 * static_cast<double>(i));
  view.curvature(x, v, V);
  const double step = 1e-5;
  for_all_pairs<Dim>([&](int j, int k, int pair) {
    view.evaluate(x + step * Point<Dim>::Unit(k), y, ahead);
    view.evaluate(x - step * Point<Dim>::Unit(k), y, behind);
    CHECK((H.col(pair) - (ahead - behind).col(j) / (2 * step)).cwiseAbs().maxCoeff() < 1e-8);
    CHECK(std::abs(V(j, k) - v.dot(H.col(pair))) < 1e-12);
    CHECK(V(k, j) == V(j, k));
  });
}

}  // namespace

static_assert(TwiceDifferentiableMap<AdaptiveGrid<2>, 2> && TwiceDifferentiableMap<GridView<3>, 3>);
static_assert(second_derivative_index(3, 0, 0) == 0 && second_derivative_index(3, 1, 0) == 1 &&
              second_derivative_index(3, 0, 2) == 2 && second_derivative_index(3, 1, 1) == 3 &&
              second_derivative_index(3, 2, 1) == 4 && second_derivative_index(3, 2, 2) == 5);

TEST_CASE("weights of second derivatives are the derivatives of those of the Jacobian, for K = 1 in both forms") {
  weights_are_derivatives_of_the_jacobians<1>();
  weights_are_derivatives_of_the_jacobians<2>();
  weights_are_derivatives_of_the_jacobians<3>();
  weights_are_derivatives_of_the_jacobians<4>();
  weights_are_derivatives_of_the_jacobians<5>();
  weights_are_derivatives_of_the_jacobians<6>();
}

TEST_CASE("second derivatives are of order 2K in the spacing") {
  has_its_order<1, 1>(), has_its_order<1, 2>(), has_its_order<1, 3>();
  has_its_order<2, 1>(), has_its_order<2, 2>(), has_its_order<2, 3>();
  has_its_order<3, 1>(), has_its_order<3, 2>(), has_its_order<3, 3>();
  has_its_order<4, 1>(), has_its_order<4, 2>();
}

TEST_CASE("on either side of a face they are that side's, on it the upper cell's, and the jump falls as their error") {
  faces_have_two_sides<2, 1>(), faces_have_two_sides<3, 1>();
  faces_have_two_sides<2, 2>();
}

TEST_CASE("they agree with the Jacobian at levels, to tolerances, for functionals, and without derivatives of f") {
  const Waves<3> waves(21);
  const Point<3> x(0.287, 0.257, -0.411);
  AdaptiveGrid<3> grid(waves.jet<1>(), skew_options<3>(0.4));
  agrees_with_itself<3>(grid.at_level(0), x);
  agrees_with_itself<3>(grid.at_level(2), x);
  agrees_with_itself<3>(grid.at_tolerance(1e-5), x);
  agrees_with_itself<3>(grid.linear_output(Eigen::MatrixXd::Random(2, 21)), x);
  agrees_with_itself<3>(AdaptiveGrid<3>(waves.jet<0>(), skew_options<3>(0.4)).at_level(0), x);
  agrees_with_itself<3>(AdaptiveGrid<3>(waves.jet<2>(), skew_options<3>(0.4)).at_level(0), x);
  const auto values = exact_function_without_derivatives<3>(
      21, [waves](const Point<3>& at, Eigen::Ref<Eigen::VectorXd> y) { y = waves.value(at); });
  agrees_with_itself<3>(AdaptiveGrid<3>(values, skew_options<3>(0.4)).at_level(0), x);
  const AdaptiveGrid<6> wide(Waves<6>(9).jet<1>(), skew_options<6>(0.4));
  agrees_with_itself<6>(wide.at_level(0), Point<6>::LinSpaced(0.2, 0.3));
  Eigen::MatrixXd V;
  CHECK_THROWS_WITH(grid.curvature(x, Eigen::VectorXd::Ones(20), V), Catch::Contains("v = 20, expected 21"));
}

namespace {

/// Waves that fail near the origin's corner, so that its cells are answered by calls of f.
template <int K>
AdaptiveGrid<2> with_a_hole() {
  GridOptions<2> options;
  options.on_failure = FailurePolicy::call_function;
  return AdaptiveGrid<2>(exact_jet<2, K>(3,
                                         [waves = Waves<2>(3)](const Point<2>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
                                           if (x.norm() < 0.1) throw std::runtime_error("a hole");
                                           const auto indices = graded_multi_indices<2>(K);
                                           for (std::size_t a = 0; a < indices.size(); ++a)
                                             for (int r = 0; r < 3; ++r)
                                               jet(r, static_cast<int>(a)) = waves.derivative(r, indices[a], x);
                                         }),
                         options);
}

}  // namespace

TEST_CASE(
    "where f is called in the place of a cell its own second derivatives answer, and their absence is a failure") {
  const Point<2> x(0.4, 0.3);
  Eigen::VectorXd y;
  Eigen::MatrixXd J, H;
  const AdaptiveGrid<2> knows = with_a_hole<2>(), does_not = with_a_hole<1>();
  CHECK(knows.evaluate(x, y, J, H).trust == Trust::exact);
  CHECK((H - second_of(Waves<2>(3), x)).norm() < 1e-14);
  CHECK(does_not.evaluate(x, y, J).trust == Trust::exact);
  H.setConstant(7);
  CHECK(does_not.try_evaluate(x, y, J, H).trust == Trust::failed);
  CHECK(H.minCoeff() == 7);
  CHECK_THROWS_WITH(does_not.evaluate(x, y, J, H), Catch::Contains("(0.4, 0.3)"));
  CHECK_THROWS_AS(does_not.curvature(x, Eigen::VectorXd::Ones(3), H), CornerFailure);
}

TEST_CASE("outside the domain they are the nearest point's, and zero along what is clamped or extended twice") {
  GridOptions<2> options;
  options.lower = Point<2>(-1, -1);
  options.upper = Point<2>(1, 1);
  const Point<2> beyond(1.5, 0.3), beside(1, 0.3);
  Eigen::VectorXd y;
  Eigen::MatrixXd J, H, at_bound, V;
  for (const OutsidePolicy policy : {OutsidePolicy::clamp, OutsidePolicy::extend}) {
    options.outside = policy;
    const AdaptiveGrid<2> grid(Waves<2>(3).jet<2>(), options);
    grid.evaluate(beside, y, J, at_bound);
    CHECK(grid.evaluate(beyond, y, J, H).trust == Trust::extended);
    CHECK(H.col(0).isZero(0));
    CHECK(H.col(2) == at_bound.col(2));
    if (policy == OutsidePolicy::clamp)
      CHECK(H.col(1).isZero(0));
    else
      CHECK(H.col(1) == at_bound.col(1));
    grid.curvature(beyond, Eigen::VectorXd::Unit(3, 1), V);
    CHECK(V(0, 1) == H(1, 1));
    CHECK(V(1, 1) == H(1, 2));
  }
  options.outside = OutsidePolicy::throw_error;
  const AdaptiveGrid<2> grid(Waves<2>(3).jet<2>(), options);
  CHECK(grid.try_evaluate(beyond, y, J, H).trust == Trust::outside);
  CHECK_THROWS_AS(grid.evaluate(beyond, y, J, H), DomainError);
}
