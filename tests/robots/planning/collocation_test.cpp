// SPDX-License-Identifier: BSD-3-Clause
#ifdef QUOIN_HAS_IPOPT
#include "quoin/robots/planning/collocation/collocation.hpp"
#include "quoin/robots/dynamics/runge_kutta_steps.hpp"
#include "quoin/robots/planning/collocation/refinement.hpp"
#include "testing/robots/collocation_systems.hpp"
#include "testing/robots/swing_up_errors.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

using namespace quoin;
using namespace quoin::optimization;
using namespace quoin::planning;
using namespace quoin::planning::test;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

namespace {

void check_order(const char* what, double before, double now, double least, double greatest) {
  CAPTURE(what, before, now);
  CHECK(std::log2(before / now) > least);
  CHECK(std::log2(before / now) < greatest);
}

}  // namespace

TEST_CASE("the least effort of a unit move is found exactly by Hermite-Simpson on any mesh, and replayed exactly") {
  CollocationProblem problem = unit_move(3);
  problem.times << 0, 0.2, 0.7, 1;
  const CollocationPlan plan =
      collocation(problem, straight_guess(problem, Vector::Unit(2, 0)), precise(CollocationScheme::hermite_simpson));
  REQUIRE(plan.converged());
  CHECK(plan.cost == Approx(12).epsilon(1e-9));
  CHECK(plan.largest_defect < 1e-9);
  CHECK(plan.times.size() == 7);
  CHECK(plan.intervals() == 3);
  CHECK((plan.mesh() - problem.times).norm() == 0);
  for (double t = 0; t <= 1; t += 0.0625) {
    CHECK(plan.control(t)[0] == Approx(6 - 12 * t).margin(1e-6));
    CHECK(plan.state(t)[0] == Approx(t * t * (3 - 2 * t)).margin(1e-7));
    CHECK(plan.state(t)[1] == Approx(6 * t * (1 - t)).margin(1e-7));
  }
  const CollocationReplay seen = replay(problem.dynamics, plan, 0.03);
  REQUIRE(seen.status == StepStatus::ok);
  CHECK((seen.final_state() - Vector::Unit(2, 0)).norm() < 1e-7);
  CHECK(seen.times[seen.times.size() - 1] == 1);
  CHECK(seen.times.size() == 1 + 7 + 17 + 10);
}

TEST_CASE("a replay follows its motion however long its steps, or says that it does not") {
  Chain in_honey = pendulum();
  in_honey.damping = 500;  // a mode that decays by 500 / s: Runge-Kutta's limit is a step of 5.6 ms
  CollocationPlan plan{.scheme = CollocationScheme::trapezoid,
                       .times = Vector::LinSpaced(11, 0, 1),
                       .states = Matrix::Zero(2, 11),
                       .controls = Matrix::Constant(1, 11, 100)};
  const NodeDynamics dynamics = node_dynamics(in_honey);
  const Vector truth = replay(dynamics, plan, 1e-4).final_state();
  CHECK(truth[0] == Approx(0.2).epsilon(0.05));  // 100 / 500 rad/s for 1 s
  measure_defects(dynamics, plan, 400);
  const double defect = plan.largest_defect;
  for (const double step : {2e-3, 6e-3, 0.01, 0.03, 0.1}) {
    CAPTURE(step);
    const CollocationReplay seen = replay(dynamics, plan, step);
    CHECK(seen.status == StepStatus::ok);
    CHECK((seen.final_state() - truth).norm() < default_step_tolerance);
    measure_defects(dynamics, plan, static_cast<int>(std::lround(0.1 / step)));
    CHECK(plan.largest_defect == Approx(defect).epsilon(1e-4));
  }
  in_honey.damping = 5e6;  // steps of 0.6 us, 24 us with 12 halvings of 0.1 s
  CHECK(replay(node_dynamics(in_honey), plan, 0.1).status == StepStatus::not_converged);
  measure_defects(node_dynamics(in_honey), plan, 10);
  CHECK(std::isinf(plan.largest_defect));
}

TEST_CASE("the trapezoid's cost of a unit move comes to 12 with the square of the spacing") {
  double before = 0;
  for (const int intervals : {4, 8, 16, 32}) {
    const CollocationProblem problem = unit_move(intervals);
    const CollocationPlan plan =
        collocation(problem, straight_guess(problem, Vector::Unit(2, 0)), precise(CollocationScheme::trapezoid));
    REQUIRE(plan.converged());
    const double error = std::abs(plan.cost - 12);
    if (before > 0) {
      CHECK(std::log2(before / error) > 1.8);
      CHECK(std::log2(before / error) < 2.2);
    }
    before = error;
  }
}

