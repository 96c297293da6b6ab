// SPDX-License-Identifier: BSD-3-Clause
// What a kernel's estimates are worth, on random functions whose seeds had no part in the choice of any setting: the
// share of answers whose errors exceed their estimates, by the word that the answer carries, with length scales that
// the samples choose and with given ones; and the share over the tolerance behind with_fallback.
#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/drawn_functions.hpp"
#include "quoin/kernel/kernel_surrogate.hpp"
#include "quoin/quoin.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {
using namespace benchmarks;

constexpr std::uint64_t first_seed = QUOIN_RELEASE;
// Errors that rounding alone leaves: of values of order 1 and of their derivatives.
constexpr double value_floor = 1e-8, jacobian_floor = 1e-6;

struct Share {
  double answers = 0, over = 0, worst = 0;
  void add(double error, double allowed) {
    ++answers;
    if (std::isnan(allowed)) return;  // nothing is stated
    over += !(error <= allowed);
    worst = std::max(worst, error / allowed);
  }
  double percent() const { return answers > 0 ? 100 * over / answers : 0; }
};

struct Exceeded {
  Share value, jacobian;
  std::vector<double> loose = {};  ///< estimate / error
};
using ByWord = std::map<std::pair<std::string, Trust>, Exceeded>;

template <int Dim>
using Function = typename DrawnFunctions<Dim>::Scalar;

template <int Dim>
Eigen::MatrixXd jet_of(const Function<Dim>& f, const Point<Dim>& x, int order) {
  Eigen::MatrixXd jet(1, jet_size(Dim, order));
  fill_jets<Dim>({f}, x, order, jet);
  return jet;
}

/// Answers at random points of [-2, 2]^Dim after random samples in it; length 0: chosen.
template <int Dim>
void scattered(const Function<Dim>& f, Draw& random, int order, int samples, double length, const std::string& kind,
               ByWord& words) {
  KernelInterpolant<Dim> kernel(1, order, {.length_scale = Point<Dim>::Constant(length)});
  for (int s = 0; s < samples; ++s) {
    const Point<Dim> x = random.in_box<Dim>(-2, 2);
    kernel.add(x, jet_of<Dim>(f, x, order));
  }
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  for (int m = 0; m < 60; ++m) {
    const Point<Dim> x = random.in_box<Dim>(-2, 2);
    const Answer answer = kernel.evaluate(x, y, J);
    const DrawnJet<Dim> exact = f(x);
    const double error = std::abs(y[0] - exact.value);
    Exceeded& exceeded = words[{kind, answer.trust}];
    exceeded.value.add(error, answer.error + value_floor);
    exceeded.loose.push_back((answer.error + value_floor) / (error + value_floor));
    if (order > 0)
      exceeded.jacobian.add((J - exact.gradient.transpose()).cwiseAbs().maxCoeff(),
                            answer.jacobian_error + jacobian_floor);
  }
}

struct Behind {
  Share over, over_alone, over_kernel;
  double by_kernel = 0, evaluations = 0, evaluations_alone = 0;
};

/// Along a closed curve through the box: a kernel that samples there, with a grid of the tolerance behind it.
template <int Dim>
void behind(const Function<Dim>& f, Draw& random, double length, Behind& result) {
  const auto exact = exact_jet<Dim, 1>(
      1, [f](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) { fill_jets<Dim>({f}, x, 1, jet); });
  const auto curve = random.closed_curve<Dim>(150);
  Eigen::MatrixXd X(Dim, std::ssize(curve));
  double largest = 0;
  for (std::size_t m = 0; m < curve.size(); ++m) {
    X.col(static_cast<Eigen::Index>(m)) = curve[m];
    largest = std::max(largest, std::abs(f(curve[m]).value));
  }
  if (largest == 0) return;
  GridOptions<Dim> options;
  options.spacing.setConstant(2);
  Eigen::VectorXd y;
  for (const double relative : {1e-2, 1e-3, 1e-4})
    for (const double threshold : {1e-3, 1e-5}) {
      const double tolerance = relative * largest;
      const AdaptiveGrid<Dim> alone(exact, options), grid(exact, options);
      KernelSurrogate<Dim, GridView<Dim>> kernel(grid.at_level(4), {.length_scale = Point<Dim>::Constant(length)});
      kernel.refine_at(X, {.value = threshold, .gradient = 10 * threshold}, 60);
      const auto both = with_fallback<Dim>(kernel.view(), grid.at_tolerance(tolerance), {.value = tolerance});
      const auto only_grid = alone.at_tolerance(tolerance);
      for (const Point<Dim>& x : curve) {
        const auto error = [&] { return std::abs(y[0] - f(x).value); };
        const Answer answer = kernel.view().evaluate(x, y);
        if (answer.trust == Trust::estimated && answer.error <= tolerance) {
          result.over_kernel.add(error(), tolerance);
          ++result.by_kernel;
        }
        both.evaluate(x, y);
        result.over.add(error(), tolerance);
        only_grid.evaluate(x, y);
        result.over_alone.add(error(), tolerance);
      }
      result.evaluations += static_cast<double>(grid.statistics().exact_evaluations);
      result.evaluations_alone += static_cast<double>(alone.statistics().exact_evaluations);
    }
}

