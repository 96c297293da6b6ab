// SPDX-License-Identifier: BSD-3-Clause
// Whether suggest_surrogate is right, on random functions whose seeds had no part in the choice of any setting: what
// grids and kernels need against what it expected of them, and whether the one it would take needs the fewest.
#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/drawn_functions.hpp"
#include "quoin/choosing/suggest_surrogate.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {
using namespace benchmarks;
using studies::quantile;
using studies::figures::format_number;
using studies::figures::ResultRow;

constexpr std::uint64_t first_seed = QUOIN_RELEASE;
constexpr int places = 400;
constexpr double never = std::numeric_limits<double>::infinity();
/// What the function that is asked about takes: so long that fewer evaluations are sooner done, as where a surrogate is
/// worth the trouble.
constexpr std::chrono::microseconds pause{300};
constexpr double queries = 1000;

/// A drawn function of one output, and where it is asked.
template <int Dim>
struct Problem {
  std::vector<typename DrawnFunctions<Dim>::Scalar> functions;
  Eigen::MatrixXd points;
  SurrogateTask task;

  Problem(const std::string& family, Coverage coverage, Draw& random)
      : functions(DrawnFunctions<Dim>(0.5, 4).draw(family, 1, random)), points(Dim, places) {
    task.coverage = coverage;
    task.queries = queries;
    const auto curve = random.closed_curve<Dim>(places);
    for (int i = 0; i < places; ++i)
      points.col(i) = coverage == Coverage::path ? curve[static_cast<std::size_t>(i)] : random.in_box<Dim>(-1.5, 1.5);
    double largest = 0;
    for (int i = 0; i < places; ++i) largest = std::max(largest, std::abs(value(points.col(i))));
    task.tolerance = largest * random.log_uniform(1e-5, 1e-2);
  }
  double value(const Point<Dim>& x) const { return functions[0](x).value; }
  /// K: of the jets; 0: of values alone. after: what an evaluation takes.
  template <int K>
  AdaptiveGrid<Dim> grid(const GridOptions<Dim>& options = {}, std::chrono::microseconds after = {}) const {
    if constexpr (K == 0) {
      const auto fill = [this, after](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y) {
        std::this_thread::sleep_for(after);
        y[0] = value(x);
      };
      return AdaptiveGrid<Dim>(exact_function_without_derivatives<Dim>(1, fill), options);
    } else {
      const auto fill = [this, after](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
        std::this_thread::sleep_for(after);
        fill_jets<Dim>(functions, x, K, jet);
      };
      return AdaptiveGrid<Dim>(exact_jet<Dim, K>(1, fill), options);
    }
  }
  template <class Map>
  double error(const Map& map) const {  // over the tolerance
    Eigen::VectorXd y;
    double largest = 0;
    for (int i = 0; i < places; ++i) {
      map.try_evaluate(points.col(i), y);
      largest = std::max(largest, std::abs(y[0] - value(points.col(i))));
    }
    return largest / task.tolerance;
  }
};

struct Measured {
  double error = 0;        ///< over the tolerance, with the spacing or threshold suggested
  double evaluations = 0;  ///< with it
  double needed = never;   ///< evaluations that suffice
};

template <int Dim, int K>
Measured measure_grid(const Problem<Dim>& problem, const Point<Dim>& spacing, bool to_tolerance) {
  const auto at = [&](double factor) {
    GridOptions<Dim> options{.spacing = factor * spacing};
    if (to_tolerance) options.tolerance = problem.task.tolerance;
    const AdaptiveGrid<Dim> grid = problem.template grid<K>(options);
    const double error = problem.error(grid);
    return Measured{error, static_cast<double>(grid.statistics().exact_evaluations)};
  };
  Measured measured = at(1);
  if (to_tolerance) return measured;
  // The largest spacing that suffices, to a factor of 2^(1/4).
  const bool suffices = measured.error <= 1;
  Measured best = measured;
  for (int step = 1; step <= 12; ++step) {
    const Measured next = at(std::exp2((suffices ? step : -step) / 4.));
    if (suffices && next.error > 1) break;
    best = next;
    if (!suffices && next.error <= 1) break;
  }
  if (best.error <= 1) measured.needed = best.evaluations;
  return measured;
}