TEST_CASE(
    "a pendulum's swing-up: on the mesh printed Euler is first order, the trapezoid second, Hermite-Simpson fourth") {
  const CollocationPlan truth = solve_swing_up(256, CollocationScheme::hermite_simpson);
  REQUIRE(truth.converged());
  REQUIRE(truth.largest_defect < 1e-9);
  struct Expected {
    CollocationScheme scheme;
    int coarsest;
    double order, between, control;
  };
  // Between mesh points Hermite-Simpson's states follow its controls, which are second order.
  for (const auto& [scheme, coarsest, order, between, control] :
       {Expected{CollocationScheme::hermite_simpson, 8, 4, 3, 2}, Expected{CollocationScheme::trapezoid, 16, 2, 2, 2},
        Expected{CollocationScheme::euler, 64, 1, 1, 1}}) {
    INFO(to_string(scheme));
    Difference error;
    double defect = 0, miss = 0;
    for (int halving = 0; halving <= 4; ++halving) {
      CAPTURE(halving);
      const CollocationPlan plan = solve_swing_up(coarsest << halving, scheme);
      REQUIRE(plan.converged());
      const CollocationReplay seen = replay(node_dynamics(pendulum()), plan, 0.005);
      const Difference now = difference(plan, truth);
      const double now_missed = (seen.final_state() - leaning(pendulum(), EIGEN_PI)).norm();
      if (halving > 0) {
        check_order("states on the mesh", error.on_mesh, now.on_mesh, order - 0.3, order + 0.3);
        check_order("states between", error.between, now.between, between - 0.3, between + 0.3);
        check_order("controls", error.control, now.control, control - 0.3, control + 0.3);
        check_order("defect of an interval", defect, plan.largest_defect, order + 0.6, order + 1.4);
        check_order("miss of the replay", miss, now_missed, order - 0.3, order + 0.3);
      }
      error = now;
      defect = plan.largest_defect;
      miss = now_missed;
    }
  }
}

TEST_CASE("the explicit and the inverse form of one chain come to the same plan") {
  const Chain chain;
  const CollocationProblem implicit = grab(chain, node_dynamics(chain), 20);
  const CollocationProblem explicit_form = grab(chain, node_dynamics(Solved{chain}), 20);
  for (const auto scheme : {CollocationScheme::trapezoid, CollocationScheme::hermite_simpson}) {
    const CollocationPlan a = collocation(implicit, straight_guess(implicit, leaning(chain, 0.3)), precise(scheme));
    const CollocationPlan b =
        collocation(explicit_form, straight_guess(explicit_form, leaning(chain, 0.3)), precise(scheme));
    REQUIRE(a.converged());
    REQUIRE(b.converged());
    CHECK(a.cost == Approx(b.cost).epsilon(1e-7));
    CHECK((a.states - b.states).cwiseAbs().maxCoeff() < 1e-5);
    CHECK((a.controls - b.controls).cwiseAbs().maxCoeff() < 1e-5);
    CHECK((a.rates - b.rates.bottomRows(3)).cwiseAbs().maxCoeff() < 1e-3);
    CHECK((a.interval_defects - b.interval_defects).cwiseAbs().maxCoeff() < 1e-5);
  }
}

TEST_CASE("bounds hold to the last digit and are active where effort wants to leave them") {
  const Chain chain;
  const CollocationProblem problem = grab(chain, node_dynamics(chain), 24, 0.1);
  const CollocationPlan plan = collocation(problem, straight_guess(problem, leaning(chain, 0.3)));
  REQUIRE(plan.converged());
  CHECK(plan.controls.cwiseAbs().maxCoeff() <= 0.1);
  CHECK(plan.controls.cwiseAbs().maxCoeff() > 0.1 - 1e-6);
  CHECK(plan.controls.col(0).norm() == 0);
  CHECK(plan.states.col(0).norm() == 0);
  CHECK(plan.violation <= 1e-6);
  CHECK(plan.residual <= 1e-6);
  Vector h;
  Matrix h_x;
  problem.boundary(plan.states.rightCols(1), h, h_x);
  CHECK(h[0] == Approx(1).margin(1e-4));  // the nearest end to the goal's disc is on its edge
}

