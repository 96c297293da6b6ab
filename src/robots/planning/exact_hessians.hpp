// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "augmented_lagrangian.hpp"
#include "staged_trajectory.hpp"

#include <Eigen/Core>

#include <vector>

namespace quoin::planning {

/// The second derivatives of each stage's residuals, constraints and step along a motion, weighted as the gradient of
/// the merit by all controls weights them: the step by the costate that follows it (Dunn, Bertsekas 1989, Section 3).
/// With them a stage's model is Newton's, without its terms in the squared slopes of constraints, which are the
/// augmented Lagrangian's own. By differences of derivatives: StageLagrangian.
///
/// hessians: K + 1, of state and control, n + m square (n at the horizon). derivative_calls: of steps, added to.
/// relative_step: of the differences. False where one of them cannot be computed.
bool exact_hessians(const AnyTrajectoryProblem& problem, const StagedTrajectory& motion,
                    const std::vector<StageDerivatives>& stages, const AugmentedLagrangian& lagrangian, int threads,
                    std::vector<Eigen::MatrixXd>& hessians, long& derivative_calls, double relative_step = 1e-5);

}  // namespace quoin::planning
