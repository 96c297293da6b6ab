// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/cross_entropy.hpp"

#include "quoin/util/options_of.hpp"
#include "quoin/util/parallel_for.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>

namespace quoin::planning {
namespace {

void require_options(const Eigen::VectorXd& start, const CrossEntropyOptions& o) {
  const OptionsOf of{"cross_entropy"};
  of.not_negative("iterations", o.iterations);
  of.positive_and_finite("initial_deviation", o.initial_deviation);
  of.not_negative_and_finite("added_deviation", o.added_deviation);
  of.positive("added_for", o.added_for);
  if (o.elite < 2 || o.population < o.elite || start.size() == 0 || !start.allFinite())
    throw std::invalid_argument("cross_entropy: population " + to_text(o.population) + ", elite " + to_text(o.elite) +
                                " (2 or more, at most the population), start of size " + to_text(start.size()) +
                                ": they do not fit, or the start is not finite");
}

}  // namespace

CrossEntropyResult cross_entropy(const std::function<double(const Eigen::VectorXd&)>& cost,
                                 const Eigen::VectorXd& start, const CrossEntropyOptions& options) {
  require_options(start, options);
  CrossEntropyResult result{
      .mean = start, .deviation = Eigen::VectorXd::Constant(start.size(), options.initial_deviation), .best = start};
  std::mt19937_64 random(options.seed);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd samples(start.size(), options.population);
  std::vector<double> costs(static_cast<std::size_t>(options.population));
  std::vector<int> order(costs.size());
  for (int iteration = 1; iteration <= options.iterations; ++iteration) {
    for (auto sample : samples.colwise())
      for (Eigen::Index i = 0; i < sample.size(); ++i)
        sample[i] = result.mean[i] + result.deviation[i] * normal(random);
    parallel_for(costs.size(), static_cast<std::size_t>(std::max(1, options.threads)), [&](std::size_t s) {
      const double value = cost(samples.col(static_cast<Eigen::Index>(s)));
      costs[s] = std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
    });
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return costs[static_cast<std::size_t>(a)] < costs[static_cast<std::size_t>(b)];
    });
    const auto cost_of_rank = [&](int rank) {
      return costs[static_cast<std::size_t>(order[static_cast<std::size_t>(rank)])];
    };
    if (!std::isfinite(cost_of_rank(options.elite - 1))) {
      result.stop = Stop::not_finite;
      return result;
    }
    if (cost_of_rank(0) < result.best_cost) {
      result.best_cost = cost_of_rank(0);
      result.best = samples.col(order.front());
    }
    Eigen::MatrixXd elite(start.size(), options.elite);
    double elite_mean = 0;
    for (int rank = 0; rank < options.elite; ++rank) {
      elite.col(rank) = samples.col(order[static_cast<std::size_t>(rank)]);
      elite_mean += cost_of_rank(rank) / options.elite;
    }
    result.mean = elite.rowwise().mean();
    const double added = options.added_deviation * std::max(0.0, 1 - iteration / options.added_for);
    result.deviation =
        ((elite.colwise() - result.mean).array().square().rowwise().mean() + added * added).sqrt().matrix();
    result.log.push_back({iteration, cost_of_rank(0), elite_mean,
                          result.deviation.norm() / std::sqrt(static_cast<double>(start.size())),
                          static_cast<long>(iteration) * options.population});
    if (options.observer && !options.observer(result.log.back(), result.mean)) {
      result.stop = Stop::stopped_by_observer;
      break;
    }
  }
  return result;
}

}  // namespace quoin::planning
