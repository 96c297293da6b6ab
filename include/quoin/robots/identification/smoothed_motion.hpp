// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/identification/robot_motion.hpp"

#include <Eigen/Core>

namespace quoin::identification {

/// A motion from a robot's log: positions and forces, n x T, at equal steps of time. The cubic that best fits the 2
/// half_window + 1 positions around an instant gives q, qd and qdd; the cubic that fits the forces gives their value,
/// so that both pass the same filter, without phase (Savitzky, Golay 1964). Instants nearer than half_window to an end
/// are left out: column k of the result is instant k + half_window of the log.
///
/// Exact for positions that are cubics of time. White noise of deviation s in q has in qdd the deviation s
/// sqrt(720 / m^5) / time_step^2, for windows of many samples m. Throws std::invalid_argument for shapes that differ,
/// half_window < 2, logs that are shorter than the window, and numbers that are not finite.
RobotMotion smoothed_motion(const Eigen::Ref<const Eigen::MatrixXd>& q, const Eigen::Ref<const Eigen::MatrixXd>& tau,
                            double time_step, int half_window);

}  // namespace quoin::identification
