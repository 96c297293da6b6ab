// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/evaluation/threads.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/grid/sample_storage.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/dynamics/inertial_dynamics.hpp"
#include "quoin/robots/dynamics/inertial_image.hpp"
#include "quoin/robots/dynamics/reduced_dynamics.hpp"
#include "quoin/robots/models/soft_arm/full_dynamics.hpp"
#include "quoin/robots/models/soft_arm/inertial_shapes.hpp"
#include "quoin/robots/models/soft_arm/mass_scaled_map.hpp"
#include "quoin/robots/models/soft_arm/shape_basis.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"

#include <Eigen/Core>

#include <memory>
#include <utility>
#include <vector>

namespace quoin::soft_arm {

/// How a SoftArmGrid samples the shapes of its arm and steps between them. The defaults are for the standard arm:
/// 2-jets at a spacing of one keep a step within 4e-6 of the exact one (docs/studies/soft_arm_laser.md).
template <int SpaceDim>
struct SoftArmGridOptions {
  int jet_order = 2;                 ///< K, 1 to 3: corners store derivatives of the shapes up to this order
  double spacing = 1;                ///< of level 0, in the control of each line
  double lower = -1.5;               ///< domain of alpha, the same for every line: the arm buckles below -1.7 ... The
                                     ///< lattice begins here; motion from rest overshoots to both sides and meets the
                                     ///< fewest cells where 0 lies in the middle of one
  double upper = 6;                  ///< ... and meets itself beyond 6; the domain ends at the last lattice point below
  double basis_control = 2;          ///< pulls of this and of half of it generate the basis of shapes (ShapeBasis)
  double basis_tolerance = 1e-7;     ///< shapes weaker than this, relative to the strongest, are left out of the basis
  int bending_modes = 0;             ///< of inertial_dynamics; 0: as bending_directions chooses
  ReducedDynamicsOptions step = {};  ///< of the dynamics; its force_scale is the arm's line_force()
  Evaluator<line_count<SpaceDim>> evaluator = Threads{};  ///< solves for missing corners; default: all cores
  bool evaluate_ahead = false;                            ///< GridOptions::evaluate_ahead
  std::shared_ptr<SampleStorage<line_count<SpaceDim>>> storage = {};  ///< GridOptions::storage, of f_s (Statics); the
                                                                      ///< shapes for the basis are kept there too
};

/// The lattice for these options.
template <int SpaceDim>
GridOptions<line_count<SpaceDim>> lattice_of(const SoftArmGridOptions<SpaceDim>& options);

/// A grid over f_s = [x; l] alone, for surrogates other than an SoftArmGrid. It shares the statics.
template <int SpaceDim>
AdaptiveGrid<line_count<SpaceDim>> grid_of_shapes(const Statics<SpaceDim>& statics,
                                                  const SoftArmGridOptions<SpaceDim>& options);

/// A soft arm whose shapes come from a grid: the statics, the grid over it, the basis of shapes, and the dynamics of
/// Jia, Pan, Manocha 2019, Eq. 8 on them, ready for a planner inside `interleave`.
///
///     SoftArmGrid<3> arm(SoftArm<3>(make_beam<3>()), {.step = {.time_step = 0.04, .stiffness_damping = 0.05}});
///     auto solve = [&](const GridView<4>& view, const Eigen::MatrixXd& guess) {
///       TrajectoryProblem problem{.dynamics = arm.dynamics(view), .residuals = Reach{arm.tip(view)}, ...};
///       IlqrResult plan = ilqr(problem, guess);
///       return SolverResult<Eigen::MatrixXd>{plan.trajectory.controls, plan.trajectory.cost, plan.converged()};
///     };
///     auto result = interleave(arm.grid(), solve, guess, {.schedule = levels_for(0.5, 0.2)});
///     auto truth = arm.full_dynamics().rollout(arm.body().rest(), arm.body().rest(), result.iterate);
///
/// Kept in a file, of which a second program that plans for the same arm needs no equilibrium but new ones
/// (docs/storage.md):
///
///     Statics<3> statics(SoftArm<3>(make_beam<3>()));
///     const auto who = statics.fingerprint().text();
///     SoftArmGrid<3> arm(statics, {.storage = std::make_shared<storage::SqliteStorage<4>>("arm.quoin", who)});
///
/// Everything made from a view of the grid answers at the view's level or to its tolerance, whether `interleave` passes
/// the view or grid().at_level or grid().at_tolerance makes it. Tolerances are errors in metres: of [q; l] the root
/// mean square of the displacement over the body, of the tip that over its coordinates.
///
/// The basis is made once, at construction, from shapes and their Jacobians (times the spacing) under pulls
/// with c = basis_control: 0 and c/2 on every line, c on one line, on two neighbours, and on all; at most 7
/// equilibria in the plane, 25 in space. Each pull is rounded to the lattice, unless c is below the spacing,
/// and serves as a corner of level 0. They suffice for the whole domain of the standard arm. grow() adds what
/// corners met since then show beyond the basis. Existing shapes do not change, nor do maps and dynamics made
/// earlier: they keep their basis.
///
/// Answers agree to 2e-10 (Statics) whichever thread solved for a corner first; with the evaluator ThisThread{} they
/// are bitwise reproducible. Const members are safe to call from many threads; grow() and the grid's own level need
/// exclusive access. Movable, not copyable. Throws std::invalid_argument for options out of range, with their values,
/// and if no pull of the basis has an equilibrium.
template <int SpaceDim>
class SoftArmGrid {
 public:
  static constexpr int lines = line_count<SpaceDim>;  ///< 2 in the plane, 4 in space: the variables of the grid
  /// How it samples and steps.
  using Options = SoftArmGridOptions<SpaceDim>;
  /// What a planner is given.
  using View = GridView<lines>;
  /// The steps of a planner.
  using Dynamics = ReducedDynamics<lines, View>;
  /// Shapes without a grid.
  using ExactMap = MassScaledMap<lines, Statics<SpaceDim>>;
  /// The same steps on them.
  using ExactDynamics = ReducedDynamics<lines, ExactMap>;
  /// The steps of an arm that its own inertia bends.
  using Inertial = InertialDynamics<lines, View, View>;
  /// Positions along them.
  using InertialTip = InertialImage<lines, View, View>;
  /// The same steps without a grid.
  using ExactInertial = InertialDynamics<lines, ExactMap, InertialShapes<SpaceDim>>;

