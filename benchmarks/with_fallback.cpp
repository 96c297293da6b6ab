// SPDX-License-Identifier: BSD-3-Clause
// A kernel with a grid behind it: the kernel answers where its calibrated error is within the tolerance, elsewhere
// cells of a grid to the same tolerance do. Exact evaluations and errors along a path, against the grid alone, on
// smooth waves, a layer, the soft arm, and the swimmer's added mass. Kernel and grid share their corners.
#include "benchmarks/support/benchmark_program.hpp"
#include "examples/studies/swimming/stroke_study.hpp"
#include "quoin/kernel/kernel_surrogate.hpp"
#include "quoin/quoin.hpp"
#include "quoin/robots/models/soft_arm/beam.hpp"
#include "quoin/robots/models/soft_arm/statics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace {
using namespace benchmarks;

constexpr std::size_t most_samples = 150;  // of the kernel

template <int Dim>
struct Path {
  std::vector<Point<Dim>> points = {};
  std::vector<Eigen::VectorXd> values = {};

  template <class F>
  Path(std::vector<Point<Dim>> along, const F& f) : points(std::move(along)), values(points.size()) {
    for (std::size_t m = 0; m < points.size(); ++m) f.evaluate(points[m], values[m]);
  }
};

struct Errors {
  double share_over = 0;   ///< share of answers over the tolerance
  double worst_ratio = 0;  ///< largest error / tolerance
};

template <int Dim, class Map>
Errors errors_of(const Map& map, const Path<Dim>& path, double tolerance) {
  Errors errors;
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  for (std::size_t m = 0; m < path.points.size(); ++m) {
    map.evaluate(path.points[m], y, J);
    const double ratio = (y - path.values[m]).norm() / std::sqrt(static_cast<double>(y.size())) / tolerance;
    errors.share_over += (ratio > 1) / static_cast<double>(path.points.size());
    errors.worst_ratio = std::max(errors.worst_ratio, ratio);
  }
  return errors;
}

/// A function over a path, and how it is sampled.
template <int Dim>
struct Workload {
  std::string name;
  GridOptions<Dim> grid;
  double length_scale;  ///< of the kernel
  int kernel_level;     ///< of the lattice whose corners are its samples
  double tolerance;
};

struct Worst {
  double share_over = 0;
};

/// Returns the evaluations of the last, finest stage, relative to those of the grid alone.
template <int Dim, class F>
double compare(const Workload<Dim>& workload, const F& f, const std::vector<Point<Dim>>& points, Report& report,
               Worst& worst) {
  const Path<Dim> path(points, f);
  Eigen::MatrixXd X(Dim, std::ssize(points));
  for (Eigen::Index m = 0; m < X.cols(); ++m) X.col(m) = points[static_cast<std::size_t>(m)];
  const double tolerance = workload.tolerance;

  const AdaptiveGrid<Dim> alone(f, workload.grid);
  const Errors errors_alone = errors_of(alone.at_tolerance(tolerance), path, tolerance);
  const std::size_t evaluations_alone = alone.statistics().exact_evaluations;
  double ratio = 1;
  for (const double threshold : {3e-2, 1e-3, 1e-4, 1e-5}) {
    const AdaptiveGrid<Dim> grid(f, workload.grid);
    KernelSurrogate<Dim, GridView<Dim>> kernel(grid.at_level(workload.kernel_level),
                                               {.length_scale = Point<Dim>::Constant(workload.length_scale)});
    kernel.refine_at(X, {.value = threshold, .gradient = 10 * threshold}, most_samples);
    const std::size_t samples = grid.statistics().exact_evaluations;
    const KernelView<Dim> view = kernel.view();
    Eigen::VectorXd y;
    double by_kernel = 0;
    for (const Point<Dim>& x : points)
      by_kernel += (view.evaluate(x, y).error <= tolerance) / static_cast<double>(points.size());
    const Errors errors =
        errors_of(with_fallback<Dim>(view, grid.at_tolerance(tolerance), {.value = tolerance}), path, tolerance);
    const std::size_t evaluations = grid.statistics().exact_evaluations;
    ratio = static_cast<double>(evaluations) / static_cast<double>(evaluations_alone);
    worst.share_over = std::max(worst.share_over, errors.share_over);
    report.results.add(studies::figures::ResultRow()
                           .set("workload", workload.name)
                           .set("dim", Dim)
                           .set("tolerance", tolerance)
                           .set("threshold", threshold)
                           .set("kernel_samples", samples)
                           .set("by_kernel", by_kernel)
                           .set("evaluations", evaluations)
                           .set("grid_alone", evaluations_alone)
                           .set("worst_ratio", errors.worst_ratio)
                           .set("worst_ratio_alone", errors_alone.worst_ratio)
                           .set("share_over", errors.share_over));
  }
  return ratio;
}

/// Two outputs of three variables, waves, with or without a layer of width 0.1 across the path.
auto waves(bool layer) {
  return exact_function<3>(2, [layer](const Point<3>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
    const Point<3> a = Point<3>(0.5, 0.85, 0.15).normalized();
    const double s = a.dot(x) - 0.17, steep = std::tanh(s / 0.1);
    const double g = layer ? steep : std::sin(1.5 * s);
    const double slope = layer ? (1 - steep * steep) / 0.1 : 1.5 * std::cos(1.5 * s);
    y << g + 0.2 * std::sin(x[0]), 0.5 * g + 0.3 * std::cos(x[2]);
    J.row(0) = slope * a.transpose();
    J.row(1) = 0.5 * slope * a.transpose();
    J(0, 0) += 0.2 * std::cos(x[0]);
    J(1, 2) -= 0.3 * std::sin(x[2]);
  });
}

