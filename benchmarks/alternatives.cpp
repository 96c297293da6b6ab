// SPDX-License-Identifier: BSD-3-Clause
// Against what a user would pick instead of a grid: exact evaluations and query times, for the same accuracy, of the
// on-demand grid and of surrogates of a whole box: dense Chebyshev interpolation, an adaptive sparse grid, polynomials
// fitted to gradients, and kriging with and without gradients. docs/when_to_use.md draws the conclusions.
#include "benchmarks/support/benchmark_program.hpp"
#include "benchmarks/support/chebyshev_interpolant.hpp"
#include "benchmarks/support/gradient_kriging.hpp"
#include "benchmarks/support/gradient_polynomial.hpp"
#include "benchmarks/support/leja_sparse_grid.hpp"
#include "benchmarks/support/ridge_functions.hpp"
#include "benchmarks/support/sampled_function.hpp"
#include "quoin/io/svg_plot.hpp"
#include "quoin/models/soft_arm/beam.hpp"
#include "quoin/models/soft_arm/statics.hpp"
#include "quoin/quoin.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {
using namespace quoin;
using namespace quoin::benchmarks;

constexpr std::array<double, 3> targets{1e-2, 1e-4, 1e-6};
const std::array<std::string, 3> target_names{"1e-2", "1e-4", "1e-6"};

using Answering = std::function<void(const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J)>;

/// What is asked of every surrogate, and what it may know in advance.
struct Workload {
  std::string name;
  SampledFunction f;
  Box box;                  // surrogates of a whole box sample it
  Eigen::MatrixXd queries;  // dim x count; on a curve if `path`, else uniform over the box
  bool path;
  double largest_spacing;  // of the grid on a path; on a box: its edge
  long budget;             // of exact evaluations
  Eigen::Index most_rows;  // of the covariance

  // The queries at which errors are measured.
  Eigen::MatrixXd tests = {};
  Eigen::MatrixXd values = {};
  std::vector<Eigen::MatrixXd> jacobians = {};
};

/// A surrogate at one size.
struct Stage {
  long evaluations;
  Answering answer;
};

/// A surrogate that grows: each call gives the next size, none after the last.
struct Method {
  std::string name;
  int values_per_evaluation;  // if the function gave nothing but values: 1 + dim for a gradient by differences
  const char* color;
  io::Marker marker;
  std::function<std::optional<Stage>()> next;
};

/// What a surrogate reached at one size.
struct Member {
  long evaluations;
  double value_error, jacobian_error;  // relative, root mean squares over the tests
  double query_seconds;
};

struct Curve {
  std::string method;
  int values_per_evaluation;
  const char* color;
  io::Marker marker;
  std::vector<Member> members = {};

  /// The size of fewest evaluations that meets a relative error, or null.
  const Member* reaching(double error, double Member::*which) const {
    const Member* least = nullptr;
    for (const Member& member : members)
      if (member.*which <= error && (!least || member.evaluations < least->evaluations)) least = &member;
    return least;
  }
};

SampledFunction counted(const SampledFunction& f, const std::shared_ptr<long>& count) {
  SampledFunction counting = f;
  counting.sample = [sample = f.sample, count](const Eigen::VectorXd& x, int order, Eigen::Ref<Eigen::MatrixXd> jet) {
    ++*count;
    sample(x, order, jet);
  };
  return counting;
}

Workload with_tests(Workload w, int count) {
  const Eigen::Index stride = std::max<Eigen::Index>(1, w.queries.cols() / count);
  w.tests = w.queries(Eigen::all, Eigen::seq(stride / 2, w.queries.cols() - 1, stride));
  w.values.resize(w.f.outputs, w.tests.cols());
  Eigen::MatrixXd jet(w.f.outputs, 1 + w.f.dim);
  for (Eigen::Index m = 0; m < w.tests.cols(); ++m) {
    w.f.sample(w.tests.col(m), 1, jet);
    w.values.col(m) = jet.col(0);
    w.jacobians.push_back(jet.rightCols(w.f.dim));
  }
  return w;
}

