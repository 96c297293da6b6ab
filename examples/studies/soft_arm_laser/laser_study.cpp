// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/soft_arm_laser/full_problem.hpp"
#include "examples/studies/soft_arm_laser/laser_study_parts.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/planning/correct_by_rollouts.hpp"
#include "quoin/util/to_text.hpp"

namespace studies::laser {

using soft_arm::MassScaledMap;

template <int SpaceDim>
Arm<SpaceDim>::Arm(const Setup& s) : Arm(s, soft_arm::make_beam<SpaceDim>()) {}

template <int SpaceDim>
Arm<SpaceDim>::Arm(const Setup& s, soft_arm::ArmMesh<SpaceDim> mesh) : setup(s), body(std::move(mesh)) {}

template <int SpaceDim>
Surrogate<SpaceDim>::Surrogate(const Arm<SpaceDim>& arm, const GridChoice& choice, const Stopwatch& watch)
    : soft_arm::SoftArmGrid<SpaceDim>(arm.body, grid_options(arm, choice)),
      seconds(watch.seconds()),
      solved(this->grid().at_level(0)) {}

namespace {

/// Those of the balls after each step, in one vector.
void keep_multipliers(const planning::IlqrMultipliers& of_stages, Plan& plan) {
  const Eigen::Index stages = static_cast<Eigen::Index>(of_stages.constraints.size()) - 1,
                     each = of_stages.constraints.back().size();
  plan.multipliers.resize(stages * each);
  for (Eigen::Index i = 0; i < stages; ++i)
    plan.multipliers.segment(each * i, each) = of_stages.constraints[static_cast<std::size_t>(i + 1)];
  plan.penalty = of_stages.penalty;
}

/// [tip; layer before] as it was seen, in whatever state.
struct ShownTip {
  const Eigen::VectorXd* tip;
  Answer try_evaluate(const Eigen::VectorXd&, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    y = *tip;
    J.setZero(y.size(), 0);
    return {.trust = Trust::exact};
  }
};

/// What the problem's residuals and constraints are on Eq. 2 under these controls.
template <int SpaceDim>
planning::StageValues shown_by_mesh(const Arm<SpaceDim>& arm, const Eigen::MatrixXd& controls, bool with_obstacles) {
  const auto motion = full_dynamics(arm).rollout(arm.body.rest(), arm.body.rest(), controls);
  if (motion.status != StepStatus::ok)
    throw std::runtime_error("Eq. 2: step " + to_text(motion.steps) + " failed: " + to_string(motion.status));
  planning::StageValues shown;
  Eigen::VectorXd tip, before = Eigen::VectorXd::Zero(controls.rows());
  const Residuals<SpaceDim, ShownTip> residuals(arm.setup, {&tip});
  for (Eigen::Index i = 0; i <= controls.cols(); ++i) {
    tip = tip_outputs(arm, motion.position(static_cast<int>(i)));
    const Eigen::VectorXd u = i < controls.cols() ? controls.col(i) : Eigen::VectorXd();
    if (!residuals.residual(static_cast<int>(i), before, u, shown.residuals.emplace_back()))
      throw std::runtime_error("Eq. 2: the beam misses the plate after step " + to_text(i));
    if constexpr (SpaceDim == 3)
      if (with_obstacles)
        BeamClear<ShownTip>(obstacles(arm.setup), arm.setup.beam_margin, {&tip})
            .constraint(static_cast<int>(i), before, u, shown.constraints.emplace_back());
    if (i < controls.cols()) before = controls.col(i);
  }
  return shown;
}

/// A plan through the grid, corrected by rollouts of Eq. 2.
template <int SpaceDim>
studies::Plan correct(const Arm<SpaceDim>& arm, const Surrogate<SpaceDim>& surrogate, const Plan& plan,
                      const IlqrResult& last, const GridChoice& choice) {
  const Stopwatch watch;
  studies::Plan corrected;
  corrected.name = plan.name + ", corrected";
  planning::CorrectionOptions options{.max_rollouts = choice.rollouts, .planner = planner_options(arm.setup)};
  options.planner.multipliers = last.multipliers;
  options.planner.initial_regularization = 0;
  options.violation_tolerance = 1e-3;  // of h: 2e-5 m of distance, where 6 mm are kept
  const planning::CorrectedPlan result = with_problem(
      arm, surrogate.inertial_dynamics(surrogate.solved), surrogate.inertial_tip(surrogate.solved), choice.obstacles,
      [&](const auto& problem) {
        const auto truth = [&](const Eigen::MatrixXd& controls) {
          auto shown = shown_by_mesh(arm, controls, choice.obstacles);
          double cost = 0;
          for (const Eigen::VectorXd& r : shown.residuals) cost += r.squaredNorm() / 2;
          corrected.log.push_back({.iteration = static_cast<int>(corrected.log.size()),
                                   .cost = cost,
                                   .seconds = watch.seconds(),
                                   .evaluations = arm.setup.steps * static_cast<long>(corrected.log.size() + 1)});
          return shown;
        };
        return planning::correct_by_rollouts(problem, plan.controls, truth, options);
      });
  corrected.seconds = watch.seconds();
  corrected.controls = result.plan.trajectory.controls;
  corrected.cost = result.cost;
  corrected.stop = to_string(result.stop);
  corrected.finished = result.converged();
  corrected.evaluations = static_cast<long>(arm.setup.steps) * result.iterations;
  return corrected;
}

}  // namespace

template <int SpaceDim>
Plan plan_through_grid(const Arm<SpaceDim>& arm, Surrogate<SpaceDim>& surrogate, const GridChoice& choice,
                       const PlanObserver& observer) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  Plan plan;
  plan.inertial = choice.inertial;
  plan.name = "grid, K = " + to_text(choice.jet_order) + (choice.inertial ? ", with inertia" : "");
  PlanRecorder recorder(
      plan, lines, [&] { return surrogate.statics().solves(); }, observer, surrogate.seconds);
  IlqrResult last;
  const auto solver = [&](const GridView<lines>& view, const Eigen::MatrixXd& guess) {
    IlqrOptions options = planner_options(arm.setup);
    options.multipliers = last.multipliers;
    options.observer = recorder.observe(view.level());
    surrogate.solved = view;
    // What the basis misses must stay small beside the error that is asked for.
    if (choice.enough > 0 && surrogate.basis_remainder() > choice.enough / 4) surrogate.grow();
    last = choice.inertial
               ? solve(arm, surrogate.inertial_dynamics(view), surrogate.inertial_tip(view), choice.obstacles, guess,
                       options)
               : solve(arm, surrogate.dynamics(view), surrogate.tip(view), choice.obstacles, guess, options);
    return SolverResult<Eigen::MatrixXd>{last.trajectory.controls, last.trajectory.cost, last.converged()};
  };
  GridSchedule<lines, Eigen::MatrixXd> schedule = levels_for(choice.spacing, choice.threshold);
  if (choice.tolerance > 0) schedule = Tolerances{.first = choice.tolerance, .last = choice.tolerance};
  if (choice.enough > 0)
    schedule = LevelsUntil<lines, Eigen::MatrixXd>{.errors =
                                                       [&](const GridView<lines>& view, const Eigen::MatrixXd&) {
                                                         return surrogate.error_along(
                                                             view, last.trajectory.states.topRows(lines));
                                                       },
                                                   .tolerance = choice.enough};
  InterleaveOptions<Eigen::MatrixXd, GridSchedule<lines, Eigen::MatrixXd>> options{
      .schedule = schedule,
      .points = [&](const Eigen::MatrixXd&) -> Eigen::MatrixXd {
        if (last.trajectory.states.size() == 0) return Eigen::MatrixXd(lines, 0);
        return last.trajectory.states.topRows(lines);
      },
      .observer = [&](const Round&, const Eigen::MatrixXd&) { return !recorder.stopped(); }};
  const auto finish = [&](bool finished, const std::string& message) {
    recorder.finish(last, finished, message);
    const Eigen::MatrixXd& states = last.trajectory.states;
    if (choice.inertial)
      tell_tips<SpaceDim>(arm.setup, surrogate.inertial_tip(surrogate.solved), states, plan);
    else
      tell_tips<SpaceDim>(arm.setup, surrogate.tip(surrogate.solved), states, plan);
    if (choice.obstacles) keep_multipliers(last.multipliers, plan);
  };
  if (choice.polish > 0 || choice.rollouts > 0)
    options.polish = [&](const Eigen::MatrixXd&) {
      finish(last.converged(), {});
      plan.polished =
          choice.rollouts > 0 ? correct(arm, surrogate, plan, last, choice) : polish(arm, plan, choice.polish);
      return SolverResult<Eigen::MatrixXd>{.iterate = plan.polished->controls,
                                           .cost = plan.polished->cost,
                                           .converged = plan.polished->finished,
                                           .exact_evaluations = static_cast<std::size_t>(plan.polished->evaluations)};
    };
  const auto result = interleave(surrogate.grid(), solver, zero_controls(arm), options);
  // The polish decides the stop, but the plan through the grid is finished only if its schedule kept its word.
  if (!plan.polished || !result.message.empty())
    finish(result.stop == InterleaveStop::converged && result.message.empty(), result.message);
  return plan;
}

