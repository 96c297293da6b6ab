// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/alternatives/sampled_function.hpp"
#include "benchmarks/support/library.hpp"

#include <Eigen/Core>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace benchmarks {

using Answering = std::function<void(const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J)>;

/// A surrogate at one size.
struct Stage {
  long evaluations;
  Answering answer;
};

/// A surrogate that grows: each call gives the next size, none after the last.
struct Method {
  std::string name;
  int values_per_evaluation;  // for a function of values only: 1 + dim, the gradient by differences
  std::function<std::optional<Stage>()> next;
};

/// The function with its evaluations counted in `count`.
SampledFunction counted(const SampledFunction& f, const std::shared_ptr<long>& count);

}  // namespace benchmarks
