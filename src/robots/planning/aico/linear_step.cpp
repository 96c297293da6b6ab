// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/aico/linear_step.hpp"

#include "quoin/util/to_text.hpp"

#include "control_root.hpp"

#include <stdexcept>
#include <string>

namespace quoin::planning {

Eigen::MatrixXd inverse_root_of(const Eigen::MatrixXd& control_cost, const char* caller) {
  const Eigen::Index m = control_cost.rows();
  const Eigen::LLT<Eigen::MatrixXd> llt(control_cost);
  if (m == 0 || control_cost.cols() != m || !control_cost.allFinite() ||
      (control_cost - control_cost.transpose()).cwiseAbs().maxCoeff() > 1e-12 * control_cost.cwiseAbs().maxCoeff() ||
      llt.info() != Eigen::Success) {
    throw std::invalid_argument(std::string(caller) + ": the control cost, " + to_text(m) + " x " +
                                to_text(control_cost.cols()) + ", is not symmetric and positive definite");
  }
  Eigen::MatrixXd root = Eigen::MatrixXd::Identity(m, m);
  llt.matrixU().solveInPlace(root);
  return root;
}

LinearStep second_order_step(Eigen::Index coordinates, double dt) {
  if (coordinates < 1 || !(dt > 0)) {
    throw std::invalid_argument("second_order_step: " + to_text(coordinates) + " coordinates and dt = " + to_text(dt) +
                                " must be positive");
  }
  const Eigen::Index d = coordinates;
  LinearStep step{Eigen::MatrixXd::Identity(2 * d, 2 * d), Eigen::VectorXd::Zero(2 * d), Eigen::MatrixXd(2 * d, d)};
  step.A.topRightCorner(d, d).diagonal().setConstant(dt);
  step.B << dt * dt * Eigen::MatrixXd::Identity(d, d), dt * Eigen::MatrixXd::Identity(d, d);
  return step;
}

Eigen::MatrixXd second_order_controls(const Eigen::MatrixXd& path, const Eigen::VectorXd& initial_velocity, double dt) {
  const Eigen::Index steps = path.cols() - 1;
  if (steps < 1 || initial_velocity.size() != path.rows() || !(dt > 0)) {
    throw std::invalid_argument("second_order_controls: a path of " + shape_text(path) + ", a velocity of " +
                                to_text(initial_velocity.size()) + " entries, dt = " + to_text(dt));
  }
  Eigen::MatrixXd controls(path.rows(), steps);
  Eigen::VectorXd velocity = initial_velocity, next(path.rows());
  for (Eigen::Index t = 0; t < steps; ++t) {
    next = (path.col(t + 1) - path.col(t)) / dt;
    controls.col(t) = (next - velocity) / dt;
    velocity = next;
  }
  return controls;
}

namespace {

void advance(Gaussian& state, const LinearStep& step, const Eigen::MatrixXd& inverse_root) {
  const Eigen::Index n = state.mean.size();
  if (step.A.rows() != n || step.A.cols() != n || step.a.size() != n || step.B.rows() != n ||
      step.B.cols() != inverse_root.rows()) {
    throw std::invalid_argument("propagate: a step with A " + shape_text(step.A) + ", B " + shape_text(step.B) +
                                " for " + to_text(n) + " states and " + to_text(inverse_root.rows()) + " controls");
  }
  const Eigen::MatrixXd B = step.B * inverse_root;
  state.mean = step.A * state.mean + step.a;
  state.covariance = step.A * state.covariance * step.A.transpose() + B * B.transpose();
}

Gaussian complete(Gaussian start) {
  const Eigen::Index n = start.mean.size();
  if (start.covariance.size() == 0) start.covariance.setZero(n, n);
  if (start.covariance.rows() != n || start.covariance.cols() != n) {
    throw std::invalid_argument("propagate: a covariance of " + shape_text(start.covariance) + " for " + to_text(n) +
                                " states");
  }
  return start;
}

}  // namespace

Gaussian propagate(const Gaussian& start, const std::vector<LinearStep>& steps, const Eigen::MatrixXd& control_cost) {
  const Eigen::MatrixXd inverse_root = inverse_root_of(control_cost, "propagate");
  Gaussian state = complete(start);
  for (const LinearStep& step : steps) advance(state, step, inverse_root);
  return state;
}

Gaussian propagate(const Gaussian& start, const LinearStep& step, int times, const Eigen::MatrixXd& control_cost) {
  if (times < 0) throw std::invalid_argument("propagate: " + to_text(times) + " steps");
  const Eigen::MatrixXd inverse_root = inverse_root_of(control_cost, "propagate");
  Gaussian state = complete(start);
  for (int t = 0; t < times; ++t) advance(state, step, inverse_root);
  return state;
}

}  // namespace quoin::planning
