// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/plans/plan.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/soft_arm_laser/laser_problem.hpp"
#include "quoin/kernel/interleave.hpp"
#include "quoin/models/soft_arm/arm_on_grid.hpp"
#include "quoin/quoin.hpp"

#include <Eigen/Core>

#include <vector>

/// The laser problem planned four ways - through the grid, through a kernel, on exact Eq. 8, on Eq. 2 - and what each plan
/// is worth.
namespace studies::laser {

/// The arm and what is fixed before any planning.
template <int SpaceDim>
struct Arm {
  static constexpr int lines = soft_arm::line_count<SpaceDim>;
  static constexpr int space = SpaceDim;

  Setup setup;
  soft_arm::SoftArm<SpaceDim> body;

  explicit Arm(const Setup& setup = {});
  /// An arm of the user's own mesh.
  Arm(const Setup& setup, soft_arm::ArmMesh<SpaceDim> mesh);
};

using studies::PlanIteration;
using studies::PlanObserver;

/// A plan on Eq. 8, its points are the reduced states alpha and its evaluations the equilibria solved; or on Eq. 2, where
/// there are no points and its evaluations are full steps.
struct Plan : studies::Plan {
  Eigen::MatrixXd spots = {};  ///< (SpaceDim - 1) x (K + 1), on the dynamics that planned
};

/// How the grid is used.
struct GridChoice {
  int jet_order = 1;  ///< K: 1, the paper's, values and Jacobians; 2, with second derivatives; 3, with third
  double spacing = 0.5;
  double threshold = 0.2;  ///< levels 0 .. ceil(log2(spacing / threshold))
  /// If positive, tolerance mode in the place of levels: the errors allowed of f_s, in the mass norm of shapes divided
  /// by the square root of the arm's mass (a root mean square over the body, m), and of the tip's coordinates, m.
  double tolerance = 0;
  int threads = 0;         ///< for missing corners; 0: all cores
  bool obstacles = false;  ///< keep the beam clear of obstacles(setup) (in space only)
};

/// An arm on a grid, kept for looking at afterwards.
template <int SpaceDim>
struct Surrogate : soft_arm::ArmOnGrid<SpaceDim> {
  double seconds;                                   ///< that making it took
  GridView<soft_arm::line_count<SpaceDim>> solved;  ///< what the last solve saw

  Surrogate(const Arm<SpaceDim>& arm, const GridChoice& choice, const studies::Stopwatch& watch = {});
};

/// How the kernel is used.
struct KernelChoice {
  int jet_order = 1;        ///< K: 1 to 3
  double length_scale = 3;  ///< of every line's control
  double spacing = 0.125;   ///< of the lattice that samples are corners of
  std::vector<KernelThreshold> stages = KernelSchedule<int>{}.stages;
};

/// A kernel over f_s. The basis of shapes is that of its samples: what a kernel answers lies in their span, so that no
/// equilibrium is solved for the basis.
template <int SpaceDim>
struct KernelOfShapes {
  static constexpr int lines = soft_arm::line_count<SpaceDim>;

  /// What dynamics and cost ask, from the kernel as it is.
  struct Maps {
    KernelView<lines> shapes;       ///< f~
    soft_arm::ShapeBasis basis;     ///< of all jets that the kernel holds
    KernelView<lines> coordinates;  ///< [q; l]
    KernelView<lines> tip;          ///< [tip; layer before]
  };

  soft_arm::Statics<SpaceDim> statics;
  AdaptiveGrid<lines> grid;  ///< keeps the samples: its corners
  KernelSurrogate<lines, GridView<lines>> kernel;

  KernelOfShapes(const Arm<SpaceDim>& arm, const KernelChoice& choice);
  Maps maps(const Arm<SpaceDim>& arm) const;
};

/// The same planner on a kernel that is sampled where the plans go, from zero controls.
template <int SpaceDim>
Plan plan_through_kernel(const Arm<SpaceDim>& arm, KernelOfShapes<SpaceDim>& shapes, const KernelChoice& choice,
                         const PlanObserver& observer = {});

/// Algorithm 1 of the paper around iLQR, from zero controls.
template <int SpaceDim>
Plan plan_through_grid(const Arm<SpaceDim>& arm, Surrogate<SpaceDim>& surrogate, const GridChoice& choice,
                       const PlanObserver& observer = {});

/// The same planner on exact Eq. 8: every query of a shape is an equilibrium of the mesh, started from the nearest one
/// known.
template <int SpaceDim>
Plan plan_on_exact_shapes(const Arm<SpaceDim>& arm, const PlanObserver& observer = {});

/// Gauss-Newton over all controls on Eq. 2, with sensitivities by the adjoint, from zero controls.
template <int SpaceDim>
Plan plan_on_full_dynamics(const Arm<SpaceDim>& arm, const PlanObserver& observer = {});

/// A plan run on Eq. 2, the truth.
struct Replay {
  bool complete = false;      ///< all K steps were solved
  Eigen::MatrixXd positions;  ///< N x (K + 1)
  Eigen::MatrixXd spots;      ///< (SpaceDim - 1) x (K + 1)
  double largest_error = 0;   ///< of the spot while the laser is on, m
  double mean_error = 0;      ///< root mean square, m
  double cost = 0;            ///< of the problem, on Eq. 2
};

template <int SpaceDim>
Replay replay(const Arm<SpaceDim>& arm, const Eigen::MatrixXd& controls);

/// How far one step g~ on a surrogate is from the exact step g, along a plan: the worst of some steps.
struct StepErrors {
  double state = 0;            ///< |x - x~| / |x|, vertex positions (the paper's error)
  double displacement = 0;     ///< |x - x~| / |x - rest|
  double jacobian = 0;         ///< of d alpha_{i+1} / d (alpha_i, alpha_{i-1}, u_i), Frobenius, relative
  double basis_remainder = 0;  ///< what the basis of shapes misses
  double seconds_exact = 0;    ///< an exact step with derivatives, mean along the plan
  double seconds_grid = 0;     ///< a step on the grid with derivatives, mean along the plan, median of several passes
  double evaluations_per_step = 0;  ///< equilibria that an exact step needs
};

/// samples: how many steps along the plan, evenly spread.
template <int SpaceDim>
StepErrors step_errors(const Arm<SpaceDim>& arm, const Surrogate<SpaceDim>& surrogate, const Plan& plan, int samples);
template <int SpaceDim>
StepErrors step_errors(const Arm<SpaceDim>& arm, const KernelOfShapes<SpaceDim>& shapes, const Plan& plan, int samples);

}  // namespace studies::laser
