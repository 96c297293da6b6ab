// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/plans/plan.hpp"
#include "examples/studies/program/library.hpp"
#include "examples/studies/swimming/stroke_problem.hpp"
#include "quoin/kernel/interleave.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/models/swimmer/added_mass.hpp"

#include <Eigen/Core>

#include <string>
#include <vector>

/// The swimmer's stroke planned three ways - through the grid, through a kernel, on exact dynamics -
/// and the quality of each plan.
namespace studies::stroke {

using studies::PlanIteration;
using studies::PlanObserver;

/// A plan; its points are the joint angles and its evaluations those of the flow.
struct Plan : studies::Plan {
  Eigen::MatrixXd states = {};  ///< [q; dq/dt; theta, x, y] x (K + 1), on the planner's dynamics
  double distance = 0;          ///< forward displacement of the centre of mass, m, on the planner's dynamics
  double largest_angle = 0;     ///< rad
};

/// The swimmer, the water, and all that is fixed before planning.
struct Fish {
  Setup setup;
  swimmer::Swimmer body;
  swimmer::AddedMass<joints> water;  ///< f_u: the added mass in body frames

  explicit Fish(const Setup& setup = {});
  /// Another body with three hinges along z instead of the chain of ellipsoids.
  Fish(const Setup& setup, swimmer::Swimmer body);
  /// Forward displacement of the centre of mass, m.
  double distance(const Eigen::MatrixXd& states) const;
};

/// iLQR over the map of the added mass that a view of make_grid's answers, from these torques (joints x K).
planning::IlqrResult solve_on_grid(const Fish& fish, const GridView<joints>& added_mass, const Eigen::MatrixXd& guess,
                                   const planning::IlqrOptions& options);

/// Options of planning through the grid.
struct GridChoice {
  double spacing = 0.3;         ///< rad
  double threshold = 0.1;       ///< levels 0 .. ceil(log2(spacing / threshold))
  double tolerance = 0;         ///< if positive, tolerance mode instead of levels: see water_weights
  bool potentials = false;      ///< the grid holds those of Eq. 10, as the paper's, and not the added mass
  int threads = 0;              ///< for missing corners; 0: all cores
  bool evaluate_ahead = false;  ///< along the nominal motion, many at once
};

/// Weights under which an error of the added mass is a root mean square over its entries, relative to the mass of a
/// link, with twists scaled by its radius of gyration.
Eigen::VectorXd water_weights(const swimmer::Swimmer& fish);

AdaptiveGrid<joints> make_grid(const Fish& fish, const GridChoice& choice);

/// Algorithm 1 of the paper around iLQR, from zero torques. `solved` is the view of the last solve. On a grid of
/// potentials the planner asks for their fluxes alone, by a functional, which gives the same answers sooner.
struct PlanOnGrid {
  Plan plan;
  GridView<joints> solved;
};
PlanOnGrid plan_through_grid(const Fish& fish, AdaptiveGrid<joints>& grid, const GridChoice& choice,
                             const PlanObserver& observer = {});

/// Options of a kernel over the added mass.
struct KernelChoice {
  double length_scale = 1.5;  ///< rad
  double spacing = 0.075;     ///< of the lattice whose corners are the samples, rad
  std::vector<KernelThreshold> stages = KernelSchedule<int>{}.stages;
};
struct PlanOnKernel {
  Plan plan;
  KernelView<joints> solved;
};
PlanOnKernel plan_through_kernel(const Fish& fish, const KernelChoice& choice, const PlanObserver& observer = {});

/// The same planner on the flow itself, from zero torques; derivatives are computed on all cores.
Plan plan_on_exact(const Fish& fish, const PlanObserver& observer = {});

/// The largest differences between a step g~ on a surrogate and the exact step g, over several steps of a plan.
struct StepErrors {
  double state = 0;          ///< |x - x~| / |x| (the paper's error)
  double change = 0;         ///< |x - x~| / |x - x_before|
  double jacobian = 0;       ///< of d x_{i+1} / d (x_i, u_i), Frobenius, relative
  double seconds_exact = 0;  ///< an exact step without derivatives, mean
  double seconds_exact_derivatives = 0;
  /// A step on the surrogate without derivatives along the plan, median of several passes.
  double seconds_surrogate = 0;
  double seconds_surrogate_derivatives = 0;
};

/// samples: number of steps, evenly spread along the plan. View: GridView or KernelView.
template <class View>
StepErrors step_errors(const Fish& fish, const View& water, const Plan& plan, int samples);
/// The same on a grid of potentials, which every query of a step sweeps, as the paper's; or, to compare, with their
/// fluxes by a functional, as they were planned on.
StepErrors step_errors_of_potentials(const Fish& fish, const GridView<joints>& potentials, const Plan& plan,
                                     int samples, bool by_functional = false);

/// The largest error, by the paper's measure, of one time step of a scheme along a plan, compared with 16 substeps
/// of RK4 on the same surrogate.
double integration_error(const Fish& fish, const GridView<joints>& water, const Plan& plan,
                         swimmer::Integrator integrator, int substeps);

}  // namespace studies::stroke
