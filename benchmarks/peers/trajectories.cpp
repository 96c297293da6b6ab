// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/peers/sections.hpp"

#ifdef QUOIN_HAS_IPOPT
#include "benchmarks/peers/side_by_side.hpp"
#include "benchmarks/support/draw.hpp"
#include "examples/studies/arm7/iiwa7.hpp"
#include "quoin/robots/planning/ilqr.hpp"
#include "quoin/robots/planning/ipopt_transcription.hpp"
#include "testing/robots/planning_problems.hpp"
#include "testing/robots/torque_robot.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace benchmarks {
namespace {

using namespace quoin::planning;
using namespace quoin::planning::test;

/// One row: problems of a kind, each by both from the same controls.
class Kind {
 public:
  explicit Kind(std::string name) : name_(std::move(name)) {}

  template <class Problem>
  void solve(const Problem& problem, const Matrix& start, int rounds) {
    const AnyTrajectoryProblem erased = erase(problem, "peers");
    IlqrResult shot;
    TranscriptionResult transcribed;
    IlqrOptions options;
    options.max_iterations = 300;
    options.relative_tolerance = 1e-9;
    const TranscriptionOptions by_ipopt{.ipopt = {.tolerance = 1e-8}};
    const SideBySide seen = side_by_side(
        [&] { shot = ilqr(erased, start, options); },
        [&] { transcribed = ipopt_transcription(erased, Trajectory{.controls = start}, by_ipopt); }, rounds);
    all_.add_medians(seen);
    our_iterations_.push_back(shot.iterations);
    their_iterations_.push_back(transcribed.iterations);
    our_steps_.push_back(median(seen.ours) / std::max(1, shot.iterations));
    their_steps_.push_back(median(seen.theirs) / std::max(1, transcribed.iterations));
    ours_converged_ += shot.converged();
    theirs_converged_ += transcribed.converged();
    const double cost = shot.trajectory.cost, theirs = transcribed.trajectory.cost;
    const double apart = (cost - theirs) / std::min(cost, theirs);
    same_ += std::abs(apart) < 1e-6;
    ours_lower_ += apart < -1e-6;
    theirs_lower_ += apart > 1e-6;
    cost_ = cost;
    their_cost_ = theirs;
    if (!shot.converged()) return;
    const TranscriptionResult again = ipopt_transcription(erased, shot.trajectory, by_ipopt);
    moved_ = std::max(moved_, std::abs(again.trajectory.cost - cost) / cost);
  }

  void report_to(Report& report, studies::figures::JsonResults& table) const {
    studies::figures::ResultRow row;
    row.show("problem", name_);
    show_times(row, all_, 1, 1e-3, "ms");
    row.show("our_step", 1e3 * median(our_steps_), "an iteration, Quoin [ms]")
        .show("their_step", 1e3 * median(their_steps_), "peer [ms]")
        .show("our_iterations", std::lround(median(our_iterations_)), "iterations, Quoin")
        .show("their_iterations", std::lround(median(their_iterations_)), "peer")
        .show("draws", all_.ratios.size())
        .show("ours_converged", ours_converged_, "converged, Quoin")
        .show("theirs_converged", theirs_converged_, "peer")
        .show("same", same_, "one cost, to 1e-6")
        .show("ours_lower", ours_lower_, "Quoin's is lower")
        .show("theirs_lower", theirs_lower_, "the peer's is lower")
        .set("ratio_of_each", all_.ratios)
        .set("our_iterations_of_each", our_iterations_)
        .set("their_iterations_of_each", their_iterations_)
        .set("last_cost", cost_)
        .set("their_last_cost", their_cost_);
    table.add(row);
    check_same(report, name_ + ": cost of iLQR's plans that converged, and where Ipopt ends from it, relative", moved_,
               1e-6);
    claim_faster(report, name_, "Ipopt", all_);
  }
  /// Both costs of the last problem, in words.
  std::string costs() const {
    return "iLQR " + studies::figures::format_number(cost_, 8) + ", Ipopt " +
           studies::figures::format_number(their_cost_, 8);
  }

