// SPDX-License-Identifier: BSD-3-Clause
// The finite elements of the soft arm, identified as an arm of constant curvature, at rest under gravity and cables and
// after a release: the accuracy lost, and how much faster the simple model is.
#include "benchmarks/robots/fem_as_constant_curvature/fem_arm.hpp"
#include "benchmarks/robots/fem_as_constant_curvature/static_fit.hpp"
#include "benchmarks/robots/fem_as_constant_curvature/swing.hpp"
#include "benchmarks/support/benchmark_program.hpp"
#include "quoin/robots/models/fluidic_arm/equilibrium.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace {
using namespace benchmarks;
using namespace benchmarks::fem;

double mm(double metres) { return 1e3 * metres; }

/// Both lines pull with up to 2 N, one of them with up to 10 N more.
std::vector<Setting> random_settings(const std::vector<double>& base_angles, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Setting> settings;
  for (int i = 0; i < count; ++i) {
    const double difference = -10 + 20 * uniform(random), both = 2 * uniform(random);
    settings.push_back({base_angles[static_cast<std::size_t>(i) % base_angles.size()],
                        {both + std::max(-difference, 0.), both + std::max(difference, 0.)}});
  }
  return settings;
}

struct StaticStudy {
  std::map<int, double> stiffness, lever, validation, validation_predicted;  // by N, of one k for all
  bool converged = true;
  double largest_strain = 0;

  StaticStudy(const BeamMaterial& material, double mesh_stiffness, bool quick, Report& report) {
    const Equilibria fitted = equilibria(material, random_settings({0, 0.5, 1, 1.5}, quick ? 12 : 24, 3));
    const Equilibria others = equilibria(material, random_settings({0.25, 0.75, 1.25, 1.75}, quick ? 8 : 16, 4));
    for (const Equilibria* all : {&fitted, &others})
      for (const Picture& seen : all->pictures) largest_strain = std::max(largest_strain, std::abs(seen.strain));
    for (const int n : {1, 2, 4, 8})
      for (const bool each : {false, true}) {
        if (n == 1 && each) continue;
        const StaticFit model = fit_equilibria(material, fitted, n, each), material_says = predicted(material, n);
        const Distances at_ends = distances(material, fitted, model, true), fit = distances(material, fitted, model),
                        unseen = distances(material, others, model),
                        unfitted = distances(material, others, material_says);
        converged = converged && (each || model.converged);
        const Eigen::VectorXd ratios = model.stiffness / material_says.stiffness[0];
        if (!each) {
          stiffness[n] = ratios[0] * material.bending_stiffness() / mesh_stiffness;
          lever[n] = model.lever / material.lever();
          validation[n] = unseen.rms;
          validation_predicted[n] = unfitted.rms;
        }
        std::string k = studies::figures::format_number(ratios[0]);
        for (int i = 1; each && i < n; ++i) k += ", " + studies::figures::format_number(ratios[i]);
        report.results.add(studies::figures::ResultRow()
                               .set("segments", n)
                               .set("fitted", each ? "k of each, c" : "k, c")
                               .set("k", k)
                               .set("c", model.lever / material.lever())
                               .set("fit_ends_mm", mm(at_ends.rms))
                               .set("fit_mm", mm(fit.rms))
                               .set("rms_mm", mm(unseen.rms))
                               .set("rms_percent", 100 * unseen.rms / material.length)
                               .set("largest_mm", mm(unseen.largest))
                               .set("tip_mm", mm(unseen.tip_rms))
                               .set("predicted_mm", mm(unfitted.rms)));
      }
    report.columns = {{"segments"},
                      {"fitted"},
                      {"k", "k / (EI / L)"},
                      {"c", "c / (W / 2)"},
                      {"fit_ends_mm", "fit, ends [mm]"},
                      {"fit_mm", "fit, stations [mm]"},
                      {"rms_mm", "others [mm]"},
                      {"rms_percent", "of the length [%]"},
                      {"largest_mm", "largest [mm]"},
                      {"tip_mm", "tip [mm]"},
                      {"predicted_mm", "unfitted [mm]"}};
  }
};

