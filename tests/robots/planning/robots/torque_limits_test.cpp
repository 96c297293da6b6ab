// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/urdf.hpp"
#include "quoin/robots/planning/ilqr.hpp"
#include "testing/drawn.hpp"
#include "testing/robots/random_matrix.hpp"
#include "testing/robots/torque_robot.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace quoin;
using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

/// Postures, strengths and weights of any kind, for a motion of 0.8 s.
ReachProblem drawn_reach(const TorqueRobot& iiwa, std::mt19937& generator) {
  std::normal_distribution<double> normal;
  const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator); };
  ReachProblem problem = iiwa_reach(iiwa);
  for (Eigen::Index j = 0; j < 7; ++j) {
    problem.initial_state[j] = 0.8 * normal(generator);
    problem.residuals.goal[j] = 0.8 * normal(generator);
  }
  const double strength = between(0.4, 1.4);
  problem.lower_control *= strength;
  problem.upper_control *= strength;
  problem.residuals.effort = between(0.003, 0.03);
  problem.residuals.precision = between(10, 30);
  problem.horizon = 40;
  return problem;
}

/// The least cost that Newton's method finds from a plan's controls and from beside them.
double lowest_beside(const ReachProblem& problem, const Trajectory& plan, std::mt19937& generator) {
  double lowest = plan.cost;
  for (const double away : {0.0, 1e-8, 1e-6}) {
    const Eigen::MatrixXd guess = plan.controls + away * random_matrix(generator, 7, problem.horizon);
    const IlqrOptions options{.max_iterations = 100, .relative_tolerance = 1e-11, .exact_hessians = true};
    lowest = std::min(lowest, ilqr(problem, guess, options).trajectory.cost);
  }
  return lowest;
}

}  // namespace

TEST_CASE("iLQR does not creep where seven torques meet their limits") {
  const TorqueRobot iiwa(rigid_body::RigidBodyTree(rigid_body::read_urdf(QUOIN_IIWA7_URDF)), 7, 0.02);
  const ReachProblem problem = iiwa_reach(iiwa);
  const Eigen::MatrixXd start = iiwa.holding(problem.initial_state.head(7)).replicate(1, problem.horizon);
  const IlqrResult plan = ilqr(problem, start, {.max_iterations = 156, .relative_tolerance = 1e-9});
  INFO(plan.iterations << " iterations, cost " << plan.trajectory.cost << ", " << to_string(plan.stop));
  // Crocoddyl's SolverBoxDDP: 10.671980 after 156 iterations from the same start.
  CHECK(plan.converged());
  CHECK(plan.trajectory.cost < 10.672);
  CHECK((plan.trajectory.controls.cwiseAbs().rowwise().maxCoeff().array() <= problem.upper_control.array()).all());
}

TEST_CASE("the last steps to a minimum are not cut short by the damping of the steps before") {
  const TorqueRobot iiwa(rigid_body::RigidBodyTree(rigid_body::read_urdf(QUOIN_IIWA7_URDF)), 7, 0.02);
  for (const unsigned seed : {40008u, 40010u}) {
    std::mt19937 generator(seed * 7919 + 5);
    const ReachProblem problem = drawn_reach(iiwa, generator);
    const IlqrResult plan = ilqr(problem, iiwa.holding(problem.initial_state.head(7)).replicate(1, 40));
    CAPTURE(seed, to_string(plan.stop), plan.trajectory.cost);
    CHECK(plan.converged());  // else stalled, 1e-6 and 2e-6 above the minimum
  }
}

