// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/learn_data.hpp"

#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/fluidic_grab/points.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace studies::grab {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

void write_tip_states(const ProtocolRun& run, const figures::OutputFolder& out) {
  figures::CsvWriter csv(out / "grab_attempts.csv", {"experiment", "attempt", "t", "x", "z", "dx_dt", "dz_dt"});
  figures::JsonResults rows;
  for (std::size_t e = 0; e < run.experiments.size(); ++e) {
    const Experiment& one = run.experiments[e];
    const Realization& policy = one.learned.policy;
    rows.add(figures::ResultRow()
                 .set("experiment", e + 1)
                 .set("name", one.set_up.name)
                 .set("grab_time", static_cast<double>(policy.grab_frame) * sample_time)
                 .set("predicted_tip", std::vector<double>(policy.predicted_tip.begin(), policy.predicted_tip.end()))
                 .set("ball_radius", ball_radius));
    for (std::size_t i = 0; i < one.open.size(); ++i)
      for (Index k = 0; k < one.open[i].tip.cols(); ++k) {
        const auto tip = one.open[i].tip.col(k);
        csv.row({static_cast<double>(e + 1), static_cast<double>(i + 1), static_cast<double>(k) * sample_time, tip[0],
                 tip[1], tip[2], tip[3]});
      }
  }
  csv.close();
  rows.write(out / "grab_experiments.json");
}

std::string write_realization(const ProtocolRun& run, const figures::OutputFolder& out) {
  const std::size_t which = std::min<std::size_t>(2, run.experiments.size() - 1);
  const Experiment& one = run.experiments[which];
  const Realization& policy = one.learned.policy;
  const GrabTask& task = one.learned.task;
  // One more run of the machine; its own state is what a camera would show without noise.
  const fluidic_arm::FluidicSystem& truth = run.machines[std::min(which, run.machines.size() - 1)].truth;
  fluidic_arm::FluidicPlant plant(truth, machine_options(run.seed));
  const Attempt made = attempt(plant, one.learned, one.set_up.goal);
  const MatrixXd& realized = plant.true_states();
  const MatrixXd& realized_torques = plant.true_torques();
  const fluidic_arm::FluidicArm arm(truth.arm);
  const Index frames = std::min({policy.grab_frame + 1, realized.cols(), policy.states.cols()});
  if (made.tip.cols() == 0 || frames < 2) return {};
  const auto planned_at = [&](double time) { return std::clamp(time - policy.lead, 0., task.duration); };

  std::vector<Points> points = {{.kind = "goal", .name = one.set_up.name, .at = one.set_up.goal}};
  const auto add_shape = [&](const std::string& kind, const VectorXd& q, double time) {
    points.push_back({.kind = kind, .at = arm.shape(q, 12), .time = time});
  };
  for (int k = 0; k <= 6; ++k) {
    const double time = task.duration * k / 6;
    const VectorXd q = arm_state(task, one.learned.plan.plan, time).head(4);
    add_shape("planned", q, time);
    if (k == 6) points.push_back({.kind = "masses", .at = arm.mass_points(q), .time = time});
  }
  for (int k = 0; k <= 4; ++k) {
    const Index frame = (frames - 1) * k / 4;
    const double time = static_cast<double>(frame) * sample_time;
    add_shape("plan", arm_state(task, one.learned.plan.plan, planned_at(time)).head(4), time);
    add_shape("model", policy.states.col(frame).head(4), time);
    add_shape("machine", realized.col(frame).head(4), time);
  }
  write_points(out / "grab_realization.json", points);

  std::vector<std::string> header = {"t"};
  for (int i = 2; i <= 4; ++i)
    for (const char* what : {"reference", "volume_wanted", "volume_realized", "torque_planned", "torque_realized"})
      header.push_back(what + to_text(i));
  MatrixXd table(frames, 16);
  for (Index k = 0; k < frames; ++k) table(k, 0) = static_cast<double>(k) * sample_time;
  for (Index i = 0; i < 3; ++i) {
    // The response of the machine's own cylinder.
    const LinearSystem step = discretized(truth.cylinders[static_cast<std::size_t>(i)], sample_time);
    VectorXd x = VectorXd::Zero(step.A.rows());
    for (Index k = 0; k < frames; ++k) {
      table.row(k).segment<5>(1 + 5 * i) << policy.references(i, k), policy.wanted_volumes(i, k), (step.C * x)(0),
          torques(task, one.learned.plan.plan, planned_at(table(k, 0)))[i], realized_torques(i, k);
      x = (step.A * x + step.B * policy.references(i, k)).eval();
    }
  }
  figures::CsvWriter csv(out / "grab_realization.csv", header);
  for (Index k = 0; k < frames; ++k) csv.row(table.row(k));
  csv.close();
  return "- grab_realization.svg: experiment " + one.set_up.name +
         ", planned and realized once more; the tip missed by " + figures::format_number(100 * made.miss) +
         " cm (Fig. 11)\n";
}

}  // namespace studies::grab
