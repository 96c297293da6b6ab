// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/identification/fit_options.hpp"
#include "quoin/robots/identification/force_networks/force_mlp.hpp"
#include "quoin/robots/identification/force_networks/lagrangian_network.hpp"
#include "quoin/robots/optimization/adam.hpp"

#include <functional>
#include <optional>

namespace quoin::identification {

// All of this needs libtorch (QUOIN_HAS_TORCH) for the gradients; networks predict without it. Gradients are in single
// precision, as is usual; the weights, Adam's moments and all predictions are in double.

/// One step of Adam on a batch. Returns the loss before it, or nothing if the loss or its gradient is not finite:
/// then no step is taken. `adam` must have been used with this network alone. Throws std::invalid_argument for
/// shapes that do not fit.
///
/// The loss is the mean over the instants of |tau - measured|^2 (Sutanto et al. 2020, Eq. 2), joints weighted by
/// FitOptions::weights: without weights errors are in N m for a DeLaN, in its own deviations for an MLP.
std::optional<double> fit_step(ForceMlp& mlp, const RobotMotion& batch, double learning_rate, Adam& adam,
                               const Eigen::VectorXd& weights = {});
std::optional<double> fit_step(LagrangianNetwork& delan, const RobotMotion& batch, double learning_rate, Adam& adam,
                               const Eigen::VectorXd& weights = {});

/// Called after every step; false ends the fit.
template <class Network>
using NetworkObserver = std::function<bool(const FitUpdate&, const Network&)>;

/// Epochs of fit_step on mini-batches, from the network as it is, as fit_forces does for inertias; with damping, if the
/// DeLaN has it. Deterministic. Throws std::invalid_argument for shapes and options that do not fit.
FitCourse fit_forces(ForceMlp& mlp, const RobotMotion& motion, const FitOptions& options = {},
                     const NetworkObserver<ForceMlp>& observe = {});
FitCourse fit_forces(LagrangianNetwork& delan, const RobotMotion& motion, const FitOptions& options = {},
                     const NetworkObserver<LagrangianNetwork>& observe = {});

}  // namespace quoin::identification
