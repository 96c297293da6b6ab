// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/robots/fem_as_constant_curvature/fem_arm.hpp"
#include "benchmarks/support/library.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_arm.hpp"

#include <Eigen/Core>

#include <vector>

namespace benchmarks::fem {

inline constexpr double frame = 0.02;  ///< s between pictures

/// A FluidicArm whose controls are k and b, the same for all segments: derivatives by the control are then those by the
/// parameters, and Runge-Kutta steps propagate both. The description's own k and b are not used. A ContinuousDynamics.
class ArmOfParameters {
 public:
  explicit ArmOfParameters(fluidic_arm::ArmDescription description);

  const fluidic_arm::FluidicArm& arm() const { return arm_; }
  Eigen::Index state_size() const { return arm_.state_size(); }
  Eigen::Index control_size() const { return 2; }
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& p, Eigen::VectorXd& rate) const;
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& p, Eigen::VectorXd& rate, Eigen::MatrixXd& df_dx,
                  Eigen::MatrixXd& df_dp) const;

 private:
  fluidic_arm::FluidicArm arm_;
};

/// A motion of constant-curvature segments released from rest.
struct Swing {
  Eigen::VectorXd start;  ///< bend angles
  double stiffness = 0, damping = 0;
  int steps = 1;  ///< Runge-Kutta steps per frame
};

/// The fewest Runge-Kutta steps per frame, at least 2, that keep |step eigenvalue| at 2 at most, hanging at
/// rest, with `times_damping` times the damping of the description. A fit with too few steps for some b cannot
/// see such b: the steps blow up there.
int stable_steps(fluidic_arm::ArmDescription arm, double times_damping);

/// b / (beta k) of the first mode about hanging at rest. The finite elements' damping is beta times the rate of the
/// internal force, which itself turns: it damps gravity's stiffness dG/dq as it does k, b = beta (k + dG/dq).
double expected_damping(const fluidic_arm::ArmDescription& arm);

struct SwingFit {
  Swing swing;
  bool converged = false;
  int iterations = 0;
  double largest_singular_value = 0, smallest_singular_value = 0;  ///< of the residual by the scaled parameters
};

/// Fits start, k and b (relative to the guess) to the ends of the segments in all pictures: least squares with exact
/// sensitivities of the Runge-Kutta steps. k and b are fitted alone first.
SwingFit fit_swing(const fluidic_arm::ArmDescription& arm, const std::vector<Picture>& measured, const Swing& guess);

/// The swing's states at every frame; throws std::runtime_error if the motion stops.
std::vector<Eigen::VectorXd> simulate(const ArmOfParameters& arm, const Swing& swing, int frames);

/// The same by linearly implicit steps of second order (ROS2 of Verwer et al. 1999, L-stable), `steps` per frame:
/// damping does not bound their length.
std::vector<Eigen::VectorXd> simulate_implicitly(const ArmOfParameters& arm, const Swing& swing, int frames, int steps);

/// Distances from the stations of the pictures, m.
struct SwingErrors {
  double rms = 0, largest = 0, tip_rms = 0;
  std::vector<double> rms_by_half_second = {};
};
SwingErrors swing_errors(const fluidic_arm::ArmDescription& arm, const Swing& swing,
                         const std::vector<Picture>& measured);
/// The same between two motions of the finite elements.
SwingErrors swing_errors(const std::vector<Picture>& motion, const std::vector<Picture>& measured);

/// 2 a - b: pictures by implicit Euler steps of dt and 2 dt, extrapolated to second order.
std::vector<Picture> extrapolated(std::vector<Picture> fine, const std::vector<Picture>& coarse);

}  // namespace benchmarks::fem
