// SPDX-License-Identifier: BSD-3-Clause
// Tolerance mode: what it delivers and what it costs. Exact evaluations against those of the best single level, the
// share of answers that miss the tolerance and by how much, on smooth functions, a layer, a kink and the soft arm,
// queried along curves and random walks, for 20 tolerances each.
#include "benchmarks/support/benchmark_program.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace {
using namespace benchmarks;

constexpr double allowed_share = 0.005;  // share of answers over the tolerance, for either side

/// Outputs of order 1: a scalar g(a . x), which is smooth or has a layer, a kink or a bump, plus a slow wave.
template <int Dim>
struct Ridge {
  enum class Kind { smooth, layer, kink, bump } kind;

  static constexpr int outputs = 3;

  void operator()(const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) const {
    for (int r = 0; r < outputs; ++r) {
      Point<Dim> a, k;
      for (int i = 0; i < Dim; ++i) {
        a[i] = 0.5 + 0.4 * std::sin(1.3 * (kind == Kind::smooth ? r : 0) + 2.1 * i);
        k[i] = 0.5 * std::cos(0.7 * r + 1.7 * i);
      }
      a.normalize();
      const double s = a.dot(x) - 0.17;
      double g = 0, slope = 0;
      switch (kind) {
        case Kind::smooth:
          g = std::sin(1.5 * s);
          slope = 1.5 * std::cos(1.5 * s);
          break;
        case Kind::layer:
          g = std::tanh(s / 0.05);
          slope = (1 - g * g) / 0.05;
          break;
        case Kind::kink:
          g = std::abs(s);
          slope = s < 0 ? -1 : 1;
          break;
        case Kind::bump: {
          const Point<Dim> from = x - Point<Dim>::Constant(0.35);
          g = std::exp(-from.squaredNorm() / (2 * 0.15 * 0.15));
          y[r] = g + 0.2 * std::sin(k.dot(x));
          J.row(r) = -g / (0.15 * 0.15) * from.transpose() + 0.2 * std::cos(k.dot(x)) * k.transpose();
          continue;
        }
      }
      const double amplitude = 1 - 0.3 * r;
      slope *= amplitude;
      y[r] = amplitude * g + 0.2 * std::sin(k.dot(x));
      J.row(r) = slope * a.transpose() + 0.2 * std::cos(k.dot(x)) * k.transpose();
    }
  }
};

/// A closed curve through the box [-half, half]^Dim around a centre, one turn of the slowest axis.
template <int Dim>
std::vector<Point<Dim>> curve(int count, const Point<Dim>& centre, double half) {
  std::vector<Point<Dim>> points(count);
  for (int m = 0; m < count; ++m)
    for (int i = 0; i < Dim; ++i)
      points[m][i] = centre[i] + half * std::sin(2 * std::numbers::pi * (1 + i) * m / count + 0.9 * i + 0.3);
  return points;
}

/// `count` points of one walk of 10000 small steps in slowly turning random directions, reflected at the box. The
/// walk does not depend on `count`.
template <int Dim>
std::vector<Point<Dim>> random_walk(int count, const Point<Dim>& centre, double half, unsigned seed) {
  constexpr int steps = 10000;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Point<Dim>> points;
  Point<Dim> x = centre, direction = Point<Dim>::Zero();
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < Dim; ++i) direction[i] = 0.98 * direction[i] + 0.3 * std::sqrt(0.2) * normal(random);
    x += 0.004 * half * direction;
    for (int i = 0; i < Dim; ++i) {
      const double from = x[i] - centre[i];
      if (std::abs(from) > half) {
        x[i] = centre[i] + std::copysign(2 * half, from) - from;
        direction[i] = -direction[i];
      }
    }
    if ((step + 1) * count / steps > step * count / steps) points.push_back(x);
  }
  return points;
}

/// Remembers all answers of an expensive function, so that sweeps over tolerances do not solve again.
template <int Dim, class Map>
class Remembered {
 public:
  explicit Remembered(Map map) : map_(std::move(map)) {}
  Eigen::Index output_size() const { return map_.output_size(); }
  FunctionTraits traits() const { return {.concurrent = false, .repeatable_to = map_.traits().repeatable_to}; }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y) const {
    Eigen::MatrixXd J;
    return evaluate(x, y, J);
  }
  Answer evaluate(const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    std::array<double, Dim> key;
    std::copy_n(x.data(), Dim, key.begin());
    auto& [value, jacobian] = (*known_)[key];
    if (value.size() == 0) map_.evaluate(x, value, jacobian);
    y = value;
    J = jacobian;
    return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
  }

 private:
  Map map_;
  std::shared_ptr<std::map<std::array<double, Dim>, std::pair<Eigen::VectorXd, Eigen::MatrixXd>>> known_ =
      std::make_shared<std::map<std::array<double, Dim>, std::pair<Eigen::VectorXd, Eigen::MatrixXd>>>();
};

