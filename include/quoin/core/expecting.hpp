// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/requirements.hpp"

#include <Eigen/Core>

namespace quoin {

/// A map or dynamics that wants to know where it will soon be asked, as those over a grid do: planners tell it the
/// points or states (n x M), so that missing corners are evaluated together. What passes questions on passes this on:
///
///   void expect(const Eigen::MatrixXd& states) const
///     requires Expecting<Map>
///   {
///     map_.expect(states.topRows<Dim>());
///   }
template <class T>
concept Expecting = requires(const T& asked, const Eigen::MatrixXd& points) { asked.expect(points); };

}  // namespace quoin
