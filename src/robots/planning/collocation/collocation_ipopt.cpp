// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/collocation/collocation.hpp"

#include "quoin/util/options_of.hpp"

#include "program.hpp"

#include <memory>
#include <utility>

namespace quoin::planning {

CollocationPlan collocation(const CollocationProblem& problem, const CollocationPlan& guess,
                            const CollocationOptions& options) {
  OptionsOf{"collocation"}.not_negative("curvature_tolerance", options.curvature_tolerance);
  const auto program = std::make_shared<CollocationProgram>(problem, guess, options);
  const optimization::NonlinearProgram nlp = CollocationProgram::program(program);
  optimization::IpoptOptions ipopt = options.ipopt;
  ipopt.multipliers = program->start_multipliers();
  optimization::NlpResult solved = optimization::solve_with_ipopt(nlp, ipopt);
  if (options.check_curvature)
    solved = optimization::leave_saddles(nlp, std::move(solved), ipopt, options.curvature_tolerance);
  return program->plan(solved);
}

}  // namespace quoin::planning
