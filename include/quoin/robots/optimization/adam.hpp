// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <cmath>

namespace quoin {

/// The Adam optimizer (Kingma, Ba 2015): descent along noisy gradients, each entry scaled by its own running moments. A
/// plain value: it is copied and saved with the parameters that it moves.
///
///     Adam adam;
///     adam.step(gradient, 1e-3, parameters);  // again and again
struct Adam {
  Eigen::VectorXd first_moment = {}, second_moment = {};  ///< of the gradients; empty before the first step
  long updates = 0;                                       ///< steps taken; the bias of the moments is corrected by it

  /// Moves the parameters by one step of about `rate` an entry, against the gradient (of their size).
  void step(const Eigen::VectorXd& gradient, double rate, Eigen::Ref<Eigen::VectorXd> parameters) {
    constexpr double decay1 = 0.9, decay2 = 0.999, epsilon = 1e-8;
    if (updates == 0) first_moment = second_moment = Eigen::VectorXd::Zero(gradient.size());
    ++updates;
    first_moment += (1 - decay1) * (gradient - first_moment);
    second_moment += (1 - decay2) * (gradient.cwiseAbs2() - second_moment);
    const double unbiased1 = 1 - std::pow(decay1, updates), unbiased2 = 1 - std::pow(decay2, updates);
    parameters.array() -=
        rate / unbiased1 * first_moment.array() / ((second_moment.array() / unbiased2).sqrt() + epsilon);
  }
};

}  // namespace quoin