Eigen::MatrixXd halton_points(const Box& box, int count) {
  Eigen::MatrixXd points(box.lower.size(), count);
  for (int m = 0; m < count; ++m)
    points.col(m) =
        box.lower + halton_point(static_cast<int>(box.lower.size()), m + 20).cwiseProduct(box.upper - box.lower);
  return points;
}

/// A grid in level mode, one spacing after the other, each grid fresh. On a box it is given the box as its domain and
/// fills it; on a path its domain is unbounded, and it evaluates what the path meets.
template <int Dim, class MakeFunction>
std::function<std::optional<Stage>()> grid_stages(const Workload& w, MakeFunction make) {
  return [&w, make, step = 0]() mutable -> std::optional<Stage> {
    while (true) {
      GridOptions<Dim> options;
      Eigen::MatrixXd wanted = w.queries;
      if (w.path) {
        options.spacing.setConstant(w.largest_spacing * std::exp2(-0.5 * step++));
      } else {
        const int cells = step < 4 ? step + 1 : static_cast<int>(std::lround(4 * std::exp2((step - 3) / 3.0)));
        ++step;
        double corners = 1;
        for (int i = 0; i < Dim; ++i) corners *= cells + 1;
        if (corners > static_cast<double>(w.budget)) return {};
        options.origin = options.lower = w.box.lower;
        options.upper = w.box.upper;
        options.spacing = (w.box.upper - w.box.lower) / cells;
        wanted.resize(Dim, static_cast<Eigen::Index>(std::lround(std::pow(cells, Dim))));
        for (Eigen::Index c = 0; c < wanted.cols(); ++c) {
          Eigen::Index rest = c;
          for (int i = 0; i < Dim; ++i, rest /= cells)
            wanted(i, c) = options.lower[i] + (static_cast<double>(rest % cells) + 0.5) * options.spacing[i];
        }
      }
      const auto count = std::make_shared<long>(0);
      const auto grid = std::make_shared<AdaptiveGrid<Dim>>(make(counted(w.f, count)), options);
      for (Eigen::Index c = 0; c < wanted.cols(); c += 16) {
        grid->prepare(wanted.middleCols(c, std::min<Eigen::Index>(16, wanted.cols() - c)));
        if (*count > w.budget) return {};
      }
      // Where a spacing is so large that f has no answer at a corner, the next one is tried.
      if (grid->statistics().failed_corners > 0) continue;
      return Stage{*count, [grid](const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
                     grid->evaluate(Point<Dim>(x), y, J);
                   }};
    }
  };
}

template <int Dim, int K>
Method jet_grid(const Workload& w, const char* color) {
  return {"grid, K = " + std::to_string(K), jet_size(Dim, K), color, io::Marker::circle,
          grid_stages<Dim>(w, [](const SampledFunction& f) {
            return exact_jet<Dim, K>(
                f.outputs, [f](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) { f.sample(x, K, jet); });
          })};
}

/// A grid in tolerance mode, K = 1, from the largest spacing on, one tolerance after the other, each grid fresh.
template <int Dim>
Method grid_to_tolerance(const Workload& w) {
  return {"grid to a tolerance, K = 1", 1 + Dim, io::palette::vermilion, io::Marker::ring,
          [&w, step = 0]() mutable -> std::optional<Stage> {
            if (step == 16) return {};
            GridOptions<Dim> options;
            options.spacing.setConstant(w.largest_spacing);
            options.tolerance = 0.1 * std::exp2(-1.5 * step++);
            const auto count = std::make_shared<long>(0);
            const auto grid = std::make_shared<AdaptiveGrid<Dim>>(
                exact_jet<Dim, 1>(w.f.outputs,
                                  [f = counted(w.f, count)](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
                                    f.sample(x, 1, jet);
                                  }),
                options);
            Eigen::VectorXd y;
            for (Eigen::Index m = 0; m < w.queries.cols(); ++m) {
              grid->evaluate(Point<Dim>(w.queries.col(m)), y);
              if (*count > w.budget) return {};
            }
            return Stage{*count, [grid](const Eigen::VectorXd& x, Eigen::VectorXd& values, Eigen::MatrixXd& J) {
                           grid->evaluate(Point<Dim>(x), values, J);
                         }};
          }};
}

