// SPDX-License-Identifier: BSD-3-Clause
// The arm that its own inertia bends, beside its mesh in motion (Eq. 2) and beside shapes at rest alone (Eq. 8): first
// frequencies, motions of the standard arm, motions of drawn arms with the error that is said of them, and plans of
// drawn arms and tasks, run on the mesh and corrected by rollouts.
#include "benchmarks/support/benchmark_program.hpp"
#include "examples/studies/soft_arm_laser/laser_study.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/soft_arm_grid/soft_arm_grid.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
using namespace benchmarks;
using namespace quoin::soft_arm;
namespace laser = studies::laser;
using studies::figures::format_number;
using studies::figures::ResultRow;

constexpr int lines = 4;

/// How far tips are from those of the mesh in motion, at most, m.
struct TipErrors {
  double at_rest = 0, inertial = 0;  ///< of Eq. 8 (of the steps that it has), and with inertia
  double said = 0;                   ///< what reduction_error_along says of the latter
};

/// All three under the same controls, from rest.
TipErrors tip_errors(SoftArmGrid<3>& arm, const Eigen::VectorXd& rest, const Eigen::MatrixXd& controls) {
  const auto motion = arm.full_dynamics().rollout(rest, rest, controls);
  if (motion.status != StepStatus::ok)
    throw std::runtime_error("step " + to_text(motion.steps) + " of Eq. 2: " + to_string(motion.status));
  const auto view = arm.grid().at_level(0);
  const auto inertial = arm.inertial_dynamics(view);
  const auto at_rest = arm.dynamics(view);
  const auto tip = arm.inertial_tip(view);
  const auto tip_at_rest = arm.tip(view);
  const Eigen::MatrixXd rows = arm.body().tip_rows().topLeftCorner(3, arm.body().size());
  Eigen::MatrixXd states = Eigen::MatrixXd::Zero(inertial.state_size(), controls.cols() + 1), J;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(2 * lines), next, y;
  bool reduced = true;
  TipErrors errors;
  for (Eigen::Index i = 0; i < controls.cols(); ++i) {
    const Eigen::Vector3d truth = rows * motion.position(static_cast<int>(i) + 1);
    if (const StepStatus status = inertial.step(states.col(i), controls.col(i), next); status != StepStatus::ok)
      throw std::runtime_error("step " + to_text(i) + " with inertia: " + to_string(status));
    states.col(i + 1) = next;
    tip.evaluate(next, y, J);
    errors.inertial = std::max(errors.inertial, (y.head<3>() - truth).norm());
    reduced = reduced && at_rest.step(x, controls.col(i), next) == StepStatus::ok;
    if (!reduced) continue;
    x = next;
    tip_at_rest.evaluate(x.head<lines>(), y);
    errors.at_rest = std::max(errors.at_rest, (y.head<3>() - truth).norm());
  }
  errors.said = arm.reduction_error_along(view, states, controls);
  return errors;
}

Eigen::MatrixXd smooth_ramp(const Point<lines>& pulls, double steps_of_rise, int steps) {
  Eigen::MatrixXd controls(lines, steps);
  for (int i = 0; i < steps; ++i) {
    const double s = steps_of_rise > 0 ? std::min(1.0, (i + 1) / steps_of_rise) : 1;
    controls.col(i) = s * s * (3 - 2 * s) * pulls;
  }
  return controls;
}

/// First two frequencies at rest, Hz: of the mesh, with inertial shapes, of shapes at rest.
struct Frequencies {
  Eigen::Vector2d mesh, inertial, at_rest;
  explicit Frequencies(const Statics<3>& statics) {
    const SoftArm<3>& arm = statics.arm();
    Eigen::MatrixXd jet(statics.output_size(), jet_size(lines, 2));
    statics.evaluate_jet(2, Point<lines>::Zero(), jet);
    auto lower = arm.hessian_pattern();
    arm.hessian(jet.col(0).head(arm.size()), Point<lines>::Zero(), lower);
    const Eigen::MatrixXd K = Eigen::MatrixXd(lower).selfadjointView<Eigen::Lower>();
    const Eigen::VectorXd mass = arm.free_part(arm.mass());
    const auto first_two = [&](const Eigen::MatrixXd& shapes) -> Eigen::Vector2d {
      const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> modes(
          shapes.transpose() * K * shapes, shapes.transpose() * mass.asDiagonal() * shapes, Eigen::EigenvaluesOnly);
      return {std::sqrt(modes.eigenvalues()[0]) / (2 * std::numbers::pi),
              std::sqrt(modes.eigenvalues()[2]) / (2 * std::numbers::pi)};  // bending comes in pairs
    };
    mesh = first_two(Eigen::MatrixXd::Identity(K.rows(), K.rows()));
    const Eigen::MatrixXd J = jet(arm.free_dofs(), Eigen::seqN(1, lines));
    at_rest = first_two(J);
    const InertialShapes<3> shapes(statics, bending_directions(arm, jet));
    Eigen::MatrixXd both(J.rows(), J.cols() + shapes.directions().cols());
    both << J, shapes.shapes(Point<lines>::Zero())(arm.free_dofs(), Eigen::all);
    inertial = first_two(both);
  }
};

