// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/smoothed_motion.hpp"

#include "quoin/util/to_text.hpp"

#include <Eigen/QR>

#include <stdexcept>
#include <string>

namespace quoin::identification {

RobotMotion smoothed_motion(const Eigen::Ref<const Eigen::MatrixXd>& q, const Eigen::Ref<const Eigen::MatrixXd>& tau,
                            double time_step, int half_window) {
  const Eigen::Index window = 2 * Eigen::Index{half_window} + 1;
  if (q.rows() != tau.rows() || q.cols() != tau.cols() || half_window < 2 || q.cols() < window || !(time_step > 0))
    throw std::invalid_argument("smoothed_motion: q is " + shape_text(q) + ", tau " + shape_text(tau) +
                                ", half window " + to_text(half_window) + ", time step " + to_text(time_step) +
                                "; wanted the same shapes, at least 2, as many instants as the window has, and a "
                                "positive step");
  // Powers of s = k / half_window, in [-1, 1]: well conditioned for every window.
  Eigen::MatrixXd powers(window, 4);
  for (Eigen::Index k = 0; k < window; ++k) {
    const double s = static_cast<double>(k - half_window) / half_window;
    powers.row(k) << 1, s, s * s, s * s * s;
  }
  const Eigen::MatrixXd coefficients = powers.colPivHouseholderQr().solve(Eigen::MatrixXd::Identity(window, window));
  const double scale = half_window * time_step;
  Eigen::MatrixXd weights(window, 3);
  weights << coefficients.row(0).transpose(), coefficients.row(1).transpose() / scale,
      2 * coefficients.row(2).transpose() / (scale * scale);

  const Eigen::Index kept = q.cols() - window + 1;
  RobotMotion motion{.q = Eigen::MatrixXd(q.rows(), kept),
                     .qd = Eigen::MatrixXd(q.rows(), kept),
                     .qdd = Eigen::MatrixXd(q.rows(), kept),
                     .tau = Eigen::MatrixXd(q.rows(), kept)};
  for (Eigen::Index k = 0; k < kept; ++k) {
    const Eigen::MatrixXd fitted = q.middleCols(k, window) * weights;
    motion.q.col(k) = fitted.col(0);
    motion.qd.col(k) = fitted.col(1);
    motion.qdd.col(k) = fitted.col(2);
    motion.tau.col(k).noalias() = tau.middleCols(k, window) * weights.col(0);
  }
  require(motion, "smoothed_motion");
  return motion;
}

}  // namespace quoin::identification
