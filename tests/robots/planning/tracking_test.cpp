// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/map/autodiff.hpp"
#include "quoin/robots/dynamics/control_changes.hpp"
#include "quoin/robots/planning/tracking/tracking_runs.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

using namespace quoin;
using namespace quoin::planning;
using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

namespace {

constexpr double stiff = 40, drag = 1, step_of_masses = 0.02;

VectorXd masses(Index pulls) { return VectorXd::LinSpaced(pulls, 0.3, 0.2); }

// Masses on springs, each moved by its pull: at rest x = tanh(u / stiff). The motion is m (x'' + drag x') = u - stiff
// atanh(x), so that what moves it along x is known: inverse_dynamics below.
template <int Pulls>
auto springs() {
  return autodiff<Pulls>(2 * Pulls, [](const auto& u, auto& y) {
    for (int k = 0; k < Pulls; ++k) {
      const auto e = exp(u[k] * (2 / stiff));
      y[Pulls + k] = 2 / (e + 1) - 1;
      y[k] = y[Pulls + k] * -std::sqrt(masses(Pulls)[k]);
    }
  });
}

// Where the masses are, or what of it C sees.
template <int Pulls>
TrackedBody body(const MatrixXd& C = MatrixXd::Identity(Pulls, Pulls)) {
  auto map = springs<Pulls>();
  const ReducedDynamics<Pulls, decltype(map)> model(
      map, Pulls, {.time_step = step_of_masses, .mass_damping = drag, .derivative = StepDerivative::exact});
  const auto seen = [C](const auto& u, auto& y) {
    for (Index i = 0; i < C.rows(); ++i) {
      y[i] = 0 * u[0];
      for (int k = 0; k < Pulls; ++k) y[i] = y[i] + C(i, k) * (1 - 2 / (exp(u[k] * (2 / stiff)) + 1));
    }
  };
  return tracked_body(model, autodiff<Pulls>(C.rows(), seen));
}

MatrixXd inverse_dynamics(const MatrixXd& x) {
  MatrixXd u(x.rows(), x.cols() - 1);
  const VectorXd m = masses(x.rows());
  for (Index i = 0; i < u.cols(); ++i) {
    const VectorXd now = x.col(i), next = x.col(i + 1), before = x.col(std::max<Index>(i - 1, 0));
    const VectorXd force =
        (next - 2 * now + before) / (step_of_masses * step_of_masses) + drag * (next - now) / step_of_masses;
    u.col(i) = stiff * next.array().atanh() + m.array() * force.array();
  }
  return u;
}

// Begins at rest; |x| < 0.2, which pulls of 12 reach.
MatrixXd drawn_path(unsigned seed, Index outputs, Index steps = 100) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> draw(0.5, 1);
  MatrixXd path(outputs, steps + 1);
  for (Index k = 0; k < outputs; ++k) {
    const double size = 0.16 * draw(random), turn = 4 * draw(random), at = draw(random);
    for (Index i = 0; i <= steps; ++i) {
      const double t = step_of_masses * static_cast<double>(i);
      const double grown = t < 1 ? t * t * t * (10 - 15 * t + 6 * t * t) : 1;
      path(k, i) = size * (std::sin(turn * t + at) * grown + 0.2);
    }
  }
  return path;
}

TrackingTask task(unsigned seed, bool rates) {
  TrackingTask task{.body = body<2>(),
                    .path = drawn_path(seed, 2),
                    .lower_control = VectorXd::Constant(2, -12),
                    .upper_control = VectorXd::Constant(2, 12)};
  if (rates) task.control_rate = VectorXd::Constant(2, 60);
  return task;
}

// The same masses in time, by smaller steps, heavier and with more drag than the model knows.
struct Masses {
  VectorXd start, x = {}, v = {};
  double heavier = 1.05;

  VectorXd reset() {
    v.setZero(start.size());
    return x = (start / stiff).array().tanh();
  }
  VectorXd step(const VectorXd& u) {
    constexpr int parts = 40;
    const VectorXd m = heavier * masses(u.size());
    for (int part = 0; part < parts; ++part) {
      v.array() += step_of_masses / parts *
                   ((u - stiff * x.array().atanh().matrix()).array() / m.array() - 1.5 * drag * v.array());
      x += step_of_masses / parts * v;
    }
    return x;
  }
};

Masses masses_at(const TrackingPlan& plan) { return {.start = plan.states.col(0).head(plan.controls.rows())}; }

static_assert(TrackingSimulator<Masses> && DiscreteDynamics<ControlChanges<AnyDynamics>>);

}  // namespace