TEST_CASE("a bound of the speed makes the unit move flat in the middle, at the known cost") {
  // Accelerating to speed s and back in time a each, least effort: s = 1.2, two parabolic ends (a = 3/2 (1 - 1/s)).
  for (const bool by_path : {false, true}) {
    CollocationProblem problem = unit_move(40);
    if (by_path) {
      problem.path = [](double, const Vector& x, const Vector&, Vector& g, Matrix& g_x, Matrix& g_u) {
        g = x.tail(1);
        g_x = Vector::Unit(2, 1).transpose();
        g_u.setZero(1, 1);
        return true;
      };
      problem.lower_path = Vector::Constant(1, -std::numeric_limits<double>::infinity());
      problem.upper_path = Vector::Constant(1, 1.2);
    } else {
      problem.upper_state = (Vector(2) << 10, 1.2).finished();
    }
    const CollocationPlan plan = collocation(problem, straight_guess(problem, Vector::Unit(2, 0)));
    REQUIRE(plan.converged());
    const double a = 1.5 * (1 - 1 / 1.2);
    CHECK(plan.states.row(1).maxCoeff() < 1.2 + 1e-6);
    CHECK(plan.state(0.5)[1] == Approx(1.2).epsilon(1e-6));
    // v = s (1 - (1 - t/a)^2) on each end: distance 2 s a / 3, effort 4 s^2 / (3 a).
    CHECK(plan.cost == Approx(2 * 4 * 1.44 / (3 * a)).epsilon(1e-3));
    CHECK(plan.violation < 1e-6);
  }
}

TEST_CASE("a free initial velocity is chosen, and a terminal cost is weighed against effort") {
  // x(0) = 0, v(0) free, x(1) = 1 costs nothing with v = 1.
  CollocationProblem coast = unit_move(5);
  coast.initial_state = {};
  coast.lower_initial_state = (Vector(2) << 0, -5).finished();
  coast.upper_initial_state = (Vector(2) << 0, 5).finished();
  coast.boundary = [](const Vector& x, Vector& h, Matrix& h_x) {
    h = x.head(1);
    h_x = Vector::Unit(2, 0).transpose();
    return true;
  };
  coast.lower_boundary = coast.upper_boundary = Vector::Ones(1);
  const CollocationPlan coasting = collocation(coast, straight_guess(coast, Vector::Unit(2, 0)));
  REQUIRE(coasting.converged());
  CHECK(coasting.cost == Approx(0).margin(1e-9));
  CHECK(coasting.states(1, 0) == Approx(1).margin(1e-5));

  // Free end, 1/2 c (x(1) - 1)^2: effort 3 d^2 for a distance d, so d = c / (6 + c).
  CollocationProblem reach = unit_move(5);
  reach.boundary = {};
  reach.lower_boundary = reach.upper_boundary = {};
  const double c = 30;
  reach.terminal_cost = [c](const Vector& x, double& cost, Vector& dx) {
    cost = c / 2 * (x[0] - 1) * (x[0] - 1);
    dx = c * (x[0] - 1) * Vector::Unit(2, 0);
    return true;
  };
  const CollocationPlan reaching = collocation(reach, straight_guess(reach, Vector::Unit(2, 0)));
  REQUIRE(reaching.converged());
  CHECK(reaching.states(0, reaching.states.cols() - 1) == Approx(c / (6 + c)).epsilon(1e-6));
  CHECK(reaching.cost == Approx(3 * 30 / 36.).epsilon(1e-6));
}

TEST_CASE("costs may depend on time: a tracked sine is followed") {
  CollocationProblem track = unit_move(20);
  track.boundary = {};
  track.lower_boundary = track.upper_boundary = {};
  track.running_cost = [](double t, const Vector& x, const Vector& u, double& cost, Vector& dx, Vector& du) {
    const double e = x[0] - std::sin(3 * t) + 3 * t;
    cost = e * e + 1e-8 * u[0] * u[0];
    dx = 2 * e * Vector::Unit(2, 0);
    du = 2e-8 * u;
    return true;
  };
  const CollocationPlan plan = collocation(track, straight_guess(track, Vector::Zero(2)));
  REQUIRE(plan.converged());
  CHECK(plan.cost < 1e-6);
  CHECK(plan.state(0.8)[0] == Approx(std::sin(2.4) - 2.4).margin(1e-3));
}

