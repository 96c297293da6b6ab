// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/grid/adaptive_grid.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace quoin;
using namespace quoin::test;

namespace {

struct Orders {
  double value, jacobian;
};

/// Slope of log2 of the error over the level by least squares.
double slope(const std::vector<double>& errors) {
  const double n = static_cast<double>(errors.size());
  double sum_l = 0, sum_e = 0, sum_ll = 0, sum_le = 0;
  for (std::size_t l = 0; l < errors.size(); ++l) {
    const double level = static_cast<double>(l), e = -std::log2(errors[l]);
    sum_l += level, sum_e += e, sum_ll += level * level, sum_le += level * e;
  }
  return (n * sum_le - sum_l * sum_e) / (n * sum_ll - sum_l * sum_l);
}

/// Orders of the largest errors over 256 points on levels 0 to 4. At every level the points lie in the cells around the
/// same eight anchors, at the same local positions, so that all levels are compared alike.
template <int Dim, class F>
Orders measured_orders(F f, const Waves<Dim>& waves, double spacing, bool at_bounds = false) {
  GridOptions<Dim> options;
  options.origin.setConstant(0.137);
  for (int i = 0; i < Dim; ++i) options.spacing[i] = spacing * (1 + 0.2 * i / Dim);
  if (at_bounds) options.lower = options.origin;
  const AdaptiveGrid<Dim> grid(std::move(f), options);

  std::vector<Point<Dim>> anchors{options.origin};
  if (!at_bounds) anchors = random_points<Dim>(8, Point<Dim>::Constant(-3), Point<Dim>::Constant(3), 5);
  const auto places = random_points<Dim>(256, Point<Dim>::Zero(), Point<Dim>::Ones(), 17);
  std::vector<double> value_errors, jacobian_errors;
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  for (int level = 0; level <= 4; ++level) {
    const GridView<Dim> view = grid.at_level(level);
    double value = 0, jacobian = 0;
    for (std::size_t n = 0; n < places.size(); ++n) {
      const Point<Dim> cells = (anchors[n % anchors.size()] - options.origin).cwiseQuotient(view.spacing());
      const Point<Dim> x = options.origin + (cells.array().floor().matrix() + places[n]).cwiseProduct(view.spacing());
      view.evaluate(x, y, J);
      value = std::max(value, (y - waves.value(x)).cwiseAbs().maxCoeff());
      jacobian = std::max(jacobian, (J - waves.jacobian(x)).cwiseAbs().maxCoeff());
    }
    value_errors.push_back(value);
    jacobian_errors.push_back(jacobian);
  }
  CHECK(value_errors.back() > 5e-15);  // at the rounding floor there is no order to see
  return {slope(value_errors), slope(jacobian_errors)};
}

template <int Dim, int K>
void has_its_orders() {
  const Waves<Dim> waves(6, 1.5);
  // Four halvings at order 8 lose ten digits: high orders start at long edges, to end above rounding.
  const double spacing = K == 3 ? 2.5 / std::pow(Dim, 0.45) : K == 2 ? 1.2 / std::pow(Dim, 0.3) : 0.3;
  const Orders orders = measured_orders<Dim>(waves.template jet<K>(), waves, spacing);
  CAPTURE(Dim, K, orders.value, orders.jacobian);
  CHECK(std::abs(orders.value - (2 * K + 2)) < 0.15);
  CHECK(std::abs(orders.jacobian - (2 * K + 1)) < 0.15);
}

template <int Dim>
void has_its_orders_for_all_jets() {
  has_its_orders<Dim, 0>();
  has_its_orders<Dim, 1>();
  has_its_orders<Dim, 2>();
  has_its_orders<Dim, 3>();
}

template <int Dim>
void has_its_orders_without_derivatives(bool at_bounds) {
  const Waves<Dim> waves(6, 1.5);
  const auto f = exact_function_without_derivatives<Dim>(
      waves.outputs(), [waves](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y) { y = waves.value(x); });
  const Orders orders = measured_orders<Dim>(f, waves, at_bounds ? 0.022 : 0.04, at_bounds);
  CAPTURE(Dim, orders.value, orders.jacobian);
  CHECK(std::abs(orders.value - 4) < 0.15);
  CHECK(std::abs(orders.jacobian - 3) < 0.15);
}

}  // namespace

TEST_CASE("d = 1: the value is of order 2K + 2 in the spacing, the Jacobian of order 2K + 1") {
  has_its_orders_for_all_jets<1>();
}
TEST_CASE("d = 2: the value is of order 2K + 2 in the spacing, the Jacobian of order 2K + 1") {
  has_its_orders_for_all_jets<2>();
}
TEST_CASE("d = 3: the value is of order 2K + 2 in the spacing, the Jacobian of order 2K + 1") {
  has_its_orders_for_all_jets<3>();
}
TEST_CASE("d = 4: the value is of order 2K + 2 in the spacing, the Jacobian of order 2K + 1") {
  has_its_orders_for_all_jets<4>();
}
TEST_CASE("without derivatives the value is of order 4 and the Jacobian of order 3") {
  has_its_orders_without_derivatives<1>(false);
  has_its_orders_without_derivatives<2>(false);
  has_its_orders_without_derivatives<3>(false);
  has_its_orders_without_derivatives<4>(false);
}
TEST_CASE("without derivatives the orders are the same at the corner of the domain, where differences are one-sided") {
  has_its_orders_without_derivatives<1>(true);
  has_its_orders_without_derivatives<2>(true);
  has_its_orders_without_derivatives<3>(true);
  has_its_orders_without_derivatives<4>(true);
}
