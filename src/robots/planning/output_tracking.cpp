// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/output_tracking.hpp"

#include "quoin/robots/optimization/box_qp.hpp"
#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <string>

namespace quoin::planning {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

OutputTracking track_output(const LinearSystem& sampled, const VectorXd& wanted, double lower, double upper,
                            double smoothing) {
  if (!(sampled.time_step > 0) || sampled.A.cols() != sampled.states() || sampled.B.rows() != sampled.states() ||
      sampled.C.cols() != sampled.states() || sampled.inputs() != 1 || sampled.outputs() != 1 ||
      sampled.D.size() != 1 || sampled.D(0, 0) != 0)
    throw std::invalid_argument("track_output: needs a discrete system of one input and one output with D = 0");
  if (!(lower <= upper) || !(smoothing > 0) || wanted.size() < 1 || !wanted.allFinite())
    throw std::invalid_argument("track_output: " + to_text(wanted.size()) + " outputs, inputs from " + to_text(lower) +
                                " to " + to_text(upper) + ", smoothing " + to_text(smoothing));
  const Index K = wanted.size();
  MatrixXd response = MatrixXd::Zero(K, K);  // of y_{k+1} to u_j
  VectorXd x = sampled.B.col(0);
  for (Index k = 0; k < K; ++k) {
    response.diagonal(-k).setConstant((sampled.C * x)(0));
    x = (sampled.A * x).eval();
  }
  MatrixXd change = MatrixXd::Identity(K, K);
  change.diagonal(-1).setConstant(-1);
  const MatrixXd H = response.transpose() * response + smoothing * change.transpose() * change;
  OutputTracking result{.inputs = VectorXd::Zero(K), .outputs = {}};
  optimization::BoxQp qp;
  if (qp.solve(H, -response.transpose() * wanted, VectorXd::Constant(K, lower), VectorXd::Constant(K, upper),
               result.inputs) != optimization::BoxQpStatus::optimal)
    throw std::invalid_argument("track_output: the system's response is not finite or grows too fast to be followed");
  result.outputs = response * result.inputs;
  result.largest_error = (result.outputs - wanted).cwiseAbs().maxCoeff();
  return result;
}

}  // namespace quoin::planning
