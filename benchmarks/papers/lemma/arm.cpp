// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/papers/lemma/arm.hpp"

#include "examples/studies/soft_arm_laser/laser_study_parts.hpp"
#include "quoin/robots/models/soft_arm/mass_scaled_map.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace benchmarks {
namespace {

using planning::TrajectoryProblem;
using soft_arm::JetStatics;
using soft_arm::MassScaledMap;
using soft_arm::Statics;
using studies::laser::Arm;

constexpr int lines = 2;

studies::laser::Setup wide_and_slow() {
  studies::laser::Setup setup;
  setup.radius = 1.2;  // alpha spans 1.8: many cells
  setup.steps = 80;
  setup.approach = 24;
  setup.time_step = 0.1;
  setup.step_tolerance = 1e-12;
  return setup;
}

/// Origins of the lattices: none has a face of a cell at the start of the motion, alpha = 0, at any level.
const std::vector<double> arm_origins{-1.53, -1.41, -1.27, -1.06, -1.49, -1.34, -1.18, -1.11};

/// How steps are differentiated, and with which difference of alpha.
struct Derivative {
  StepDerivative kind = StepDerivative::exact;
  /// The Jacobian of an equilibrium of the mesh is known to 1e-13: this step balances rounding and truncation.
  double difference_step = 1e-3;
};
constexpr Derivative without_curvature{.kind = StepDerivative::gauss_newton};

/// On a grid, rounding is that of a quotient by the spacing. A difference across a face of a cell takes the face's jump
/// for curvature; the step is small so that this is rare.
Derivative exact_on_grid(double spacing) { return {.difference_step = 1.2e-7 / spacing}; }

/// Passes the problem over a map of shapes, and a map of the tip, to a planner.
template <class Map, class TipMap, class Planner>
auto plan(const Arm<2>& arm, const Eigen::VectorXd& mass, const Map& shapes, const TipMap& tip,
          const Derivative& derivative, Planner&& planner) {
  ReducedDynamicsOptions options = studies::laser::reduced_options(arm);
  options.derivative = derivative.kind;
  options.difference_step = derivative.difference_step;
  using Coordinates = MassScaledMap<lines, Map>;
  using Dynamics = ControlMemory<ReducedDynamics<lines, Coordinates>>;
  using Residuals = studies::laser::Residuals<2, TipMap>;
  const Coordinates coordinates(shapes, mass);
  const TrajectoryProblem<Dynamics, Residuals> problem{
      .dynamics = Dynamics({coordinates, coordinates.coordinates(), options}),
      .residuals = Residuals(arm.setup, tip),
      .horizon = arm.setup.steps,
      .initial_state = Eigen::VectorXd::Zero(3 * lines),
      .lower_control = Point<lines>::Zero(),
      .upper_control = Point<lines>::Constant(arm.setup.largest_control)};
  return planner(planning::erase(problem, "lemma"));
}

class ArmStudy {
 public:
  explicit ArmStudy(bool quick) : lattice_count_(quick ? 4 : arm_origins.size()) {
    refinement_.robot = "plane soft arm";
    refinement_.lattices = lattice_count_;
    AdaptiveGrid<lines> grid = grid_of(JetStatics<2, 2>(statics_), arm_origins[0], 0.25);
    hessian_ =
        tight(grid.at_level(0), grid.linear_output(arm_.body.tip_rows()), exact_on_grid(0.25), zero_, {}).hessian;
  }

  Refinement run() {
    const long before = statics_.solves();
    const auto [exact, floor] = exact_plans({});
    refinement_.exact = exact;
    refinement_.exact_evaluations = statics_.solves() - before;
    const auto [default_plan, default_floor] = exact_plans(without_curvature);
    refinement_.default_distance = distance(exact.trajectory, default_plan.trajectory, lines).controls_max;
    refinement_.default_cost = default_plan.trajectory.cost / exact.trajectory.cost - 1;

    const std::string by_default = ", default derivative";
    add(exact, exact_on_grid, JetStatics<2, 1>(statics_), 1, 6,
        {.method = "1-jets, minimum", .all = {2, 4}, .last = {1.6, 2.9}, .floor = floor});
    const auto add_by_default = [&](const auto& f, double spacing, int halvings, RefinementCurve curve) {
      curve.floor = default_floor;
      add(
          default_plan, [](double) { return without_curvature; }, f, spacing, halvings, std::move(curve));
    };
    add_by_default(JetStatics<2, 1>(statics_), 1, 6,
                   {.method = "1-jets" + by_default, .all = {2.6, 4}, .last = {2.6, 4}});
    add_by_default(JetStatics<2, 2>(statics_), 2, 4,
                   {.method = "2-jets" + by_default, .all = {4.6, 6.5}, .last = {4.2, 6}});
    return std::move(refinement_);
  }

