// SPDX-License-Identifier: BSD-3-Clause
// A Surrogate, whatever it chose, in the place of the map that it stands for.
#include "quoin/choosing/surrogate.hpp"

#include "planning/planning_problems.hpp"
#include "quoin/dynamics/reduced_dynamics.hpp"
#include "quoin/planning/ilqr.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <memory>

using namespace quoin;
using namespace quoin::planning;
using planning::test::Matrix;
using planning::test::Vector;

namespace {

/// Two pulls -> two coordinates that follow them, softer where both pull, and the lengths of the two lines.
auto shapes() {
  return exact_function<2>(4, [](const Point<2>& a, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
    for (int i = 0; i < 2; ++i) {
      const double other = a[1 - i];
      y[i] = std::sin(a[i]) + 0.1 * a[i] * other;
      J(i, i) = std::cos(a[i]) + 0.1 * other;
      J(i, 1 - i) = 0.1 * a[i];
      y[2 + i] = 1 - 0.5 * std::tanh(a[i]);
      J(2 + i, i) = -0.5 / std::pow(std::cosh(a[i]), 2);
      J(2 + i, 1 - i) = 0;
    }
  });
}

/// To the pulls (0.8, 0.3), at rest there.
struct Reach {
  bool residual(int i, const Vector& x, const Vector& u, Vector& r) const {
    r = i < 20 ? Vector(0.1 * (u - Eigen::Vector2d(0.8, 0.3))) : Vector(10 * (x - end()));
    return true;
  }
  bool residual(int i, const Vector& x, const Vector& u, Vector& r, Matrix& dx, Matrix& du) const {
    dx = i < 20 ? Matrix::Zero(2, 4) : Matrix(10 * Matrix::Identity(4, 4));
    du = i < 20 ? Matrix(0.1 * Matrix::Identity(2, 2)) : Matrix::Zero(4, 2);
    return residual(i, x, u, r);
  }
  static Vector end() { return Eigen::Vector4d(0.8, 0.3, 0.8, 0.3); }
};

template <class Map>
Matrix plan_over(const Map& map, StepDerivative derivative) {
  const TrajectoryProblem<ReducedDynamics<2, Map>, Reach> problem{
      .dynamics = ReducedDynamics<2, Map>(map, 2, {.time_step = 0.2, .mass_damping = 1, .derivative = derivative}),
      .residuals = {},
      .horizon = 20,
      .initial_state = Vector::Constant(4, 0.1)};
  const IlqrResult result = ilqr(problem, Matrix::Constant(2, 20, 0.1));
  CHECK(result.converged());
  return result.trajectory.states;
}

}  // namespace

TEST_CASE("iLQR plans over a Surrogate, whatever it chose, what it plans over the map") {
  const Point<2> lower(-0.5, -0.5), upper(2, 2);
  const auto grid = std::make_shared<AdaptiveGrid<2>>(
      shapes(), GridOptions<2>{.origin = lower, .spacing = upper - lower, .lower = lower, .upper = upper});
  const Surrogate<2> kernel(grid, {.error = 1e-6}), to_tolerance(grid, {.error = 1e-6, .most_samples = 8}),
      itself(shapes(), lower, upper, {.error = 1e-6});
  CHECK(kernel.report().kind == SurrogateKind::kernel);
  CHECK(to_tolerance.report().kind == SurrogateKind::grid_tolerance);
  for (const StepDerivative derivative : {StepDerivative::gauss_newton, StepDerivative::exact}) {
    const Matrix exact = plan_over(shapes(), derivative);
    for (const Surrogate<2>& map : {kernel, to_tolerance, itself}) {
      CAPTURE(map.report().message);
      CHECK((plan_over(map, derivative) - exact).cwiseAbs().maxCoeff() < 1e-3);
      const SurrogateView<2> same = map.add_functional(Matrix::Identity(4, 4));
      CHECK((plan_over(same, derivative) - exact).cwiseAbs().maxCoeff() < 1e-3);
    }
  }
}