 private:
  std::string name_;
  SideBySide all_;
  std::vector<double> our_iterations_, their_iterations_, our_steps_, their_steps_;
  int ours_converged_ = 0, theirs_converged_ = 0, same_ = 0, ours_lower_ = 0, theirs_lower_ = 0;
  double moved_ = 0, cost_ = 0, their_cost_ = 0;
};

std::vector<double> numbers(const Matrix& m) { return {m.data(), m.data() + m.size()}; }

/// What another solver needs to be given the same problem.
void export_problem(const TrajectoryProblem<LinearDynamics, LinearResiduals>& problem, Report& report) {
  report.further_rows.push_back(studies::figures::ResultRow()
                                    .set("exported", "box-LQ, stable, first draw; matrices column by column")
                                    .set("horizon", problem.horizon)
                                    .set("A", numbers(problem.dynamics.A))
                                    .set("B", numbers(problem.dynamics.B))
                                    .set("C", numbers(problem.residuals.C))
                                    .set("c", numbers(problem.residuals.c))
                                    .set("D", numbers(problem.residuals.D))
                                    .set("x0", numbers(problem.initial_state))
                                    .set("upper_control", numbers(problem.upper_control)));
}

}  // namespace

void trajectories_beside_ipopt(Report& report, bool quick) {
  const int draws = quick ? 1 : 10;
  studies::figures::JsonResults table;
  Draw draw(QUOIN_RELEASE);

  Kind unstable("box-LQ, n 8, m 4, K 100, unstable"), stable("box-LQ, n 8, m 4, K 100, stable");
  for (int i = 0; i < draws; ++i) {
    auto problem = random_linear_problem(QUOIN_RELEASE + static_cast<unsigned>(i), 8, 4, 100);
    problem.lower_control.setConstant(4, -0.1);
    problem.upper_control = -problem.lower_control;
    unstable.solve(problem, Matrix::Zero(4, 100), 5);
    problem.dynamics.A *= 0.95 / Eigen::EigenSolver<Matrix>(problem.dynamics.A).eigenvalues().cwiseAbs().maxCoeff();
    stable.solve(problem, Matrix::Zero(4, 100), 5);
    if (i == 0) export_problem(problem, report);
  }
  stable.report_to(report, table);
  unstable.report_to(report, table);

  Kind swing("cart-pole swing-up, at most 20 N, K 100");
  for (int i = 0; i < draws; ++i) {
    auto problem = cart_pole_swing_up();
    problem.initial_state[0] = draw.uniform(-0.5, 0.5);
    swing.solve(problem, Matrix::Constant(1, 100, 0.1), quick ? 1 : 3);
  }
  swing.report_to(report, table);

  const TorqueRobot iiwa(rigid_body::RigidBodyTree(studies::iiwa::iiwa7_links()), 7, 0.02);
  const ReachProblem reach = iiwa_reach(iiwa);
  const Matrix start = iiwa.holding(reach.initial_state.head(7)).replicate(1, reach.horizon);
  Kind pinned("iiwa 7 within its torques, K 100"), drawn("the same to drawn goals");
  pinned.solve(reach, start, quick ? 1 : 5);
  pinned.report_to(report, table);
  if (!quick) {
    for (int i = 0; i < draws; ++i) {
      ReachProblem other = reach;
      for (int j = 0; j < 7; ++j) other.residuals.goal[j] += draw.uniform(-0.3, 0.3);
      drawn.solve(other, start, 1);
    }
    drawn.report_to(report, table);
  }
  report.add_table(
      "### Trajectories beside Ipopt\n\n`ilqr` (relative tolerance 1e-9) and Ipopt with MUMPS (1e-8) by "
      "direct transcription with exact sparse derivatives (`ipopt_transcription`), the same problem from "
      "the same controls. Costs of the iiwa's own goal: " +
          pinned.costs() + ".",
      table);
}

}  // namespace benchmarks
#else
void benchmarks::trajectories_beside_ipopt(Report&, bool) {}
#endif
