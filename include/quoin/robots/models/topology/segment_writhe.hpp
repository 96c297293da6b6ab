// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

namespace quoin::topology {

/// The signed solid angle of the directions from which segment a to b is seen to cross segment c to d, rad^2 or
/// steradian, within (-2 pi, 2 pi): Gauss' integral along both (Klenin, Langowski 2000; Zarubin et al. 2012, Eq. 1,
/// which loses the sign). Positive where they cross as in a right-handed helix; over all pairs of two closed chains the
/// sum is 4 pi times their linking number.
///
/// The sum of the angles of two triangles, each 2 atan2(N, D) (Van Oosterom, Strackee 1983): exact on coplanar and
/// collinear segments. For segments that touch, the angle is undefined; 0, the mean of both sides, is returned.
double segment_writhe(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
                      const Eigen::Vector3d& d);

/// With the derivatives, one column each by a, b, c, d; zero where segments touch. They sum to zero: only
/// relative positions matter.
double segment_writhe(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c,
                      const Eigen::Vector3d& d, Eigen::Matrix<double, 3, 4>& derivatives);

}  // namespace quoin::topology