TEST_CASE("a path within reach is followed by what inverse dynamics pull, within bounds and rates, in every draw") {
  for (const bool rates : {false, true}) {
    for (unsigned seed = 1; seed <= 12; ++seed) {
      CAPTURE(rates, seed);
      const TrackingPlan plan = track(task(seed, rates));
      CHECK(plan.stop == Stop::converged);
      CHECK_THAT(plan.message, Catch::StartsWith("converged: the model is "));
      CHECK(tracking_errors(plan.planned, plan.target).maxCoeff() < *plan.task.accuracy);
      CHECK(plan.controls.cwiseAbs().maxCoeff() <= 12);
      CHECK((plan.controls - inverse_dynamics(plan.planned)).cwiseAbs().maxCoeff() < 1e-6);
      if (!rates) continue;
      MatrixXd changes = plan.controls;
      changes.col(0) -= plan.states.col(0).head(2);
      changes.rightCols(changes.cols() - 1) -= plan.controls.leftCols(changes.cols() - 1);
      CHECK(changes.cwiseAbs().maxCoeff() <= 60 * step_of_masses * (1 + 1e-6));
    }
  }
}

TEST_CASE("a path out of reach is followed at the bounds, and the plan says so") {
  TrackingTask far = task(3, false);
  far.path *= 4;
  const TrackingPlan plan = track(far);
  CHECK(plan.controls.cwiseAbs().maxCoeff() == 12);
  CHECK_THAT(plan.message, Catch::Contains(" % of the steps have a pull at its bound"));
}

TEST_CASE("of more pulls than outputs those near the last ones are taken") {
  const MatrixXd C = (MatrixXd(2, 3) << 1, 0.5, 0, 0, -0.5, 1).finished();
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const TrackingPlan plan = track({.body = body<3>(C),
                                     .path = drawn_path(seed, 2),
                                     .lower_control = VectorXd::Constant(3, -12),
                                     .upper_control = VectorXd::Constant(3, 12)});
    CAPTURE(seed, plan.message);
    // `stalled` where steps, solved to corrections of 1e-10, are too rough for second derivatives at the minimum
    CHECK((plan.stop == Stop::converged || plan.stop == Stop::stalled));
    CHECK(tracking_errors(plan.planned, plan.target).maxCoeff() < *plan.task.accuracy);
    // Nobody pulls along what no output sees: x where C x = 0 stays where it began, in the middle of the bounds.
    const MatrixXd x =
        inverse_dynamics(plan.states.topRows(3).unaryExpr([](double u) { return std::tanh(u / stiff); }));
    CHECK((x - plan.controls).cwiseAbs().maxCoeff() < 1e-6);
    CHECK((Eigen::RowVector3d(-0.5, 1, 0.5) * plan.states.topRows(3)).cwiseAbs().maxCoeff() < 0.3);
  }
}

TEST_CASE("learning brings a simulator of other masses and drag to the path, and tells what each run missed") {
  for (const bool rates : {false, true}) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
      const TrackingPlan plan = track(task(seed, rates));
      Masses simulator = masses_at(plan);
      const TrackingRun first = run(simulator, plan);
      const TrackingPlan learnt = learn(simulator, plan, 4);
      CAPTURE(rates, seed, first.root_mean_square);
      REQUIRE(learnt.history.size() == 4);
      CHECK(learnt.history.front() == first.root_mean_square);
      const TrackingRun again = run(simulator, learnt);
      CHECK(again.root_mean_square == *std::min_element(learnt.history.begin(), learnt.history.end()));
      CHECK(again.outputs == learnt.seen);
      CHECK(again.root_mean_square < 0.3 * first.root_mean_square);
    }
  }
}

TEST_CASE("feedback holds a pushed simulator better than the plan alone, within bounds and rates") {
  for (const bool rates : {false, true}) {
    const TrackingPlan plan = track(task(2, rates));
    Masses simulator = masses_at(plan);
    const TrackingPlan learnt = learn(simulator, plan);
    TrackingLoop loop(learnt, {.noise = 1e-4});
    std::mt19937 random(7);
    std::uniform_real_distribution<double> push(0.05, rates ? 0.1 : 0.3);
    for (unsigned draw = 0; draw < 10; ++draw) {
      const Eigen::Vector2d blow(push(random), -push(random));
      const int at = 10 + 4 * static_cast<int>(draw);
      const std::function<void(int, Masses&)> disturb = [&](int i, Masses& pushed) {
        if (i == at) pushed.v += blow;
      };
      CAPTURE(rates, draw, at, blow.transpose());
      const TrackingRun alone = run(simulator, learnt, {.disturb = disturb});
      const TrackingRun held = run(simulator, loop, {.noise = 1e-4, .disturb = disturb, .seed = draw});
      CHECK(held.root_mean_square < 0.8 * alone.root_mean_square);
      CHECK(held.controls.cwiseAbs().maxCoeff() <= 12);
      const MatrixXd changes = held.controls.rightCols(99) - held.controls.leftCols(99);
      if (rates) CHECK(changes.cwiseAbs().maxCoeff() <= 60 * step_of_masses * (1 + 1e-9));
    }
  }
}

