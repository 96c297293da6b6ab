// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/papers/table1/laser_kernel.hpp"

#include "examples/studies/soft_arm_laser/laser_step_errors.hpp"
#include "examples/studies/soft_arm_laser/laser_study_parts.hpp"
#include "quoin/util/to_text.hpp"

namespace studies::laser {
namespace {

/// The lattice of the samples: a kernel has no cells, so that rest may be one of them.
template <int SpaceDim>
soft_arm::SoftArmGridOptions<SpaceDim> sample_options(const Arm<SpaceDim>& arm, const KernelChoice& choice) {
  auto options = grid_options(arm, {.jet_order = choice.jet_order, .spacing = choice.spacing});
  options.lower = arm.setup.lower;
  return options;
}

}  // namespace

template <int SpaceDim>
KernelOfShapes<SpaceDim>::KernelOfShapes(const Arm<SpaceDim>& arm, const KernelChoice& choice)
    : statics(arm.body),
      grid(grid_of_shapes(statics, sample_options(arm, choice))),
      kernel(grid.at_level(0), {.length_scale = Point<lines>::Constant(choice.length_scale),
                                .lower = Point<lines>::Constant(arm.setup.lower),
                                .upper = Point<lines>::Constant(arm.setup.upper)}) {}

template <int SpaceDim>
typename KernelOfShapes<SpaceDim>::Maps KernelOfShapes<SpaceDim>::maps(const Arm<SpaceDim>& arm) const {
  const KernelView<lines> view = kernel.view();
  const Eigen::Index N = arm.body.size(), q = view.samples().derivatives();
  Eigen::MatrixXd jets(N, q * view.samples().size());
  for (int s = 0; s < view.samples().size(); ++s)
    jets.middleCols(q * s, q) = view.samples().jets()[static_cast<std::size_t>(s)]->topRows(N);
  soft_arm::ShapeBasis basis(jets, arm.body.mass(), view.samples().offset().head(N), arm.setup.basis_tolerance);
  const Eigen::MatrixXd coordinates = basis.functional(lines);
  return {view, std::move(basis), view.linear_output(coordinates), view.linear_output(arm.body.tip_rows())};
}

template <int SpaceDim>
Plan plan_through_kernel(const Arm<SpaceDim>& arm, KernelOfShapes<SpaceDim>& shapes, const KernelChoice& choice,
                         const PlanObserver& observer) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  struct Iterate {
    Eigen::MatrixXd controls, alphas;
    bool all_finite() const { return controls.allFinite() && alphas.allFinite(); }
  };
  Plan plan;
  plan.name = "kernel, K = " + to_text(choice.jet_order);
  PlanRecorder recorder(
      plan, lines, [&] { return shapes.statics.solves(); }, observer);
  int rounds = 0;
  IlqrResult last;
  const auto solver = [&](const KernelView<lines>&, const Iterate& guess) {
    IlqrOptions options = planner_options(arm.setup);
    options.observer = recorder.observe(rounds);
    const auto maps = shapes.maps(arm);
    const ReducedDynamics<lines, KernelView<lines>> dynamics(maps.coordinates, maps.basis.size(), reduced_options(arm));
    last = solve(arm, dynamics, maps.tip, false, guess.controls, options);
    ++rounds;
    tell_tips<SpaceDim>(arm.setup, maps.tip, last.trajectory.states, plan);
    return SolverResult<Iterate>{
        {last.trajectory.controls, last.trajectory.states.topRows(lines)}, last.trajectory.cost, last.converged()};
  };
  const KernelSchedule<Iterate> schedule{.points = [](const Iterate& iterate) { return iterate.alphas; },
                                         .stages = choice.stages};
  const Iterate guess{zero_controls(arm), Eigen::MatrixXd::Zero(lines, 1)};
  const auto result =
      interleave(shapes.kernel, solver, guess,
                 {.schedule = schedule, .observer = [&](const Round&, const Iterate&) { return !recorder.stopped(); }});
  recorder.finish(last, result.stop == InterleaveStop::converged, result.message);
  return plan;
}

template <int SpaceDim>
StepErrors step_errors(const Arm<SpaceDim>& arm, const KernelOfShapes<SpaceDim>& shapes, const Plan& plan,
                       int samples) {
  const auto maps = shapes.maps(arm);
  return step_errors_on(arm, maps.shapes, maps.coordinates, maps.basis, plan, samples);
}

template struct KernelOfShapes<3>;
template Plan plan_through_kernel<3>(const Arm<3>&, KernelOfShapes<3>&, const KernelChoice&, const PlanObserver&);
template StepErrors step_errors<3>(const Arm<3>&, const KernelOfShapes<3>&, const Plan&, int);

}  // namespace studies::laser