/// A beam of drawn sizes and materials.
BeamOptions drawn_beam(std::mt19937& random) {
  const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  BeamOptions beam{.length = between(0.2, 0.8), .cells_across = 2, .cells_along = 10};
  beam.width = beam.length * between(0.07, 0.14);
  beam.young = std::pow(10, between(5.2, 6.3));
  beam.stiff_ratio = between(1, 10);
  return beam;
}

double first_omega(const Statics<3>& statics) {
  Eigen::MatrixXd jet(statics.output_size(), jet_size(lines, 1));
  statics.evaluate_jet(1, Point<lines>::Zero(), jet);
  return std::sqrt(bending_directions(statics.arm(), jet).col(0).cwiseAbs().maxCoeff());
}

struct DrawnMotions {
  std::vector<double> errors, ratios_to_at_rest, said_to_error;
  int failed = 0;

  DrawnMotions(unsigned seed, int draws) {
    std::mt19937 random(seed);
    const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
    for (int draw = 0; draw < draws; ++draw) {
      ArmOptions<3> loads;
      const BeamOptions beam = drawn_beam(random);
      if (draw % 2 == 1) loads.gravity << between(-3, 3), between(-3, 3), between(-5, 5);
      const Statics<3> statics(SoftArm<3>(make_beam<3>(beam), loads));
      const double omega = first_omega(statics);
      SoftArmGridOptions<3> options;
      options.step = {.time_step = between(0.1, 0.3) / omega,
                      .stiffness_damping = draw % 3 == 0 ? 0 : between(0.03, 0.5) / omega,
                      .mass_damping = draw % 2 == 0 ? 0 : between(0, 0.3) * omega,
                      .tolerance = 1e-9};
      const Point<lines> pulls(between(0, 2), between(0, 2), between(0, 2), between(0, 2));
      const Eigen::MatrixXd controls = smooth_ramp(pulls, between(2, 18) / omega / options.step.time_step, 150);
      Eigen::VectorXd rest;
      statics.evaluate(Point<lines>::Zero(), rest);
      try {
        SoftArmGrid<3> arm(statics, options);
        const TipErrors tips = tip_errors(arm, rest.head(statics.arm().size()), controls);
        errors.push_back(tips.inertial / beam.length);
        if (tips.inertial < 2e-6 * beam.length) continue;  // below it the grid's error is as large
        ratios_to_at_rest.push_back(tips.inertial / tips.at_rest);
        said_to_error.push_back(tips.said / tips.inertial);
      } catch (const std::exception&) {
        ++failed;
      }
    }
  }
};

/// The laser's task on drawn arms: how far above the least cost on Eq. 2 a plan is.
struct DrawnTasks {
  std::vector<double> as_planned, corrected;  // relative excess
  int failed = 0;

  DrawnTasks(unsigned seed, int arms, int tasks) {
    std::mt19937 random(seed);
    const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
    for (int arm_index = 0; arm_index < arms; ++arm_index) {
      const BeamOptions beam = drawn_beam(random);
      const double scale = beam.length / BeamOptions().length;
      const double omega = first_omega(Statics<3>(SoftArm<3>(make_beam<3>(beam))));
      for (int task = 0; task < tasks; ++task) {
        laser::Setup setup;
        setup.plate *= scale;
        setup.radius *= scale * between(0.6, 1.1);
        setup.spot_weight /= scale * scale;
        setup.approach = static_cast<int>(between(30, 70));
        setup.time_step = between(0.2, 0.4) / omega;
        setup.stiffness_damping = between(0.05, 0.5) / omega;
        const laser::Arm<3> arm(setup, make_beam<3>(beam));
        const laser::GridChoice choice{
            .jet_order = 2, .spacing = 0.9, .threshold = 0.9, .inertial = true, .rollouts = 2};
        try {
          laser::Surrogate<3> surrogate(arm, choice);
          const laser::Plan plan = plan_through_grid(arm, surrogate, choice);
          if (!plan.polished) throw std::runtime_error("no rollout");
          const double least =
              std::min(plan_on_full_dynamics(arm, {.controls = plan.polished->controls, .first_damping = 0}).cost,
                       plan.polished->cost);
          as_planned.push_back(plan.polished->log.front().cost / least - 1);
          corrected.push_back(plan.polished->cost / least - 1);
        } catch (const std::exception&) {
          ++failed;
        }
      }
    }
  }
};

int count_above(const std::vector<double>& values, double bound) {
  return static_cast<int>(std::count_if(values.begin(), values.end(), [&](double v) { return v > bound; }));
}

