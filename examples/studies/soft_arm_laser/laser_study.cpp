// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/soft_arm_laser/laser_study_parts.hpp"
#include "quoin/core/to_text.hpp"
#include "quoin/models/soft_arm/beam.hpp"
#include "quoin/models/soft_arm/mass_scaled_map.hpp"

#include <chrono>
#include <span>

namespace studies::laser {

using soft_arm::MassScaledMap;

namespace {

/// The corners from which the basis of shapes is made: 0 and 2 on every line, and 1 on one line, on two neighbours, and
/// on all. On a lattice with points there (spacing 0.5) they are corners of level 0 and cost nothing more.
template <int Lines>
Eigen::Matrix<double, Lines, Eigen::Dynamic> basis_corners() {
  std::vector<Point<Lines>> points;
  for (int c = 0; c < 1 << Lines; ++c) {
    Point<Lines>& point = points.emplace_back();
    for (int i = 0; i < Lines; ++i) point[i] = 2 * (c >> i & 1);
  }
  points.push_back(Point<Lines>::Ones());
  for (int i = 0; i < Lines; ++i) {
    points.push_back(Point<Lines>::Unit(i));
    if (Lines > 2) points.push_back(Point<Lines>::Unit(i) + Point<Lines>::Unit((i + 1) % Lines));
  }
  Eigen::Matrix<double, Lines, Eigen::Dynamic> matrix(Lines, points.size());
  for (std::size_t p = 0; p < points.size(); ++p) matrix.col(static_cast<Eigen::Index>(p)) = points[p];
  return matrix;
}

/// Solves for all corners of the basis at once; the statics remembers them.
template <int SpaceDim>
soft_arm::ShapeBasis make_basis(const Arm<SpaceDim>& arm, const Statics<SpaceDim>& statics, const GridChoice& choice) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  const auto corners = basis_corners<lines>();
  std::vector<CornerSample<lines>> samples(static_cast<std::size_t>(corners.cols()));
  for (std::size_t c = 0; c < samples.size(); ++c) samples[c].x = corners.col(static_cast<Eigen::Index>(c));
  Threads{choice.threads}(CornerFunction<lines>(statics), std::span<CornerSample<lines>>(samples));
  return soft_arm::make_shape_basis<lines>(statics, corners, Point<lines>::Constant(choice.spacing), arm.body.mass(),
                                           arm.body.rest(), arm.setup.basis_tolerance);
}

/// Weights of [q; l], so that an error of the coordinates q, in which the mass matrix is the identity, counts as the root
/// mean square of the displacement over the body. The lengths are linear in the shape: they count as they are.
template <int SpaceDim>
Eigen::VectorXd in_metres(const Arm<SpaceDim>& arm, Eigen::Index coordinates) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  Eigen::VectorXd weights(coordinates + lines);
  weights.head(coordinates).setConstant(std::sqrt(SpaceDim / arm.body.mass().sum()));
  weights.tail(lines).setConstant(1 / std::sqrt(static_cast<double>(lines)));
  return weights;
}

}  // namespace

template <int SpaceDim>
Arm<SpaceDim>::Arm(const Setup& s) : Arm(s, soft_arm::make_beam<SpaceDim>()) {}

template <int SpaceDim>
Arm<SpaceDim>::Arm(const Setup& s, soft_arm::ArmMesh<SpaceDim> mesh) : setup(s), body(std::move(mesh)) {}

template <int SpaceDim>
Surrogate<SpaceDim>::Surrogate(const Arm<SpaceDim>& arm, const GridChoice& choice)
    : statics(arm.body),
      basis(make_basis(arm, statics, choice)),
      grid(make_grid<SpaceDim>(statics, arm.setup, choice, corners)),
      coordinates(grid.add_functional(basis.functional(lines), in_metres(arm, basis.size()))),
      tip(grid.add_functional(arm.body.tip_rows())),
      seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count()),
      solved(grid.at_level(0)) {}

template <int SpaceDim>
Plan plan_through_grid(const Arm<SpaceDim>& arm, Surrogate<SpaceDim>& surrogate, const GridChoice& choice,
                       const PlanObserver& observer) {
  constexpr int lines = soft_arm::line_count<SpaceDim>;
  Plan plan;
  plan.name = "grid, K = " + to_text(choice.jet_order);
  PlanRecorder recorder(
      plan, lines, [&] { return surrogate.statics.solves(); }, observer, surrogate.seconds);
  IlqrResult last;
  const auto solver = [&](const GridView<lines>& view, const Eigen::MatrixXd& guess) {
    IlqrOptions options = planner_options(arm.setup);
    options.multipliers = last.multipliers;
    options.observer = recorder.observe(view.level());
    surrogate.solved = view;
    last = solve(arm, as_fine_as(view, surrogate.coordinates), surrogate.basis.size(), as_fine_as(view, surrogate.tip),
                 choice.obstacles, guess, options);
    return SolverResult<Eigen::MatrixXd>{last.trajectory.controls, last.trajectory.cost, last.converged()};
  };
  GridSchedule schedule = levels_for(choice.spacing, choice.threshold);
  if (choice.tolerance > 0) schedule = Tolerances{.first = choice.tolerance, .last = choice.tolerance};
  const auto result = interleave(
      surrogate.grid, solver, zero_controls(arm),
      {.schedule = schedule, .observer = [&](const Round&, const Eigen::MatrixXd&) { return !recorder.stopped(); }});
  recorder.finish(last, result.stop == InterleaveStop::converged, result.message);
  plan.spots = spots_of<SpaceDim>(arm.setup, as_fine_as(surrogate.solved, surrogate.tip), plan.points);
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
