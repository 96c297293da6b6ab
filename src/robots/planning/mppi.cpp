// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/mppi.hpp"

#include "quoin/util/parallel_for.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace quoin::planning {
namespace {

void require_options(const Eigen::MatrixXd& start, const MppiOptions& o) {
  const auto fail = [](const std::string& why) { throw std::invalid_argument("mppi: " + why); };
  if (start.size() == 0 || !start.allFinite()) fail("the start, " + shape_text(start) + ", is empty or not finite");
  if (o.samples < 2 || !(o.temperature > 0) || !(o.control_weight >= 0 && o.control_weight <= 1))
    fail("samples " + to_text(o.samples) + " (2 or more), temperature " + to_text(o.temperature) +
         " (positive), control weight " + to_text(o.control_weight) + " (0 to 1)");
  if (o.deviation.size() != start.rows() || !(o.deviation.array() > 0).all() || !o.deviation.allFinite())
    fail("deviation of size " + to_text(o.deviation.size()) + ", wanted " + to_text(start.rows()) +
         " positive numbers");
  for (const auto* bound : {&o.lower, &o.upper})
    if (bound->size() != 0 && bound->size() != start.rows())
      fail("a bound of size " + to_text(bound->size()) + ", wanted " + to_text(start.rows()) + " or none");
  if (o.lower.size() != 0 && o.upper.size() != 0 && !(o.lower.array() <= o.upper.array()).all())
    fail("a lower bound is above its upper bound");
}

void clamp(const MppiOptions& o, Eigen::MatrixXd& controls) {
  if (o.lower.size() != 0) controls = controls.cwiseMax(o.lower.replicate(1, controls.cols()));
  if (o.upper.size() != 0) controls = controls.cwiseMin(o.upper.replicate(1, controls.cols()));
}

}  // namespace

MppiResult mppi(const std::function<double(const Eigen::MatrixXd&)>& cost, const Eigen::MatrixXd& start,
                const MppiOptions& options) {
  require_options(start, options);
  const std::size_t count = static_cast<std::size_t>(options.samples);
  std::mt19937_64 random(options.seed);
  std::normal_distribution<double> normal;
  std::vector<Eigen::MatrixXd> samples(count, start);
  for (std::size_t s = 0; s < count; ++s) {
    if (s > 0)
      for (auto control : samples[s].colwise())
        for (Eigen::Index i = 0; i < control.size(); ++i) control[i] += options.deviation[i] * normal(random);
    clamp(options, samples[s]);
  }

  Eigen::ArrayXd costs(options.samples);
  parallel_for(count, static_cast<std::size_t>(std::max(1, options.threads)),
               [&](std::size_t s) { costs[static_cast<Eigen::Index>(s)] = cost(samples[s]); });

  MppiResult result{.controls = start};
  const Eigen::MatrixXd implied =
      options.control_weight * options.deviation.array().square().inverse().matrix().asDiagonal() * start;
  Eigen::ArrayXd exponents(options.samples);  // -(S + ...) / lambda
  double largest = -std::numeric_limits<double>::infinity();
  for (Eigen::Index s = 0; s < costs.size(); ++s) {
    if (!std::isfinite(costs[s])) continue;
    result.best_cost = std::min(result.best_cost, costs[s]);
    exponents[s] = -costs[s] / options.temperature - implied.cwiseProduct(samples[static_cast<std::size_t>(s)]).sum();
    largest = std::max(largest, exponents[s]);
  }
  if (!std::isfinite(largest)) return result;
  double sum = 0, squares = 0;
  result.controls.setZero();
  for (Eigen::Index s = 0; s < costs.size(); ++s) {
    if (!std::isfinite(costs[s])) continue;
    const double weight = std::exp(exponents[s] - largest);
    sum += weight;
    squares += weight * weight;
    result.controls += weight * samples[static_cast<std::size_t>(s)];
  }
  result.controls /= sum;
  result.effective_samples = sum * sum / squares;
  return result;
}

}  // namespace quoin::planning