Report run(bool quick) {
  const Statics<3> statics{SoftArm<3>(quick ? make_beam<3>({.cells_across = 2, .cells_along = 10}) : make_beam<3>())};
  const Frequencies frequencies(statics);
  Report report;
  report.columns = {{"load"},
                    {"beta", "beta [s]"},
                    {"at_rest_mm", "Eq. 8 [mm]", 3},
                    {"inertial_mm", "with inertia [mm]", 2},
                    {"said_mm", "said [mm]", 2}};
  for (const double damping : {0.0, 0.05})
    for (const double rise : {0.0, 1.0, 3.0}) {
      SoftArmGrid<3> arm(statics, {.spacing = 0.5, .step = {.time_step = 0.02, .stiffness_damping = damping}});
      const TipErrors tips = tip_errors(arm, statics.arm().rest(), smooth_ramp({1.5, 0.4, 0.2, 0.9}, rise / 0.02, 200));
      report.results.add(ResultRow()
                             .set("load", rise > 0 ? to_text(rise) + " s smooth ramp" : "step load")
                             .set("beta", damping)
                             .set("at_rest_mm", 1e3 * tips.at_rest)
                             .set("inertial_mm", 1e3 * tips.inertial)
                             .set("said_mm", 1e3 * tips.said));
    }
  const DrawnMotions motions(8001, quick ? 6 : 200);
  const DrawnTasks tasks(8002, quick ? 1 : 20, quick ? 2 : 5);
  const auto count = [](const auto& values) { return static_cast<int>(values.size()); };
  const int below = count(motions.said_to_error) - count_above(motions.said_to_error, 1),
            far = count_above(motions.said_to_error, 10);
  const int missed = count_above(tasks.as_planned, 0.02), missed_corrected = count_above(tasks.corrected, 0.001);
  report.notes =
      "First and second bending frequency at rest, Hz: mesh " + format_number(frequencies.mesh[0], 4) + ", " +
      format_number(frequencies.mesh[1], 3) + "; with inertia " + format_number(frequencies.inertial[0], 4) + ", " +
      format_number(frequencies.inertial[1], 3) + "; shapes at rest " + format_number(frequencies.at_rest[0], 4) +
      ", " + format_number(frequencies.at_rest[1], 3) +
      ".\n\nDrawn arms and motions: " + to_text(count(motions.errors)) + ", and " + to_text(motions.failed) +
      " that failed; tips off Eq. 2 by " + format_number(100 * median(motions.errors), 2) +
      " % of the length (median; at most " +
      format_number(100 * *std::max_element(motions.errors.begin(), motions.errors.end()), 2) + " %), " +
      format_number(100 * median(motions.ratios_to_at_rest), 2) + " % of what Eq. 8 is (at most " +
      format_number(100 * *std::max_element(motions.ratios_to_at_rest.begin(), motions.ratios_to_at_rest.end()), 2) +
      " %). Of the " + to_text(count(motions.said_to_error)) +
      " whose error is above that of the grid, what is said of it is below it in " + to_text(below) +
      ", above ten times it in " + to_text(far) + ", in the median " + format_number(median(motions.said_to_error), 2) +
      " times it.\n\nDrawn arms and tasks: " + to_text(count(tasks.as_planned)) + ", and " + to_text(tasks.failed) +
      " that failed; run on Eq. 2 as planned more than 2 % above the least cost in " + to_text(missed) + " (median " +
      format_number(100 * median(tasks.as_planned), 2) + " %), after one correction more than 0.1 % in " +
      to_text(missed_corrected) + " (median " + format_number(100 * median(tasks.corrected), 2) + " %).\n";
  report.further_rows.push_back(ResultRow()
                                    .set("motions", count(motions.errors))
                                    .set("motions_failed", motions.failed)
                                    .set("said_below", below)
                                    .set("said_above_tenfold", far)
                                    .set("tasks", count(tasks.as_planned))
                                    .set("tasks_failed", tasks.failed)
                                    .set("above_2_percent", missed)
                                    .set("corrected_above_0_1_percent", missed_corrected));
  report.checks = {{"with inertia the arm has the mesh's first frequency to 0.5 %: " +
                        format_number(frequencies.inertial[0] / frequencies.mesh[0] - 1),
                    std::abs(frequencies.inertial[0] / frequencies.mesh[0] - 1) < 0.005},
                   {"what is said of the reduction is below its error in at most 1 % of the motions: " + to_text(below),
                    below <= 0.01 * count(motions.said_to_error), false},
                   {"tips are nearer to the mesh's than those of Eq. 8 in every motion",
                    count_above(motions.ratios_to_at_rest, 1) == 0},
                   {"as planned within 2 % in at least 95 % of the tasks: " + to_text(missed) + " are not",
                    missed + tasks.failed <= 0.05 * (count(tasks.as_planned) + tasks.failed), !quick},
                   {"after one correction within 0.1 % in at least 99 %: " + to_text(missed_corrected) + " are not",
                    missed_corrected + tasks.failed <= 0.01 * (count(tasks.corrected) + tasks.failed), !quick}};
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(
      argc, argv, "inertial_arm",
      "The soft arm that its inertia bends, beside its mesh in motion: frequencies, motions and plans.", run);
}
