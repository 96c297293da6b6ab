// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/evaluator.hpp"
#include "quoin/grid/sample_storage.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/soft_arm_grid/soft_arm_grid.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace quoin::soft_arm {

/// Samples at the pulls of a basis, from the storage or all others at once by whatever evaluates, as a map.
template <int SpaceDim>
class SampledPulls {
 public:
  static constexpr int lines = line_count<SpaceDim>;

  SampledPulls(const CornerFunction<lines>& f, const Eigen::Matrix<double, lines, Eigen::Dynamic>& pulls,
               const SoftArmGridOptions<SpaceDim>& options)
      : outputs_(f.output_size()) {
    std::vector<CornerSample<lines>> missing;
    for (Eigen::Index p = 0; p < pulls.cols(); ++p) {
      CornerSample<lines> sample{.x = pulls.col(p), .jet = {}, .reason = {}};
      const Point<lines> within = 1e-12 * options.spacing * Point<lines>::Ones();
      const bool found = options.storage && options.storage->find(sample, within, f.derivatives());
      (found ? samples_ : missing).push_back(std::move(sample));
    }
    if (missing.empty()) return;
    options.evaluator(f, std::span<CornerSample<lines>>(missing));
    for (CornerSample<lines>& sample : missing) {
      sample.check(outputs_, f.derivatives());
      if (options.storage && !sample.retry) options.storage->keep(sample);
      samples_.push_back(std::move(sample));
    }
  }

  Eigen::Index output_size() const { return outputs_; }
  Answer evaluate(const Point<lines>& pull, Eigen::VectorXd& y) const {
    Eigen::MatrixXd J;
    return evaluate(pull, y, J);
  }
  Answer evaluate(const Point<lines>& pull, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    const auto sample = std::find_if(samples_.begin(), samples_.end(), [&](const auto& one) { return one.x == pull; });
    if (!sample->reason.empty()) throw std::runtime_error(sample->reason);
    y = sample->jet.col(0);
    J = sample->jet.template middleCols<lines>(1);
    return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
  }

 private:
  Eigen::Index outputs_;
  std::vector<CornerSample<lines>> samples_;
};

}  // namespace quoin::soft_arm