/// A release from rest: the arm and its shape when it is let go.
struct Release {
  FemArm arm;
  Eigen::VectorXd held;

  Release(const BeamMaterial& material, const Setting& setting, double gravity = 9.81)
      : arm(material, setting.base_angle, gravity), held(arm.equilibrium(setting.tension)) {}

  /// Extrapolated from steps of 1 and 2 ms.
  std::vector<Picture> pictures(double duration) const {
    return extrapolated(arm.released(held, duration, 1e-3), arm.released(held, duration, 2e-3));
  }
};

struct SwingStudy {
  std::map<int, double> rms, other_rms, damping, expected;
  double step_error = 0, ratio = 0, weightless_damping = 0;
  bool converged = true;
  std::string table, cost;

  SwingStudy(const BeamMaterial& material, double mesh_stiffness, bool quick, Report& report) {
    const double duration = 2;
    const Setting bent{0, {0, 10}}, other{0.4, {6, 0}};
    const Release release(material, bent), second(material, other);
    const std::vector<Picture> measured = release.pictures(duration), unseen = second.pictures(duration);
    studies::figures::JsonResults rows;
    Swing timed;
    for (const int n : {1, 2, 4}) {
      const auto arm = as_constant_curvature(material, n, bent.base_angle),
                 turned = as_constant_curvature(material, n, other.base_angle);
      const double k = arm.segments[0].stiffness, b = arm.segments[0].damping;
      const Swing guess{bend_angles(measured[0], n), k, b, stable_steps(arm, 1.5 * expected_damping(arm))};
      const SwingFit fit = fit_swing(arm, measured, guess);
      Swing twice = fit.swing, elsewhere = fit.swing;
      twice.steps *= 2;
      elsewhere.start = bend_angles(unseen[0], n);
      const SwingErrors errors = swing_errors(arm, fit.swing, measured), finer = swing_errors(arm, twice, measured),
                        others = swing_errors(turned, elsewhere, unseen), before = swing_errors(arm, guess, measured);
      converged = converged && fit.converged;
      rms[n] = errors.rms;
      other_rms[n] = others.rms;
      damping[n] = fit.swing.damping / b;
      expected[n] = expected_damping(arm);
      step_error = std::max(step_error, std::abs(finer.rms - errors.rms));
      studies::figures::ResultRow row;
      row.set("segments", n)
          .set("k", fit.swing.stiffness / k)
          .set("b", damping[n])
          .set("b_expected", expected[n])
          .set("predicted_mm", mm(before.rms))
          .set("rms_mm", mm(errors.rms))
          .set("largest_mm", mm(errors.largest))
          .set("tip_mm", mm(errors.tip_rms))
          .set("first_half_second_mm", mm(errors.rms_by_half_second[0]))
          .set("last_half_second_mm", mm(errors.rms_by_half_second[3]))
          .set("other_mm", mm(others.rms))
          .set("other_tip_mm", mm(others.tip_rms))
          .set("iterations", fit.iterations)
          .set("singular_values", fit.largest_singular_value / fit.smallest_singular_value)
          .set("steps_per_second", std::lround(fit.swing.steps / frame));
      rows.add(row);
      report.further_rows.push_back(row);
      if (n == 4) timed = fit.swing;
    }
    table = rows.markdown({{"segments"},
                           {"k", "k / (EI / L)"},
                           {"b", "b / (beta k)"},
                           {"b_expected", "expected"},
                           {"predicted_mm", "unfitted [mm]"},
                           {"rms_mm", "fit [mm]"},
                           {"largest_mm", "largest [mm]"},
                           {"tip_mm", "tip [mm]"},
                           {"first_half_second_mm", "to 0.5 s [mm]"},
                           {"last_half_second_mm", "1.5 to 2 s [mm]"},
                           {"other_mm", "other release [mm]"},
                           {"steps_per_second", "Runge-Kutta steps a second"}});
    // Without gravity, k is the only stiffness that the damping is proportional to.
    const std::vector<Picture> floating = Release(material, {0, {0, 1}}, 0).pictures(duration);
    auto weightless = as_constant_curvature(material, 4, 0);
    weightless.gravity = 0;
    const double k = mesh_stiffness / weightless.segments[0].length, b = material.stiffness_damping * k;
    const Swing guess{bend_angles(floating[0], 4), k, b, stable_steps(weightless, 1.5)};
    weightless_damping = fit_swing(weightless, floating, guess).swing.damping / b;
    time(material, release, measured, timed, duration, quick, report);
  }

