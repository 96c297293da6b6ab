// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/fluidic_grab/arm_unknowns.hpp"
#include "examples/studies/fluidic_grab/identify_parts.hpp"
#include "examples/studies/fluidic_grab/setup.hpp"
#include "examples/studies/program/statistics.hpp"

#include "examples/studies/figures/progress.hpp"
#include "quoin/robots/models/fluidic_arm/fluidic_plant.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

namespace studies::grab {
namespace {

constexpr double duration = 4;       // s
constexpr double wave_height = 200;  // mL, clipped: a cubic torque shows little at small volumes

/// The measurements when waves move an arm that hangs at rest. They are clipped where a designer's actuators would
/// reach the torque limits: 53, 55 and 61 mL.
Recording excite(const FluidicSystem& machine, unsigned seed) {
  const Index frames = 1 + static_cast<Index>(std::lround(duration / sample_time));
  const FluidicSystem designed = nominal_system();
  MatrixXd references(3, frames);
  for (Index i = 0; i < 3; ++i)
    references.row(i) = reference_waves({10 * seed + static_cast<std::uint64_t>(i)}, frames, sample_time, wave_height,
                                        designed.actuators[static_cast<std::size_t>(i)].volume(torque_limits[i]));
  FluidicPlant plant(machine, {.sample_time = sample_time, .noise = 1.5e-3, .seed = seed});
  return plant.run([&](double t, const VectorXd&) { return references.col(std::lround(t / sample_time)); }, duration);
}

/// One k, one b, c and perhaps a linear term for each actuator, the delay. Masses and cylinders are known.
ArmUnknowns unknowns(const FluidicSystem& machine, const std::vector<LinearSystem>& cylinders, bool linear) {
  FluidicSystem known = machine;
  known.cylinders = cylinders;
  for (CubicActuator& actuator : known.actuators) actuator.linear = 0;
  ArmUnknowns all(known, VectorXd::Zero(4));
  const SystemParameters& layout = all.layout();
  const auto name = [names = layout.names()](Index place) { return names[static_cast<std::size_t>(place)]; };
  std::vector<ArmUnknowns::Share> stiffnesses, dampings;
  for (Index i = 0; i < layout.segments; ++i) {
    stiffnesses.push_back(
        {layout.stiffness(i), known.arm.segments[static_cast<std::size_t>(i)].length / known.arm.segments[0].length});
    dampings.push_back({layout.damping(i)});
  }
  all.add({.name = "k", .initial = 0.12, .lower = 0.0924, .upper = 0.1476, .scale = 0.1}, stiffnesses);
  all.add({.name = "b", .initial = 2e-3, .lower = 1e-3, .upper = 5e-3, .scale = 3e-3}, dampings);
  for (Index i = 0; i < layout.actuators; ++i)
    all.add({.name = name(layout.cubic(i)), .initial = 6e-7, .lower = 1e-8, .upper = 5e-6, .scale = 1e-6},
            {{layout.cubic(i)}});
  all.add({.name = "t_d", .initial = 0.02, .lower = 0, .upper = 0.2, .scale = 0.05}, {{layout.delay()}});
  if (linear)
    for (Index i = 0; i < layout.actuators; ++i)
      all.add({.name = name(layout.linear(i)), .initial = 1e-4, .lower = 0, .upper = 1e-2, .scale = 1e-3},
              {{layout.linear(i)}});
  return all;
}

/// The largest error of an identified actuator's torque up to the torque limit's volume, in % of the torque there.
double torque_error(const CubicActuator& found, const CubicActuator& truth, double limit) {
  const double most = truth.volume(limit);
  double error = 0;
  for (int i = 1; i <= 50; ++i)
    error = std::max(error, std::abs(found.torque(most * i / 50) - truth.torque(most * i / 50)));
  return 100 * error / limit;
}

struct Case {
  std::string name;
  bool linear_machine, linear_model, known_cylinders;
};

}  // namespace

void identify_driven_arm(studies::Report& report, const ProgramOptions& options,
                         const std::vector<LinearSystem>& cylinders) {
  const std::vector<Case> cases = {{"cubic actuators, Eq. 20", false, false, false},
                                   {"the same, cylinders known exactly", false, false, true},
                                   {"cubic and linear actuators, Eq. 12", true, true, false},
                                   {"cubic and linear actuators, but Eq. 20", true, false, false}};
  const unsigned trials = options.quick ? 1 : 4;
  figures::Progress progress(std::cerr, "identifying the driven arm", static_cast<long>(cases.size() * trials));
  long done = 0;
  figures::JsonResults table;
  std::map<std::string, double> worst;  // errors of models of the right form, %
  double max_deviation = 0, wrong_deviation = 0;
  bool complete = true;
  for (const Case& now : cases) {
    FluidicSystem machine = nominal_system();
    machine.cylinders = true_cylinders();
    machine.actuators = {{.cubic = 8e-7}, {.cubic = 9e-7}, {.cubic = 7e-7}};
    if (now.linear_machine)
      for (CubicActuator& actuator : machine.actuators) actuator.linear = linear_actuator.linear;
    std::map<std::string, std::vector<double>> errors;
    std::vector<double> deviations, torques;
    double expected = 0;  // the largest deviation of c that a fit expects, %
    for (unsigned trial = 1; trial <= trials; ++trial) {
      const Recording seen = excite(machine, trial);
      const ArmUnknowns sought =
          unknowns(machine, now.known_cylinders ? machine.cylinders : cylinders, now.linear_model);
      const OutputErrorFit fit =
          fit_output_error(sought.parameters(), sought.prediction(seen.inputs, sample_time), seen.outputs,
                           {.criterion = OutputErrorCriterion::least_squares, .relative_tolerance = 1e-7});
      // The machine's true values, in the unknowns' order.
      VectorXd truth(fit.p.size());
      truth.head(6) << machine.arm.segments[0].stiffness, machine.arm.segments[0].damping, machine.actuators[0].cubic,
          machine.actuators[1].cubic, machine.actuators[2].cubic, machine.delay;
      if (now.linear_model) truth.tail(3).setConstant(linear_actuator.linear);
      figures::ResultRow row =
          figures::ResultRow().set("table", "driven arm").set("case", now.name).set("trial", static_cast<int>(trial));
      for (Index j = 0; j < fit.p.size(); ++j) {
        const double error = 100 * (fit.p[j] / truth[j] - 1);
        const std::string& name = sought.parameters()[static_cast<std::size_t>(j)].name;
        row.set(name, fit.p[j]).set(name + "_error", error);
        errors[name].push_back(error);
        if (j >= 2 && j < 5) expected = std::max(expected, 100 * fit.deviations[j] / truth[j]);
      }
      double torque = 0;
      const FluidicSystem found = sought.system(fit.p);
      for (std::size_t i = 0; i < 3; ++i)
        torque = std::max(torque,
                          torque_error(found.actuators[i], machine.actuators[i], torque_limits[static_cast<Index>(i)]));
      torques.push_back(torque);
      deviations.push_back(1e3 * fit.residual_deviation);
      complete = complete && fit.identifiability.complete() && fit.converged();
      const VectorXd& singular = fit.identifiability.singular_values;
      report.rows.add(row.set("torque_error", torque)
                          .set("residual_deviation_mm", deviations.back())
                          .set("iterations", fit.iterations)
                          .set("relative_weakest", singular[singular.size() - 1] / singular[0])
                          .set("stop", to_string(fit.stop)));
      progress.update(++done, now.name);
    }
    figures::ResultRow row = figures::ResultRow().set("case", now.name);
    for (const auto& [name, of_trials] : errors) {
      const Spread all = spread(of_trials);
      row.set(name, format_number(all.mean, 2) + " ± " + format_number(all.deviation, 2));
      double most = 0;
      for (const double error : of_trials) most = std::max(most, std::abs(error));
      if (now.linear_machine == now.linear_model) {
        const std::string kind = name.substr(0, 1) + (now.linear_model ? " (Eq. 12)" : "");
        worst[kind] = std::max(worst[kind], most);
      }
    }
    if (now.linear_model) worst["torque"] = *std::ranges::max_element(torques);
    const double deviation = spread(deviations).mean;
    table.add(
        row.set("torque", *std::ranges::max_element(torques)).set("residual", deviation).set("expected", expected));
    double& judged = now.linear_machine == now.linear_model ? max_deviation : wrong_deviation;
    judged = std::max(judged, deviation);
  }
  progress.finish("");
  report.show_table(
      "## The driven arm (section 4.4)\n\nWaves of all three actuators, 4 s at 50 Hz, 1.5 mm of noise, segments "
      "weighed, cylinders as identified above; errors in %, mean and deviation of " +
          to_text(trials) +
          " trials; the largest error of any actuator's torque up to its limit, in % of that; what is left per "
          "coordinate; "
          "the largest deviation that the fits themselves expect of a c.",
      table,
      {{"case"},
       {"k"},
       {"b"},
       {"c2"},
       {"c3"},
       {"c4"},
       {"t_d"},
       {"l2"},
       {"l3"},
       {"l4"},
       {"torque", "torque", 2},
       {"residual", "residual [mm]"},
       {"expected", "expected of c [%]", 2}});
  report.checks.push_back({"Driven by waves, k is within 1 % (" + format_number(worst["k"], 2) + " %), c within 1 % (" +
                               format_number(worst["c"], 2) + " %), b within 2 % (" + format_number(worst["b"], 2) +
                               " %), t_d within 1 % (" + format_number(worst["t"], 2) + " %) in every trial",
                           worst["k"] <= 1 && worst["c"] <= 1 && worst["b"] <= 2 && worst["t"] <= 1});
  report.checks.push_back(
      {"With a linear term (Eq. 12) to find as well, k is within 1 % (" + format_number(worst["k (Eq. 12)"], 2) +
           " %), b within 2 % (" + format_number(worst["b (Eq. 12)"], 2) + " %), t_d within 1 % (" +
           format_number(worst["t (Eq. 12)"], 2) + " %), the torques within 1 % of their limits (" +
           format_number(worst["torque"], 2) + " %)",
       worst["k (Eq. 12)"] <= 1 && worst["b (Eq. 12)"] <= 2 && worst["t (Eq. 12)"] <= 1 && worst["torque"] <= 1});
  report.checks.push_back({"Nothing of the weighed arm is unidentifiable, and every fit converges", complete});
  report.checks.push_back({"A model of the wrong form shows: it leaves " + format_number(wrong_deviation) +
                               " mm, the right ones at most " + format_number(max_deviation) + " mm",
                           max_deviation < 1.6 && wrong_deviation > 1.2 * max_deviation});
}

}  // namespace studies::grab