/// Results of one way of answering the queries of a workload.
struct Delivered {
  std::size_t evaluations = 0;
  double share_over = 0;       ///< share of answers whose error is above the tolerance
  double worst_ratio = 0;      ///< largest error / tolerance
  double share_dishonest = 0;  ///< share of answers whose error is above their own estimate
  double jacobian_ratio = 0;   ///< largest error of the Jacobian / its estimate
  std::vector<double> errors = {};
};

struct Summary {
  std::vector<double> ratios = {};
  std::size_t answers = 0;
  double over = 0;
};

struct Workload {
  std::string function, path;
  int dim;
};

double norm(const Eigen::VectorXd& v) { return v.norm() / std::sqrt(static_cast<double>(v.size())); }

template <int Dim, class Map>
void compare(const Workload& workload, const Map& f, const GridOptions<Dim>& options,
             const std::vector<Point<Dim>>& points, const std::vector<double>& tolerances, int deepest_uniform,
             Report& report, Summary& summary) {
  std::vector<Eigen::VectorXd> values(points.size());
  std::vector<Eigen::MatrixXd> jacobians(points.size());
  for (std::size_t m = 0; m < points.size(); ++m) f.evaluate(points[m], values[m], jacobians[m]);

  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  std::vector<Delivered> levels;
  const auto uniform = [&](int level) -> const Delivered& {
    while (static_cast<int>(levels.size()) <= level) {
      const AdaptiveGrid<Dim> grid(f, options);
      const GridView<Dim> view = grid.at_level(static_cast<int>(levels.size()));
      Delivered& delivered = levels.emplace_back();
      for (std::size_t m = 0; m < points.size(); ++m) {
        view.evaluate(points[m], y);
        delivered.errors.push_back(norm(y - values[m]));
      }
      delivered.evaluations = grid.statistics().exact_evaluations;
    }
    return levels[static_cast<std::size_t>(level)];
  };

  std::vector<double> ratios;
  double worst_ratio = 0, over = 0, dishonest = 0, jacobian_ratio = 0;
  std::vector<double> uniform_evaluations, evaluations;
  for (const double tolerance : tolerances) {
    AdaptiveGrid<Dim> grid(f, options);
    const GridView<Dim> view = grid.at_tolerance(tolerance);
    Delivered delivered;
    for (std::size_t m = 0; m < points.size(); ++m) {
      const Answer answer = view.evaluate(points[m], y, J);
      const double error = norm(y - values[m]);
      delivered.share_over += error > tolerance;
      delivered.worst_ratio = std::max(delivered.worst_ratio, error / tolerance);
      delivered.share_dishonest += !(error <= answer.error);
      double jacobian = 0;
      for (int j = 0; j < Dim; ++j) jacobian = std::max(jacobian, norm(J.col(j) - jacobians[m].col(j)));
      delivered.jacobian_ratio = std::max(delivered.jacobian_ratio, jacobian / answer.jacobian_error);
    }
    delivered.evaluations = grid.statistics().exact_evaluations;
    int level = 0;
    const auto share = [&](const Delivered& d) {
      return static_cast<double>(
                 std::count_if(d.errors.begin(), d.errors.end(), [&](double e) { return e > tolerance; })) /
             static_cast<double>(points.size());
    };
    while (level < deepest_uniform && share(uniform(level)) > allowed_share) ++level;
    const double ratio = static_cast<double>(delivered.evaluations) / static_cast<double>(uniform(level).evaluations);
    ratios.push_back(ratio);
    summary.ratios.push_back(ratio);
    evaluations.push_back(static_cast<double>(delivered.evaluations));
    uniform_evaluations.push_back(static_cast<double>(uniform(level).evaluations));
    worst_ratio = std::max(worst_ratio, delivered.worst_ratio);
    over += delivered.share_over;
    dishonest += delivered.share_dishonest;
    jacobian_ratio = std::max(jacobian_ratio, delivered.jacobian_ratio);
  }
  summary.over += over;
  const double answers = static_cast<double>(points.size() * tolerances.size());
  summary.answers += points.size() * tolerances.size();
  report.results.add(studies::figures::ResultRow()
                         .set("function", workload.function)
                         .set("path", workload.path)
                         .set("dim", Dim)
                         .set("median_ratio", median(ratios))
                         .set("min_ratio", *std::min_element(ratios.begin(), ratios.end()))
                         .set("largest_ratio", *std::max_element(ratios.begin(), ratios.end()))
                         .set("share_over", over / answers)
                         .set("worst_over", worst_ratio)
                         .set("share_above_estimate", dishonest / answers)
                         .set("jacobian_over_estimate", jacobian_ratio)
                         .set("tolerances", tolerances)
                         .set("evaluations", evaluations)
                         .set("uniform_evaluations", uniform_evaluations));
}

std::vector<double> log_spaced(double first, double last, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(first * std::pow(last / first, i / (count - 1.0)));
  return values;
}

