// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/requirements.hpp"

#include <Eigen/Core>

namespace quoin::topology {

/// The signed solid angle of the directions in which segment a to b is seen crossing segment c to d: Gauss' integral along
/// both (Klenin, Langowski 2000; Zarubin et al. 2012, Eq. 1, which loses the sign), rad^2 as steradian, within
/// (-2 pi, 2 pi). Positive where they cross as in a right-handed helix; over all pairs of two closed chains the sum is
/// 4 pi times their linking number.
///
/// As the sum of two triangles' angles, each 2 atan2(N, D) (Van Oosterom, Strackee 1983): exact on coplanar and collinear
/// segments. Segments that touch have no angle of their own: 0, which is the mean of what it is on both sides.
double segment_writhe(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
                      const Eigen::Vector3d& d);

/// With the derivatives, a column each by a, b, c, d; zero where segments touch. Their sum is zero: only relative places
/// count.
double segment_writhe(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
                      const Eigen::Vector3d& d, Eigen::Matrix<double, 3, 4>& derivatives);

}  // namespace quoin::topology
