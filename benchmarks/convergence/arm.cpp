// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/convergence/arm.hpp"

#include "benchmarks/convergence/points_in_box.hpp"
#include "benchmarks/convergence/zero_twist_cubic.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace benchmarks {

std::vector<Curve> curves_on_arm(bool quick) {
  using namespace quoin::soft_arm;
  constexpr int dim = 4;
  // All corners are remembered: each method profits from the equilibria of the others.
  const Statics<3> statics(SoftArm<3>(make_beam<3>()), {.remembered = 4096});
  const Eigen::Index N = statics.arm().size();
  const auto points = points_in_box<dim>(arm_points(quick), 0, 4, 2);
  std::vector<Eigen::VectorXd> exact_values(points.size());
  std::vector<Eigen::MatrixXd> exact_jacobians(points.size());
  for (std::size_t m = 0; m < points.size(); ++m) statics.evaluate(points[m], exact_values[m], exact_jacobians[m]);

  GridOptions<dim> options;
  options.spacing.setConstant(0.5);
  const auto curve_of = [&](const Method& method, int halvings, auto&& answer) {
    Curve curve{method};
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    for (int level = 0; level <= halvings; ++level) {
      double value = 0, displacements = 0, jacobian = 0, jacobians = 0, worst = 0;  // all but the last: squares
      for (std::size_t m = 0; m < points.size(); ++m) {
        answer(level, points[m], y, J);
        const double error = (y - exact_values[m]).head(N).squaredNorm();
        const double displacement = (exact_values[m].head(N) - statics.arm().rest()).squaredNorm();
        value += error;
        displacements += displacement;
        worst = std::max(worst, std::sqrt(error / displacement));
        jacobian += (J - exact_jacobians[m]).topRows(N).squaredNorm();
        jacobians += exact_jacobians[m].topRows(N).squaredNorm();
      }
      curve.spacings.push_back(std::ldexp(0.5, -level));
      curve.value_errors.push_back(std::sqrt(value / displacements));
      curve.jacobian_errors.push_back(std::sqrt(jacobian / jacobians));
      curve.worst_values.push_back(worst);
    }
    return curve;
  };
  const auto grid_curve = [&](const Method& method, int halvings, auto f) {
    const AdaptiveGrid<dim> grid(std::move(f), options);
    return curve_of(method, halvings, [&](int level, const Point<dim>& u, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
      grid.at_level(level).evaluate(u, y, J);
    });
  };
  const int halvings = quick ? 2 : 3;
  return {grid_curve(jets[1], halvings, statics),
          // With one more halving, K = 2 reaches the accuracy of the solver: errors stay at 6e-12 and 1e-10.
          grid_curve(jets[2], 2, soft_arm::JetStatics<3, 2>(statics)),
          curve_of(zero_twist, halvings, [&](int level, const Point<dim>& u, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
            zero_twist_cubic<dim>(statics, options.origin, std::ldexp(0.5, -level), u, y, J);
          })};
}

}  // namespace benchmarks
