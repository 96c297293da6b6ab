// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/robot_motion.hpp"

#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <string>

namespace quoin::identification {
namespace {}  // namespace

RobotMotion RobotMotion::columns(Eigen::Index first, Eigen::Index count) const {
  return {.q = q.middleCols(first, count),
          .qd = qd.middleCols(first, count),
          .qdd = qdd.middleCols(first, count),
          .tau = tau.middleCols(first, count)};
}

RobotMotion RobotMotion::at(const std::vector<Eigen::Index>& instants) const {
  return {.q = q(Eigen::all, instants),
          .qd = qd(Eigen::all, instants),
          .qdd = qdd(Eigen::all, instants),
          .tau = tau(Eigen::all, instants)};
}

void require(const RobotMotion& motion, const char* who) {
  const auto alike = [&](const Eigen::MatrixXd& other) {
    return other.rows() == motion.joints() && other.cols() == motion.instants();
  };
  if (motion.tau.size() == 0 || !alike(motion.q) || !alike(motion.qd) || !alike(motion.qdd))
    throw std::invalid_argument(std::string(who) + ": q is " + shape_text(motion.q) + ", qd " + shape_text(motion.qd) +
                                ", qdd " + shape_text(motion.qdd) + ", tau " + shape_text(motion.tau) +
                                "; all must be joints x instants, and not empty");
  if (!motion.q.allFinite() || !motion.qd.allFinite() || !motion.qdd.allFinite() || !motion.tau.allFinite())
    throw std::invalid_argument(std::string(who) + ": the motion has numbers that are not finite");
}

Eigen::VectorXd normalized_errors(const Eigen::Ref<const Eigen::MatrixXd>& predicted,
                                  const Eigen::Ref<const Eigen::MatrixXd>& measured) {
  if (predicted.rows() != measured.rows() || predicted.cols() != measured.cols() || measured.size() == 0)
    throw std::invalid_argument("normalized_errors: predicted is " + shape_text(predicted) + ", measured " +
                                shape_text(measured));
  const Eigen::VectorXd mean = measured.rowwise().mean();
  return (predicted - measured)
      .rowwise()
      .squaredNorm()
      .cwiseQuotient((measured.colwise() - mean).rowwise().squaredNorm());
}

}  // namespace quoin::identification
