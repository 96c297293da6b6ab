// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/aico/aico.hpp"
#include "testing/refused_options.hpp"
#include "testing/robots/aico_problems.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace quoin;
using namespace quoin::planning;
using namespace quoin::planning::test;

namespace {

void is_the_dense_map_after_one_iteration(const LinearChain& chain) {
  const DenseMap dense = dense_map(chain);
  const AicoProblem problem = problem_of(chain);
  const AicoResult result =
      aico(problem, Matrix::Ones(chain.H.rows(), chain.horizon()), {.relative_tolerance = 1e-12, .initial_damping = 0});
  CHECK(result.converged());
  CHECK(result.iterations == 1);
  // Two plans, and a call a slice that tells that its task is linear: none where the state is given.
  const int asked = chain.horizon() + (chain.start_root.size() > 0 ? 1 : 0);
  CHECK(result.task_evaluations == 2 * (chain.horizon() + 1) + asked);
  CHECK(relative(result.states, dense.states) < 1e-10);
  CHECK(relative(result.controls, dense.controls) < 1e-10);
  CHECK(std::abs(result.cost - dense.cost) < 1e-10 * std::abs(dense.cost));
  REQUIRE(result.covariances.size() == dense.covariances.size());
  double worst = 0;
  for (std::size_t t = 0; t < dense.covariances.size(); ++t)
    worst = std::max(worst, relative(result.covariances[t], dense.covariances[t]));
  CHECK(worst < 1e-10);
}

AicoOptions tight(AicoOptions options = {}) {
  options.max_iterations = 300;
  options.relative_tolerance = 1e-13;
  options.step_tolerance = 1e-9;
  return options;
}

Matrix still(const AicoProblem& problem) { return Matrix::Zero(problem.control_size(), problem.horizon); }

}  // namespace

TEST_CASE("AICO solves a linear-quadratic problem in one undamped iteration: dense MAP, covariances, cost") {
  is_the_dense_map_after_one_iteration(random_chain(1, 4, 2, 20, 1e3, 1));
  is_the_dense_map_after_one_iteration(random_chain(2, 5, 1, 12, 1e3, 1));
  LinearChain uncertain = random_chain(3, 4, 2, 20, 1e3, 1);
  std::mt19937 generator(4);
  uncertain.start_root = random_matrix(generator, 4, 4);
  is_the_dense_map_after_one_iteration(uncertain);
  uncertain.start_root = random_matrix(generator, 4, 2);
  is_the_dense_map_after_one_iteration(uncertain);
}

TEST_CASE("AICO's damping delays a linear-quadratic solution but does not change it") {
  const LinearChain chain = random_chain(5, 4, 2, 20, 1e3, 1);
  const DenseMap dense = dense_map(chain);
  const AicoResult result = aico(problem_of(chain), Matrix::Zero(2, 20), tight({.initial_damping = 10}));
  CHECK(result.converged());
  CHECK(result.iterations > 1);
  CHECK(result.accepted == result.iterations);
  CHECK(relative(result.states, dense.states) < 2e-6);  // the root of the relative tolerance, with a margin
  CHECK(std::abs(result.cost - dense.cost) < 1e-10 * std::abs(dense.cost));
}

TEST_CASE("AICO ends where the true cost is stationary, relinearizing in slices or not, damping q alone or all") {
  const AicoProblem problem = arm_around_disc();
  std::vector<double> costs;
  for (const int relinearizations : {0, 3}) {
    for (const bool q_alone : {false, true}) {
      CAPTURE(relinearizations, q_alone);
      AicoOptions options = tight({.relinearizations = relinearizations});
      if (q_alone) options.damping_weights = (Vector(6) << 1, 1, 1, 0, 0, 0).finished();
      const AicoResult result = aico(problem, still(problem), options);
      CHECK(result.converged());
      CHECK(std::abs(cost_of(problem, result.controls) - result.cost) < 1e-12 * result.cost);
      CHECK(gradient_of(problem, result.controls).cwiseAbs().maxCoeff() < 1e-6);
      CHECK(gradient_of(problem, still(problem)).cwiseAbs().maxCoeff() > 0.1);
      costs.push_back(result.cost);
    }
  }
  CHECK(*std::max_element(costs.begin(), costs.end()) - costs[0] < 1e-9 * costs[0]);
}