TEST_CASE("printed Euler at the paper's 80 ms solves, and misses by tens of times Hermite-Simpson's when replayed") {
  const Chain chain;
  CollocationProblem problem = grab(chain, node_dynamics(chain), 12);
  problem.times *= 0.96 / 1.2;  // 80 ms
  double miss[2];
  for (const auto scheme : {CollocationScheme::euler, CollocationScheme::hermite_simpson}) {
    const CollocationPlan plan = collocation(problem, straight_guess(problem, leaning(chain, 0.3)), {.scheme = scheme});
    REQUIRE(plan.converged());
    const Vector end = replay(problem.dynamics, plan, 0.002).final_state();
    miss[scheme == CollocationScheme::euler] = (end - plan.states.rightCols(1)).norm();
    CAPTURE(to_string(scheme), miss[scheme == CollocationScheme::euler]);
  }
  CHECK(miss[1] > 20 * miss[0]);
  CHECK(miss[1] > 0.5);
}

TEST_CASE("an infeasible problem says so") {
  CollocationProblem linear = unit_move(5);
  linear.lower_control = Vector::Constant(1, -1);
  linear.upper_control = Vector::Constant(1, 1);  // reaches 1/4
  const CollocationPlan plan = collocation(linear, straight_guess(linear, Vector::Unit(2, 0)));
  CHECK(plan.stop == Stop::infeasible);
  CHECK(plan.violation + plan.residual > 1e-2);

  const Chain chain;
  const CollocationProblem weak = grab(chain, node_dynamics(chain), 10, 0.005);
  const CollocationPlan stuck =
      collocation(weak, straight_guess(weak, leaning(chain, 0.3)), {.ipopt = {.max_iterations = 200}});
  INFO(to_string(stuck.stop));
  CHECK_FALSE(stuck.converged());
  CHECK((stuck.stop == Stop::infeasible || stuck.in_restoration));
}

TEST_CASE("collocation stops by its watchdog, its iteration limit and its observer, with a plan to look at") {
  const Chain chain;
  const CollocationProblem problem = grab(chain, node_dynamics(chain), 10);
  const CollocationPlan guess = straight_guess(problem, leaning(chain, 0.3));
  const CollocationPlan late = collocation(problem, guess, {.ipopt = {.max_seconds = 0}});
  CHECK(late.stop == Stop::time_limit);
  CHECK(late.states.cols() == 21);
  CHECK(collocation(problem, guess, {.ipopt = {.max_iterations = 2}}).stop == Stop::iteration_limit);
  CHECK(collocation(problem, guess,
                    {.ipopt = {.observer = [](const NlpIteration&, const Eigen::VectorXd&) { return false; }}})
            .stop == Stop::stopped_by_observer);
}

TEST_CASE("a warm start at the solution takes few iterations, and other meshes and schemes begin at its polynomials") {
  const Chain chain;
  const CollocationProblem problem = grab(chain, node_dynamics(chain), 20);
  const CollocationPlan cold = collocation(problem, straight_guess(problem, leaning(chain, 0.3)));
  REQUIRE(cold.converged());
  const CollocationPlan warm = collocation(problem, cold);
  REQUIRE(warm.converged());
  CHECK(warm.iterations <= 5);
  CHECK(warm.iterations < cold.iterations / 3);
  CHECK(warm.cost == Approx(cold.cost).epsilon(1e-6));
  // Multipliers are kept in natural units: other scales are as warm.
  const CollocationPlan rescaled =
      collocation(problem, cold,
                  {.rate_scale = Vector::Constant(3, 30), .dynamics_scale = Vector::Constant(3, 3), .cost_scale = 2});
  CHECK(rescaled.converged());
  CHECK(rescaled.iterations <= 6);

  const CollocationProblem finer = grab(chain, node_dynamics(chain), 30);
  const NonlinearProgram program = collocation_program(finer, cold);
  Vector c(program.constraint_lower.size());
  REQUIRE(program.constraints(program.start, c));
  const double off =
      (c - c.cwiseMax(program.constraint_lower).cwiseMin(program.constraint_upper)).cwiseAbs().maxCoeff();
  CHECK(off < 0.05);
  CHECK(collocation(finer, cold).cost == Approx(cold.cost).epsilon(0.02));
  CHECK(collocation(finer, cold, {.scheme = CollocationScheme::trapezoid}).cost == Approx(cold.cost).epsilon(0.05));
}

