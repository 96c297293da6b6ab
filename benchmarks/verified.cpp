// SPDX-License-Identifier: BSD-3-Clause
// Verified answers: how true the measured error of a grid's answer is, how much of it the corrected value leaves, how
// often an answer can be verified, and what that costs beside f, on the soft arm and an arch at random points.
#include "benchmarks/support/benchmark_program.hpp"
#include "examples/studies/snap_through/arch.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace {
using namespace benchmarks;

struct Quality {
  std::string name;
  double spacing = 0;
  int points = 0, verified_answers = 0;
  std::vector<double> errors = {}, ratios = {}, left = {};       // of the verified answers
  std::vector<double> by_map = {}, by_verified = {}, by_f = {};  // seconds, of all answers
  double worst_refused = 0;                                      // error of an answer that was not verified

  double min_ratio() const { return ratios.empty() ? 1 : *std::min_element(ratios.begin(), ratios.end()); }
  double largest_ratio() const { return ratios.empty() ? 1 : *std::max_element(ratios.begin(), ratios.end()); }
  double most_left() const { return left.empty() ? 0 : *std::max_element(left.begin(), left.end()); }
};

double rms(const Eigen::VectorXd& v) { return v.norm() / std::sqrt(static_cast<double>(v.size())); }

/// Seconds of the processor that a call takes, to a microsecond: what else runs on the machine does not count.
template <class Call>
double processor_seconds(Call&& call) {
  const std::clock_t start = std::clock();
  call();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// judge: the Verifiable; truth(x, guess): f at x, or nothing. Every answer is given once before any is timed, so that
/// f has been called at all corners; then map, verified map and f take their turns at each point.
template <int Dim, class Judge, class Truth>
Quality measure(const std::string& name, const GridView<Dim>& view, double spacing, const Judge& judge,
                const Truth& truth, const std::vector<Point<Dim>>& points) {
  Quality quality{.name = name, .spacing = spacing, .points = static_cast<int>(points.size())};
  const auto map = verified<Dim>(view, judge), corrected = verified<Dim>(view, judge, {.corrected = true});
  Eigen::VectorXd y, better;
  for (const Point<Dim>& x : points) {
    const Answer interpolated = view.evaluate(x, y);
    if (interpolated.trust != Trust::unchecked) continue;  // across the arch's snap
    Answer answer;
    std::optional<Eigen::VectorXd> f;
    quality.by_map.push_back(processor_seconds([&] { view.evaluate(x, y); }));
    quality.by_verified.push_back(processor_seconds([&] { answer = map.evaluate(x, y); }));
    quality.by_f.push_back(processor_seconds([&] { f = truth(x, y); }));
    if (!f) continue;
    const double error = rms(y - *f);
    if (answer.trust != Trust::verified) {
      quality.worst_refused = std::max(quality.worst_refused, error);
      continue;
    }
    corrected.evaluate(x, better);
    ++quality.verified_answers;
    quality.errors.push_back(error);
    if (error < 1e-12) continue;  // what rounding leaves, in f too, has no ratio
    quality.ratios.push_back(answer.error / error);
    quality.left.push_back(rms(better - *f) / error);
  }
  quality.points = static_cast<int>(quality.by_f.size());
  return quality;
}

template <int SpaceDim, int K>
Quality arm(double spacing, int count, unsigned seed) {
  using namespace quoin::soft_arm;
  constexpr int lines = line_count<SpaceDim>;
  const Statics<SpaceDim> statics{SoftArm<SpaceDim>(make_beam<SpaceDim>())};
  GridOptions<lines> options;
  options.origin.setConstant(-1);
  options.spacing.setConstant(spacing);
  options.lower.setConstant(-1);
  options.upper.setConstant(6);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> pull(-1, 6);
  std::vector<Point<lines>> points(static_cast<std::size_t>(count));
  for (Point<lines>& x : points)
    for (int k = 0; k < lines; ++k) x[k] = pull(random);
  const AdaptiveGrid<lines> grid(JetStatics<SpaceDim, K>(statics), options);
  // The statics start from the nearest equilibrium that they remember, here a corner of the query's cell.
  const auto truth = [&](const Point<lines>& x, const Eigen::VectorXd&) -> std::optional<Eigen::VectorXd> {
    Eigen::VectorXd y;
    statics.evaluate(x, y);
    return y;
  };
  const std::string name = std::string(SpaceDim == 2 ? "soft arm, plane" : "soft arm, space") + ", K = " + to_text(K);
  return measure<lines>(name, grid.at_level(0), spacing, statics, truth, points);
}

Quality arch(double spacing, int count, unsigned seed) {
  const studies::branches::Arch body;
  GridOptions<2> options{.spacing = {spacing, spacing}, .lower = {-8, -4}, .upper = {16, 4}};
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> crown(-8, 16), quarter(-4, 4);
  std::vector<Point<2>> points(static_cast<std::size_t>(count));
  for (Point<2>& x : points) x = {crown(random), quarter(random)};
  const AdaptiveGrid<2> grid(studies::branches::labelled(body), options);
  const auto truth = [&](const Point<2>& x, const Eigen::VectorXd& guess) -> std::optional<Eigen::VectorXd> {
    const auto found = body.settle(guess, x);  // on the branch of the guess, which verifying is about
    return found ? std::optional(found->y) : std::nullopt;
  };
  return measure<2>("arch, K = 1", grid.at_level(0), spacing, body, truth, points);
}

Report run(bool quick) {
  // From one seed on that no constant was chosen on.
  const int plane = quick ? 40 : 400, space = quick ? 10 : 80;
  std::vector<Quality> all = {arm<2, 1>(1, plane, 30001),    arm<2, 1>(0.5, plane, 30002),
                              arm<2, 1>(0.25, plane, 30003), arm<2, 2>(1, plane, 30004),
                              arm<3, 1>(1, space, 30005),    arm<3, 1>(0.5, space, 30006),
                              arm<3, 1>(0.25, space, 30007), arm<3, 2>(1, space, 30008),
                              arch(2, plane, 30009),         arch(1, plane, 30010)};
  Report report;
  double least = 1, largest = 1, most_left = 0, share = 1;
  for (const Quality& q : all) {
    least = std::min(least, q.min_ratio());
    largest = std::max(largest, q.largest_ratio());
    most_left = std::max(most_left, q.most_left());
    const double verified_percent = 100.0 * q.verified_answers / q.points;
    report.results.add(studies::figures::ResultRow()
                           .set("function", q.name)
                           .set("spacing", q.spacing)
                           .set("points", q.points)
                           .set("verified_percent", verified_percent)
                           .set("median_error", median(q.errors))
                           .set("worst_refused", q.worst_refused)
                           .set("min_ratio", q.min_ratio())
                           .set("largest_ratio", q.largest_ratio())
                           .set("most_left_percent", 100 * q.most_left())
                           .set("map_ms", 1e3 * median(q.by_map))
                           .set("verified_ms", 1e3 * median(q.by_verified))
                           .set("f_ms", 1e3 * median(q.by_f)));
    if (q.name == "soft arm, space, K = 1" && q.spacing == 0.25) share = median(q.by_verified) / median(q.by_f);
  }
  report.columns = {{"function"},
                    {"spacing"},
                    {"points"},
                    {"verified_percent", "verified, %"},
                    {"median_error", "their error, median"},
                    {"worst_refused", "worst error of the others"},
                    {"min_ratio", "estimate / error, least", 4},
                    {"largest_ratio", "largest", 4},
                    {"most_left_percent", "left by correction, at most, %"},
                    {"map_ms", "map, ms"},
                    {"verified_ms", "verified, ms"},
                    {"f_ms", "f, ms"}};
  report.notes =
      "At random points of the domain, where all corners are known. Errors are root mean squares over the outputs, "
      "metres. The times are medians of the processor's time, taken in turn at each point; f of the arm starts from a "
      "corner of the query's "
      "cell, f of the arch from the map's value.\n";
  const auto number = [](double value) { return studies::figures::format_number(value); };
  report.checks = {
      {"the estimate is 0.95 to 1.05 of the error: " + number(least) + " to " + number(largest),
       least >= 0.95 && largest <= 1.05},
      {"the corrected value leaves at most 5 % of the error: " + number(100 * most_left) + " %", most_left <= 0.05},
      {"to verify costs at most half of f, arm in space at 0.25: " + number(share), share <= 0.5, false}};
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "verified", "How true, how frequent and how dear verified answers are.", run);
}