template <int Dim>
std::vector<Method> grids(const Workload& w) {
  std::vector<Method> methods;
  methods.push_back(
      {"grid, values only", 1, io::palette::grey, io::Marker::circle, grid_stages<Dim>(w, [](const SampledFunction& f) {
         return exact_function_without_derivatives<Dim>(
             f.outputs, [f](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y) { f.sample(x, 0, y); });
       })});
  methods.push_back(jet_grid<Dim, 1>(w, io::palette::blue));
  methods.push_back(jet_grid<Dim, 2>(w, io::palette::sky));
  if (w.f.largest_order >= 3) methods.push_back(jet_grid<Dim, 3>(w, io::palette::black));
  if (w.path) methods.push_back(grid_to_tolerance<Dim>(w));
  return methods;
}

Method chebyshev(const Workload& w) {
  return {"Chebyshev, dense", 1, io::palette::vermilion, io::Marker::square,
          [&w, n = 1]() mutable -> std::optional<Stage> {
            n = std::max(n + 1, static_cast<int>(1.1 * n));
            if (std::pow(n, w.f.dim) > static_cast<double>(w.budget)) return {};
            const auto count = std::make_shared<long>(0);
            const auto map = std::make_shared<ChebyshevInterpolant>(counted(w.f, count), w.box, n);
            return Stage{*count, [map](const auto& x, auto& y, auto& J) { map->evaluate(x, y, J); }};
          }};
}

Method sparse_grid(const Workload& w) {
  const auto count = std::make_shared<long>(0);
  const auto map = std::make_shared<LejaSparseGrid>(counted(w.f, count), w.box);
  return {"sparse grid, R-Leja", 1, io::palette::orange, io::Marker::diamond,
          [&w, count, map]() -> std::optional<Stage> {
            const long wanted = std::max(*count + 1, *count * 6 / 5);
            if (wanted > std::min(w.budget, 6000L)) return {};
            map->refine(wanted);
            return Stage{*count, [map](const auto& x, auto& y, auto& J) { map->evaluate(x, y, J); }};
          }};
}

Method polynomial(const Workload& w) {
  return {"polynomial, gradients", 1 + w.f.dim, io::palette::green, io::Marker::triangle,
          [&w, degree = 0]() mutable -> std::optional<Stage> {
            if (GradientPolynomial::coefficients(w.f.dim, ++degree) > w.most_rows) return {};
            const auto count = std::make_shared<long>(0);
            const auto map = std::make_shared<GradientPolynomial>(counted(w.f, count), w.box, degree);
            if (*count > w.budget) return {};
            return Stage{*count, [map](const auto& x, auto& y, auto& J) { map->evaluate(x, y, J); }};
          }};
}

/// Candidates in the box, or on the path itself, which is then known in advance.
Method kriging(const Workload& w, bool gradients, bool on_path) {
  const auto count = std::make_shared<long>(0);
  const Eigen::MatrixXd candidates = on_path ? w.queries(Eigen::all, Eigen::seq(0, w.queries.cols() - 1, 2)).eval()
                                             : halton_points(w.box, gradients ? 800 : 1200);
  const auto map = std::make_shared<GradientKriging>(counted(w.f, count), candidates,
                                                     0.5 * (w.box.upper - w.box.lower).mean(), gradients);
  const int rows = gradients ? 1 + w.f.dim : 1;
  return {std::string("kriging, ") + (gradients ? "gradients" : "values") + (on_path ? ", on the path" : ""), rows,
          on_path ? io::palette::purple : io::palette::green, gradients ? io::Marker::diamond : io::Marker::cross,
          [&w, count, map, rows]() -> std::optional<Stage> {
            const long wanted = std::max(*count + 1, *count * 6 / 5);
            if (wanted > w.budget || wanted * rows > w.most_rows || !map->refine(wanted)) return {};
            if (wanted > 2) map->tune();
            map->fit();
            return Stage{*count, [map](const auto& x, auto& y, auto& J) { map->evaluate(x, y, J); }};
          }};
}

