// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/soft_arm_laser/laser_run.hpp"

#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/plans/plan_watch.hpp"
#include "quoin/robots/io/gmsh.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace studies::laser {
namespace {

using studies::iterations_of_round;
using studies::PlanWatch;

/// A user's mesh gets the scene of the standard arm, scaled by its length, and lines as strong as
/// those of a beam of its size.
template <int SpaceDim>
Arm<SpaceDim> make_arm(const ProgramOptions& options) {
  if (options.mesh.empty()) return Arm<SpaceDim>();
  SimplexMesh<SpaceDim> mesh = io::read_gmsh<SpaceDim>(options.mesh);
  const auto extent = (mesh.vertices.rowwise().maxCoeff() - mesh.vertices.rowwise().minCoeff()).eval();
  const double length = extent[SpaceDim - 1], width = extent[0];
  soft_arm::ArmDescription description;
  description.young = options.young;
  description.thickness = width;
  description.line_force = options.line_force;
  for (int line = 1; line <= soft_arm::line_count<SpaceDim>; ++line)
    description.lines.push_back("line " + to_text(line));
  if (options.line_force == 0) {
    double softest = std::numeric_limits<double>::infinity();
    for (const auto& [name, modulus] : options.young) softest = std::min(softest, modulus);
    const soft_arm::BeamOptions same_size{
        .length = length, .width = width, .young = softest, .poisson = description.poisson};
    description.line_force = soft_arm::make_beam<SpaceDim>(same_size).line_force;
  }
  Setup setup;
  const double scale = length / soft_arm::BeamOptions().length;
  setup.plate *= scale;
  setup.radius *= scale;
  setup.spot_weight /= scale * scale;
  return Arm<SpaceDim>(setup, soft_arm::arm_from_mesh<SpaceDim>(std::move(mesh), description));
}

void take_as_measured(PlannerResult& result) {
  result.seconds = result.plan.seconds;
  result.evaluations = static_cast<double>(result.plan.evaluations);
}

/// Extrapolates a planner that its budget cut to `wanted` iterations.
void extrapolate(PlannerResult& result, int wanted, const std::string& whose) {
  take_as_measured(result);
  const int done = iterations_of_round(result.plan, 0);
  if (result.plan.stop != "stopped by observer") return;
  if (done == 0 || wanted <= done) {
    result.extrapolated = "a lower bound: cut by its budget after " + to_text(done) + " iterations";
    return;
  }
  const double factor = static_cast<double>(wanted) / done;
  result.seconds *= factor;
  result.evaluations *= factor;
  result.extrapolated = "extrapolated from " + to_text(done) + " iterations to the " + to_text(wanted) + " of " + whose;
}

// Iterations on Eq. 2 that finish a plan on Eq. 8: one brings it within a few tenths of a percent of the optimum there.
constexpr int polish_iterations = 1;
// Rollouts of Eq. 2 for a plan with inertia: the first shows what it costs there, the second what it costs corrected.
constexpr int rollouts = 2, rollouts_with_obstacles = 3;

template <int SpaceDim>
PlannerResult through_grid(const Arm<SpaceDim>& arm, const GridChoice& choice, int samples, std::string key) {
  const std::string label = arm_name<SpaceDim>() + ", grid K = " + to_text(choice.jet_order) +
                            (choice.inertial ? ", inertia" : "") + (choice.obstacles ? ", obstacles" : "");
  PlannerResult result{.key = std::move(key)};
  PlanWatch watch(label);
  Surrogate<SpaceDim> surrogate(arm, choice);
  result.plan = plan_through_grid(arm, surrogate, choice, watch.observer());
  watch.finish(result.plan);
  result.name =
      "grid K=" + to_text(choice.jet_order) + ", h=" + spacings(choice) + (choice.inertial ? ", with inertia" : "");
  take_as_measured(result);
  const GridStatistics statistics = surrogate.grid().statistics();
  result.grid = GridResult{.choice = choice,
                           .errors = step_errors(arm, surrogate, result.plan, samples),
                           .statistics = statistics,
                           .corners = surrogate.corners()};
  return result;
}

/// Runs the plan, and the one that was finished, on Eq. 2.
template <int SpaceDim>
void run_on_truth(const Arm<SpaceDim>& arm, PlannerResult& planner) {
  planner.replay = replay(arm, planner.plan.controls);
  if (planner.plan.polished) planner.polished = replay(arm, planner.plan.polished->controls);
}

double distance_to_line(const Ball& ball, const Beam<3>& beam) {
  return (ball.centre - beam.tip).cross(beam.direction).norm() / beam.direction.norm() - ball.radius;
}

ObstacleResult avoid_obstacles(const Arm<3>& arm, GridChoice choice, int samples) {
  choice.obstacles = true;
  choice.rollouts = rollouts_with_obstacles;
  ObstacleResult result{.planner = through_grid<3>(arm, choice, samples, "obstacles"),
                        .balls = obstacles(arm.setup),
                        .clearance = std::numeric_limits<double>::infinity(),
                        .clearance_replayed = std::numeric_limits<double>::infinity(),
                        .clearance_polished = std::numeric_limits<double>::infinity()};
  result.planner.name += ", obstacles";
  PlannerResult& planner = result.planner;
  run_on_truth(arm, planner);
  const Eigen::MatrixXd tip_rows = arm.body.tip_rows().leftCols(arm.body.size());
  for (const auto& tip : planner.plan.tips.colwise())
    for (const Ball& ball : result.balls)
      result.clearance = std::min(result.clearance, distance_to_line(ball, Beam<3>(tip)));
  const auto clearance_of = [&](const Replay& motion) {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& positions : motion.positions.colwise())
      for (const Ball& ball : result.balls)
        least = std::min(least, distance_to_line(ball, Beam<3>(tip_rows * positions)));
    return least;
  };
  result.clearance_replayed = clearance_of(planner.replay);
  result.clearance_polished = clearance_of(*planner.polished);
  return result;
}

}  // namespace

