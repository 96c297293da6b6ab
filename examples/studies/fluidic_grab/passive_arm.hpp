// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/fluidic_grab/arm_unknowns.hpp"
#include "examples/studies/program/library.hpp"
#include "quoin/robots/identification/output_error.hpp"

#include <Eigen/Core>

#include <array>
#include <string>

/// Table 1's experiment: an arm without actuation, released and filmed.
namespace studies::grab {

/// Table 1's parameters: kg, N m / rad, N m s / rad.
inline const std::array<std::string, 6> parameter_names{"m1", "m2", "m3", "m4", "k", "b"};
inline constexpr std::array<double, 6> initial_values{0.21, 0.17, 0.085, 0.065, 0.12, 2.0e-3};
inline constexpr std::array<double, 6> true_values{0.190, 0.146, 0.090, 0.090, 0.108, 4.2e-3};  ///< its final values

/// Table 1's arm, none of its segments actuated.
fluidic_arm::FluidicSystem passive_system();

/// The recording of an arm released from a bent pose.
struct Release {
  Eigen::VectorXd true_angles;  ///< rad
  Eigen::MatrixXd measured;     ///< 2N x frames: the ends, m, with noise
};
Release release(unsigned seed);

struct FitWay {
  identification::OutputErrorCriterion criterion;
  bool weighed;  ///< the masses are known
};
std::string name_of(const FitWay& way);

/// The common factor of the errors in masses, stiffness and damping; m1, the least known, is left out.
double common_scale(const Eigen::VectorXd& p);

/// The result of Algorithm 1 on one release.
struct PassiveFit {
  FitWay way;
  unsigned seed;
  Release seen;
  ArmUnknowns sought;
  identification::OutputErrorFit fit;  ///< p begins with Table 1's parameters

  double value(std::size_t parameter) const { return fit.p[static_cast<Eigen::Index>(parameter)]; }
  /// A parameter divided by the common scale.
  double scaled(std::size_t parameter) const { return value(parameter) / common_scale(fit.p); }
  /// The ends that Table 1's initial values predict, 2N x frames.
  Eigen::MatrixXd predicted_at_first() const;
};
PassiveFit fit_release(unsigned seed, const FitWay& way, int starts);

}  // namespace studies::grab
