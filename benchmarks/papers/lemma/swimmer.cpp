// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/papers/lemma/swimmer.hpp"

#include "examples/studies/swimming/counted_water.hpp"
#include "examples/studies/swimming/stroke_problem.hpp"
#include "quoin/evaluation/threads.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/dynamics/control_memory.hpp"
#include "quoin/robots/models/swimmer/added_mass.hpp"
#include "quoin/robots/models/swimmer/decoupled_added_mass.hpp"
#include "quoin/robots/models/swimmer/generalized_mass.hpp"
#include "quoin/robots/models/swimmer/swimmer_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <future>
#include <utility>
#include <vector>

namespace benchmarks {
namespace {

using planning::TrajectoryProblem;
using studies::stroke::CountedWater;
using studies::stroke::joints;
using studies::stroke::Setup;
using swimmer::AddedMass;
using swimmer::GeneralizedMass;
using swimmer::Motion;
using swimmer::SwimmerDynamics;
using swimmer::SwimmerDynamicsOptions;

Setup short_and_coarse() {
  Setup setup;
  setup.chain.mesh = 2;
  setup.steps = 40;
  setup.time_step = 0.04;
  return setup;
}

constexpr double coarsest = 0.6;  // rad
constexpr int halvings = 4;
constexpr double limit_weight = 0.3;

/// Origins of the lattices, in cells of the coarsest level: none has a face at the start of the motion, at any level.
const std::vector<double> swimmer_origins{0.09, 0.37, 0.71, 0.18};

/// The stroke's cost with the joints' limits as residuals, w (q / limit)^4, which are smooth; the only constraints
/// left are those of the controls.
class WithSoftLimits {
 public:
  WithSoftLimits(const studies::stroke::Residuals& stroke, double limit, double weight)
      : stroke_(stroke), limit_(limit), weight_(weight) {}

  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r) const {
    stroke_.residual(i, x, u, r);
    append(x, r);
    return true;
  }
  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r, Eigen::MatrixXd& dr_dx,
                Eigen::MatrixXd& dr_du) const {
    stroke_.residual(i, x, u, r, dr_dx, dr_du);
    append(x, r);
    dr_dx.conservativeResize(r.size(), Eigen::NoChange);
    dr_du.conservativeResize(r.size(), Eigen::NoChange);
    dr_dx.bottomRows<joints>().setZero();
    dr_du.bottomRows<joints>().setZero();
    dr_dx.bottomLeftCorner<joints, joints>().diagonal() =
        4 * weight_ / limit_ * (x.head<joints>() / limit_).array().cube();
    return true;
  }

 private:
  void append(const Eigen::VectorXd& x, Eigen::VectorXd& r) const {
    r.conservativeResize(r.size() + joints);
    r.tail<joints>() = weight_ * (x.head<joints>() / limit_).array().square().square();
  }

  studies::stroke::Residuals stroke_;
  double limit_, weight_;
};

/// Difference of the angles for second derivatives of the mass. On the flow it balances rounding and truncation.
constexpr double difference_on_flow = 3e-5;

/// On a grid, rounding is that of a quotient by the spacing. A difference across a face of a cell takes the face's jump
/// for curvature; the step is small so that this is rare.
double difference_on_grid(double spacing) { return 6e-8 / spacing; }

/// Passes the problem over a map of the added mass to a planner.
template <class Water, class Planner>
auto plan(const Setup& setup, const swimmer::Swimmer& body, const Water& water, double difference_step,
          Planner&& planner) {
  using Mass = GeneralizedMass<joints, Water>;
  using Swim = SwimmerDynamics<joints, Mass>;
  SwimmerDynamicsOptions options;
  options.time_step = setup.time_step;
  options.difference_step = difference_step;
  const Swim swim(Mass(body, Motion::planar, water), Motion::planar, options);
  const Eigen::VectorXd start = swim.rest_state(setup.start);
  const ControlMemory<Swim> dynamics(swim);
  const TrajectoryProblem<const ControlMemory<Swim>&, WithSoftLimits> problem{
      .dynamics = dynamics,
      .residuals = WithSoftLimits({setup, body, start}, setup.joint_limit, limit_weight),
      .horizon = setup.steps,
      .initial_state = dynamics.join(start, Eigen::VectorXd::Zero(joints)),
      .lower_control = Eigen::VectorXd::Constant(joints, -setup.largest_torque),
      .upper_control = Eigen::VectorXd::Constant(joints, setup.largest_torque)};

  return planner(planning::erase(problem, "lemma"));
}