/// A kernel of values, where the deviation of the value is largest, after a few that spread.
template <int Dim>
Measured measure_values(const Problem<Dim>& problem, const SurrogateChoice<Dim>& choice) {
  KernelInterpolant<Dim> kernel(1, 0, {.jitter = choice.jitter});
  Measured measured;
  const double most = 2 * choice.corners + 10;
  for (int samples = 1; samples <= most && (samples <= choice.corners || measured.needed == never); ++samples) {
    Eigen::Index worst = (samples - 1) * places / (Dim + 2) % places;
    double largest = 0;
    for (Eigen::Index m = 0; samples > Dim + 2 && m < places; ++m) {
      const double deviation = kernel.deviation(problem.points.col(m)).value;
      if (deviation <= largest || kernel.contains(problem.points.col(m))) continue;
      largest = deviation;
      worst = m;
    }
    kernel.add(problem.points.col(worst), Eigen::MatrixXd::Constant(1, 1, problem.value(problem.points.col(worst))));
    if (samples < KernelCalibration::fewest) continue;
    const double error = problem.error(kernel.view());
    if (error <= 1) measured.needed = std::min<double>(measured.needed, samples);
    if (samples > choice.corners) continue;
    measured.error = error;
    measured.evaluations = samples;
  }
  return measured;
}

template <int Dim, int K>
Measured measure_kernel(const Problem<Dim>& problem, const SurrogateChoice<Dim>& choice) {
  if (choice.order == 0) return measure_values(problem, choice);
  const AdaptiveGrid<Dim> grid = problem.template grid<K>();
  KernelSurrogate<Dim, GridView<Dim>> kernel(grid.at_level(5), {.jitter = choice.jitter});
  Measured measured;
  const double most = 2 * choice.corners + 10, values = choice.evaluations / choice.corners;
  for (int samples = 1; samples <= most && (samples <= choice.corners || measured.needed == never); ++samples) {
    if (kernel.refine_at(problem.points, choice.threshold, 1).added == 0) break;
    if (samples < KernelCalibration::fewest) continue;
    const double error = problem.error(kernel.view());
    if (error <= 1) measured.needed = std::min(measured.needed, samples * values);
    if (samples > choice.corners) continue;
    measured.error = error;
    measured.evaluations = samples * values;
  }
  return measured;
}

template <int Dim>
Measured measure(const Problem<Dim>& problem, const SurrogateChoice<Dim>& choice, bool values_alone) {
  const auto of_order = [&]<int K>(std::integral_constant<int, K>) {
    return choice.kind == SurrogateKind::kernel
               ? measure_kernel<Dim, K>(problem, choice)
               : measure_grid<Dim, K>(problem, choice.spacing, choice.kind == SurrogateKind::grid_tolerance);
  };
  if (values_alone) return of_order(std::integral_constant<int, 0>());
  return choice.order == 1 ? of_order(std::integral_constant<int, 1>()) : of_order(std::integral_constant<int, 2>());
}

/// What was found of one kind of surrogate, or of the choice between them.
struct Tally {
  std::vector<double> errors, counts, needed = {};
};
struct Outcome {
  Tally grid, kernel, of_values;  ///< of_values: kernels of order 0
  std::vector<double> chosen;     ///< evaluations that the choice needs, over the fewest
  int draws = 0, unresolved = 0;
};