TEST_CASE("refinement brings the measured defect below its tolerance with fewer nodes than a uniform mesh") {
  const CollocationProblem problem = through_narrow_field(12);
  const CollocationPlan guess = straight_guess(problem, (Vector(2) << 2, 0).finished());
  const double tolerance = 1e-5;
  const RefinedCollocation refined = collocation_refined(problem, guess, {.tolerance = tolerance});
  INFO(to_string(refined.stop));
  for (size_t i = 0; i < refined.defects.size(); ++i)
    UNSCOPED_INFO(refined.defects[i] << " " << refined.meshes[i].size());
  REQUIRE(refined.converged());
  CHECK(refined.plan.largest_defect <= tolerance);
  CHECK(refined.defects.front() > 10 * tolerance);
  CHECK(refined.defects.size() == refined.meshes.size());
  const auto intervals = refined.plan.intervals();
  CHECK(refined.meshes.back().size() == intervals + 1);

  CollocationProblem uniform = problem;
  uniform.times = Vector::LinSpaced(intervals + 1, 0, 3);
  const CollocationPlan same_count = collocation(uniform, refined.plan);
  REQUIRE(same_count.converged());
  CHECK(same_count.largest_defect > 20 * tolerance);

  const auto tight = collocation_refined(problem, guess, {.tolerance = 1e-9, .max_solves = 2});
  CHECK(tight.stop == RefinementStop::solve_limit);
  CHECK(tight.defects[1] < tight.defects[0]);
  CHECK(collocation_refined(problem, guess, {.tolerance = 1e-9, .max_intervals = 20}).stop ==
        RefinementStop::interval_limit);
  CHECK(collocation_refined(problem, guess, {.collocation = {.ipopt = {.max_iterations = 1}}}).stop ==
        RefinementStop::solve_failed);
}

TEST_CASE("collocation refuses what does not fit, with the numbers, and lets exceptions of the problem pass") {
  const CollocationProblem good = unit_move(4);
  const CollocationPlan guess = straight_guess(good, Vector::Unit(2, 0));
  const auto refuses = [&](auto change, const char* words) {
    CollocationProblem problem = good;
    change(problem);
    CHECK_THROWS_AS(collocation(problem, guess), std::invalid_argument);
    CHECK_THROWS_WITH(collocation(problem, guess), Catch::Contains(words));
  };
  refuses([](auto& p) { p.times[2] = p.times[1]; }, "time 2 = 0.25");
  refuses([](auto& p) { p.times.resize(1); }, "1 times");
  refuses([](auto& p) { p.initial_state = Vector::Zero(3); }, "3 entries, must have 2");
  refuses([](auto& p) { p.lower_control = Vector::Zero(2); }, "2 entries, must have 1");
  refuses([](auto& p) { p.lower_state = Vector::Ones(2), p.upper_state = Vector::Zero(2); }, "cross");
  refuses([](auto& p) { p.upper_boundary.resize(1); }, "1 entries, must have 2");
  refuses([](auto& p) { p.lower_boundary = p.upper_boundary = Vector::Zero(3); }, "boundary has 2 entries");
  refuses([](auto& p) { p.lower_initial_state = Vector::Zero(2); }, "bounds as well");
  refuses([](auto& p) { p.dynamics = {}; }, "node_dynamics");
  refuses([](auto& p) { p.lower_path = Vector::Zero(1); }, "1 entries, must have 0");
  CHECK_THROWS_WITH(collocation(good, guess, {.rate_scale = Vector::Ones(3)}), Catch::Contains("rate_scale has 3"));
  CHECK_THROWS_WITH(collocation(good, CollocationPlan{.times = Vector::Zero(2)}), Catch::Contains("states 0 x 0"));
  CHECK_THROWS_WITH(replay(good.dynamics, guess, 0), Catch::Contains("step = 0"));
  CHECK_THROWS_WITH(collocation_refined(good, guess, {.tolerance = 0}), Catch::Contains("tolerance = 0"));

  CollocationProblem broken = good;
  broken.running_cost = [](double, const Vector&, const Vector&, double&, Vector&, Vector&) -> bool {
    throw std::runtime_error("the cost broke");
  };
  CHECK_THROWS_WITH(collocation(broken, guess), "the cost broke");
}
#endif
