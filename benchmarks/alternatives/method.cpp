// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/alternatives/method.hpp"

namespace benchmarks {

SampledFunction counted(const SampledFunction& f, const std::shared_ptr<long>& count) {
  SampledFunction counting = f;
  counting.sample = [sample = f.sample, count](const Eigen::VectorXd& x, int order, Eigen::Ref<Eigen::MatrixXd> jet) {
    ++*count;
    sample(x, order, jet);
  };
  return counting;
}

}  // namespace benchmarks