template <int Dim>
void tally(const std::vector<std::string>& families, bool values_alone, int seeds, Coverage coverage,
           Outcome& outcome) {
  for (std::size_t family = 0; family < families.size(); ++family)
    for (int seed = 0; seed < seeds; ++seed) {
      Draw random(first_seed + static_cast<std::uint64_t>(seed), family, Dim);
      const Problem<Dim> problem(families[family], coverage, random);
      const AdaptiveGrid<Dim> grid =
          values_alone ? problem.template grid<0>({}, pause) : problem.template grid<2>({}, pause);
      const SurrogateAdvice<Dim> advice = suggest_surrogate(grid, problem.points, problem.task);
      const auto taken = static_cast<double>(grid.statistics().exact_evaluations);
      ++outcome.draws;
      outcome.unresolved += !advice.resolved();
      double fewest = never, expected = never, of_choice = never;
      for (const SurrogateChoice<Dim>& choice : advice.choices) {
        if (choice.kind == SurrogateKind::function) continue;
        const Measured measured = measure(problem, choice, values_alone);
        if (choice.kind == SurrogateKind::grid_tolerance) {
          outcome.grid.errors.push_back(measured.error);
          continue;
        }
        const bool of_values = choice.kind == SurrogateKind::kernel && choice.order == 0;
        Tally& kind = choice.kind == SurrogateKind::grid ? outcome.grid
                      : of_values                        ? outcome.of_values
                                                         : outcome.kernel;
        if (measured.evaluations > 0) {
          kind.errors.push_back(measured.error);
          kind.counts.push_back(choice.evaluations / measured.evaluations);
        }
        // What was taken to find out is taken: fewer are no gain. Of values it is what jets took.
        const bool of_jets = choice.kind == SurrogateKind::kernel && !of_values;
        const double needed = of_jets ? std::max(measured.needed, taken) : measured.needed;
        if (needed < never) kind.needed.push_back(choice.evaluations / needed);
        fewest = std::min(fewest, needed);
        if (choice.evaluations < expected) {
          expected = choice.evaluations;
          of_choice = needed;
        }
      }
      if (advice.resolved() && fewest < never) outcome.chosen.push_back(of_choice / fewest);
    }
}

double share(const std::vector<double>& values, double from, double to) {  // in percent
  const auto within = std::ranges::count_if(values, [&](double v) { return v >= from && v <= to; });
  return values.empty() ? 0 : 100. * static_cast<double>(within) / static_cast<double>(values.size());
}

/// The soft arm in space along a closed path in its four controls, to 2e-6 m rms: what was expected, and what a grid of
/// the spacing suggested takes and errs.
void suggest_for_arm(Report& report) {
  const soft_arm::Statics<3> statics(soft_arm::SoftArm<3>(soft_arm::make_beam<3>()));
  constexpr double tolerance = 2e-6;
  Eigen::MatrixXd path(4, 200);
  for (int m = 0; m < 200; ++m) {
    const double t = 2 * std::numbers::pi * m / 200;
    path.col(m) << 1.2 + std::cos(t), 1.2 + std::sin(t), 1.2 + 0.7 * std::cos(2 * t), 1.2 + 0.7 * std::sin(2 * t);
  }
  const AdaptiveGrid<4> asked(statics);
  SurrogateAdvice<4> advice;
  const double seconds = seconds_of([&] { advice = suggest_surrogate(asked, path, {.tolerance = tolerance}); });
  report.notes += "- soft arm in space, K = 1, " + to_text(advice.samples) + " jets, " + format_number(seconds) + " s:";
  for (const SurrogateChoice<4>& choice : advice.choices) {
    if (choice.kind == SurrogateKind::kernel)
      report.notes += " a kernel of " + to_text(choice.evaluations) + " samples;";
    if (choice.kind != SurrogateKind::grid) continue;
    const AdaptiveGrid<4> grid(statics, {.spacing = choice.spacing});
    Eigen::VectorXd y, exact;
    double error = 0;
    for (int m = 0; m < 200; ++m) {
      grid.evaluate(path.col(m), y);
      statics.evaluate(path.col(m), exact);
      error = std::max(error, (y - exact).norm() / std::sqrt(static_cast<double>(y.size())));
    }
    const auto taken = static_cast<double>(grid.statistics().exact_evaluations);
    report.notes += " a grid of spacing " + format_number(choice.spacing[0]) + " with " + to_text(choice.evaluations) +
                    " corners, which takes " + to_text(taken) + " and errs by " + format_number(error / tolerance) +
                    " of the tolerance;";
    report.checks.push_back(
        {"soft arm: the suggested grid errs by half to twice the tolerance, at 0.9 to 1.1 of the "
         "evaluations expected",
         error > 0.5 * tolerance && error < 2 * tolerance && taken > 0.9 * choice.evaluations &&
             taken < 1.1 * choice.evaluations});
  }
  report.notes += "\n";
}