class SwimmerStudy {
 public:
  explicit SwimmerStudy(bool quick) : lattice_count_(quick ? 2 : swimmer_origins.size()) {
    const double spacing = coarsest / 4;
    const TightPlan first =
        tight(grid_of(swimmer_origins[0], spacing).at_level(0), difference_on_grid(spacing), no_torques_, {});
    start_ = first.trajectory.controls;
    hessian_ = first.hessian;
  }

  Refinement run() {
    Refinement refinement;
    refinement.robot = "swimmer";
    refinement.lattices = lattice_count_;
    const auto [exact, floor] = exact_plans(refinement.exact_evaluations);
    refinement.exact = exact;
    refinement.curves.push_back(curve(exact, floor));
    return refinement;
  }

 private:
  template <class Water>
  TightPlan tight(const Water& water, double difference_step, const Eigen::MatrixXd& guess,
                  const Eigen::MatrixXd& hessian, bool near = false) const {
    return plan(setup_, body_, water, difference_step, [&](const planning::AnyTrajectoryProblem& problem) {
      return tight_plan(problem, guess, hessian, near);
    });
  }

  AdaptiveGrid<joints> grid_of(double begin, double spacing) const {
    GridOptions<joints> options;
    options.origin.setConstant(begin * spacing);
    options.spacing.setConstant(spacing);
    const double cells = std::ceil(setup_.domain / spacing - 1e-9);
    options.lower.setConstant((begin - cells - 1) * spacing);
    options.upper.setConstant((begin + cells) * spacing);
    return AdaptiveGrid<joints>(water_, options, Threads{0});
  }

  /// The plan on the flow itself, and how far from it a plan ends that has other initial torques and another difference
  /// step: the accuracy of the solver. Both run at the same time, by Newton's method alone: each takes ten thousand
  /// flows and more, where iLQR would take a hundred thousand.
  std::pair<TightPlan, PlanDistance> exact_plans(long& evaluations) const {
    auto second = std::async(std::launch::async,
                             [&] { return tight(water_, 0.7 * difference_on_flow, 0.999 * start_, hessian_, true); });
    const CountedWater counted(water_);
    const TightPlan first = tight(counted, difference_on_flow, start_, hessian_, true);
    evaluations = counted.count();
    return {first, distance(first.trajectory, second.get().trajectory, joints)};
  }

  RefinementCurve curve(const TightPlan& exact, const PlanDistance& floor) const {
    RefinementCurve curve{.method = "1-jets, minimum", .all = {2, 3.4}, .last = {1.7, 3.4}, .floor = floor};
    refine(curve, exact, lattice_count_, coarsest, halvings, start_, joints, [&](std::size_t lattice, const auto& use) {
      AdaptiveGrid<joints> grid = grid_of(swimmer_origins[lattice], coarsest);
      use(grid, [&](int level, double spacing, const Eigen::MatrixXd& guess) {
        return tight(grid.at_level(level), difference_on_grid(spacing), guess, hessian_);
      });
    });
    return curve;
  }

  std::size_t lattice_count_;
  Setup setup_ = short_and_coarse();
  swimmer::Swimmer body_ = swimmer::ellipsoid_chain(setup_.chain);
  AddedMass<joints> water_{body_, Motion::planar};
  Eigen::MatrixXd no_torques_ = Eigen::MatrixXd::Zero(joints, setup_.steps);
  Eigen::MatrixXd start_;    // the plan on a fine grid, found from zero torques
  Eigen::MatrixXd hessian_;  // its Hessian: Newton's matrix for all plans
};

}  // namespace

Refinement refine_swimmer(bool quick) { return SwimmerStudy(quick).run(); }

SingularCase singular_swimmer() {
  const Setup setup = short_and_coarse();
  const swimmer::Swimmer fish = swimmer::ellipsoid_chain(setup.chain);
  std::vector<swimmer::Link> links(joints + 1);
  std::vector<swimmer::Hinge> hinges;
  for (int b = 0; b <= joints; ++b) {
    swimmer::LinkInertia inertia = fish.inertia(b);
    if (b < joints) {
      inertia.mass *= 1e-15;
      inertia.inertia *= 1e-15;
      hinges.push_back(fish.hinge(b));
    }
    links[static_cast<std::size_t>(b)].inertia = inertia;
  }
  const swimmer::Swimmer tail(links, hinges);
  const swimmer::DecoupledAddedMass<joints> nothing(std::vector<Eigen::MatrixXd>(joints + 1, Eigen::Matrix3d::Zero()));
  const planning::IlqrResult result =
      plan(setup, tail, nothing, difference_on_flow, [&](const planning::AnyTrajectoryProblem& problem) {
        return planning::ilqr(problem, Eigen::MatrixXd::Zero(joints, setup.steps));
      });
  return {"swimmer without water, all mass in its tail", result.stop, result.failed_step, result.failed_status};
}

}  // namespace benchmarks
