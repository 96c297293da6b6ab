// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/learn_pictures.hpp"

#include "examples/studies/figures/csv.hpp"
#include "examples/studies/figures/json_results.hpp"
#include "examples/studies/figures/svg_plot.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>

namespace studies::grab {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::string draw_tip_states(const ProtocolRun& run, const figures::OutputFolder& out) {
  figures::SvgPlot plot({.title = "The tip's velocity over its position, from rest to the grab", .columns = 2});
  figures::CsvWriter csv(out / "grab_attempts.csv", {"experiment", "attempt", "t", "x", "z", "dx_dt", "dz_dt"});
  for (std::size_t e = 0; e < run.experiments.size(); ++e) {
    const Experiment& one = run.experiments[e];
    for (const Index axis : {0, 1}) {
      auto& panel = plot.panel({.title = "Experiment " + one.set_up.name,
                                .x_label = axis == 0 ? "x [m]" : "z [m]",
                                .y_label = axis == 0 ? "dx/dt [m/s]" : "dz/dt [m/s]",
                                .x_range = axis == 0 ? std::pair(-0.22, 0.25) : std::pair(-0.53, -0.31),
                                .y_range = std::pair(-1.5, 1.5),
                                .legend = e == 1 && axis == 0 ? figures::Legend::automatic : figures::Legend::none});
      bool first = true;  // of the curves in the legend
      for (const Attempt& made : one.open) {
        const Index frames = std::min(one.learned.policy.grab_frame + 1, made.tip.cols());
        if (frames == 0) continue;
        panel.line(VectorXd(made.tip.row(axis).head(frames)), VectorXd(made.tip.row(axis + 2).head(frames)),
                   {.color = figures::palette::black, .label = first ? "attempts" : "", .width = 1, .opacity = 0.6});
        panel.markers(std::vector{made.tip(axis, frames - 1)}, std::vector{made.tip(axis + 2, frames - 1)},
                      {.color = figures::palette::vermilion, .label = first ? "at the grab" : "", .marker_size = 5});
        first = false;
      }
      for (const double side : {-ball_radius, ball_radius})
        panel.vertical_line(
            one.learned.policy.predicted_tip[axis] + side,
            {.color = figures::palette::blue, .label = side < 0 ? "predicted, 2 cm around" : "", .width = 1});
    }
    for (std::size_t i = 0; i < one.open.size(); ++i)
      for (Index k = 0; k < one.open[i].tip.cols(); ++k) {
        const auto tip = one.open[i].tip.col(k);
        csv.row({static_cast<double>(e + 1), static_cast<double>(i + 1), static_cast<double>(k) * sample_time, tip[0],
                 tip[1], tip[2], tip[3]});
      }
  }
  plot.write(out / "grab_attempts.svg");
  csv.close();
  return "- grab_attempts.svg, .csv: velocity over position of the tip, every attempt (Fig. 10)\n";
}

std::string draw_realization(const ProtocolRun& run, const figures::OutputFolder& out) {
  const Experiment& one = run.experiments[std::min<std::size_t>(2, run.experiments.size() - 1)];
  const Realization& policy = one.learned.policy;
  // One more run of the machine; its own state is what a camera would show without noise.
  const fluidic_arm::FluidicSystem& truth = run.machines.front().truth;
  fluidic_arm::FluidicPlant plant(truth, machine_options(run.seed));
  const Attempt made = attempt(plant, one.learned, one.set_up.goal);
  const MatrixXd& realized = plant.true_states();
  const MatrixXd& realized_torques = plant.true_torques();
  const fluidic_arm::FluidicArm arm(truth.arm);
  const Index frames = std::min({policy.grab_frame + 1, realized.cols(), policy.states.cols()});
  if (made.tip.cols() == 0 || frames < 2) return {};
  VectorXd times = VectorXd::LinSpaced(frames, 0, static_cast<double>(frames - 1) * sample_time);

  figures::SvgPlot plot(
      {.title = "A grab as planned and as realized (experiment " + one.set_up.name + ")", .columns = 4});
  const figures::PanelOptions space{.title = "planned",
                                    .x_label = "x [m]",
                                    .y_label = "z [m]",
                                    .x_range = std::pair(-0.4, 0.4),
                                    .y_range = std::pair(-0.6, 0.05),
                                    .equal_aspect = true};
  auto& planned = plot.panel(space);
  for (int k = 0; k <= 6; ++k) {
    const VectorXd q = arm_state(one.learned.task, one.learned.plan.plan, one.learned.task.duration * k / 6).head(4);
    planned.line(arm.shape(q, 12),
                 {.color = k == 6 ? figures::palette::blue : figures::palette::sky, .width = k == 6 ? 3. : 1.});
    if (k == 6)
      planned.markers(arm.mass_points(q).row(0), arm.mass_points(q).row(1),
                      {.color = figures::palette::blue, .marker_size = 4});
  }
  planned.markers(std::vector{one.set_up.goal.x()}, std::vector{one.set_up.goal.y()},
                  {.color = figures::palette::vermilion, .label = "goal"});
  figures::PanelOptions other = space;
  other.title = "ideal plan, model, machine";
  auto& both = plot.panel(other);
  for (int k = 0; k <= 4; ++k) {
    const Index frame = (frames - 1) * k / 4;
    const double time =
        std::clamp(static_cast<double>(frame) * sample_time - policy.lead, 0., one.learned.task.duration);
    const VectorXd q = arm_state(one.learned.task, one.learned.plan.plan, time).head(4);
    both.line(arm.shape(q, 12), {.color = figures::palette::blue, .label = k == 0 ? "plan" : "", .width = 1.5});
    both.line(
        arm.shape(policy.states.col(frame).head(4), 12),
        {.color = figures::palette::grey, .label = k == 0 ? "model, realizable" : "", .width = 1.5, .dash = "4 3"});
    both.line(arm.shape(realized.col(frame).head(4), 12),
              {.color = figures::palette::vermilion, .label = k == 0 ? "machine" : "", .width = 1.5});
  }
  for (Index i = 0; i < 3; ++i) {
    auto& panel = plot.panel({.title = "segment " + to_text(i + 2) + ": volumes",
                              .x_label = "time [s]",
                              .y_label = "volume [mL]",
                              .y_range = std::pair(-1.1 * largest_reference, 1.1 * largest_reference)});
    panel.line(times, VectorXd(policy.references.row(i).head(frames)),
               {.color = figures::palette::grey, .label = "reference u*", .width = 1.5, .dash = "2 3"});
    panel.line(times, VectorXd(policy.wanted_volumes.row(i).head(frames)),
               {.color = figures::palette::blue, .label = "wanted V*"});
    // The response of the machine's own cylinder.
    const LinearSystem step = discretized(truth.cylinders[static_cast<std::size_t>(i)], sample_time);
    VectorXd x = VectorXd::Zero(step.A.rows()), volumes(frames);
    for (Index k = 0; k < frames; ++k) {
      volumes[k] = (step.C * x)(0);
      x = (step.A * x + step.B * policy.references(i, k)).eval();
    }
    panel.line(times, volumes, {.color = figures::palette::vermilion, .label = "realized V"});
  }
  const double largest_torque = 1.1 * one.set_up.limits.maxCoeff();
  for (Index i = 0; i < 3; ++i) {
    auto& panel = plot.panel({.title = "segment " + to_text(i + 2) + ": torque",
                              .x_label = "time [s]",
                              .y_label = "torque [N m]",
                              .y_range = std::pair(-largest_torque, largest_torque)});
    VectorXd ideal(frames);
    for (Index k = 0; k < frames; ++k)
      ideal[k] = torques(one.learned.task, one.learned.plan.plan,
                         std::clamp(times[k] - policy.lead, 0., one.learned.task.duration))[i];
    panel.line(times, ideal, {.color = figures::palette::blue, .label = "planned"});
    panel.line(times, VectorXd(realized_torques.row(i).head(frames)),
               {.color = figures::palette::vermilion, .label = "realized"});
  }
  plot.write(out / "grab_realization.svg");
  return "- grab_realization.svg: experiment " + one.set_up.name +
         ", planned and realized once more; the tip missed by " + figures::format_number(100 * made.miss) +
         " cm (Fig. 11)\n";
}

}  // namespace studies::grab