struct Measured {
  ByWord words;
  std::map<std::string, Behind> behind = {};  ///< by the kind of function
};

template <int Dim>
void measure(double length, int seeds, Measured& measured) {
  const DrawnFunctions<Dim> drawn(0.5, 4);
  const std::pair<const char*, std::vector<std::string>> groups[] = {{"smooth", DrawnFunctions<Dim>::smooth()},
                                                                     {"not smooth", DrawnFunctions<Dim>::rough()},
                                                                     {"not smooth", DrawnFunctions<Dim>::jumping()}};
  for (const auto& [kind, families] : groups)
    for (std::size_t family = 0; family < families.size(); ++family)
      for (int seed = 0; seed < seeds; ++seed) {
        Draw random(first_seed + static_cast<std::uint64_t>(seed), family, Dim);
        const Function<Dim> f = drawn.draw(families[family], 1, random).front();
        for (int order = 0; order <= 2; ++order)
          for (const int samples : {3, 5, 8, 12, 16, 24, 40, 64})
            scattered<Dim>(f, random, order, samples, length, kind, measured.words);
        behind<Dim>(f, random, length, measured.behind[kind]);
      }
}

Report run(bool quick) {
  Report report;
  const auto number = [](double value) { return studies::figures::format_number(value); };
  const int seeds = quick ? 1 : 3;
  double most_exceeded = 0, most_over = 0;
  for (const double length : {0.0, 1.2, 4.0, 12.0}) {
    const std::string chosen = length == 0 ? "chosen" : number(length);
    Measured measured;
    measure<1>(length, seeds, measured);
    measure<2>(length, seeds, measured);
    measure<3>(length, seeds, measured);
    if (!quick) measure<4>(length, seeds, measured);
    for (auto& [key, exceeded] : measured.words) {
      const auto& [kind, word] = key;
      if (word == Trust::estimated && length == 0)
        most_exceeded = std::max({most_exceeded, exceeded.value.percent(), exceeded.jacobian.percent()});
      report.results.add(studies::figures::ResultRow()
                             .set("functions", kind)
                             .set("length", chosen)
                             .set("word", to_string(word))
                             .set("answers", exceeded.value.answers)
                             .set("exceeded_percent", exceeded.value.percent())
                             .set("by_at_most", exceeded.value.worst)
                             .set("jacobian_percent", exceeded.jacobian.percent())
                             .set("jacobian_by_at_most", exceeded.jacobian.worst)
                             .set("loose", median(exceeded.loose)));
    }
    report.notes += length == 0 ? "Behind `with_fallback`, along curves, the share over the tolerance:\n\n" : "";
    for (const auto& [kind, row] : measured.behind) {
      const double share = row.by_kernel / row.over.answers;
      most_over = std::max(most_over, row.over.percent());
      report.notes += "- " + kind + ", length " + chosen + ": " + number(row.over.percent()) + " % (the kernel's " +
                      number(row.over_kernel.percent()) + " %, the grid alone " + number(row.over_alone.percent()) +
                      " %); the kernel answers " + number(100 * share) + " %; evaluations / grid alone " +
                      number(row.evaluations / row.evaluations_alone) + "\n";
    }
  }
  report.columns = {{"functions"},
                    {"length", "length scale"},
                    {"word"},
                    {"answers"},
                    {"exceeded_percent", "errors over the estimate [%]"},
                    {"by_at_most", "by at most"},
                    {"jacobian_percent", "the Jacobian's [%]"},
                    {"jacobian_by_at_most", "by at most"},
                    {"loose", "estimate / error, median"}};
  report.checks = {
      {"at most 1 % of what is called estimated exceeds its estimate, smooth or not, lengths chosen; worst: " +
           number(most_exceeded) + " %",
       most_exceeded <= 1, !quick},  // one draw of each family says little of one answer in a hundred
      {"at most 0.5 % of answers over the tolerance behind with_fallback, any length; worst: " + number(most_over) +
           " %",
       most_over <= 0.5}};
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "kernel_estimates", "What a kernel's estimates are worth, on random functions.",
                       run);
}