template <int Dim>
std::vector<Method> methods_for(const Workload& w) {
  std::vector<Method> methods = grids<Dim>(w);
  methods.push_back(chebyshev(w));
  methods.push_back(sparse_grid(w));
  methods.push_back(polynomial(w));
  methods.push_back(kriging(w, false, false));
  methods.push_back(kriging(w, true, false));
  if (w.path) methods.push_back(kriging(w, true, true));
  return methods;
}

Member measure(const Workload& w, const Stage& stage) {
  double value = 0, jacobian = 0, jacobians = 0;
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  for (Eigen::Index m = 0; m < w.tests.cols(); ++m) {
    stage.answer(w.tests.col(m), y, J);
    value += (y - w.values.col(m)).squaredNorm();
    jacobian += (J - w.jacobians[m]).squaredNorm();
    jacobians += w.jacobians[m].squaredNorm();
  }
  const Eigen::Index timed = std::min<Eigen::Index>(w.tests.cols(), 50);
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 3; ++repeat)
    seconds.push_back(seconds_of([&] {
      for (Eigen::Index m = 0; m < timed; ++m) stage.answer(w.tests.col(m), y, J);
    }));
  return {stage.evaluations, std::sqrt(value / w.values.squaredNorm()), std::sqrt(jacobian / jacobians),
          median(seconds) / static_cast<double>(timed)};
}

Curve curve_of(const Workload& w, Method& method) {
  Curve curve{method.name, method.values_per_evaluation, method.color, method.marker};
  while (const std::optional<Stage> stage = method.next()) {
    curve.members.push_back(measure(w, *stage));
    const Member& last = curve.members.back();
    if (last.value_error <= targets.back() && last.jacobian_error <= targets.back()) break;
  }
  return curve;
}

void add_rows(Report& report, const Workload& w, const std::vector<Curve>& curves) {
  for (const Curve& curve : curves) {
    io::ResultRow row;
    row.set("workload", w.name).set("dim", w.f.dim).set("method", curve.method);
    const long most = curve.members.empty() ? 0 : curve.members.back().evaluations;
    for (std::size_t t = 0; t < targets.size(); ++t)
      for (const bool of_value : {true, false}) {
        const Member* member = curve.reaching(targets[t], of_value ? &Member::value_error : &Member::jacobian_error);
        const std::string key = std::string(of_value ? "value_" : "jacobian_") + target_names[t];
        if (member)
          row.set(key, member->evaluations);
        else
          row.set(key, most > 0 ? "> " + std::to_string(most) : std::string("over budget"));
      }
    if (const Member* member = curve.reaching(1e-4, &Member::value_error)) {
      row.set("query_us", 1e6 * member->query_seconds);
      row.set("values_1e-4", member->evaluations * curve.values_per_evaluation);
    }
    std::vector<double> evaluations, values, jacobians, microseconds;
    for (const Member& member : curve.members) {
      evaluations.push_back(static_cast<double>(member.evaluations));
      values.push_back(member.value_error);
      jacobians.push_back(member.jacobian_error);
      microseconds.push_back(1e6 * member.query_seconds);
    }
    row.set("values_per_evaluation", curve.values_per_evaluation)
        .set("evaluations", evaluations)
        .set("value_errors", values)
        .set("jacobian_errors", jacobians)
        .set("query_microseconds", microseconds);
    report.results.add(std::move(row));
  }
}

void draw(io::SvgPlot& plot, const Workload& w, const std::vector<Curve>& curves) {
  io::SvgPanel& panel = plot.panel({.title = w.name + ", d = " + std::to_string(w.f.dim),
                                    .x_label = "exact evaluations",
                                    .y_label = "relative error of value",
                                    .x_scale = io::AxisScale::logarithmic,
                                    .y_scale = io::AxisScale::logarithmic,
                                    .y_range = std::pair{1e-9, 2.0},
                                    .legend = io::Legend::outside});
  for (const Curve& curve : curves) {
    std::vector<double> evaluations, errors;
    for (const Member& member : curve.members) {
      evaluations.push_back(static_cast<double>(member.evaluations));
      errors.push_back(std::min(member.value_error, 2.0));
    }
    if (!errors.empty())
      panel.line(evaluations, errors, {.color = curve.color, .label = curve.method, .marker = curve.marker});
  }
}

