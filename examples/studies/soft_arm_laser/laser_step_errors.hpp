// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/statistics.hpp"
#include "examples/studies/program/stopwatch.hpp"
#include "examples/studies/soft_arm_laser/laser_study_parts.hpp"
#include "quoin/map/verified.hpp"
#include "quoin/robots/models/soft_arm/mass_scaled_map.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

/// The errors and the cost of steps on any surrogate of f_s.
namespace studies::laser {

/// The cost of a step as in planning, s: one after the other along the plan, with derivatives, the median of several
/// passes. On the exact side no shapes are remembered but those of the steps before.
template <class Dynamics>
double seconds_of_a_step(const Dynamics& dynamics, const Plan& plan, int passes) {
  std::vector<double> seconds;
  Eigen::VectorXd next;
  Eigen::MatrixXd dx, du;
  for (int pass = 0; pass < passes; ++pass) {
    const Stopwatch watch;
    Eigen::VectorXd state = Eigen::VectorXd::Zero(dynamics.state_size());
    for (Eigen::Index i = 0; i < plan.controls.cols(); ++i) {
      if (dynamics.step(state, plan.controls.col(i), next, dx, du) != StepStatus::ok)
        throw std::runtime_error("step_errors: the plan's step " + to_text(i) + " failed");
      state = next;
    }
    seconds.push_back(watch.seconds() / static_cast<double>(plan.controls.cols()));
  }
  return studies::median(seconds);
}

/// shapes: f~; coordinates: [q; l] of it in a basis.
template <int SpaceDim, class View>
StepErrors step_errors_on(const Arm<SpaceDim>& arm, const View& view, const View& coordinates,
                          const soft_arm::ShapeBasis& basis, const Plan& plan, int samples) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  using Map = soft_arm::MassScaledMap<lines, Statics<SpaceDim>>;
  const Statics<SpaceDim> statics(arm.body);
  const Map exact_coordinates(statics, arm.body.mass());
  const ReducedDynamics<lines, Map> exact(exact_coordinates, exact_coordinates.coordinates(), reduced_options(arm));
  const ReducedDynamics<lines, View> on_grid(coordinates, basis.size(), reduced_options(arm));
  const auto verified_shapes = verified<lines>(view, statics);
  int verified_states = 0;
  StepErrors errors;
  Eigen::VectorXd next, next_grid, y, y_grid;
  Eigen::MatrixXd dx, du, dx_grid, du_grid;
  for (int s = 0; s < samples; ++s) {
    const Eigen::Index i = 1 + (plan.controls.cols() - 2) * s / std::max(samples - 1, 1);
    Eigen::VectorXd state(2 * lines);
    state << plan.points.col(i), plan.points.col(i - 1);
    const Eigen::VectorXd u = plan.controls.col(i);
    const auto must = [&](StepStatus status, const char* which) {
      if (status != StepStatus::ok)
        throw std::runtime_error(std::string("step_errors: the ") + which + " step " + to_text(i) +
                                 " failed: " + to_string(status));
    };
    must(exact.step(state, u, next, dx, du), "exact");
    must(on_grid.step(state, u, next_grid, dx_grid, du_grid), "surrogate");
    Eigen::MatrixXd by_all(2 * lines, 3 * lines), by_all_grid(2 * lines, 3 * lines);
    by_all << dx, du;
    by_all_grid << dx_grid, du_grid;
    errors.jacobian =
        std::max(errors.jacobian, (by_all - by_all_grid).topRows(lines).norm() / by_all.topRows(lines).norm());

    statics.evaluate(Point<lines>(next.head(lines)), y);
    view.evaluate(Point<lines>(next_grid.head(lines)), y_grid);
    const Eigen::Index N = arm.body.size();
    const double difference = (y - y_grid).head(N).norm();
    errors.state = std::max(errors.state, difference / y.head(N).norm());
    errors.displacement = std::max(errors.displacement, difference / (y.head(N) - arm.body.rest()).norm());
    errors.basis_remainder = std::max(errors.basis_remainder, basis.remainder(y.head(N)));

    const Answer answer = verified_shapes.evaluate(Point<lines>(next_grid.head(lines)), y_grid);
    if (answer.trust != Trust::verified) continue;
    statics.evaluate(Point<lines>(next_grid.head(lines)), y);
    errors.shape = std::max(errors.shape, (y - y_grid).norm() / std::sqrt(static_cast<double>(y.size())));
    errors.shape_verified = std::max(errors.shape_verified, answer.error);
    ++verified_states;
  }

  errors.share_verified = static_cast<double>(verified_states) / std::max(samples, 1);

  statics.forget();
  const long before = statics.solves();
  errors.seconds_exact = seconds_of_a_step(exact, plan, 1);
  errors.evaluations_per_step =
      static_cast<double>(statics.solves() - before) / static_cast<double>(plan.controls.cols());
  errors.seconds_grid = seconds_of_a_step(on_grid, plan, 7);
  return errors;
}

}  // namespace studies::laser