 private:
  void time(const BeamMaterial& material, const Release& release, const std::vector<Picture>& measured,
            const Swing& swing, double duration, bool quick, Report& report) {
    const ArmOfParameters arm(as_constant_curvature(material, 4, 0));
    const int frames = static_cast<int>(measured.size()) - 1;
    // The widest step at which the error of the finite elements is still within that of the segments.
    double step = 1e-3, error = 0;
    for (const double wider : {2e-3, 4e-3, 5e-3, 10e-3, 20e-3}) {
      const double there = swing_errors(release.arm.released(release.held, duration, wider), measured).rms;
      if (there > rms[4]) break;
      step = wider, error = there;
    }
    const auto exact = simulate(arm, swing, frames);
    int steps = 1;
    double tip = INFINITY;
    for (; steps <= 16; steps *= 2) {
      const auto states = simulate_implicitly(arm, swing, frames, steps);
      tip = 0;
      for (std::size_t i = 0; i < states.size(); ++i)
        tip = std::max(tip, (arm.arm().tip(states[i].head(4)) - arm.arm().tip(exact[i].head(4))).norm());
      if (tip < 0.5e-3) break;
    }
    std::vector<double> slow, fast, explicitly, ratios;
    for (int round = -1; round < (quick ? 3 : 9); ++round) {
      const double elements = seconds_of([&] { release.arm.released(release.held, duration, step); });
      const double by_runge_kutta = seconds_of([&] { simulate(arm, swing, frames); });
      double segments = 0;
      for (int i = 0; i < 5; ++i) segments += seconds_of([&] { simulate_implicitly(arm, swing, frames, steps); }) / 5;
      if (round < 0) continue;
      slow.push_back(elements), fast.push_back(segments), ratios.push_back(elements / segments);
      explicitly.push_back(by_runge_kutta);
    }
    ratio = median(ratios);
    const double slow_step = median(slow) * step / duration, fast_step = median(fast) / (steps * frames);
    cost = "Two seconds of the motion: finite elements by implicit Euler steps of " +
           studies::figures::format_number(mm(step)) + " ms (" + studies::figures::format_number(mm(error)) +
           " mm from their limit) " + studies::figures::format_number(1e3 * median(slow)) +
           " ms; four segments by linearly implicit steps of " + studies::figures::format_number(mm(frame / steps)) +
           " ms (tip within " + studies::figures::format_number(mm(tip)) + " mm of their limit) " +
           studies::figures::format_number(1e3 * median(fast)) + " ms: " + studies::figures::format_number(ratio) +
           " times faster (ratios from " +
           studies::figures::format_number(*std::min_element(ratios.begin(), ratios.end())) + " to " +
           studies::figures::format_number(*std::max_element(ratios.begin(), ratios.end())) +
           "). A step: " + studies::figures::format_number(1e6 * slow_step) + " us and " +
           studies::figures::format_number(1e6 * fast_step) +
           " us. By the Runge-Kutta steps of the fit, whose length the damping bounds, the segments take " +
           studies::figures::format_number(1e3 * median(explicitly)) + " ms.\n";
    report.further_rows.push_back(studies::figures::ResultRow()
                                      .set("fem_step_s", step)
                                      .set("fem_step_us", 1e6 * slow_step)
                                      .set("fem_error_mm", mm(error))
                                      .set("segments_step_us", 1e6 * fast_step)
                                      .set("times_faster", ratio));
  }
};