TEST_CASE("a loop that is told the states of its model answers with the plan where it is, and comes back from aside") {
  const TrackingPlan plan = track(task(4, false));
  TrackingLoop loop(plan, {.estimate = false});
  const AnyDynamics& model = plan.task.body.dynamics;
  for (const double aside : {0.0, 0.5}) {
    loop.reset();
    VectorXd x = plan.states.col(0).array() + aside, next;
    for (Index i = 0; i < plan.controls.cols(); ++i) {
      const VectorXd u = loop.control(x);
      if (aside == 0) CHECK((u - plan.controls.col(i)).norm() < 1e-9);
      REQUIRE(model.step(x, u, next) == StepStatus::ok);
      x = next;
    }
    CHECK((x - plan.states.rightCols(1)).norm() < 0.05 * aside + 1e-6);
  }
}

TEST_CASE("changes of controls move as the controls that they add up to, with their derivatives") {
  const AnyDynamics model = body<2>().dynamics;
  const ControlChanges slow(model);
  VectorXd z = (VectorXd(6) << 1, 2, 0.9, 2.1, 3, 1).finished(), next, of_model, ahead, behind;
  const VectorXd change = Eigen::Vector2d(0.3, -0.2);
  MatrixXd dz, dc;
  REQUIRE(slow.step(z, change, next, dz, dc) == StepStatus::ok);
  REQUIRE(model.step(z.head(4), z.tail(2) + change, of_model) == StepStatus::ok);
  CHECK(next.head(4) == of_model);
  CHECK(next.tail(2) == z.tail(2) + change);
  for (Index k = 4; k < 8; ++k) {  // u, and its change
    VectorXd up = z, down = z, more = change, less = change;
    (k < 6 ? up[k] : more[k - 6]) += 1e-5;
    (k < 6 ? down[k] : less[k - 6]) -= 1e-5;
    REQUIRE(slow.step(up, more, ahead) == StepStatus::ok);
    REQUIRE(slow.step(down, less, behind) == StepStatus::ok);
    CHECK(((ahead - behind) / 2e-5 - (k < 6 ? dz.col(k) : dc.col(k - 6))).norm() < 1e-6);
  }
}

TEST_CASE("mistakes in what is tracked, run or held are told with their numbers") {
  const auto said = [](const char* words, const auto& change) {
    TrackingTask wrong = task(1, true);
    change(wrong);
    CHECK_THROWS_WITH(track(wrong), Catch::Contains(words));
  };
  said("path: 3 x 5 numbers, expected 2 outputs", [](TrackingTask& t) { t.path.setZero(3, 5); });
  said("path: a number is not finite", [](TrackingTask& t) { t.path(0, 3) = NAN; });
  said("single point", [](TrackingTask& t) { t.path.setZero(); });
  said("lower = [12, 12] is not below upper = [-12, -12]",
       [](TrackingTask& t) { std::swap(t.lower_control, t.upper_control); });
  said("upper_control = [1], expected 2 numbers", [](TrackingTask& t) { t.upper_control.setOnes(1); });
  said("control_rate = [0, 0] is not positive", [](TrackingTask& t) { t.control_rate.setZero(); });
  said("accuracy = -1", [](TrackingTask& t) { t.accuracy = -1; });
  said("smoothness = 0", [](TrackingTask& t) { t.smoothness = 0; });
  said("no body", [](TrackingTask& t) { t.body = {}; });

  const TrackingPlan plan = track(task(1, true));
  Masses simulator = masses_at(plan);
  CHECK_THROWS_WITH(run(simulator, plan, {.noise = -1}), Catch::Contains("noise = -1"));
  CHECK_THROWS_WITH(learn(simulator, plan, 0), Catch::Contains("runs = 0"));
  CHECK_THROWS_WITH(run(simulator, TrackingPlan{}), Catch::Contains("there is no plan"));
  CHECK_THROWS_WITH(TrackingLoop(TrackingPlan{}), Catch::Contains("there is no plan"));
  CHECK_THROWS_WITH(TrackingLoop(plan, {.disturbance = -1}), Catch::Contains("disturbance = -1"));
  CHECK_THROWS_WITH(TrackingLoop(plan, {.output_weight = INFINITY}), Catch::Contains("output_weight = inf"));
  CHECK_THROWS_WITH(track_again(plan, MatrixXd::Zero(2, 7)), Catch::Contains("7 points, expected 101"));
  simulator.start = VectorXd::Zero(3);
  CHECK_THROWS_WITH(run(simulator, plan), Catch::Contains("reset returned 3 outputs, expected 2"));
  TrackingLoop loop(plan);
  CHECK_THROWS_WITH(loop.control(VectorXd::Zero(3)), Catch::Contains("3 numbers were measured, expected 2"));
  CHECK_THROWS_WITH(loop.control(VectorXd::Constant(2, NAN)), Catch::Contains("not finite"));
  for (Index i = 0; i < 100; ++i) loop.control(plan.planned.col(i));
  CHECK_THROWS_WITH(loop.control(plan.planned.col(100)), Catch::Contains("the plan has 100 steps"));
}

