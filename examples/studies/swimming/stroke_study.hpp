// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/plans/plan.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/swimming/stroke_problem.hpp"
#include "quoin/kernel/interleave.hpp"
#include "quoin/models/swimmer/added_mass.hpp"
#include "quoin/quoin.hpp"

#include <Eigen/Core>

#include <string>
#include <vector>

/// The swimmer's stroke planned three ways - through the grid, through a kernel, on exact dynamics - and what each plan
/// is worth.
namespace studies::stroke {

using studies::PlanIteration;
using studies::PlanObserver;

/// A plan; its points are the joint angles and its evaluations those of the flow.
struct Plan : studies::Plan {
  Eigen::MatrixXd states = {};  ///< [q; dq/dt; theta, x, y] x (K + 1), on the dynamics that planned
  double distance = 0;          ///< that the centre of mass moves forward, m, on the dynamics that planned
  double largest_angle = 0;     ///< rad
};

/// The swimmer and the water, and what is fixed before any planning.
struct Fish {
  Setup setup;
  swimmer::Swimmer body;
  swimmer::AddedMass<joints> water;  ///< f_u: the added mass in body frames

  explicit Fish(const Setup& setup = {});
  /// Another body with three hinges along z in the place of the chain of ellipsoids.
  Fish(const Setup& setup, swimmer::Swimmer body);
  /// Forward displacement of the centre of mass, m.
  double distance(const Eigen::MatrixXd& states) const;
};

/// How the grid is used.
struct GridChoice {
  double spacing = 0.3;    ///< rad
  double threshold = 0.1;  ///< levels 0 .. ceil(log2(spacing / threshold))
  double tolerance = 0;    ///< if positive, tolerance mode in the place of levels: see water_weights
  int threads = 0;         ///< for missing corners; 0: all cores
};

/// Weights under which an error of the added mass is a root mean square over its entries, relative to the mass of a
/// link, twists about its radius of gyration.
Eigen::VectorXd water_weights(const swimmer::Swimmer& fish);

AdaptiveGrid<joints> make_grid(const Fish& fish, const GridChoice& choice);

/// Algorithm 1 of the paper around iLQR, from zero torques. `solved` becomes the view that the last solve saw.
struct PlanOnGrid {
  Plan plan;
  GridView<joints> solved;
};
PlanOnGrid plan_through_grid(const Fish& fish, AdaptiveGrid<joints>& grid, const GridChoice& choice,
                             const PlanObserver& observer = {});

/// How a kernel over the added mass is used.
struct KernelChoice {
  double length_scale = 1.5;  ///< rad
  double spacing = 0.075;     ///< of the lattice that samples are corners of, rad
  std::vector<KernelThreshold> stages = KernelSchedule<int>{}.stages;
};
struct PlanOnKernel {
  Plan plan;
  KernelView<joints> solved;
};
PlanOnKernel plan_through_kernel(const Fish& fish, const KernelChoice& choice, const PlanObserver& observer = {});

/// The same planner on the flow itself, from zero torques, its derivatives shared by all cores.
Plan plan_on_exact(const Fish& fish, const PlanObserver& observer = {});

/// How far one step g~ on a surrogate is from the exact step g, along a plan: the worst of some steps.
struct StepErrors {
  double state = 0;          ///< |x - x~| / |x| (the paper's error)
  double change = 0;         ///< |x - x~| / |x - x_before|
  double jacobian = 0;       ///< of d x_{i+1} / d (x_i, u_i), Frobenius, relative
  double seconds_exact = 0;  ///< an exact step without derivatives, mean
  double seconds_exact_derivatives = 0;
  double seconds_surrogate =
      0;  ///< a step on the surrogate without derivatives along the plan, median of several passes
  double seconds_surrogate_derivatives = 0;
};

/// samples: how many steps along the plan, evenly spread. View: GridView or KernelView.
template <class View>
StepErrors step_errors(const Fish& fish, const View& water, const Plan& plan, int samples);

/// The error, by the paper's measure, that one time step of a scheme makes along a plan, the worst of all: against 16
/// substeps of RK4 on the same surrogate.
double integration_error(const Fish& fish, const GridView<joints>& water, const Plan& plan,
                         swimmer::Integrator integrator, int substeps);

}  // namespace studies::stroke