Report run(bool quick) {
  Report report;
  const int seeds = quick ? 1 : 5;
  struct Group {
    const char* functions;
    std::vector<std::string> families;
    bool values_alone;
  };
  const Group groups[] = {{"smooth", DrawnFunctions<1>::smooth(), false},
                          {"smooth, values alone", DrawnFunctions<1>::smooth(), true},
                          {"layers, kinks, cusps", {"layer", "kink", "cusp"}, false}};
  for (const auto& [functions, families, values_alone] : groups)
    for (const Coverage coverage : {Coverage::path, Coverage::box}) {
      Outcome outcome;
      tally<1>(families, values_alone, seeds, coverage, outcome);
      tally<2>(families, values_alone, seeds, coverage, outcome);
      tally<3>(families, values_alone, quick ? 1 : seeds, coverage, outcome);
      if (!quick && coverage == Coverage::path) tally<4>(families, values_alone, seeds, coverage, outcome);
      const std::string where = coverage == Coverage::path ? "path" : "box";
      for (const auto& [kind, found] :
           {std::pair{"grid", outcome.grid}, {"kernel", outcome.kernel}, {"kernel of values", outcome.of_values}}) {
        if (found.errors.empty()) continue;
        report.results.add(ResultRow()
                               .set("functions", functions)
                               .set("where", where)
                               .set("kind", kind)
                               .set("choices", static_cast<double>(found.errors.size()))
                               .set("error_median", median(found.errors))
                               .set("error_90", quantile(found.errors, 0.9))
                               .set("over_3", 100 - share(found.errors, 0, 3))
                               .set("count_median", found.counts.empty() ? NAN : median(found.counts))
                               .set("needed_median", found.needed.empty() ? NAN : median(found.needed))
                               .set("needed_10", found.needed.empty() ? NAN : quantile(found.needed, 0.1))
                               .set("needed_90", found.needed.empty() ? NAN : quantile(found.needed, 0.9)));
      }
      const double right = share(outcome.chosen, 0, 1.5);
      report.notes += "- " + std::string(functions) + ", " + where + ": not resolved " + to_text(outcome.unresolved) +
                      " of " + to_text(outcome.draws);
      if (!outcome.chosen.empty())
        report.notes += "; the choice with the fewest evaluations expected needs the fewest in " +
                        format_number(share(outcome.chosen, 0, 1)) + " %, at most 1.5 times the fewest in " +
                        format_number(right) + " %, nine of ten at most " +
                        format_number(quantile(outcome.chosen, 0.9)) + " times";
      report.notes += "\n";
      if (&families != &groups[2].families) {
        report.checks.push_back({where + ", " + functions +
                                     ": the choice needs at most 1.5 times the fewest evaluations in "
                                     "three of four draws: " +
                                     format_number(right) + " %",
                                 right >= 75, !quick});
        report.checks.push_back({where + ", " + functions +
                                     ": the median error of a suggested grid is half to twice the tolerance: " +
                                     format_number(median(outcome.grid.errors)),
                                 median(outcome.grid.errors) > 0.5 && median(outcome.grid.errors) < 2});
      }
    }
  suggest_for_arm(report);
  report.columns = {{"functions"},
                    {"where"},
                    {"kind"},
                    {"choices"},
                    {"error_median", "error / tolerance, median"},
                    {"error_90", "90 %"},
                    {"over_3", "above 3 [%]"},
                    {"count_median", "evaluations expected / taken, median"},
                    {"needed_median", "expected / needed, median"},
                    {"needed_10", "10 %"},
                    {"needed_90", "90 %"}};
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "suggested_surrogates", "Whether suggest_surrogate is right, on random functions.",
                       run);
}
