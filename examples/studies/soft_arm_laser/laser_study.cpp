// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/soft_arm_laser/laser_study_parts.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
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

}  // namespace

template <int SpaceDim>
Plan plan_through_grid(const Arm<SpaceDim>& arm, Surrogate<SpaceDim>& surrogate, const GridChoice& choice,
                       const PlanObserver& observer) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  Plan plan;
  plan.name = "grid, K = " + to_text(choice.jet_order);
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
    last = solve(arm, surrogate.coordinates(view), surrogate.basis().size(), surrogate.tip(view), choice.obstacles,
                 guess, options);
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
    plan.spots = spots_of<SpaceDim>(arm.setup, surrogate.tip(surrogate.solved), plan.points);
    if (choice.obstacles) keep_multipliers(last.multipliers, plan);
  };
  if (choice.polish > 0)
    options.polish = [&](const Eigen::MatrixXd&) {
      finish(last.converged(), {});
      plan.polished = polish(arm, plan, choice.polish);
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
  const IlqrResult result = solve(arm, coordinates, coordinates.coordinates(), tip, false, zero_controls(arm), options);
  recorder.finish(result, result.converged());
  plan.spots = spots_of<SpaceDim>(arm.setup, tip, plan.points);
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
