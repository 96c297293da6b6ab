// SPDX-License-Identifier: BSD-3-Clause
#include "parts.hpp"
#include "testing/robots/chain_errors.hpp"

#include <algorithm>

namespace benchmarks {

using namespace quoin::planning::test;
using studies::figures::format_number;

void messages(Report& report, bool quick) {
  const int chains = quick ? 20 : 200;
  double times_cost = 0;  // the largest product of an error and H
  for (const double cost : {1.0, 1e-2, 1e-4, 1e-6}) {
    const auto greatest = [](const Errors& errors) { return std::max(errors.mean, errors.covariance); };
    double random = 0, law = 0;
    for (int i = 0; i < chains; ++i) {
      const Errors errors = errors_of(random_chain(first_seed + i, 4, 2, 20, 1e3, cost));
      random = std::max(random, greatest(errors));
      law = std::max(law, errors.law);
    }
    times_cost = std::max(times_cost, cost * std::max(random, law));
    report.results.add(studies::figures::ResultRow()
                           .show("H", cost)
                           .show("random", random, "random chains", 1)
                           .show("law", law, "the same, states that follow the law", 1)
                           .show("motion", greatest(errors_of(followed_motion(cost))), "second-order motion", 1));
  }
  report.notes =
      "Largest errors of means and covariances against the dense solution in long double, relative to the "
      "largest entry (or 1): " +
      std::to_string(chains) +
      " random chains, n 4, m 2, T 20, B of order 1, precisions to 1e3; and second-order motion, d 3, T 50, "
      "dt 0.1, a task every 5 steps.\n";
  report.checks.push_back({"errors are at most 1e-10 / H: " + format_number(times_cost), times_cost < 1e-10});
}

}  // namespace benchmarks