/// The swimmer's added mass in the norm of water_weights: the root mean square over its outputs, relative to a link.
auto weighted_added_mass(const studies::stroke::Fish& fish) {
  const Eigen::VectorXd scale =
      studies::stroke::water_weights(fish.body) * std::sqrt(static_cast<double>(fish.water.output_size()));
  return exact_function<3>(
      fish.water.output_size(),
      [water = fish.water, scale](const Point<3>& q, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) {
        Eigen::VectorXd mass;
        Eigen::MatrixXd derivatives;
        water.evaluate(q, mass, derivatives);
        y = scale.cwiseProduct(mass);
        J = scale.asDiagonal() * derivatives;
      });
}

/// Joint angles of the planned stroke, one of every `stride` steps.
std::vector<Point<3>> stroke_points(const studies::stroke::Fish& fish, int stride) {
  const studies::stroke::GridChoice choice{.spacing = 0.6, .threshold = 0.6};
  auto grid = studies::stroke::make_grid(fish, choice);
  const studies::stroke::Plan plan = studies::stroke::plan_through_grid(fish, grid, choice).plan;
  std::vector<Point<3>> points;
  for (Eigen::Index i = 0; i < plan.points.cols(); i += stride) points.emplace_back(plan.points.col(i));
  return points;
}

Report run(bool quick) {
  const int count = quick ? 100 : 300;
  std::vector<Point<3>> curve(static_cast<std::size_t>(count));
  for (int m = 0; m < count; ++m)
    for (int i = 0; i < 3; ++i)
      curve[static_cast<std::size_t>(m)][i] =
          0.1 + 1.2 * std::sin(2 * std::numbers::pi * (1 + i) * m / count + 0.9 * i + 0.3);
  std::vector<Point<4>> loop(static_cast<std::size_t>(quick ? 50 : 100));
  for (std::size_t m = 0; m < loop.size(); ++m)
    for (int k = 0; k < 4; ++k) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(m) / static_cast<double>(loop.size());
      loop[m][k] = 1.2 + 0.7 * std::cos(angle + k * std::numbers::pi / 2) + 0.1 * std::sin(3 * angle + k);
    }

  Report report;
  Worst worst;
  const double on_waves = compare<3>({"waves", {}, 1.2, 4, 1e-4}, waves(false), curve, report, worst);
  compare<3>({"waves", {}, 1.2, 4, 1e-6}, waves(false), curve, report, worst);
  compare<3>({"layer", {}, 1.2, 4, 1e-3}, waves(true), curve, report, worst);
  const double on_layer =
      compare<3>({"layer, kernel of its length", {}, 0.3, 4, 1e-3}, waves(true), curve, report, worst);
  const soft_arm::Statics<3> statics(soft_arm::SoftArm<3>(soft_arm::make_beam<3>()));
  GridOptions<4> domain;
  domain.origin.setConstant(-1.5);
  domain.lower.setConstant(-1.5);
  domain.upper.setConstant(6.5);
  const double on_arm = compare<4>({"soft arm", domain, 3, 3, 1e-5}, statics, loop, report, worst);
  compare<4>({"soft arm", domain, 3, 3, 1e-6}, statics, loop, report, worst);
  studies::stroke::Setup setup;
  setup.chain.mesh = 2;
  const studies::stroke::Fish fish(setup);
  GridOptions<3> joints;
  joints.spacing.setConstant(0.6);
  joints.lower.setConstant(-1.2);
  joints.upper.setConstant(1.2);
  const auto water = weighted_added_mass(fish);
  const std::vector<Point<3>> stroke = stroke_points(fish, quick ? 4 : 1);
  compare<3>({"swimmer", joints, 2, 3, 1e-4}, water, stroke, report, worst);
  const double on_swimmer = compare<3>({"swimmer", joints, 2, 3, 1e-5}, water, stroke, report, worst);

  report.columns = {{"workload"},
                    {"dim", "d"},
                    {"tolerance"},
                    {"threshold", "kernel's threshold of sigma"},
                    {"kernel_samples", "samples"},
                    {"by_kernel", "share answered by kernel"},
                    {"evaluations", "evaluations in all"},
                    {"grid_alone", "grid alone"},
                    {"worst_ratio", "worst error / tolerance"},
                    {"worst_ratio_alone", "grid alone"}};
  report.notes =
      "The kernel samples along the path until sigma is under its threshold (or has 150 samples); then every point is "
      "answered by the kernel if its calibrated error is within the tolerance, and by cells elsewhere. All evaluations "
      "count, shared corners once. Errors are root mean squares over the outputs; tolerances of the arm are metres. "
      "The swimmer: its "
      "added mass (n = 2) along the planned stroke, relative to the mass of a link.\n";
  const auto number = [](double value) { return studies::figures::format_number(value); };
  report.checks = {
      {"at most 0.5 % of answers over the tolerance in every case; worst: " + number(100 * worst.share_over) + " %",
       worst.share_over <= 0.005},
      {"a kernel that knows enough saves four fifths of the grid's evaluations; ratio on waves " + number(on_waves) +
           ", on the arm " + number(on_arm) + ", on the swimmer " + number(on_swimmer),
       on_waves <= 0.2 && on_arm <= 0.2 && on_swimmer <= 0.2},
      {"a kernel that never knows enough costs its own samples alone: ratio on the layer " + number(on_layer),
       on_layer <= 1.2}};
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "with_fallback",
                       "A kernel where its calibrated error is within the tolerance, a grid's cells elsewhere.", run);
}
