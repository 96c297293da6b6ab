// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/checks.hpp"
#include "examples/studies/program/library.hpp"

#include <limits>
#include <string>
#include <vector>

/// What README says that this study's arm in space saves. The programs that measure it fail where it is worse.
namespace studies::laser {

inline constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

/// A plan of the arm in space, as a row of README's table has it or as it was measured; what a row leaves out, or a run
/// did not come to, is not_measured.
struct PlanFigures {
  double evaluations = not_measured;     ///< equilibria; of a plan on Eq. 2, steps
  double seconds = not_measured;         ///< wall time of planning
  double cost = not_measured;            ///< as planned
  double spot = not_measured;            ///< how far it is off on Eq. 2 at most, uncorrected, mm
  double finished = not_measured;        ///< cost on Eq. 2 after one step there, or corrected by rollouts
  double seconds_in_all = not_measured;  ///< these, and the first rollout there, included
};

/// A row of README's table, by the planner's key: eq8, grid, grid_enough, grid_jets, grid_inertial, eq2.
struct ReadmeRow {
  std::string key;
  PlanFigures figures;
};

/// In README's order.
const std::vector<ReadmeRow>& readme_rows();

/// README's claims on the evaluations and costs of a grid's plan, beside those on exact Eq. 8 and on Eq. 2: binding, to
/// the digits that README prints; but for the evaluations on exact Eq. 8, to 5 %, since they depend on rounding. Claims
/// of which something was not measured are left out.
std::vector<Check> check_readme_counts(const std::string& who, const std::string& key, const PlanFigures& plan,
                                       const PlanFigures& on_eq8, const PlanFigures& on_eq2);

/// README's claims on its wall time, as ratios to exact Eq. 8's and to Eq. 2's, measured in turns with it: binding at
/// half of what README's rows say, for what else runs on the machine.
std::vector<Check> check_readme_times(const std::string& who, const std::string& key, double times_faster_than_eq8,
                                      double times_faster_in_all_than_eq2);

}  // namespace studies::laser