TEST_CASE("of drawn reaches of an iiwa that converge, Newton's method finds nothing lower") {
  const TorqueRobot iiwa(rigid_body::RigidBodyTree(rigid_body::read_urdf(QUOIN_IIWA7_URDF)), 7, 0.02);
  const unsigned first = quoin::test::seed_wanted();
  const int draws = quoin::test::draws_wanted(16);
  int converged = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    std::mt19937 generator(seed * 7919 + 5);
    const ReachProblem problem = drawn_reach(iiwa, generator);
    const Eigen::VectorXd& held = seed % 2 == 0 ? problem.initial_state : problem.residuals.goal;
    const IlqrResult plan = ilqr(problem, iiwa.holding(held.head(7)).replicate(1, 40), {.max_iterations = 500});
    CAPTURE(seed, to_string(plan.stop), plan.iterations, plan.trajectory.cost);
    if (!plan.converged()) continue;
    ++converged;
    CHECK(plan.log.back().cost == plan.trajectory.cost);
    const double lowest = lowest_beside(problem, plan.trajectory, generator);
    CHECK(plan.trajectory.cost - lowest < 7e-7 * lowest);
  }
  INFO(converged << " of " << draws << " converged");
  CHECK(20 * converged >= 19 * draws);  // 40 of 40 at seeds from 20001 on
}

TEST_CASE("guesses that throw an iiwa about, or cannot be rolled out, end at a minimum, by a horizon that grows") {
  const TorqueRobot iiwa(rigid_body::RigidBodyTree(rigid_body::read_urdf(QUOIN_IIWA7_URDF)), 7, 0.02);
  const unsigned first = quoin::test::seed_wanted();
  const int draws = quoin::test::draws_wanted(16);
  int converged = 0, tried = 0, unfollowed = 0, grown = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    std::mt19937 generator(seed * 7919 + 5);
    const ReachProblem problem = drawn_reach(iiwa, generator);
    // The arm falls, or is driven by what would hold it elsewhere.
    for (const Eigen::MatrixXd& guess :
         {Eigen::MatrixXd(Eigen::MatrixXd::Zero(7, 40)),
          Eigen::MatrixXd(iiwa.holding(problem.residuals.goal.head(7)).replicate(1, 40))}) {
      const IlqrResult plan = ilqr(problem, guess, {.max_iterations = 500});
      CAPTURE(seed, to_string(plan.stop), plan.iterations, plan.trajectory.cost);
      CHECK(plan.stop != Stop::initial_failed);
      ++tried;
      converged += plan.converged();
      const Eigen::MatrixXd bounded = guess.array()
                                          .max(problem.lower_control.replicate(1, 40).array())
                                          .min(problem.upper_control.replicate(1, 40).array());
      if (roll_out(problem, bounded).failed_step < 0) continue;
      ++unfollowed;
      CHECK(ilqr(problem, guess, {.grow_horizon = false}).stop == Stop::initial_failed);
      grown += plan.converged();
    }
  }
  INFO(converged << " of " << tried << " converged; " << grown << " of the " << unfollowed
                 << " that cannot be followed");
  CHECK(20 * converged >= 19 * tried);  // 80 of 80 at seeds from 20001 on
  CHECK((unfollowed == 0 || 20 * grown >= 19 * unfollowed));
}

TEST_CASE("torques drawn at random, which throw an iiwa about, lead to a minimum") {
  const TorqueRobot iiwa(rigid_body::RigidBodyTree(rigid_body::read_urdf(QUOIN_IIWA7_URDF)), 7, 0.02);
  const unsigned first = quoin::test::seed_wanted();
  const int draws = quoin::test::draws_wanted(16);
  int converged = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    std::mt19937 generator(seed * 7919 + 5);
    const ReachProblem problem = drawn_reach(iiwa, generator);
    // What holds the start, and for 0.16 s each a third of the motors' limits this way or that.
    const Eigen::MatrixXd drawn = random_matrix(generator, 7, 5);
    Eigen::MatrixXd guess = iiwa.holding(problem.initial_state.head(7)).replicate(1, 40);
    for (Eigen::Index i = 0; i < 40; ++i) guess.col(i) += 0.3 * problem.upper_control.cwiseProduct(drawn.col(i / 8));
    const IlqrResult plan = ilqr(problem, guess, {.max_iterations = 500});
    CAPTURE(seed, to_string(plan.stop), plan.iterations, plan.trajectory.cost);
    if (!plan.converged()) continue;
    ++converged;
    const double lowest = lowest_beside(problem, plan.trajectory, generator);
    CHECK(plan.trajectory.cost - lowest < 7e-7 * lowest);
  }
  INFO(converged << " of " << draws << " converged");
  CHECK(20 * converged >= 19 * draws);  // 40 of 40 at seeds from 20001 on
}