/// A closed curve around the box's centre: x_i = centre + radius cos(t + i pi/2 + bend sin(2 t) i).
Eigen::MatrixXd closed_path(int dim, double centre, double radius, double bend, int count) {
  Eigen::MatrixXd points(dim, count);
  for (int m = 0; m < count; ++m) {
    const double t = 2 * std::numbers::pi * m / count;
    for (int i = 0; i < dim; ++i)
      points(i, m) = centre + radius * std::cos(t + i * (std::numbers::pi / 2 + bend * std::sin(2 * t)));
  }
  return points;
}

Box cube(int dim, double lower, double upper) {
  return {Eigen::VectorXd::Constant(dim, lower), Eigen::VectorXd::Constant(dim, upper)};
}

/// The displacements of the arm at rest under its controls.
template <int SpaceDim>
SampledFunction arm_displacements() {
  using namespace quoin::soft_arm;
  const Statics<SpaceDim> statics(SoftArm<SpaceDim>(make_beam<SpaceDim>()));
  const Eigen::Index N = statics.arm().size();
  return {Statics<SpaceDim>::lines, N, 3,
          [statics, N](const Eigen::VectorXd& alpha, int order, Eigen::Ref<Eigen::MatrixXd> jet) {
            Eigen::VectorXd y;
            Eigen::MatrixXd J;
            if (order == 0) {
              statics.evaluate(alpha, y);
              jet = y.head(N);
            } else if (order == 1) {
              statics.evaluate(alpha, y, J);
              jet << y.head(N), J.topRows(N);
            } else {
              Eigen::MatrixXd all(statics.output_size(), jet.cols());
              statics.evaluate_jet(order, alpha, all);
              jet = all.topRows(N);
            }
            jet.col(0) -= statics.arm().rest();
          }};
}

constexpr double wavelength = 1, layer_width = 0.05;

struct Sizes {
  long budget, arm_budget;
  Eigen::Index most_rows, arm_rows;
  int tests, path_points, arm_points;
};
constexpr Sizes full_sizes{30000, 1300, 1000, 1000, 250, 1000, 200}, quick_sizes{4000, 400, 400, 300, 80, 400, 60};

/// Surrogates of a box are given twice the rows in four dimensions and more: there they need them.
Workload small_box(int dim, double edge, const Sizes& sizes) {
  const Box box = cube(dim, 0, edge);
  return with_tests({std::string("waves, box of ") + (edge == wavelength ? "one wavelength" : "half a wavelength"),
                     plane_waves(dim, wavelength), box, halton_points(box, sizes.tests), false, edge, sizes.budget,
                     dim >= 4 ? 2 * sizes.most_rows : sizes.most_rows},
                    sizes.tests);
}

Workload large_box(int dim, const Sizes& sizes) {
  return with_tests({"waves, path through a box of 6 wavelengths", plane_waves(dim, wavelength), cube(dim, -3, 3),
                     closed_path(dim, 0, 3, 0.3, sizes.path_points), true, wavelength, sizes.budget, sizes.most_rows},
                    sizes.tests);
}

Workload layer_box(int dim, bool path, const Sizes& sizes) {
  const Box box = cube(dim, 0, 1);
  return with_tests({std::string("layer of width 0.05, ") + (path ? "path" : "unit box"),
                     layer(dim, Eigen::VectorXd::Constant(dim, 0.45), layer_width), box,
                     path ? closed_path(dim, 0.5, 0.5, 0.3, sizes.path_points) : halton_points(box, 4 * sizes.tests),
                     path, path ? 0.5 : 1, sizes.budget, sizes.most_rows},
                    path ? sizes.tests : 4 * sizes.tests);
}

