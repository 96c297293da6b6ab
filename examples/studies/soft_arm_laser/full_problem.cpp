// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/soft_arm_laser/full_problem.hpp"

#include <cmath>

namespace studies::laser {

template <int SpaceDim>
soft_arm::FullDynamics<SpaceDim> full_dynamics(const Arm<SpaceDim>& arm) {
  return soft_arm::FullDynamics<SpaceDim>(arm.body, {.time_step = arm.setup.time_step,
                                                     .stiffness_damping = arm.setup.stiffness_damping,
                                                     .adjoint_tolerance = arm.setup.adjoint_tolerance});
}

template <int SpaceDim>
Eigen::VectorXd tip_outputs(const Arm<SpaceDim>& arm, const Eigen::VectorXd& positions) {
  return arm.body.tip_rows().leftCols(arm.body.size()) * positions;
}

template <int SpaceDim>
FullProblem<SpaceDim>::FullProblem(const Arm<SpaceDim>& arm, bool with_obstacles)
    : setup_(arm.setup),
      dynamics_(full_dynamics(arm)),
      rest_(arm.body.rest()),
      tip_rows_(arm.body.tip_rows().leftCols(arm.body.size())) {
  if (with_obstacles) balls_ = obstacles(arm.setup);
}

template <int SpaceDim>
bool FullProblem<SpaceDim>::roll_out(const Eigen::VectorXd& U) {
  if (moved_by_.size() == U.size() && moved_by_ == U) return true;
  moved_by_.resize(0);
  motion_ = dynamics_.rollout(rest_, rest_, U.reshaped(lines, setup_.steps));
  steps_ += motion_.steps;
  if (motion_.status != StepStatus::ok) return false;
  moved_by_ = U;
  return true;
}

template <int SpaceDim>
bool FullProblem<SpaceDim>::residuals(const Eigen::VectorXd& U, Eigen::VectorXd& r, Eigen::VectorXd& h) {
  constexpr int spot_rows = SpaceDim - 1;
  if (!roll_out(U)) return false;
  const Eigen::Index K = setup_.steps, n = unknowns(), spots = spot_rows * (K + 1 - setup_.approach),
                     balls = static_cast<Eigen::Index>(balls_.size());
  r.resize(spots + 2 * n);
  h.resize(balls * K);
  for (Eigen::Index i = 1; i <= K; ++i) {
    const Beam<SpaceDim> beam(tip_rows_ * motion_.position(static_cast<int>(i)));
    if constexpr (SpaceDim == 3) {
      Eigen::VectorXd clear;
      Eigen::Matrix<double, Eigen::Dynamic, 6> unused;
      beam_clear_of(balls_, setup_.beam_margin, beam, clear, unused);
      h.segment(balls * (i - 1), balls) = clear;
    }
    if (!setup_.laser_on(static_cast<int>(i))) continue;
    if (!beam.meets_plate()) return false;
    r.segment<spot_rows>(spot_rows * (i - setup_.approach)) =
        std::sqrt(setup_.spot_weight) * (beam.spot(setup_.plate) - target<SpaceDim>(setup_, static_cast<int>(i)));
  }
  r.segment(spots, n) = std::sqrt(setup_.control_weight) * U;
  r.segment(spots + n, lines) = U.head(lines);
  r.tail(n - lines) = U.tail(n - lines) - U.head(n - lines);
  r.tail(n) *= std::sqrt(setup_.smooth_weight);
  return true;
}

template <int SpaceDim>
bool FullProblem<SpaceDim>::jacobians(const Eigen::VectorXd& U, const std::vector<Eigen::Index>& active,
                                      Eigen::VectorXd& r, Eigen::MatrixXd& J, Eigen::VectorXd& h, Eigen::MatrixXd& H) {
  constexpr int spot_rows = SpaceDim - 1;
  if (!residuals(U, r, h)) return false;
  const Eigen::Index K = setup_.steps, n = unknowns(), balls = static_cast<Eigen::Index>(balls_.size());
  // After each step the rows of the spot, then of the constraints that are active there.
  std::vector<Eigen::MatrixXd> rows;
  auto next = active.begin();
  for (Eigen::Index i = 1; i <= K; ++i) {
    const Beam<SpaceDim> beam(tip_rows_ * motion_.position(static_cast<int>(i)));
    const Eigen::Index of_spot = setup_.laser_on(static_cast<int>(i)) ? spot_rows : 0;
    const auto first = next;
    while (next != active.end() && *next < balls * i) ++next;
    Eigen::MatrixXd by_tip_outputs(of_spot + (next - first), 2 * SpaceDim);
    if (of_spot > 0)
      by_tip_outputs.template topRows<spot_rows>() = std::sqrt(setup_.spot_weight) * beam.spot_derivative(setup_.plate);
    if constexpr (SpaceDim == 3) {
      Eigen::VectorXd unused;
      Eigen::Matrix<double, Eigen::Dynamic, 6> by_tip;
      beam_clear_of(balls_, setup_.beam_margin, beam, unused, by_tip);
      for (auto at = first; at != next; ++at)
        by_tip_outputs.row(of_spot + (at - first)) = by_tip.row(*at - balls * (i - 1));
    }
    rows.push_back(by_tip_outputs * tip_rows_);
  }
  const soft_arm::FullSensitivity sensitivity = dynamics_.sensitivity(motion_, rows, 2);
  if (sensitivity.status != StepStatus::ok) return false;

  J.setZero(r.size(), n);
  H.resize(static_cast<Eigen::Index>(active.size()), n);
  Eigen::Index at = 0, spot = 0, constraint = 0;
  for (Eigen::Index i = 1; i <= K; ++i) {
    const Eigen::Index of_spot = setup_.laser_on(static_cast<int>(i)) ? spot_rows : 0;
    const Eigen::Index of_balls = rows[static_cast<std::size_t>(i - 1)].rows() - of_spot;
    J.middleRows(spot, of_spot) = sensitivity.jacobian.middleRows(at, of_spot);
    H.middleRows(constraint, of_balls) = sensitivity.jacobian.middleRows(at + of_spot, of_balls);
    at += of_spot + of_balls;
    spot += of_spot;
    constraint += of_balls;
  }
  J.middleRows(spot, n).diagonal().setConstant(std::sqrt(setup_.control_weight));
  J.bottomRows(n).diagonal().setConstant(std::sqrt(setup_.smooth_weight));
  J.bottomRows(n - lines).leftCols(n - lines).diagonal().setConstant(-std::sqrt(setup_.smooth_weight));
  return true;
}

template soft_arm::FullDynamics<2> full_dynamics<2>(const Arm<2>&);
template soft_arm::FullDynamics<3> full_dynamics<3>(const Arm<3>&);
template Eigen::VectorXd tip_outputs<2>(const Arm<2>&, const Eigen::VectorXd&);
template Eigen::VectorXd tip_outputs<3>(const Arm<3>&, const Eigen::VectorXd&);
template class FullProblem<2>;
template class FullProblem<3>;

}  // namespace studies::laser