template <int Dim>
void compare_ridges(bool quick, Report& report, Summary& smooth, Summary& localized) {
  using Kind = typename Ridge<Dim>::Kind;
  const int count = quick ? 2000 : 10000;
  const Point<Dim> centre = Point<Dim>::Constant(0.11);
  const std::pair<std::string, std::vector<Point<Dim>>> paths[] = {
      {"curve", curve<Dim>(count, centre, 1.7)}, {"random walk", random_walk<Dim>(count, centre, 1.7, 7)}};
  const std::tuple<std::string, Kind, double> functions[] = {{"smooth", Kind::smooth, 1e-7},
                                                             {"layer", Kind::layer, 1e-6},
                                                             {"kink", Kind::kink, 1e-4},
                                                             {"bump", Kind::bump, 1e-6}};
  for (const auto& [name, kind, finest] : functions)
    for (const auto& [path, points] : paths)
      compare<Dim>({name, path, Dim}, exact_function<Dim>(Ridge<Dim>::outputs, Ridge<Dim>{kind}), {}, points,
                   log_spaced(1e-1, finest, 20), 12, report, kind == Kind::smooth ? smooth : localized);
}

template <int SpaceDim>
void compare_arm(bool quick, Report& report, Summary& smooth) {
  using namespace quoin::soft_arm;
  constexpr int lines = line_count<SpaceDim>;
  const Remembered<lines, Statics<SpaceDim>> f(
      Statics<SpaceDim>(SoftArm<SpaceDim>(make_beam<SpaceDim>()), {.remembered = 4096}));
  const int count = quick ? 60 : 300;
  const Point<lines> centre = Point<lines>::Constant(2);
  GridOptions<lines> options;
  options.lower.setConstant(-1);
  options.upper.setConstant(6);
  const std::string name = SpaceDim == 2 ? "soft arm, plane" : "soft arm, space";
  // Outputs are coordinates, m: tolerances from a millimetre for a length of half a metre down to 0.1 um.
  const auto tolerances = log_spaced(1e-3, quick ? 1e-5 : 1e-7, quick ? 6 : 20);
  compare<lines>({name, "curve", lines}, f, options, curve<lines>(count, centre, 1.5), tolerances, 5, report, smooth);
  compare<lines>({name, "random walk", lines}, f, options, random_walk<lines>(count, centre, 1.5, 11), tolerances, 5,
                 report, smooth);
}

Report accuracy(bool quick) {
  Report report;
  Summary smooth, localized;
  compare_ridges<1>(quick, report, smooth, localized);
  compare_ridges<2>(quick, report, smooth, localized);
  compare_ridges<3>(quick, report, smooth, localized);
  compare_ridges<4>(quick, report, smooth, localized);
  compare_arm<2>(quick, report, smooth);
  compare_arm<3>(quick, report, smooth);
  report.columns = {{"function"},
                    {"path"},
                    {"dim", "d"},
                    {"median_ratio", "evaluations / best level: median"},
                    {"min_ratio", "least"},
                    {"largest_ratio", "largest"},
                    {"share_over", "share over tolerance"},
                    {"worst_over", "worst error / tolerance"},
                    {"share_above_estimate", "share above own estimate"},
                    {"jacobian_over_estimate", "worst error / estimate of Jacobian"}};
  const auto number = [](double value) { return studies::figures::format_number(value); };
  const auto worst = [](const Summary& s) { return *std::max_element(s.ratios.begin(), s.ratios.end()); };
  const double share = (smooth.over + localized.over) / static_cast<double>(smooth.answers + localized.answers);
  report.notes =
      "Best level: the coarsest at which at most 0.5 % of the answers are over the tolerance, found with hindsight. "
      "Ratios over 20 log-spaced tolerances (quick: 6 on the arm); errors are root mean squares over the outputs. "
      "Localized: layer (tanh of width 0.05), kink, bump (Gaussian of width 0.15, level 0 has cells of edge 1). "
      "Smooth: "
      "waves of wave number 1.5 and the soft arm's shape. 10000 points along each path (quick: 2000; arm: 300). A bump "
      "that lies wholly inside a cell, away from its centre, goes unseen: the worst ratios are of that kind.\n";
  report.checks = {
      {"fewer than 0.5 % of answers over the tolerance: " + number(100 * share) + " %", share < allowed_share},
      {"on localized features at least 3 times fewer evaluations than the best level, median: " +
           number(1 / median(localized.ratios)),
       median(localized.ratios) <= 1.0 / 3, false},
      {"on smooth functions at most 1.5 times those of the best level, median: " + number(median(smooth.ratios)),
       median(smooth.ratios) <= 1.5, false},
      {"and at most 3 times, worst: " + number(worst(smooth)), worst(smooth) <= 3, false}};
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "accuracy", "Tolerance mode against the best single level.", accuracy);
}