template <int SpaceDim>
Plan plan_on_exact_shapes(const Arm<SpaceDim>& arm, const PlanObserver& observer) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  using Map = MassScaledMap<lines, Statics<SpaceDim>>;
  using TipMap = LinearImage<lines, Statics<SpaceDim>>;
  const Statics<SpaceDim> statics(arm.body);
  Plan plan;
  plan.name = "exact Eq. 8";
  PlanRecorder recorder(
      plan, lines, [&] { return statics.solves(); }, observer);
  const Map coordinates(statics, arm.body.mass());
  const TipMap tip(statics, arm.body.tip_rows());
  IlqrOptions options = planner_options(arm.setup);
  options.observer = recorder.observe(0);
  const ReducedDynamics<lines, Map> dynamics(coordinates, coordinates.coordinates(), reduced_options(arm));
  const IlqrResult result = solve(arm, dynamics, tip, false, zero_controls(arm), options);
  recorder.finish(result, result.converged());
  tell_tips<SpaceDim>(arm.setup, tip, result.trajectory.states, plan);
  return plan;
}

#define QUOIN_LASER_STUDY(D)                                                                                \
  template struct Arm<D>;                                                                                   \
  template struct Surrogate<D>;                                                                             \
  template Plan plan_through_grid<D>(const Arm<D>&, Surrogate<D>&, const GridChoice&, const PlanObserver&); \
  template Plan plan_on_exact_shapes<D>(const Arm<D>&, const PlanObserver&);
QUOIN_LASER_STUDY(2)
QUOIN_LASER_STUDY(3)
#undef QUOIN_LASER_STUDY

}  // namespace studies::laser
