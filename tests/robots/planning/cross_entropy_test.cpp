// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/cross_entropy.hpp"
#include "testing/refused_options.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace quoin::planning;

namespace {

double bowl(const Eigen::VectorXd& x) {
  double sum = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i) sum += (1.0 + i) * std::pow(x[i] - 0.5 * i, 2);
  return sum;
}

}  // namespace

TEST_CASE("the cross-entropy method finds the minimum of a bowl") {
  const auto result = cross_entropy(bowl, Eigen::VectorXd::Zero(6), {.population = 60, .elite = 10, .iterations = 60});
  CHECK(result.stop == quoin::Stop::iteration_limit);
  CHECK(bowl(result.mean) < 1e-6);
  CHECK(result.best_cost == bowl(result.best));
  CHECK(result.log.size() == 60);
  CHECK(result.log.back().evaluations == 3600);
  CHECK(result.log.back().deviation < 1e-3);
}

TEST_CASE("added noise keeps the search open where it would close too early") {
  // A narrow start far from the minimum: without noise the deviations vanish on the way.
  const auto far = [](const Eigen::VectorXd& x) { return (x.array() - 3).square().sum(); };
  CrossEntropyOptions options{.population = 30, .elite = 5, .iterations = 60, .initial_deviation = 0.05};
  const double closed = far(cross_entropy(far, Eigen::VectorXd::Zero(4), options).mean);
  options.added_deviation = 0.3;
  const double open = far(cross_entropy(far, Eigen::VectorXd::Zero(4), options).mean);
  CHECK(closed > 1);
  CHECK(open < 0.01);
}

TEST_CASE("the cross-entropy method does not depend on the number of threads") {
  const CrossEntropyOptions one{.iterations = 5};
  CrossEntropyOptions three = one;
  three.threads = 3;
  CHECK(cross_entropy(bowl, Eigen::VectorXd::Zero(3), one).mean ==
        cross_entropy(bowl, Eigen::VectorXd::Zero(3), three).mean);
}

TEST_CASE("a cost that is not finite is worse than any other, and stops the search where nothing else is left") {
  const auto half = [](const Eigen::VectorXd& x) {
    return x[0] < 0 ? std::numeric_limits<double>::quiet_NaN() : (x.array() - 1).square().sum();
  };
  CHECK(half(cross_entropy(half, Eigen::VectorXd::Zero(2), {.iterations = 60}).mean) < 1e-4);
  const auto nowhere = [](const Eigen::VectorXd&) { return std::numeric_limits<double>::infinity(); };
  const auto result = cross_entropy(nowhere, Eigen::VectorXd::Ones(2));
  CHECK(result.stop == quoin::Stop::not_finite);
  CHECK(result.mean == Eigen::VectorXd::Ones(2));
}

TEST_CASE("the observer of the cross-entropy method may stop it; options that do not fit are refused") {
  CrossEntropyOptions options;
  options.observer = [](const CrossEntropyIteration& it, const Eigen::VectorXd& mean) {
    CHECK(mean.size() == 2);
    return it.iteration < 4;
  };
  const auto result = cross_entropy(bowl, Eigen::VectorXd::Zero(2), options);
  CHECK(result.stop == quoin::Stop::stopped_by_observer);
  CHECK(result.log.size() == 4);
  CHECK_THROWS_WITH(cross_entropy(bowl, Eigen::VectorXd::Zero(2), {.population = 4, .elite = 8}),
                    Catch::Contains("population 4, elite 8"));
  CHECK_THROWS_AS(cross_entropy(bowl, Eigen::VectorXd(), {}), std::invalid_argument);
}

TEST_CASE("options of the cross-entropy method that mean nothing are refused with their name") {
  using Options = CrossEntropyOptions;
  quoin::test::RefusedOptions("cross_entropy", Options{},
                              [&](const Options& o) { cross_entropy(bowl, Eigen::VectorXd::Zero(2), o); })
      .positive("population", &Options::population)
      .positive("elite", &Options::elite)
      .not_negative("iterations", &Options::iterations)
      .positive("initial_deviation", &Options::initial_deviation)
      .not_negative("added_deviation", &Options::added_deviation)
      .positive("added_for", &Options::added_for);
}
