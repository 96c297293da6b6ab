// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

namespace quoin {

/// A map or dynamics that wants to know where it will soon be asked, as those over a grid do: planners tell it the
/// points or states (n x M), so that missing corners are evaluated together. What passes questions on passes this on:
///
///   void hint(const Eigen::MatrixXd& states) const
///     requires Hintable<Map>
///   {
///     map_.hint(states.topRows<Dim>());
///   }
template <class T>
concept Hintable = requires(const T& asked, const Eigen::MatrixXd& points) { asked.hint(points); };

}  // namespace quoin