TEST_CASE("AICO ends where the true cost is stationary for dynamics that are not linear") {
  const AicoProblem problem = pendulum_swings_up();
  const AicoResult result = aico(problem, still(problem), tight());
  CHECK(result.converged());
  CHECK(std::abs(result.states(0, 40) - 3.14159) < 0.05);
  CHECK(std::abs(cost_of(problem, result.controls) - result.cost) < 1e-12 * result.cost);
  CHECK(gradient_of(problem, result.controls).cwiseAbs().maxCoeff() < 1e-6);
}

TEST_CASE("AICO's trajectory follows from its controls, and its cost is the sum of its parts") {
  const AicoProblem problem = arm_around_disc();
  const AicoResult result = aico(problem, still(problem));
  Vector x = problem.initial_state, next;
  double sum = result.control_cost;
  for (int t = 0; t <= problem.horizon; ++t) {
    CHECK((result.states.col(t) - x).cwiseAbs().maxCoeff() == 0);
    sum += result.task_costs[t];
    if (t == problem.horizon) break;
    problem.dynamics(t, x, result.controls.col(t), next, nullptr);
    x = next;
  }
  CHECK(std::abs(sum - result.cost) < 1e-12 * sum);
}

TEST_CASE("AICO's cost never grows, and a rejected iteration leaves everything as it was, to the bit") {
  const AicoProblem problem = arm_around_disc(3, 30, 0.15);
  Matrix states;
  double cost = 0;
  bool same = true, falling = true;
  int rejected = 0;
  AicoOptions options{.relative_tolerance = 1e-9, .initial_damping = 0};
  options.observer = [&](const AicoIteration& now, const Matrix& at) {
    if (now.iteration > 0 && !now.accepted) {
      ++rejected;
      same = same && at == states && now.cost == cost && !(now.trial_cost < cost);
    } else if (now.iteration > 0) {
      falling = falling && now.cost < cost;
    }
    states = at;
    cost = now.cost;
    return true;
  };
  const AicoResult result = aico(problem, still(problem), options);
  REQUIRE(rejected > 0);
  CHECK(same);
  CHECK(falling);

  // The iterations after the first rejections equal those of a run that begins there, with the damping they led to.
  int first = 1, next;
  while (result.log[first].accepted) ++first;
  for (next = first; !result.log[next].accepted;) ++next;
  AicoOptions until = options;
  until.max_iterations = first - 1;
  options.initial_damping = result.log[next].damping;
  const AicoResult again = aico(problem, aico(problem, still(problem), until).controls, options);
  CHECK(again.iterations == result.iterations - next + 1);
  CHECK(again.states == result.states);
  CHECK(again.controls == result.controls);
  CHECK(again.covariances == result.covariances);
}

TEST_CASE("AICO's damping falls where promises are kept, rises where they are not, and rises tenfold on rejection") {
  const AicoProblem problem = arm_around_disc(3, 30, 0.15);
  for (const bool by_gain : {true, false}) {
    AicoOptions options;
    if (!by_gain) options.good_gain = options.poor_gain = 0;
    const AicoResult result = aico(problem, still(problem), options);
    int kept = 0, broken = 0, rejected = 0;
    for (std::size_t i = 1; i + 1 < result.log.size(); ++i) {
      const AicoIteration& now = result.log[i];
      const double gain = (result.log[i - 1].cost - now.cost) / now.expected_decrease;
      double factor = 1;
      if (!now.accepted) {
        factor = 10;
        ++rejected;
      } else if (!by_gain || gain >= 0.75) {
        factor = 0.2;
        ++kept;
      } else if (gain < 0.25) {
        factor = 2;
        ++broken;
      }
      CHECK(result.log[i + 1].damping ==
            Approx(factor == 0.2 || factor == 1 ? factor * now.damping : std::max(factor * now.damping, 1e-2)));
    }
    CAPTURE(by_gain, kept, broken, rejected);
    CHECK(kept > 0);
    CHECK(broken + rejected > 0);
  }
}

TEST_CASE("AICO answers the same twice, to the bit") {
  const AicoProblem problem = arm_around_disc();
  const AicoResult one = aico(problem, still(problem), {.relinearizations = 2});
  const AicoResult two = aico(problem, still(problem), {.relinearizations = 2});
  CHECK(one.states == two.states);
  CHECK(one.gains.back() == two.gains.back());
  CHECK(one.covariances[7] == two.covariances[7]);
}

