// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/topology/writhe.hpp"

#include "quoin/robots/models/topology/segment_writhe.hpp"
#include "quoin/util/to_text.hpp"

#include <numbers>
#include <stdexcept>
#include <string>

namespace quoin::topology {
namespace {

using Eigen::Index;
using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

void require(const Matrix3Xd& robot, const Matrix3Xd& environment) {
  if (robot.cols() < 2 || environment.cols() < 2)
    throw std::invalid_argument("writhe: chains of " + to_text(robot.cols()) + " and " + to_text(environment.cols()) +
                                " points; wanted at least 2 each");
}

double scale_of(const WritheOptions& options) { return options.normalized ? 1 / (4 * std::numbers::pi) : 1; }

}  // namespace

MatrixXd writhe_matrix(const Matrix3Xd& robot, const Matrix3Xd& environment, const WritheOptions& options) {
  require(robot, environment);
  MatrixXd W(robot.cols() - 1, environment.cols() - 1);
  for (Index j = 0; j < W.cols(); ++j)
    for (Index i = 0; i < W.rows(); ++i)
      W(i, j) = segment_writhe(robot.col(i), robot.col(i + 1), environment.col(j), environment.col(j + 1));
  if (options.absolute) W = W.cwiseAbs().eval();
  return scale_of(options) * W;
}

Index writhe_size(WritheForm form, Index robot_points, Index environment_points) {
  switch (form) {
    case WritheForm::matrix: return (robot_points - 1) * (environment_points - 1);
    case WritheForm::of_robot_segments: return robot_points - 1;
    case WritheForm::of_environment_segments: return environment_points - 1;
    case WritheForm::scalar: return 1;
  }
  return 0;
}

void writhe(const Matrix3Xd& robot, const Matrix3Xd& environment, const WritheOptions& options, VectorXd& w,
            MatrixXd* by_robot) {
  require(robot, environment);
  const Index K = robot.cols(), L = environment.cols(), size = writhe_size(options.form, K, L);
  const double scale = scale_of(options);
  w.setZero(size);
  if (by_robot) by_robot->setZero(size, 3 * K);
  Eigen::Matrix<double, 3, 4> derivatives;
  for (Index i = 0; i + 1 < K; ++i)
    for (Index j = 0; j + 1 < L; ++j) {
      double value =
          by_robot
              ? segment_writhe(robot.col(i), robot.col(i + 1), environment.col(j), environment.col(j + 1), derivatives)
              : segment_writhe(robot.col(i), robot.col(i + 1), environment.col(j), environment.col(j + 1));
      double slope = scale;
      if (options.absolute) {
        slope *= value > 0 ? 1 : value < 0 ? -1 : 0;
        value = std::abs(value);
      }
      Index row = 0;
      switch (options.form) {
        case WritheForm::matrix: row = i * (L - 1) + j; break;
        case WritheForm::of_robot_segments: row = i; break;
        case WritheForm::of_environment_segments: row = j; break;
        case WritheForm::scalar: break;
      }
      w[row] += scale * value;
      if (by_robot) {
        by_robot->block<1, 3>(row, 3 * i) += slope * derivatives.col(0).transpose();
        by_robot->block<1, 3>(row, 3 * i + 3) += slope * derivatives.col(1).transpose();
      }
    }
}

}  // namespace quoin::topology