/// The path alone, or with the iterates of an optimizer that found it: ten paths that grow from the centre.
template <int SpaceDim>
Workload arm_path(bool iterates, const Sizes& sizes) {
  const SampledFunction f = arm_displacements<SpaceDim>();
  const int count = iterates ? 10 : 1;
  Eigen::MatrixXd queries(f.dim, count * sizes.arm_points);
  for (int k = 0; k < count; ++k)
    queries.middleCols(k * sizes.arm_points, sizes.arm_points) =
        closed_path(f.dim, 1.2, 0.7 * (k + 1) / count, 0, sizes.arm_points);
  return with_tests(
      {std::string(SpaceDim == 2 ? "plane arm, " : "arm in space, ") + (iterates ? "ten iterates" : "path"), f,
       cube(f.dim, 0.5, 1.9), queries, true, 1, sizes.arm_budget, sizes.arm_rows},
      sizes.arm_points);
}

/// What happens to surrogates of a box when the path leaves it: the error of the smallest stage that meets 1e-4 in the
/// box, at points of the box's boundary pushed outwards.
std::string leaving_table(const std::vector<std::pair<std::string, SampledFunction>>& functions, const Sizes& sizes) {
  io::JsonResults rows;
  const std::array<std::pair<double, std::string>, 3> shares{{{0.1, "10 %"}, {0.25, "25 %"}, {0.5, "50 %"}}};
  for (const auto& [name, f] : functions) {
    const Box box = cube(f.dim, 0, 1);
    const Workload inside = with_tests(
        {name, f, box, halton_points(box, sizes.tests), false, 1, sizes.budget, sizes.most_rows}, sizes.tests);
    std::vector<Workload> outside;
    for (const auto& [share, text] : shares) {
      Eigen::MatrixXd points = halton_points(cube(f.dim, -0.5, 0.5), 100);
      for (auto point : points.colwise()) {
        point *= (0.5 + share) / point.cwiseAbs().maxCoeff();
        point.array() += 0.5;
      }
      outside.push_back(with_tests({name, f, box, points, true, 1, sizes.budget, sizes.most_rows}, 100));
    }
    std::vector<Method> methods{chebyshev(inside), sparse_grid(inside), polynomial(inside),
                                kriging(inside, true, false)};
    for (Method& method : methods)
      while (const std::optional<Stage> stage = method.next()) {
        const Member member = measure(inside, *stage);
        if (member.value_error > 1e-4) continue;
        io::ResultRow row;
        row.set("function", name).set("method", method.name).set("evaluations", stage->evaluations);
        row.set("inside", member.value_error);
        for (std::size_t s = 0; s < shares.size(); ++s)
          row.set(shares[s].second, measure(outside[s], *stage).value_error);
        rows.add(std::move(row));
        break;
      }
  }
  return rows.markdown({{"function"},
                        {"method"},
                        {"evaluations"},
                        {"inside", "error in the box", 2},
                        {"10 %", "10 % of the edge outside", 2},
                        {"25 %", "", 2},
                        {"50 %", "", 2}});
}