TEST_CASE("AICO's gains are those of the optimal controls from elsewhere") {
  LinearChain chain = random_chain(6, 4, 2, 15, 1e3, 1);
  const AicoOptions options{.relative_tolerance = 1e-12, .initial_damping = 0};
  const AicoResult plan = aico(problem_of(chain), Matrix::Zero(2, 15), options);
  chain.mean += Vector::LinSpaced(4, -1, 2);
  const AicoResult beside = aico(problem_of(chain), Matrix::Zero(2, 15), options);
  for (int t = 0; t < 15; ++t)
    CHECK((plan.control(t, beside.states.col(t)) - beside.controls.col(t)).cwiseAbs().maxCoeff() < 1e-8);
  CHECK_THROWS_WITH(plan.control(15, chain.mean), Catch::Contains("time 15"));
  CHECK_THROWS_WITH(plan.control(0, Vector::Zero(3)), Catch::Contains("3 entries"));
}

TEST_CASE("AICO's covariances shrink where a task looks, and match the local posterior of a nonlinear problem") {
  const AicoProblem problem = arm_around_disc();
  const AicoResult result = aico(problem, still(problem), tight());
  LinearChain chain{.H = problem.control_cost, .mean = problem.initial_state};
  chain.steps.assign(problem.horizon, second_order_step(3, 0.1));
  for (int t = 0; t <= problem.horizon; ++t) {
    LocalTask task;
    task.set_zero(6);
    problem.task(t, result.states.col(t), task);
    chain.tasks.push_back(task);
  }
  const DenseMap dense = dense_map(chain);
  for (int t = 0; t <= problem.horizon; ++t) CHECK(relative(result.covariances[t], dense.covariances[t]) < 1e-10);
  CHECK(relative(result.states, dense.states) < 1e-6);
}

TEST_CASE("AICO says why it stopped") {
  const AicoProblem arm = arm_around_disc();
  CHECK(aico(arm, still(arm)).stop == Stop::converged);
  CHECK(aico(arm, still(arm), {.max_iterations = 2}).stop == Stop::iteration_limit);

  const AicoResult limited = aico(arm, still(arm), {.max_task_evaluations = 100});
  CHECK(limited.stop == Stop::evaluation_limit);
  CHECK(limited.task_evaluations == 93);
  CHECK(limited.iterations == 2);
  const AicoResult in_slices = aico(arm, still(arm), {.max_task_evaluations = 100, .relinearizations = 3});
  CHECK(in_slices.stop == Stop::evaluation_limit);
  CHECK(in_slices.task_evaluations <= 100);
  CHECK(in_slices.iterations >= 1);

  AicoOptions watched;
  watched.observer = [](const AicoIteration& now, const Matrix&) { return now.iteration < 1; };
  CHECK(aico(arm, still(arm), watched).stop == Stop::stopped_by_observer);

  AicoProblem uphill = arm;  // derivatives of the wrong sign
  uphill.task = [&](int t, const Vector& x, LocalTask& task) {
    arm.task(t, x, task);
    task.r = 2 * task.R * x - task.r;
    return true;
  };
  const AicoResult stalled = aico(uphill, still(arm));
  CHECK(stalled.stop == Stop::stalled);
  CHECK(stalled.accepted == 0);
  CHECK(stalled.damping > 1e10);

  AicoProblem blind = arm;
  blind.task = [&](int t, const Vector& x, LocalTask& task) { return t != 5 && arm.task(t, x, task); };
  const AicoResult failed = aico(blind, still(arm));
  CHECK(failed.stop == Stop::initial_failed);
  CHECK(failed.failed_step == 5);
  CHECK(failed.failed_status == StepStatus::ok);

  const AicoProblem pendulum = pendulum_swings_up();
  const AicoResult fast = aico(pendulum, Matrix::Constant(1, 40, 1e5));
  CHECK(fast.stop == Stop::initial_failed);
  CHECK(fast.failed_step == 1);
  CHECK(fast.failed_status == StepStatus::outside_domain);
  CHECK(std::string(to_string(fast.stop)) == "initial failed");
}

