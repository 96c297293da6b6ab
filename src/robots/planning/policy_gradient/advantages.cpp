// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/policy_gradient/experience.hpp"

#include "quoin/util/to_text.hpp"

#include <stdexcept>
#include <string>

namespace quoin::planning {

Advantages generalized_advantages(const Experience& experience, const Eigen::VectorXd& values,
                                  const Eigen::VectorXd& cut_values, double discount, double lambda) {
  const Eigen::Index count = experience.rewards.size();
  if (values.size() != count || cut_values.size() != experience.cut_observations.cols())
    throw std::invalid_argument("generalized_advantages: " + to_text(values.size()) + " values for " + to_text(count) +
                                " steps, " + to_text(cut_values.size()) + " for " +
                                to_text(experience.cut_observations.cols()) + " cut episodes");
  Advantages result{Eigen::VectorXd(count), Eigen::VectorXd(count)};
  double next_value = 0, next_advantage = 0;
  Eigen::Index cut = cut_values.size();
  for (Eigen::Index i = count - 1; i >= 0; --i) {
    switch (experience.ends[static_cast<std::size_t>(i)]) {
      case StepEnd::none: break;
      case StepEnd::failed: next_value = next_advantage = 0; break;
      case StepEnd::cut:
        next_value = cut_values[--cut];
        next_advantage = 0;
        break;
    }
    const double delta = experience.rewards[i] + discount * next_value - values[i];
    next_advantage = delta + discount * lambda * next_advantage;
    next_value = values[i];
    result.advantages[i] = next_advantage;
    result.returns[i] = next_advantage + values[i];
  }
  return result;
}

}  // namespace quoin::planning
