// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/identify_iiwa/arm_scene.hpp"
#include "examples/studies/program/library.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Payloads are picked up and put down while the arm moves: the case for which Sutanto et al. 2020, section 2.1, argue.
namespace studies::iiwa {

/// How the controller's model adapts to it.
enum class Adaptation {
  none,
  covariance,    ///< Adam on the covariance form: every estimate is physically possible
  unstructured,  ///< the same steps on 13 free numbers per body
  least_squares  ///< linear least squares over the last second, nearest to the previous estimate
};
inline constexpr std::array all_adaptations = {Adaptation::none, Adaptation::covariance, Adaptation::unstructured,
                                               Adaptation::least_squares};
const char* to_string(Adaptation adaptation);

struct PayloadChoice {
  double seconds = 120, picked_up = 30, put_down = 80;
  double mass = 3;                           ///< kg, a ball of 6 cm radius
  Eigen::Vector3d centre = {0.03, 0, 0.15};  ///< m, in the frame of the last link
  std::uint64_t seed = 1;                    ///< of the robot's noise
  Eigen::Index window = 256;                 ///< the last instants, from which a step learns
  Eigen::Index every = 25;                   ///< control periods between updates
  Eigen::Index every_least_squares = 125;    ///< the same for least squares, which cost more
  int steps = 5;                             ///< of Adam per update
  double learning_rate = 3e-3;
  /// Of least squares: singular directions below this share of the greatest singular value are left at the estimate.
  double tolerance = 1e-2;
  int half_window = 12;
};

struct PayloadRun {
  Adaptation adaptation;
  bool stable = true;
  std::vector<double> time;        ///< s, once a second
  std::vector<double> tracking;    ///< rad, root of the mean squared error of all joints in the last second
  std::vector<double> prediction;  ///< N m, the same for the model's torques
  /// Bodies of the estimate that no distribution of mass has, the most in the last second.
  std::vector<double> impossible;
  double mean_tracking(double from, double to) const;
  double mean_prediction(double from, double to) const;
};

/// 2 to 4 kg, 10 to 18 cm beyond the last link's origin and up to 5 cm aside, to any side.
PayloadChoice random_payload(std::uint64_t seed);

PayloadRun carry_payload(const ArmScene& scene, const PayloadChoice& choice, Adaptation adaptation);

/// One payload under every adaptation.
struct PayloadTrial {
  PayloadChoice choice;
  std::vector<PayloadRun> runs;  ///< in the order of all_adaptations

  const PayloadRun& of(Adaptation adaptation) const { return runs[static_cast<std::size_t>(adaptation)]; }
};

/// The clean scene with viscous friction and noise.
ArmScene payload_scene(double seconds);

}  // namespace studies::iiwa