TEST_CASE("AICO treats a task that cannot be computed as a step too far") {
  // A spot that the tip of the first, undisturbed trajectory passes through.
  const auto is_near = [](const Vector& x) {
    Matrix points, J;
    PlanarArm{3}.evaluate(x.head(3), points, J);
    return (points.col(2) - Eigen::Vector2d(0.83, 0.38)).norm() < 0.03;
  };
  AicoProblem broken = arm_around_disc();
  broken.task = [&, task = broken.task](int t, const Vector& x, LocalTask& local) {
    return !is_near(x) && task(t, x, local);
  };
  const AicoResult result = aico(broken, still(broken), {.initial_damping = 0});
  const auto& log = result.log;
  CHECK(std::any_of(log.begin(), log.end(), [](const AicoIteration& i) { return std::isinf(i.trial_cost); }));
  CHECK(result.cost < 0.1 * log[0].cost);
  for (int t = 0; t <= 30; ++t) CHECK_FALSE(is_near(result.states.col(t)));
}

TEST_CASE("AICO refuses what does not fit, with its numbers") {
  using Catch::Contains;
  const AicoProblem sound = arm_around_disc();
  const auto refuses = [&](auto&& change, const char* says) {
    AicoProblem problem = sound;
    AicoOptions options;
    Matrix controls = still(sound);
    change(problem, options, controls);
    CHECK_THROWS_WITH(aico(problem, controls, options), Contains(says));
  };
  refuses([](auto& p, auto&, auto&) { p.horizon = 0; }, "0 steps");
  refuses([](auto& p, auto&, auto&) { p.control_cost = -p.control_cost; }, "3 x 3");
  refuses([](auto& p, auto&, auto&) { p.initial_state = Vector::Zero(5); }, "5 entries, must be 6");
  refuses([](auto& p, auto&, auto&) { p.initial_covariance = -Matrix::Identity(6, 6); }, "eigenvalue of -1");
  refuses([](auto& p, auto&, auto&) { p.task = {}; }, "missing");
  refuses([](auto&, auto&, auto& u) { u = Matrix::Zero(3, 29); }, "3 x 29, must be 3 x 30");
  refuses([](auto&, auto&, auto& u) { u(0) = std::numeric_limits<double>::quiet_NaN(); }, "finite");
  refuses([](auto&, auto& o, auto&) { o.initial_damping = -1; }, "initial_damping = -1");
  refuses([](auto&, auto& o, auto&) { o.poor_gain = 0.9; }, "poor_gain = 0.9");
  refuses([](auto&, auto& o, auto&) { o.damping_weights = Vector::Ones(3); }, "3 entries for 6 states");
  refuses([](auto& p, auto&, auto&) { p.dynamics = linear_dynamics(second_order_step(2, 0.1)); },
          "6 states and 3 controls");
  refuses([](auto& p, auto&,
             auto&) { p.task = [](int, const Vector&, LocalTask& task) { return task.set_zero(4), true; }; },
          "R 4 x 4");
  CHECK_THROWS_WITH(linear_dynamics(LinearStep{Matrix::Zero(2, 2), Vector::Zero(3), Matrix::Zero(2, 1)}),
                    Contains("a has 3"));
}

TEST_CASE("options of AICO that mean nothing are refused with their name") {
  const AicoProblem problem = arm_around_disc();
  const Matrix controls = still(problem);
  using Options = AicoOptions;
  Options weighted;
  weighted.damping_weights = Vector::Ones(problem.state_size);
  quoin::test::RefusedOptions("aico", weighted, [&](const Options& o) { aico(problem, controls, o); })
      .not_negative("max_iterations", &Options::max_iterations)
      .not_negative("relative_tolerance", &Options::relative_tolerance)
      .not_negative("step_tolerance", &Options::step_tolerance)
      .not_negative("initial_damping", &Options::initial_damping)
      .positive("damping_decrease", &Options::damping_decrease)
      .positive("damping_increase", &Options::damping_increase)
      .not_negative("poor_gain", &Options::poor_gain)
      .positive("max_damping", &Options::max_damping)
      .not_negative("relinearizations", &Options::relinearizations)
      .not_negative("slice_threshold", &Options::slice_threshold)
      .not_negative("curvature_tolerance", &Options::curvature_tolerance)
      .not_negative("damping_weights", [](Options& o) -> double& { return o.damping_weights[0]; })
      .not_negative("damping_weights", [](Options& o) -> double& { return o.damping_weights[3]; });
}