std::string spacings(const GridChoice& choice) {
  if (choice.enough > 0) return to_text(choice.spacing) + " until " + to_text(choice.enough) + " m";
  const int last = levels_for(choice.spacing, choice.threshold).last;
  return to_text(choice.spacing) + (last > 0 ? " to " + to_text(std::ldexp(choice.spacing, -last)) : "");
}

template <int SpaceDim>
ArmResult<SpaceDim> run_arm(const ProgramOptions& options, int eq2_iterations) {
  ArmResult<SpaceDim> result{.arm = make_arm<SpaceDim>(options)};
  const Arm<SpaceDim>& arm = result.arm;
  const int samples = options.quick ? 12 : 40;
  GridChoice first = options.grid;
  first.polish = polish_iterations;
  result.planners.push_back(through_grid(arm, first, samples, "grid"));
  const GridChoice jets{.jet_order = 2, .spacing = 0.9, .threshold = 0.9, .polish = polish_iterations};
  GridChoice inertial = jets;
  inertial.inertial = true;
  inertial.polish = 0;
  inertial.rollouts = rollouts;
  if (options.grid.jet_order == 1) {
    // 1.5: a fifth of the domain. 4.5e-6 m: what is said of an error of 0.8e-6, 3e-6 of |x| (the paper: 7e-6).
    result.planners.push_back(
        through_grid(arm, {.spacing = 1.5, .enough = 4.5e-6, .polish = polish_iterations}, samples, "grid_enough"));
    result.planners.push_back(through_grid(arm, jets, samples, "grid_jets"));
    result.planners.push_back(through_grid(arm, inertial, samples, "grid_inertial"));
  }
  if (options.exact_seconds > 0) {
    PlannerResult shapes{.key = "eq8", .name = "exact Eq. 8"};
    PlanWatch watch_shapes(arm_name<SpaceDim>() + ", exact Eq. 8", options.exact_seconds);
    shapes.plan = plan_on_exact_shapes(arm, watch_shapes.observer());
    watch_shapes.finish(shapes.plan);
    if (shapes.plan.finished) shapes.plan.polished = polish(arm, shapes.plan, polish_iterations);
    extrapolate(shapes, iterations_of_round(result.grid().plan, 0), "the same planner on level 0 of the grid");
    result.planners.push_back(std::move(shapes));

    PlannerResult full{.key = "eq2", .name = "exact Eq. 2"};
    PlanWatch watch_full(arm_name<SpaceDim>() + ", exact Eq. 2", options.exact_seconds);
    full.plan = plan_on_full_dynamics(arm, {}, watch_full.observer());
    watch_full.finish(full.plan);
    extrapolate(full, eq2_iterations, "the plane arm");
    result.planners.push_back(std::move(full));
  }
  for (PlannerResult& planner : result.planners) run_on_truth(arm, planner);
  if constexpr (SpaceDim == 3)
    if (options.obstacles) result.obstacles = avoid_obstacles(arm, inertial, samples);
  return result;
}

template ArmResult<2> run_arm<2>(const ProgramOptions&, int);
template ArmResult<3> run_arm<3>(const ProgramOptions&, int);

}  // namespace studies::laser