  /// Makes the statics of this arm, then the grid and the basis.
  explicit SoftArmGrid(SoftArm<SpaceDim> arm, const Options& options = {})
      : SoftArmGrid(Statics<SpaceDim>(std::move(arm)), options) {}
  /// Shares the statics with the caller.
  explicit SoftArmGrid(Statics<SpaceDim> statics, const Options& options = {});

  /// The arm itself.
  const SoftArm<SpaceDim>& body() const { return statics_.arm(); }
  /// The function under the grid.
  const Statics<SpaceDim>& statics() const { return statics_; }
  /// As they were given.
  const Options& options() const { return options_; }
  /// As it is now: grow() adds to it.
  const ShapeBasis& basis() const { return basis_; }
  AdaptiveGrid<lines>& grid() { return grid_; }  ///< over f_s = [x; l]; callers may add functionals to it
  /// To look at.
  const AdaptiveGrid<lines>& grid() const { return grid_; }

  View coordinates(const View& view) const {
    return coordinates_.at_resolution_of(view);
  }                                                                         ///< [q (basis().size()); l (lines)]
  View tip(const View& view) const { return tip_.at_resolution_of(view); }  ///< [tip; layer before], SoftArm::tip_rows
  /// The reduced dynamics (Eq. 8) on that view.
  Dynamics dynamics(const View& view) const { return {coordinates(view), basis_.size(), options_.step}; }