/// Each method by itself: does it pass through what it sampled, is its Jacobian the derivative of its value, does it
/// converge?
std::vector<Check> own_checks(const Workload& w, const std::vector<Curve>& curves) {
  std::vector<Check> checks;
  double least_accurate = 0;
  std::string name;
  for (const Curve& curve : curves) {
    double best = std::numeric_limits<double>::infinity();
    for (const Member& member : curve.members)
      best = std::min(best, std::max(member.value_error, member.jacobian_error));
    if (best > least_accurate) {
      least_accurate = best;
      name = curve.method;
    }
  }
  checks.push_back({"every method converges to 1e-5 in value and Jacobian on " + w.name + ", d = " +
                        std::to_string(w.f.dim) + "; least: " + name + ", " + io::format_number(least_accurate),
                    least_accurate <= 1e-5});

  double off_samples = 0, off_derivative = 0;
  const auto derivative = [&](const Answering& answer) {
    Eigen::VectorXd y, above, below;
    Eigen::MatrixXd J, unused;
    const double h = 1e-5;
    for (Eigen::Index m = 0; m < std::min<Eigen::Index>(20, w.tests.cols()); ++m)
      for (int i = 0; i < w.f.dim; ++i) {
        Eigen::VectorXd x = w.tests.col(m);
        answer(x, y, J);
        x[i] += h;
        answer(x, above, unused);
        x[i] -= 2 * h;
        answer(x, below, unused);
        off_derivative = std::max(off_derivative, ((above - below) / (2 * h) - J.col(i)).norm() / (1 + J.norm()));
      }
  };
  const auto interpolates = [&](const Answering& answer, const Eigen::VectorXd& x) {
    Eigen::VectorXd y;
    Eigen::MatrixXd J, exact(w.f.outputs, 1);
    w.f.sample(x, 0, exact);
    answer(x, y, J);
    off_samples = std::max(off_samples, (y - exact).norm() / exact.norm());
  };
  const auto answering = [](const auto& map) {
    return [&map](const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) { map.evaluate(x, y, J); };
  };
  const ChebyshevInterpolant dense(w.f, w.box, 5);
  interpolates(answering(dense), w.box.lower);
  interpolates(answering(dense), 0.5 * (w.box.lower + w.box.upper));
  derivative(answering(dense));
  LejaSparseGrid sparse(w.f, w.box);
  sparse.refine(60);
  for (Eigen::Index m = 0; m < sparse.evaluations(); ++m) interpolates(answering(sparse), sparse.point(m));
  derivative(answering(sparse));
  for (const bool gradients : {false, true}) {
    GradientKriging model(w.f, halton_points(w.box, 100), 0.4, gradients);
    model.refine(12);
    model.tune();
    model.fit();
    for (Eigen::Index m = 0; m < model.samples(); ++m) interpolates(answering(model), model.points().col(m));
    derivative(answering(model));
  }
  derivative(answering(GradientPolynomial(w.f, w.box, 5)));
  checks.push_back(
      {"the interpolants pass through their samples within 1e-6; furthest: " + io::format_number(off_samples),
       off_samples <= 1e-6});
  checks.push_back({"their Jacobians are the derivatives of their values within 1e-5; furthest: " +
                        io::format_number(off_derivative),
                    off_derivative <= 1e-5});
  return checks;
}

/// Fewest evaluations for a relative error of the value, of the methods whose name begins so; 0 if none meets it.
long fewest(const std::vector<Curve>& curves, const std::vector<std::string>& names, double error) {
  long least = 0;
  for (const Curve& curve : curves)
    for (const std::string& name : names)
      if (curve.method == name)
        if (const Member* member = curve.reaching(error, &Member::value_error))
          if (least == 0 || member->evaluations < least) least = member->evaluations;
  return least;
}

const std::vector<std::string> all_grids{"grid, values only", "grid, K = 1", "grid, K = 2", "grid, K = 3"};
const std::vector<std::string> box_methods{"Chebyshev, dense", "sparse grid, R-Leja", "polynomial, gradients",
                                           "kriging, values", "kriging, gradients"};