 private:
  template <class Map, class TipMap>
  TightPlan tight(const Map& shapes, const TipMap& tip, const Derivative& derivative, const Eigen::MatrixXd& guess,
                  const Eigen::MatrixXd& hessian) const {
    return plan(arm_, arm_.body.mass(), shapes, tip, derivative,
                [&](const planning::AnyTrajectoryProblem& problem) { return tight_plan(problem, guess, hessian); });
  }

  template <class Function>
  AdaptiveGrid<lines> grid_of(const Function& f, double begin, double spacing) const {
    return AdaptiveGrid<lines>(
        f, soft_arm::lattice_of<2>({.spacing = spacing, .lower = begin, .upper = arm_.setup.upper}));
  }

  /// The plan on exact shapes, and how far from it a plan ends that has another start, other initial guesses of the
  /// equilibria and another difference step: the accuracy of the solver itself.
  std::pair<TightPlan, PlanDistance> exact_plans(const Derivative& derivative) const {
    const auto from = [&](const Statics<2>& statics, const Eigen::MatrixXd& start, const Derivative& by) {
      return tight(statics, LinearImage<lines, Statics<2>>(statics, arm_.body.tip_rows()), by, start, hessian_);
    };
    Eigen::MatrixXd other_start(lines, arm_.setup.steps);
    other_start.row(0).setConstant(1);
    other_start.row(1).setConstant(2);
    Derivative other_derivative = derivative;
    other_derivative.difference_step *= 0.7;
    TightPlan first = from(statics_, zero_, derivative);
    const TightPlan second = from(Statics<2>(arm_.body, {.tolerance = 1e-11}), other_start, other_derivative);
    return {first, distance(first.trajectory, second.trajectory, lines)};
  }

  template <class DerivativeAt, class Function>
  void add(const TightPlan& exact, const DerivativeAt& derivative, const Function& f, double spacing, int halvings,
           RefinementCurve curve) {
    refine(curve, exact, lattice_count_, spacing, halvings, zero_, lines, [&](std::size_t lattice, const auto& use) {
      AdaptiveGrid<lines> grid = grid_of(f, arm_origins[lattice], spacing);
      const auto tip = grid.linear_output(arm_.body.tip_rows());
      use(grid, [&](int level, double h, const Eigen::MatrixXd& guess) {
        return tight(grid.at_level(level), tip.at_level(level), derivative(h), guess, hessian_);
      });
    });
    refinement_.curves.push_back(std::move(curve));
  }

  std::size_t lattice_count_;
  Arm<2> arm_{wide_and_slow()};
  Statics<2> statics_{arm_.body, {.tolerance = 1e-11, .remembered = 4096}};
  Eigen::MatrixXd zero_ = Eigen::MatrixXd::Zero(lines, arm_.setup.steps);
  Eigen::MatrixXd hessian_;  // of the plan on a fine grid: Newton's matrix for all plans
  Refinement refinement_;
};

}  // namespace

Refinement refine_arm(bool quick) { return ArmStudy(quick).run(); }

SingularCase singular_arm() {
  const Arm<2> arm{wide_and_slow()};
  AdaptiveGrid<lines> grid(Statics<2>(arm.body), soft_arm::lattice_of(studies::laser::grid_options(arm, {})));
  const auto tip = grid.linear_output(arm.body.tip_rows());
  Eigen::VectorXd mass = Eigen::VectorXd::Zero(arm.body.size());
  mass[arm.body.size() - 1] = arm.body.mass().sum();
  const planning::IlqrResult result =
      plan(arm, mass, grid.at_level(0), tip, {}, [&](const planning::AnyTrajectoryProblem& problem) {
        return planning::ilqr(problem, Eigen::MatrixXd::Constant(lines, arm.setup.steps, 0.1));
      });
  return {"plane soft arm, all mass in one coordinate", result.stop, result.failed_step, result.failed_status};
}

}  // namespace benchmarks
