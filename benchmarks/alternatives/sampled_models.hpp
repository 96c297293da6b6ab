// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/alternatives/method.hpp"
#include "benchmarks/alternatives/workload.hpp"
#include "benchmarks/support/library.hpp"

#include <Eigen/Core>

#include <memory>
#include <string>
#include <vector>

namespace benchmarks {

/// The points of one method's samples, dim x count, at each of its sizes; other models then get the same samples.
using SampleRecord = std::shared_ptr<std::vector<Eigen::MatrixXd>>;

/// Value and Jacobian of the nearest sample, extended linearly. Jumps where another sample becomes the nearest.
class NearestNeighbour {
 public:
  NearestNeighbour(const SampledFunction& f, Eigen::MatrixXd points);
  void evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;

 private:
  Eigen::MatrixXd points_;
  std::vector<Eigen::MatrixXd> jets_;  // outputs x (1 + dim)
};

/// On the recorded samples; on a box then on points that fill it evenly, up to the budget.
Method nearest_neighbour(const Workload& w, const SampleRecord& record, bool on_path);

/// Two layers of 64 tanh, fitted by libtorch to values and Jacobians of the recorded samples: Adam, then L-BFGS. Sizes
/// are every fourth multiple of the smallest, and the largest.
Method network(const Workload& w, const SampleRecord& record, bool on_path);

/// Whether this build has libtorch; without it network() throws std::runtime_error.
bool can_fit_networks();

}  // namespace benchmarks