Report run(bool quick) {
  BeamMaterial material;
  if (quick) material.cells_across = 4;
  const double mesh_stiffness = bending_stiffness_of_mesh(material);
  Report report;
  const StaticStudy rest(material, mesh_stiffness, quick, report);
  const SwingStudy motion(material, mesh_stiffness, quick, report);

  report.notes =
      "A beam of 0.5 m x 25 mm x 25 mm in plane strain, E = 1 MPa, nu = 0.4, 1000 kg/m^3 (w L^3 / EI = " +
      studies::figures::format_number(material.mass() * 9.81 * std::pow(material.length, 2) /
                                      material.bending_stiffness()) +
      "), " + to_text(material.cells_across) +
      " cells across, hanging from clamps at 0 to 1.5 rad (others: 0.25 to 1.75), "
      "lines at both sides with tensions up to 12 N. EI = " +
      studies::figures::format_number(material.bending_stiffness()) + " N m^2 by the material, " +
      studies::figures::format_number(mesh_stiffness / material.bending_stiffness()) +
      " of that by the mesh. Distances are root mean squares; stations: eight points along the centre line, the same "
      "for "
      "any number of segments; 'ends', of the segments, are what is fitted. 'Others': settings that were not fitted. "
      "'Unfitted': what k = EI / L, c = W / 2 give there. The centre line of the finite elements changes its length by "
      "up "
      "to " +
      studies::figures::format_number(100 * rest.largest_strain) +
      " %, that of the segments never.\n\n"
      "Released from rest, bent by 10 N, 2 s, pictures every 20 ms; 'other release': clamped at 0.4 rad, bent the "
      "other "
      "way by 6 N, with the k and b of the first. Stiffness damping beta = 10 ms; the reference is by implicit Euler "
      "steps of 1 and 2 ms, extrapolated.\n\n" +
      motion.table + "\n" + motion.cost;

  const auto all_fall = [&](const std::map<int, double>& errors) {
    double last = INFINITY;
    for (const auto& [n, error] : errors) {
      if (!(error < last)) return false;
      last = error;
    }
    return true;
  };
  report.checks = {
      {"every static fit of one k and c converges", rest.converged},
      {"eight segments find the mesh's EI within 3 %: " + studies::figures::format_number(rest.stiffness.at(8), 4),
       std::abs(rest.stiffness.at(8) - 1) < 0.03},
      {"and the lines' lever W / 2 within 3 %: " + studies::figures::format_number(rest.lever.at(8), 4),
       std::abs(rest.lever.at(8) - 1) < 0.03},
      {"the error at settings that were not fitted falls with the number of segments", all_fall(rest.validation)},
      {"four segments stay within 1.5 % of the length there: " +
           studies::figures::format_number(100 * rest.validation.at(4) / material.length) + " %",
       rest.validation.at(4) < 0.015 * material.length},
      {"four segments follow the release within 1 % of the length: " +
           studies::figures::format_number(100 * motion.rms.at(4) / material.length) + " %",
       motion.rms.at(4) < 0.01 * material.length},
      {"and another release within 2 %: " +
           studies::figures::format_number(100 * motion.other_rms.at(4) / material.length) + " %",
       motion.other_rms.at(4) < 0.02 * material.length},
      {"without gravity, released by 1 N, b is beta times the mesh's k within 5 %: " +
           studies::figures::format_number(motion.weightless_damping),
       std::abs(motion.weightless_damping - 1) < 0.05},
      {"every fit of the release converges", motion.converged},
      {"halved Runge-Kutta steps change the error by less than 0.1 mm: " +
           studies::figures::format_number(mm(motion.step_error)),
       motion.step_error < 1e-4},
      {"four segments are at least ten times faster: " + studies::figures::format_number(motion.ratio),
       motion.ratio > 10}};
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "fem_as_constant_curvature",
                       "A soft arm of finite elements, identified as one of constant curvature.", run);
}
