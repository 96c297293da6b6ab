// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/fluidic_arm/arm_response.hpp"

#include "quoin/util/to_text.hpp"
#include "sampled_motion.hpp"

#include <Eigen/Cholesky>

#include <stdexcept>

namespace quoin::fluidic_arm {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

ArmResponse simulate(const FluidicSystem& system, const VectorXd& initial_angles, const MatrixXd& inputs,
                     double sample_time, const ResponseOptions& options) {
  check(system);
  if (inputs.rows() != static_cast<Index>(system.actuators.size()) || inputs.cols() < 1 ||
      initial_angles.size() != static_cast<Index>(system.arm.segments.size()) || !(options.step > 0))
    throw std::invalid_argument("simulate: inputs are " + shape_text(inputs) + ", initial angles " +
                                to_text(initial_angles.size()) + ", step " + to_text(options.step) + " s; " +
                                to_text(system.actuators.size()) + " actuators, " +
                                to_text(system.arm.segments.size()) + " segments");
  SampledMotion motion(system, initial_angles, sample_time, options.step);
  const SystemParameters layout(system);
  const Index n = initial_angles.size(), frames = inputs.cols();

  ArmResponse response;
  response.states.resize(2 * n, frames);
  response.ends.resize(2 * n, frames);
  response.torques.resize(inputs.rows(), frames);
  if (options.with_jacobian) response.jacobian.setZero(2 * n * frames, layout.size());
  MatrixXd S;
  if (options.with_jacobian) {
    S.setZero(2 * n, layout.size());
    S.topRightCorner(n, n).setIdentity();
  }
  for (Index i = 0; i < frames; ++i) {
    Eigen::Matrix2Xd ends;
    MatrixXd ends_jacobian;
    motion.arm().end_points(motion.state().head(n), ends, ends_jacobian);
    response.states.col(i) = motion.state();
    response.ends.col(i) = ends.reshaped();
    if (options.with_jacobian) response.jacobian.middleRows(2 * n * i, 2 * n) = ends_jacobian * S.topRows(n);
    response.torques.col(i) = motion.torques();
    if (i + 1 == frames) break;
    response.status = motion.advance(inputs.col(i), options.with_jacobian ? &S : nullptr);
    if (response.status != StepStatus::ok) {
      response.states.conservativeResize(2 * n, i + 1);
      response.ends.conservativeResize(2 * n, i + 1);
      response.torques.conservativeResize(inputs.rows(), i + 1);
      if (options.with_jacobian) response.jacobian.conservativeResize(2 * n * (i + 1), layout.size());
      break;
    }
  }
  return response;
}

VectorXd angles_of_ends(const FluidicArm& arm, const VectorXd& ends, double limit) {
  const Index n = arm.coordinates();
  if (ends.size() != 2 * n)
    throw std::invalid_argument("angles_of_ends: " + to_text(ends.size()) + " coordinates of ends for " + to_text(n) +
                                " segments");
  VectorXd q = VectorXd::Zero(n);
  Eigen::Matrix2Xd at;
  MatrixXd J;
  // The first k segments from their own ends, for k = 1..N: each solve starts close to its solution.
  for (Index k = 1; k <= n; ++k)
    for (int iteration = 0; iteration < 20; ++iteration) {
      arm.end_points(q, at, J);
      const VectorXd missing = ends.head(2 * k) - at.leftCols(k).reshaped();
      const MatrixXd A = J.topLeftCorner(2 * k, k);
      const MatrixXd normal = A.transpose() * A + 1e-12 * MatrixXd::Identity(k, k);
      const VectorXd step = normal.ldlt().solve(A.transpose() * missing);
      q.head(k) = (q.head(k) + step).cwiseMax(-limit).cwiseMin(limit);
      if (step.cwiseAbs().maxCoeff() < 1e-12) break;
    }
  return q;
}

}  // namespace quoin::fluidic_arm
