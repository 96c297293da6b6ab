// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

namespace quoin::topology {

/// Which part of the writhe matrix W of two chains is used. W_ij belongs to segment i of the first, the robot's, and
/// segment j of the second.
enum class WritheForm {
  matrix,                   ///< the whole matrix, row by row: (K - 1) (L - 1) numbers
  of_robot_segments,        ///< sums of rows: how much each segment of the robot is wound around the whole other chain
  of_environment_segments,  ///< sums of columns, w_j = sum_i W_ij (Zarubin et al. 2012, section II-A)
  scalar                    ///< the sum of all entries: Gauss' linking integral
};

/// What is made of the writhe matrix.
struct WritheOptions {
  WritheForm form = WritheForm::of_robot_segments;  ///< which of its entries, or sums of them
  bool absolute = false;                            ///< |W_ij|, as Eq. 1 prints it: insensitive to the sense of winding
  bool normalized = true;                           ///< divided by 4 pi: turns of one chain around the other
};

/// How two chains of points, 3 x K and 3 x L, wind around each other (Zarubin et al. 2012, section II-A). A closed
/// chain repeats its first point at its end.
///
///     Eigen::MatrixXd W = writhe_matrix(arm, pole);
///
/// (K - 1) x (L - 1); O(K L). Throws std::invalid_argument for chains of fewer than two points.
Eigen::MatrixXd writhe_matrix(const Eigen::Matrix3Xd& robot, const Eigen::Matrix3Xd& environment,
                              const WritheOptions& options = {});

/// The size of a form.
Eigen::Index writhe_size(WritheForm form, Eigen::Index robot_points, Eigen::Index environment_points);

/// The form and, with `by_robot`, its derivative by the robot's points: size x 3 K, columns 3 k to 3 k + 2 for point k.
/// The derivative of |W_ij| where W_ij = 0 is 0.
void writhe(const Eigen::Matrix3Xd& robot, const Eigen::Matrix3Xd& environment, const WritheOptions& options,
            Eigen::VectorXd& w, Eigen::MatrixXd* by_robot = nullptr);

}  // namespace quoin::topology
