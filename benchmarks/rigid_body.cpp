// SPDX-License-Identifier: BSD-3-Clause
// What the dynamics of a 7-joint arm cost: inverse dynamics against MuJoCo's mj_inverse in the same run, derivatives,
// and many states at once against one at a time.
#include "benchmarks/support/timed_task.hpp"
#include "examples/studies/arm7/iiwa7.hpp"
#include "quoin/core/to_text.hpp"
#include "quoin/models/rigid_body/batch_dynamics.hpp"
#include "quoin/models/rigid_body/dynamics.hpp"

#ifdef QUOIN_HAS_MUJOCO
#include "tests/models/rigid_body/mujoco/mjcf.hpp"
#endif

#include <cmath>
#include <random>

namespace {
using namespace benchmarks;
using namespace quoin::rigid_body;

constexpr int states = 256;

Report run(bool quick) {
  const RigidBodyTree tree(studies::iiwa::iiwa7_links());
  const int n = tree.joints();
  Dynamics<> dynamics(tree);
  BatchDynamics batch(tree);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const auto filled = [&] {
    return Eigen::MatrixXd(Eigen::MatrixXd::NullaryExpr(n, states, [&] { return normal(random); }));
  };
  const Eigen::MatrixXd q = filled(), qd = filled(), qdd = filled();
  Eigen::MatrixXd tau(n, states), batch_tau(n, states), back(n, states), M(n, n), Y(n, 13 * n);
  Parameters gradient = Parameters::Zero(13, n), batch_gradient = Parameters::Zero(13, n);
  InverseDynamicsDerivatives<double> d;
  double sum = 0;

  std::vector<TimedTask> tasks;  // over all states
  const auto add = [&](const std::string& name, std::function<void()> work) {
    tasks.push_back({name, std::move(work)});
  };
  add("inverse dynamics", [&] {
    for (int s = 0; s < states; ++s) dynamics.inverse_dynamics(q.col(s), qd.col(s), qdd.col(s), tau.col(s));
  });
  add("inverse dynamics, batch", [&] { batch.inverse_dynamics(q, qd, qdd, batch_tau); });
  add("all derivatives (q, qd, qdd)", [&] {
    for (int s = 0; s < states; ++s) {
      dynamics.inverse_dynamics_derivatives(q.col(s), qd.col(s), qdd.col(s), d);
      sum += d.dtau_dq()(0, 1);
    }
  });
  add("mass matrix", [&] {
    for (int s = 0; s < states; ++s) {
      dynamics.mass_matrix(q.col(s), M);
      sum += M(0, 1);
    }
  });
  add("forward dynamics", [&] {
    for (int s = 0; s < states; ++s)
      if (dynamics.forward_dynamics(q.col(s), qd.col(s), tau.col(s), back.col(s)) != ForwardStatus::ok) sum = NAN;
  });
  add("regressor", [&] {
    for (int s = 0; s < states; ++s) {
      dynamics.regressor(q.col(s), qd.col(s), qdd.col(s), Y);
      sum += Y(0, 1);
    }
  });
  add("gradient by parameters", [&] {
    for (int s = 0; s < states; ++s)
      dynamics.add_parameter_gradient(q.col(s), qd.col(s), qdd.col(s), tau.col(s), gradient);
  });
  add("gradient by parameters, batch", [&] { batch.add_parameter_gradient(q, qd, qdd, tau, batch_gradient); });
#ifdef QUOIN_HAS_MUJOCO
  MujocoTree mujoco(tree);
  Eigen::MatrixXd mujoco_tau(n, states);
  Eigen::VectorXd one(n);
  add("MuJoCo mj_inverse", [&] {
    for (int s = 0; s < states; ++s) {
      mujoco.inverse_dynamics(q.col(s), qd.col(s), qdd.col(s), one);
      mujoco_tau.col(s) = one;
    }
  });
#endif

  time_in_turns(tasks, std::function(tasks.front().work), quick ? 100 : 2000);

  Report report;
  std::vector<double> ratio;
  for (const TimedTask& task : tasks) {
    ratio.push_back(median(task.ratios));
    report.results.add(studies::figures::ResultRow()
                           .set("task", task.name)
                           .set("us", 1e6 * median(task.seconds) / states)
                           .set("ratio", ratio.back())
                           .set("ratio_10", studies::quantile(task.ratios, 0.1))
                           .set("ratio_90", studies::quantile(task.ratios, 0.9)));
  }
  report.columns = {
      {"task"}, {"us", "per state [us]"}, {"ratio", "/ inverse dynamics"}, {"ratio_10", "10 %"}, {"ratio_90", "90 %"}};
  report.notes =
      "KUKA iiwa 7, 256 random states that stay in cache, one thread; medians, and medians of ratios to one "
      "inverse dynamics measured just before, with their spread. Lanes of the batch: " +
      to_text(BatchDynamics::lanes()) + ". Compiler: " __VERSION__ ".\n";
  const double batch_error = (tau - batch_tau).cwiseAbs().maxCoeff(), scale = tau.cwiseAbs().maxCoeff();
  report.checks = {
      {"the batch agrees to 1e-12: " + studies::figures::format_number(batch_error / scale),
       batch_error <= 1e-12 * scale},
      {"forward dynamics inverts to 1e-9: " + studies::figures::format_number((back - qdd).cwiseAbs().maxCoeff()),
       (back - qdd).cwiseAbs().maxCoeff() <= 1e-9},
      {"all derivatives cost at most 4 inverse dynamics: " + studies::figures::format_number(ratio[2]), ratio[2] <= 4,
       false},
      {"the batch is at least twice as fast: " + studies::figures::format_number(1 / ratio[1]), ratio[1] <= 0.5,
       false}};
#ifdef QUOIN_HAS_MUJOCO
  const double difference = (tau - mujoco_tau).cwiseAbs().maxCoeff();
  report.checks.push_back(
      {"MuJoCo agrees to 1e-11: " + studies::figures::format_number(difference / scale), difference <= 1e-11 * scale});
  report.checks.push_back({"at least 4 times faster than mj_inverse: " + studies::figures::format_number(ratio.back()),
                           ratio.back() >= 4, false});
#endif
  if (!std::isfinite(sum)) report.checks.push_back({"every answer is finite", false});
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "rigid_body",
                       "What the dynamics of a 7-joint arm cost, beside MuJoCo in the same run.", run);
}
