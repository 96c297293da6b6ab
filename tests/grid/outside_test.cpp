// SPDX-License-Identifier: BSD-3-Clause
// Outside the domain: the Jacobian that is answered is the derivative of the value that is answered.
#include "quoin/grid/adaptive_grid.hpp"
#include "testing/drawn.hpp"
#include "testing/functions.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

using namespace quoin;
using namespace quoin::test;

namespace {

/// The largest difference between the Jacobian at x and central differences of the value.
template <int Dim>
double error_of_jacobian(const GridView<Dim>& view, const Point<Dim>& x) {
  Eigen::VectorXd y, ahead, behind, w = Eigen::VectorXd::LinSpaced(Dim, 1, 2), Jw;
  Eigen::MatrixXd J, H, J_with_H;
  CHECK(view.evaluate(x, y, J).trust == Trust::extended);
  constexpr double step = 1e-5;
  Eigen::MatrixXd differences(J.rows(), Dim);
  for (int j = 0; j < Dim; ++j) {
    view.evaluate(x + step * Point<Dim>::Unit(j), ahead);
    view.evaluate(x - step * Point<Dim>::Unit(j), behind);
    differences.col(j) = (ahead - behind) / (2 * step);
  }
  view.evaluate(x, y, J_with_H, H);
  view.jvp(x, w, Jw);
  return std::max({(differences - J).cwiseAbs().maxCoeff(), 1e4 * (J_with_H - J).cwiseAbs().maxCoeff(),
                   1e4 * (Jw - J * w).cwiseAbs().maxCoeff()});
}

template <int Dim, int K>
void draw_points_outside(std::mt19937& random) {
  std::uniform_real_distribution<double> unit;
  for (const OutsidePolicy policy : {OutsidePolicy::clamp, OutsidePolicy::extend})
    for (const bool to_tolerance : {false, true}) {
      GridOptions<Dim> options;
      options.outside = policy;
      options.deepest_level = 4;
      options.lower = -Point<Dim>::Constant(2);
      options.upper = Point<Dim>::Constant(2);
      if (to_tolerance) options.tolerance = 1e-3;
      const AdaptiveGrid<Dim> grid(Waves<Dim>(3).template jet<K>(), options);
      const GridView<Dim> views[] = {to_tolerance ? grid.at_tolerance(1e-3) : grid.at_level(0),
                                     grid.linear_output(Eigen::MatrixXd::Ones(1, 3))};
      for (int draw = 0; draw < draws_wanted(15); ++draw) {
        Point<Dim> x;
        bool leaves = false;
        // Along axes that are not left, away from the faces of cells, where derivatives across them jump.
        for (int i = 0; i < Dim; ++i) {
          const double place = std::floor(64 * unit(random)) / 16 - 2 + (0.3 + 0.4 * unit(random)) / 16;
          const bool left = unit(random) < 0.5 || (i == Dim - 1 && !leaves);
          x[i] = left ? (unit(random) < 0.5 ? 2 + 3 * unit(random) + 0.01 : -2.01 - 3 * unit(random)) : place;
          leaves = leaves || left;
        }
        CAPTURE(seed_wanted(), Dim, K, static_cast<int>(policy), to_tolerance, draw, x.transpose());
        for (const GridView<Dim>& view : views) CHECK(error_of_jacobian<Dim>(view, x) < 1e-7);
      }
    }
}

}  // namespace

TEST_CASE("outside the domain the Jacobian is the value's derivative: beyond faces, edges and corners") {
  std::mt19937 random(seed_wanted());
  draw_points_outside<1, 1>(random);
  draw_points_outside<2, 0>(random);
  draw_points_outside<2, 1>(random);
  draw_points_outside<2, 2>(random);
  draw_points_outside<3, 1>(random);
  draw_points_outside<4, 1>(random);
}

TEST_CASE("an extended answer of f itself is clamped where f gives no second derivatives") {
  GridOptions<2> options;
  options.lower = {-1, -1};
  options.upper = {1, 1};
  options.outside = OutsidePolicy::extend;
  options.on_failure = FailurePolicy::call_function;
  const auto f =
      exact_function<2>(1, [](const Point<2>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        if (x == Point<2>(1, 1)) throw std::runtime_error("no data");
        y[0] = x[0] * x[1];
        J << x[1], x[0];
      });
  const AdaptiveGrid<2> grid(f, options);
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  CHECK(grid.evaluate({3, 0.3}, y, J).trust == Trust::extended);
  CHECK(y[0] == 0.3);
  CHECK(J == Eigen::RowVector2d(0, 1));
}
