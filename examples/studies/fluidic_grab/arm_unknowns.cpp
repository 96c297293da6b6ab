// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/arm_unknowns.hpp"

#include "quoin/robots/models/fluidic_arm/arm_response.hpp"

#include <utility>

namespace studies::grab {

using Eigen::MatrixXd;
using Eigen::VectorXd;

ArmUnknowns::ArmUnknowns(fluidic_arm::FluidicSystem known, const VectorXd& initial_angles)
    : known_(std::move(known)),
      layout_(known_),
      known_values_(layout_.read(known_, initial_angles)),
      shares_(layout_.size(), 0) {}

void ArmUnknowns::add(identification::OutputErrorParameter unknown, const std::vector<Share>& shares) {
  unknowns_.push_back(std::move(unknown));
  shares_.conservativeResize(Eigen::NoChange, shares_.cols() + 1);
  shares_.rightCols(1).setZero();
  for (const Share& share : shares) {
    known_values_[share.parameter] = 0;
    shares_(share.parameter, shares_.cols() - 1) = share.factor;
  }
}

identification::OutputPrediction ArmUnknowns::prediction(std::vector<MatrixXd> trials, double time_step, double step,
                                                         Starts starts) const {
  Eigen::Index frames = 0;
  for (const MatrixXd& inputs : trials) frames += inputs.cols();
  return [*this, trials = std::move(trials), frames, time_step, step, starts](const VectorXd& p, MatrixXd& Y,
                                                                              MatrixXd* dY_dp) {
    const Eigen::Index n = layout_.segments, rows = 2 * n, shared = shares_.cols();
    const fluidic_arm::FluidicSystem moved = system(p.head(shared));
    const VectorXd known_angles = all(p.head(shared)).tail(n);
    Y.resize(rows, frames);
    if (dY_dp != nullptr) dY_dp->setZero(rows * frames, p.size());
    Eigen::Index at = 0, own = shared;  // frame; the angles of a trial in p
    for (const MatrixXd& inputs : trials) {
      const VectorXd angles = starts == Starts::unknown ? VectorXd(p.segment(own, n)) : known_angles;
      const auto response =
          fluidic_arm::simulate(moved, angles, inputs, time_step, {.step = step, .with_jacobian = dY_dp != nullptr});
      if (response.status != StepStatus::ok) return false;
      Y.middleCols(at, inputs.cols()) = response.ends;
      if (dY_dp != nullptr) {
        auto derivatives = dY_dp->middleRows(rows * at, response.jacobian.rows());
        derivatives.leftCols(shared) = response.jacobian * shares_;
        if (starts == Starts::unknown) derivatives.middleCols(own, n) = response.jacobian.rightCols(n);
      }
      at += inputs.cols();
      own += n;
    }
    return true;
  };
}

}  // namespace studies::grab
