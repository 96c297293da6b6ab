// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/planning/collocation/collocation.hpp"

#include "program.hpp"

#include <memory>

namespace quoin::planning {

CollocationPlan collocation(const CollocationProblem& problem, const CollocationPlan& guess,
                            const CollocationOptions& options) {
  const auto program = std::make_shared<CollocationProgram>(problem, guess, options);
  optimization::IpoptOptions ipopt = options.ipopt;
  ipopt.multipliers = program->start_multipliers();
  return program->plan(optimization::solve_with_ipopt(CollocationProgram::program(program), ipopt));
}

}  // namespace quoin::planning