Report alternatives(bool quick) {
  const Sizes& sizes = quick ? quick_sizes : full_sizes;
  Report report;
  io::SvgPlot plot({.title = "Error against exact evaluations", .columns = 2, .panel_width = 620, .panel_height = 340});
  const auto run = [&]<int Dim>(const Workload& w) {
    std::vector<Curve> curves;
    for (Method& method : methods_for<Dim>(w)) curves.push_back(curve_of(w, method));
    add_rows(report, w, curves);
    draw(plot, w, curves);
    return curves;
  };
  const Workload smooth = small_box(2, 0.5, sizes);
  const std::vector<Curve> smooth_curves = run.operator()<2>(smooth);
  report.checks = own_checks(smooth, smooth_curves);
  const std::vector<Curve> smooth3 = run.operator()<3>(small_box(3, 0.5, sizes));
  run.operator()<4>(small_box(4, 0.5, sizes));
  const std::vector<Curve> smooth6 = run.operator()<6>(small_box(6, 0.5, sizes));
  run.operator()<3>(small_box(3, 1, sizes));
  run.operator()<2>(large_box(2, sizes));
  run.operator()<3>(large_box(3, sizes));
  const std::vector<Curve> large4 = run.operator()<4>(large_box(4, sizes));
  run.operator()<2>(layer_box(2, false, sizes));
  run.operator()<2>(layer_box(2, true, sizes));
  run.operator()<3>(layer_box(3, true, sizes));
  run.operator()<2>(arm_path<2>(false, sizes));
  const std::vector<Curve> arm = run.operator()<4>(arm_path<3>(false, sizes));
  run.operator()<4>(arm_path<3>(true, sizes));
  report.plots = {{"", plot}};

  report.columns = {{"workload"},
                    {"dim", "d"},
                    {"method"},
                    {"value_1e-2", "evaluations for value 1e-2"},
                    {"value_1e-4", "1e-4"},
                    {"value_1e-6", "1e-6"},
                    {"jacobian_1e-2", "for Jacobian 1e-2"},
                    {"jacobian_1e-4", "1e-4"},
                    {"jacobian_1e-6", "1e-6"},
                    {"query_us", "query, us, at value 1e-4"},
                    {"values_1e-4", "values of f at 1e-4, if f gives no derivatives"}};
  report.notes =
      "Errors: relative, root mean squares over fixed points. An evaluation gives all that its method asks for: the "
      "value (values only, Chebyshev, sparse grid), with the Jacobian (K = 1, polynomial, kriging with gradients), "
      "with "
      "second or third derivatives (K = 2, 3). The last column counts values instead, where derivatives have to be "
      "taken by differences: C(d + K, K) for a K-jet, 1 + d for a gradient. \"> n\": not reached with n evaluations, "
      "the largest tried (budget " +
      std::to_string(sizes.budget) + ", arms " + std::to_string(sizes.arm_budget) +
      ", sparse grids 6000; kriging and polynomials: " + std::to_string(sizes.most_rows) +
      " rows or coefficients, twice that on small boxes of d >= 4). Each grid has one spacing, the largest of a fine "
      "sequence that meets the target; on a "
      "box it fills the box, on a path it evaluates what the path meets. Every other method samples the box, which has "
      "to be known; kriging on the path takes its samples from the path itself, as an interpolant in the planner's "
      "loop "
      "would. Queries give value and Jacobian, on one core, warm. The arms' path is a circle in a plane of their "
      "controls. A "
      "grid of values only takes its differences two spacings around the cells that answer, which on the arm in space "
      "is "
      "beyond buckling until the spacing is small; spacings at which f fails are passed over.\n\n"
      "When queries leave the box: the smallest surrogate that meets 1e-4 inside, d = 3, asked outside.\n\n" +
      leaving_table({{"waves, unit box", plane_waves(3, wavelength)},
                     {"layer of width 0.2, unit box", layer(3, Eigen::VectorXd::Constant(3, 0.9), 0.2)}},
                    sizes);
  const auto target = [&](const std::string& claim, long few, long many, double factor) {
    report.checks.push_back(
        {claim + ": " + std::to_string(few) + " against " + std::to_string(many) + " (0: not within its budget)",
         few > 0 && (many == 0 || factor * static_cast<double>(few) <= static_cast<double>(many)), false});
  };
  target("smooth waves on a small box, d = 3, value 1e-4: the best method of a box needs at most a fifth of K = 1",
         fewest(smooth3, box_methods, 1e-4), fewest(smooth3, {"grid, K = 1"}, 1e-4), 5);
  target("d = 6: at most a twentieth", fewest(smooth6, box_methods, 1e-4), fewest(smooth6, {"grid, K = 1"}, 1e-4), 20);
  target(
      "waves on a path through a large box, d = 4, value 1e-2: a grid needs at most a third of every method of a box",
      fewest(large4, all_grids, 1e-2), fewest(large4, box_methods, 1e-2), 3);
  target("arm in space, path, value 1e-4: kriging on the path needs at most a third of K = 1",
         fewest(arm, {"kriging, gradients, on the path"}, 1e-4), fewest(arm, {"grid, K = 1"}, 1e-4), 3);
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "alternatives",
                       "Grids against surrogates of a whole box: exact evaluations and query times for an accuracy.",
                       alternatives);
}