TEST_CASE("outputs that are no lengths are told with their slopes when a path is to be followed") {
  const auto tracked_along = [](const Eigen::Matrix2d& slopes) {
    const auto map = autodiff<2>(4, [slopes](const auto& u, auto& y) {
      for (int k = 0; k < 2; ++k) {
        y[k] = u[k] * 1.0;
        y[2 + k] = u[0] * slopes(k, 0) + u[1] * slopes(k, 1);
      }
    });
    TrackingTask asked = task(1, true);
    const auto pulls = autodiff<2>(2, [](const auto& u, auto& y) {
      for (int k = 0; k < 2; ++k) y[k] = u[k] * 1.0;
    });
    asked.body = tracked_body(ReducedDynamics<2, decltype(map)>(map, 2, {.time_step = step_of_masses}), pulls);
    return track(asked);
  };
  const auto said = [&](const char* words, const Eigen::Matrix2d& slopes) {
    CHECK_THROWS_WITH(tracked_along(slopes), Catch::StartsWith("lengths, at pulls [0, 0]: ") && Catch::Contains(words));
  };
  said("none changes with any pull", Eigen::Matrix2d::Zero());
  said("length 1 grows by 0.025 a unit of its own pull", Eigen::Vector2d(-0.1, 0.025).asDiagonal().toDenseMatrix());
  said("length 0 changes by -0.1 a unit of pull 1, length 1 by 0 a unit of pull 0",
       (Eigen::Matrix2d() << -0.1, -0.1, 0, -0.1).finished());
  CHECK_NOTHROW(tracked_along((Eigen::Matrix2d() << -0.1, -0.02, -0.03, -0.1).finished()));
}

TEST_CASE("where the model cannot be moved as it would rest, there is no plan, and why stands in the message") {
  TrackingTask jump = task(1, false);
  const auto narrow = [](const Point<2>& u, Eigen::Ref<VectorXd> y, Eigen::Ref<MatrixXd> J) {
    if (u.cwiseAbs().maxCoeff() > 12.5) throw DomainError("u is above 12.5");
    VectorXd value;
    MatrixXd slopes;
    springs<2>().evaluate(u, value, slopes);
    y = value;
    J = slopes;
  };
  auto map = exact_function<2>(4, narrow);
  const ReducedDynamics<2, decltype(map)> model(map, 2, {.time_step = step_of_masses});
  jump.body.dynamics = AnyDynamics(model);
  jump.path.setZero(2, 11);
  jump.path.rightCols(8).setConstant(0.4);
  const TrackingPlan plan = track(jump);
  CHECK(plan.stop == Stop::initial_failed);
  CHECK_THAT(plan.message, Catch::StartsWith("the model has no step ") && Catch::Contains("misses by up to 0.154:"));
  jump.body = tracked_body(model, map);
  jump.path = -jump.path.replicate(2, 1);
  jump.upper_control.setConstant(40);
  CHECK_THROWS_WITH(track(jump),
                    Catch::Contains("no answer within [-12, -12] to [40, 40]") && Catch::Contains("u is above 12.5"));
}

TEST_CASE("a loop whose measurements are said to be exact filters all the same") {
  const TrackingPlan plan = track(task(3, false));
  for (const double noise : {1e-300, 1e-15, 1e-9}) {
    CAPTURE(noise);
    TrackingLoop loop(plan, {.noise = noise});
    Masses masses = masses_at(plan);
    masses.reset();
    VectorXd x = masses.x;
    for (Index i = 0; i < plan.controls.cols(); ++i) x = masses.step(loop.control(x));
    CHECK((x - plan.target.col(plan.controls.cols())).norm() < 0.01);
  }
}
