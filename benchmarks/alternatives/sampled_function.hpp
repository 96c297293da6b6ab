// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/library.hpp"

#include <Eigen/Core>

#include <functional>

namespace benchmarks {

/// A function of a few variables that can be sampled with its derivatives. Every surrogate of benchmarks/alternatives
/// takes it in this form; the number of variables is known at run time only.
struct SampledFunction {
  int dim;
  Eigen::Index outputs;
  int largest_order;  ///< of derivatives
  /// jet: outputs x C(dim + order, order), derivatives in graded lexicographic order.
  std::function<void(const Eigen::VectorXd& x, int order, Eigen::Ref<Eigen::MatrixXd> jet)> sample;
};

struct Box {
  Eigen::VectorXd lower, upper;
};

}  // namespace benchmarks
