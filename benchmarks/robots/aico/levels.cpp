// SPDX-License-Identifier: BSD-3-Clause
#include "parts.hpp"
#include "testing/robots/aico_problems.hpp"
#include "testing/robots/linear_levels.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace benchmarks {

using namespace quoin::planning;
using namespace quoin::planning::test;

void levels(Report& report, bool quick) {
  const int draws = quick ? 3 : 11, most = quick ? 500 : 2000;
  studies::figures::JsonResults table;
  double error_of_messages = 0;
  studies::Rate fewer;
  for (const bool brownian : {true, false}) {
    const MotionPrior prior = brownian ? brownian_prior(0.05 * Matrix::Identity(2, 2))
                                       : second_order_prior(0.2, 0.5 * Matrix::Identity(2, 2));
    for (const double rho : {5.0, 20.0, 100.0, 1e3, 1e4}) {
      studies::figures::ResultRow row;
      row.show("prior", brownian ? "Brownian" : "second-order").show("rho", rho);
      std::vector<double> rounds[2];
      for (const Exchange exchange : {Exchange::means, Exchange::messages}) {
        const bool is_messages = exchange == Exchange::messages;
        double error = 0;
        for (int i = 0; i < draws; ++i) {
          const LinearLevels of(first_seed + i, 2, prior, rho);
          const DenseMap dense = dense_map(of.joint());
          HierarchyOptions options{.max_rounds = most, .tolerance = 1e-8, .exchange = exchange};
          options.aico = {.relative_tolerance = 1e-17, .step_tolerance = 1e-10, .initial_damping = 0};
          const HierarchyResult result =
              hierarchical_aico(problem_of(of.chain), of.level, Matrix::Zero(2, of.T), options);
          rounds[is_messages].push_back(static_cast<double>(result.rounds.size()));
          error = std::max({error, relative(result.plan.states, dense.states.topRows(4)),
                            relative(result.y, dense.states.middleRows(4, 2))});
        }
        const std::string name = is_messages ? "messages" : "means";
        row.show(name, std::lround(median(rounds[is_messages])), name + ": rounds, median");
        row.show(name + "_error", error, "greatest error", 1);
        if (is_messages) error_of_messages = std::max(error_of_messages, error);
      }
      for (int i = 0; i < draws; ++i) fewer.count(rounds[1][i] < rounds[0][i]);
      table.add(row);
    }
  }
  report.add_table("Two levels: rounds until nothing moves by more than 1e-8, at most " + std::to_string(most) +
                       ", and the error against the joint maximum (a linear phi, d 2, m 2, T 10; Brownian prior of "
                       "variance 0.05 a step, second-order prior of dt 0.2, H 0.5); " +
                       std::to_string(draws) + " draws each.",
                   table);
  report.checks.push_back(at_least("messages take fewer rounds than means in 80 % of the draws", fewer, 0.8));
  report.checks.push_back(
      {"messages end within 1e-5 of the joint maximum: " + studies::figures::format_number(error_of_messages),
       error_of_messages < 1e-5});
}

}  // namespace benchmarks
