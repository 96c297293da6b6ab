// SPDX-License-Identifier: BSD-3-Clause
// A soft arm in space reaches for a point: planned by iLQR through a grid over its shapes and its inertia, in rounds of
// refinement, and then run on the exact reduced dynamics and on the full dynamics of the mesh, the truth.
#include "quoin/grid/interleave.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/planning/ilqr.hpp"
#include "quoin/robots/soft_arm_grid/soft_arm_grid.hpp"

#include <Eigen/Core>

#include <cmath>
#include <cstdio>

using namespace quoin;
using namespace quoin::soft_arm;

namespace {

constexpr int steps = 80, held = 40;  // the tip is to be at the target from step 40 on

/// The cost, as residuals of the state [z_i; z_{i-1}], z = [alpha; q]: the tip at the target, small controls.
struct Reach {
  SoftArmGrid<3>::InertialTip tip;  // z -> [tip; layer before]
  Eigen::Vector3d target;

  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r) const {
    Eigen::MatrixXd dr_dx, dr_du;
    return residual(i, x, u, r, dr_dx, dr_du);
  }
  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r, Eigen::MatrixXd& dr_dx,
                Eigen::MatrixXd& dr_du) const {
    constexpr double by_distance = 100, by_control = 0.1;
    const int rows = i >= held ? 3 : 0;
    r.setZero(rows + u.size());
    dr_dx.setZero(r.size(), x.size());
    dr_du.setZero(r.size(), u.size());
    if (rows > 0) {
      Eigen::VectorXd y;
      Eigen::MatrixXd J;
      if (!tip.try_evaluate(x, y, J).has_value()) return false;
      r.head<3>() = by_distance * (y.head<3>() - target);
      dr_dx.topLeftCorner(3, J.cols()) = by_distance * J.topRows<3>();
    }
    r.tail(u.size()) = by_control * u;
    dr_du.bottomRows(u.size()).diagonal().setConstant(by_control);
    return true;
  }
};

/// The state after all controls.
template <class Dynamics>
Eigen::VectorXd run(const Dynamics& dynamics, const Eigen::MatrixXd& controls) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(dynamics.state_size()), next;
  for (Eigen::Index i = 0; i < controls.cols(); ++i) {
    if (dynamics.step(x, controls.col(i), next) != StepStatus::ok) return x * NAN;
    x = next;
  }
  return x;
}

const Eigen::Vector3d target(0.2, 0.1, 0.4);

SoftArmGrid<3> make_arm(bool evaluate_ahead = false) {
  const BeamOptions coarse{.cells_across = 2, .cells_along = 10};
  return SoftArmGrid<3>(SoftArm<3>(make_beam<3>(coarse)),
                        {.step = {.time_step = 0.04, .stiffness_damping = 0.02}, .evaluate_ahead = evaluate_ahead});
}

/// Planned on finer views of the arm's grid, from no controls.
auto reach_through(SoftArmGrid<3>& arm) {
  const auto solve = [&](const GridView<4>& view, const Eigen::MatrixXd& guess) {
    const planning::TrajectoryProblem<SoftArmGrid<3>::Inertial, Reach> problem{
        .dynamics = arm.inertial_dynamics(view),
        .residuals = {arm.inertial_tip(view), target},
        .horizon = steps,
        .initial_state = Eigen::VectorXd::Zero(12),
        .lower_control = Eigen::VectorXd::Zero(4),  // lines pull and do not push
        .upper_control = Eigen::VectorXd::Constant(4, 4)};
    const auto plan = planning::ilqr(problem, guess, {.relative_tolerance = 1e-4, .initial_regularization = 3});
    return SolverResult<Eigen::MatrixXd>{plan.trajectory.controls, plan.trajectory.cost, plan.converged()};
  };
  const Eigen::MatrixXd no_controls = Eigen::MatrixXd::Zero(4, steps);
  return interleave(arm.grid(), solve, no_controls, {.schedule = levels_for(1, 0.5)});
}

}  // namespace

int main() {
  SoftArmGrid<3> arm = make_arm();
  const auto plan = reach_through(arm);

  // The final positions of the tip: on the grid, on the equilibria themselves, and on the mesh in motion.
  const Eigen::MatrixXd tip_rows = arm.body().tip_rows().topRows(3);
  const GridView<4> view = arm.grid().at_level(arm.grid().level());
  const auto tip = arm.inertial_tip(view);
  Eigen::VectorXd on_grid, on_exact, shape;
  Eigen::MatrixXd J;
  tip.evaluate(run(arm.inertial_dynamics(view), plan.iterate), on_grid, J);
  const long before = arm.statics().solves();
  const Eigen::VectorXd at_end = run(arm.exact_inertial_dynamics(), plan.iterate);
  tip.evaluate(at_end, on_exact, J);
  arm.statics().evaluate(at_end.head<4>(), shape);
  const auto motion = arm.full_dynamics().rollout(arm.body().rest(), arm.body().rest(), plan.iterate);
  const Eigen::Vector3d on_mesh = tip_rows.leftCols(arm.body().size()) * motion.position(motion.steps);

  const auto millimetres = [&](const Eigen::Vector3d& at) { return 1e3 * (at - target).norm(); };
  std::printf("plan: %s after %zu rounds, cost %.4f, %ld equilibria\n", to_string(plan.stop), plan.rounds.size(),
              plan.cost, before);
  std::printf("the tip ends beside the target, on the grid:         %.3f mm\n", millimetres(on_grid.head<3>()));
  std::printf("  on the exact reduced dynamics (%ld equilibria):   %.3f mm\n", arm.statics().solves() - before,
              millimetres(on_exact.head<3>()));
  std::printf("  on the full dynamics of the mesh (%d steps):       %.3f mm\n", motion.steps, millimetres(on_mesh));
  std::printf("%td shapes stand for %td coordinates; of the last equilibrium they miss %.0e\n", arm.basis().size(),
              arm.body().size(), arm.basis().remainder(shape.head(arm.body().size())));
  return plan.stop == InterleaveStop::converged && millimetres(on_mesh) < 5 ? 0 : 1;
}