  /// InertialDynamics on that view, whose plans hold on the mesh in motion: W comes from a second grid on the same
  /// lattice, at the same corners, from the jets that are there, without an equilibrium of its own; with jets of order
  /// 1 the statics differentiates once more. In tolerance mode W is that of level 0. Throws std::invalid_argument for
  /// bending_modes above the number of lines, and where the arm's shape near rest says that lines do not move it.
  Inertial inertial_dynamics(const View& view) const;
  /// [tip; layer before] of z = [alpha; q] on that view.
  InertialTip inertial_tip(const View& view) const;
  /// The same steps on the statics itself.
  ExactInertial exact_inertial_dynamics() const;
  /// About how far a motion of inertial_dynamics takes the tip from where the mesh in motion (Eq. 2) has it, m, by the
  /// reduction alone: 4 s (s / L + beta omega p), where s is how far q moves the tip at most, p how far controls lead
  /// alpha at most, L the length of a line and omega the first frequency. Of second order in the motion's quickness;
  /// on drawn arms and motions it is seldom below the error, and seldom ten times above (docs/notes/
  /// soft_arm_dynamics.md has the rates). states: 2 (lines + modes) or more rows x (K + 1), controls: lines x K.
  /// Infinity where the map has no answer. Throws std::invalid_argument for other sizes.
  double reduction_error_along(const View& view, const Eigen::Ref<const Eigen::MatrixXd>& states,
                               const Eigen::Ref<const Eigen::MatrixXd>& controls) const;

  /// The steps of dynamics() on the statics itself.
  ExactDynamics exact_dynamics() const;
  /// Those of the whole mesh (Eq. 2), the reference.
  FullDynamics<SpaceDim> full_dynamics() const;

  /// The most that the basis misses of the shape at a corner met since the last grow(): a root mean square over the
  /// body, m. What a basis leaves out by its basis_tolerance is not counted. O(N r) for each of these corners.
  double basis_remainder() const { return missed_by_basis().error; }

  /// The largest errors of shapes and of their Jacobians along these alphas (lines x M): GridView::error_along of the
  /// coordinates, and what the basis misses of corners, as above, and of their Jacobians.
  Answer error_along(const View& view, const Eigen::Ref<const Eigen::MatrixXd>& alphas) const;

  /// Adds to the basis what the jets at corners met since the last call (or the construction) show beyond it, by
  /// basis_tolerance, and returns the number of shapes added. The grid's answers lie in the span of these jets: after a
  /// call the basis misses none of it. Solves for no equilibrium. O(N r) per corner.
  int grow();

  /// The corners at which the grid has asked for f_s or found it stored so far, in that order: lines x corners.
  Eigen::MatrixXd corners() const;

 private:
  class CornerLog;
  struct Inertia;

  View add_coordinates();
  std::shared_ptr<const Inertia> inertia() const;
  Answer missed_by_basis() const;
  template <class Use>
  void for_shapes_at(const std::vector<Point<lines>>& alphas, const Use& use) const;

  Options options_;
  Statics<SpaceDim> statics_;
  std::shared_ptr<CornerLog> log_;
  AdaptiveGrid<lines> grid_;
  ShapeBasis basis_;
  View coordinates_, tip_;
  struct InertiaWhenAsked;
  std::shared_ptr<InertiaWhenAsked> inertia_;
};

extern template class SoftArmGrid<2>;
extern template class SoftArmGrid<3>;
extern template GridOptions<2> lattice_of<2>(const SoftArmGridOptions<2>&);
extern template GridOptions<4> lattice_of<3>(const SoftArmGridOptions<3>&);
extern template AdaptiveGrid<2> grid_of_shapes<2>(const Statics<2>&, const SoftArmGridOptions<2>&);
extern template AdaptiveGrid<4> grid_of_shapes<3>(const Statics<3>&, const SoftArmGridOptions<3>&);

}  // namespace quoin::soft_arm

namespace quoin {

// Compiled with SoftArmGrid: its steps, for planners.
extern template class ReducedDynamics<2, GridView<2>>;
extern template class ReducedDynamics<4, GridView<4>>;
extern template class ReducedDynamics<2, soft_arm::SoftArmGrid<2>::ExactMap>;
extern template class ReducedDynamics<4, soft_arm::SoftArmGrid<3>::ExactMap>;
extern template class InertialDynamics<2, GridView<2>, GridView<2>>;
extern template class InertialDynamics<4, GridView<4>, GridView<4>>;

}  // namespace quoin
