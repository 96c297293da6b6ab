// SPDX-License-Identifier: BSD-3-Clause
// The orders of the surrogate: how fast the errors of its value and Jacobian fall with the spacing, on smooth functions
// with jets of order 0 to 3 and without derivatives, in 1 to 4 dimensions, and on the soft arm. Beside them the obvious
// reading of "values and gradients at the corners": the tensor-product Hermite cubic with its mixed derivatives zero.
#include "benchmarks/support/benchmark_program.hpp"
#include "quoin/io/svg_plot.hpp"
#include "quoin/models/soft_arm/beam.hpp"
#include "quoin/models/soft_arm/statics.hpp"
#include "quoin/quoin.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <limits>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {
using namespace quoin;
using namespace quoin::benchmarks;

/// How a surrogate is made, what is expected of it, and how it is drawn.
struct Method {
  std::string name;
  int value_order, jacobian_order;
  double largest_spacing;  // on the waves: each method where its errors are above rounding
  int halvings;
  const char* color;
  io::Marker marker;
  bool triangle;  // one for each order
};

const std::array<Method, 4> jets{{{"jets, K = 0", 2, 1, 0.8, 5, io::palette::grey, io::Marker::circle, false},
                                  {"jets, K = 1", 4, 3, 0.8, 5, io::palette::blue, io::Marker::circle, true},
                                  {"jets, K = 2", 6, 5, 1.6, 5, io::palette::green, io::Marker::circle, true},
                                  {"jets, K = 3", 8, 7, 1.6, 4, io::palette::purple, io::Marker::circle, true}}};
const Method values_only{"values only", 4, 3, 0.2, 5, io::palette::orange, io::Marker::square, false};
const Method zero_twist{"zero twist", 2, 1, 0.8, 5, io::palette::vermilion, io::Marker::diamond, true};
constexpr int wave_points = 4000, wave_points_quick = 1000;
constexpr int arm_points = 60, arm_points_quick = 20;

/// Errors against the spacing.
struct Curve {
  Method method;
  std::vector<double> spacings = {}, value_errors = {}, jacobian_errors = {};
  std::vector<double> worst_values = {};  // of the arm, relative to the displacement at the same point
};

/// Order by least squares: the slope of log error over log spacing.
double fitted_order(const std::vector<double>& spacings, const std::vector<double>& errors) {
  const Eigen::ArrayXd h = Eigen::Map<const Eigen::ArrayXd>(spacings.data(), std::ssize(spacings)).log();
  const Eigen::ArrayXd e = Eigen::Map<const Eigen::ArrayXd>(errors.data(), std::ssize(errors)).log();
  return ((h - h.mean()) * (e - e.mean())).sum() / (h - h.mean()).square().sum();
}

template <int Dim>
std::vector<Point<Dim>> points_in_box(int count, double lower, double upper, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(lower, upper);
  std::vector<Point<Dim>> points(count);
  for (Point<Dim>& x : points)
    for (int i = 0; i < Dim; ++i) x[i] = uniform(random);
  return points;
}

/// Smooth and not separable: each output is a mean of three plane waves of wave number 1.5 in fixed random directions.
template <int Dim>
class PlaneWaves {
 public:
  static constexpr int outputs = 6, waves = 3;

  PlaneWaves() : k_(outputs * waves, Dim) {
    std::mt19937_64 random(20 + Dim);
    std::uniform_real_distribution<double> component(0.3, 1);
    for (double& k : k_.reshaped()) k = component(random) * (random() % 2 ? 1 : -1);
    for (auto k : k_.rowwise()) k *= 1.5 / k.norm();
  }

  /// All derivatives up to an order; jet: outputs x C(Dim + order, order).
  void sample(const Point<Dim>& x, int order, Eigen::Ref<Eigen::MatrixXd> jet) const {
    const auto indices = graded_multi_indices<Dim>(order);
    jet.setZero();
    for (int w = 0; w < outputs * waves; ++w) {
      const double phase = k_.row(w).dot(x) + w;
      const std::array<double, 4> derivatives{std::sin(phase), std::cos(phase), -std::sin(phase), -std::cos(phase)};
      for (std::size_t a = 0; a < indices.size(); ++a) {
        double factor = 1.0 / waves;
        int total = 0;
        for (int i = 0; i < Dim; ++i)
          for (int n = 0; n < indices[a][i]; ++n, ++total) factor *= k_(w, i);
        jet(w % outputs, static_cast<Eigen::Index>(a)) += factor * derivatives[total % 4];
      }
    }
  }

  template <int K>
  auto jet() const {
    return exact_jet<Dim, K>(
        outputs, [waves = *this](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) { waves.sample(x, K, jet); });
  }

 private:
  Eigen::MatrixXd k_;
};

/// The tensor-product Hermite cubic of the cell around x, edges h, with all mixed derivatives at the corners zero.
template <int Dim, class Map>
void zero_twist_cubic(const Map& f, const Point<Dim>& origin, double h, const Point<Dim>& x, Eigen::VectorXd& y,
                      Eigen::MatrixXd& J) {
  const Point<Dim> lower = ((x - origin) / h).array().floor();
  const Point<Dim> t = (x - origin) / h - lower;
  y.setZero(f.output_size());
  J.setZero(f.output_size(), Dim);
  Eigen::VectorXd corner_y;
  Eigen::MatrixXd corner_J;
  for (int c = 0; c < 1 << Dim; ++c) {
    Point<Dim> corner;
    std::array<std::array<double, 2>, Dim> value, slope;  // of the basis functions for the value and for the gradient
    for (int i = 0; i < Dim; ++i) {
      const bool upper = c >> i & 1;
      const double s = upper ? t[i] : 1 - t[i], sign = upper ? 1 : -1;
      corner[i] = origin[i] + h * (lower[i] + upper);
      value[i] = {s * s * (3 - 2 * s), -sign * h * s * s * (1 - s)};
      slope[i] = {sign / h * 6 * s * (1 - s), -s * (2 - 3 * s)};
    }
    f.evaluate(corner, corner_y, corner_J);
    for (int a = 0; a <= Dim; ++a) {  // 0: the value, 1 + i: the derivative along i
      Eigen::Matrix<double, Dim, 1> along = Point<Dim>::Ones();
      double weight = 1;
      for (int i = 0; i < Dim; ++i) {
        const bool derivative = a == 1 + i;
        weight *= value[i][derivative];
        for (int j = 0; j < Dim; ++j) along[j] *= i == j ? slope[i][derivative] : value[i][derivative];
      }
      const auto datum = a == 0 ? corner_y : Eigen::VectorXd(corner_J.col(a - 1));
      y += weight * datum;
      J += datum * along.transpose();
    }
  }
}

/// The errors of a method at fixed points: answer(level, x, y, J) is compared with the waves.
template <int Dim, class Answering>
Curve errors_on_waves(const Method& method, const PlaneWaves<Dim>& waves, const std::vector<Point<Dim>>& points,
                      Answering&& answer) {
  Curve curve{method};
  Eigen::VectorXd y;
  Eigen::MatrixXd J, exact(waves.outputs, 1 + Dim);
  for (int level = 0; level <= method.halvings; ++level) {
    double value = 0, jacobian = 0;
    for (const Point<Dim>& x : points) {
      answer(level, x, y, J);
      if (!y.allFinite() || !J.allFinite()) throw std::runtime_error(method.name + ": an answer is not finite");
      waves.sample(x, 1, exact);
      value = std::max(value, (y - exact.col(0)).cwiseAbs().maxCoeff());
      jacobian = std::max(jacobian, (J - exact.rightCols(Dim)).cwiseAbs().maxCoeff());
    }
    curve.spacings.push_back(std::ldexp(method.largest_spacing, -level));
    curve.value_errors.push_back(value);
    curve.jacobian_errors.push_back(jacobian);
  }
  return curve;
}

template <int Dim>
std::vector<Curve> curves_on_waves(bool quick) {
  const PlaneWaves<Dim> waves;
  const auto points = points_in_box<Dim>(quick ? wave_points_quick : wave_points, -3, 3, 1);
  const Point<Dim> origin = Point<Dim>::Constant(0.137);
  std::vector<Curve> curves;
  const auto add_grid = [&](const Method& method, auto f) {
    GridOptions<Dim> options;
    options.origin = origin;
    options.spacing.setConstant(method.largest_spacing);
    const AdaptiveGrid<Dim> grid(std::move(f), options);
    curves.push_back(errors_on_waves<Dim>(method, waves, points,
                                          [&](int level, const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
                                            grid.at_level(level).evaluate(x, y, J);
                                          }));
  };
  add_grid(values_only,
           exact_function_without_derivatives<Dim>(
               waves.outputs, [waves](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y) { waves.sample(x, 0, y); }));
  add_grid(jets[0], waves.template jet<0>());
  add_grid(jets[1], waves.template jet<1>());
  add_grid(jets[2], waves.template jet<2>());
  add_grid(jets[3], waves.template jet<3>());
  if constexpr (Dim > 1) {  // on a line there is nothing mixed: it is K = 1
    const auto f = waves.template jet<1>();
    curves.push_back(errors_on_waves<Dim>(
        zero_twist, waves, points, [&](int level, const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
          zero_twist_cubic<Dim>(f, origin, std::ldexp(zero_twist.largest_spacing, -level), x, y, J);
        }));
  }
  return curves;
}

/// The errors of f_s of the soft arm: of its displacements and of their Jacobian.
std::vector<Curve> curves_on_arm(bool quick) {
  using namespace quoin::soft_arm;
  constexpr int dim = 4;
  // All corners remembered: what one method has asked for costs the next little.
  const Statics<3> statics(SoftArm<3>(make_beam<3>()), {.remembered = 4096});
  const Eigen::Index N = statics.arm().size();
  const auto points = points_in_box<dim>(quick ? arm_points_quick : arm_points, 0, 4, 2);
  std::vector<Eigen::VectorXd> exact_values(points.size());
  std::vector<Eigen::MatrixXd> exact_jacobians(points.size());
  for (std::size_t m = 0; m < points.size(); ++m) statics.evaluate(points[m], exact_values[m], exact_jacobians[m]);

  GridOptions<dim> options;
  options.spacing.setConstant(0.5);
  const auto curve_of = [&](const Method& method, int halvings, auto&& answer) {
    Curve curve{method};
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    for (int level = 0; level <= halvings; ++level) {
      double value = 0, displacements = 0, jacobian = 0, jacobians = 0, worst = 0;  // all but the last: squares
      for (std::size_t m = 0; m < points.size(); ++m) {
        answer(level, points[m], y, J);
        const double error = (y - exact_values[m]).head(N).squaredNorm();
        const double displacement = (exact_values[m].head(N) - statics.arm().rest()).squaredNorm();
        value += error;
        displacements += displacement;
        worst = std::max(worst, std::sqrt(error / displacement));
        jacobian += (J - exact_jacobians[m]).topRows(N).squaredNorm();
        jacobians += exact_jacobians[m].topRows(N).squaredNorm();
      }
      curve.spacings.push_back(std::ldexp(0.5, -level));
      curve.value_errors.push_back(std::sqrt(value / displacements));
      curve.jacobian_errors.push_back(std::sqrt(jacobian / jacobians));
      curve.worst_values.push_back(worst);
    }
    return curve;
  };
  const auto grid_curve = [&](const Method& method, int halvings, auto f) {
    const AdaptiveGrid<dim> grid(std::move(f), options);
    return curve_of(method, halvings, [&](int level, const Point<dim>& u, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
      grid.at_level(level).evaluate(u, y, J);
    });
  };
  const int halvings = quick ? 2 : 3;
  return {grid_curve(jets[1], halvings, statics),
          // One halving more, and K = 2 meets the accuracy of the solver: errors stay at 6e-12 and 1e-10.
          grid_curve(jets[2], 2, soft_arm::JetStatics<3, 2>(statics)),
          curve_of(zero_twist, halvings, [&](int level, const Point<dim>& u, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
            zero_twist_cubic<dim>(statics, options.origin, std::ldexp(0.5, -level), u, y, J);
          })};
}

std::string two_decimals(double value) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << value;
  return text.str();
}

/// A triangle under a curve's finest step, as steep as it should be, with that order.
void draw_slope(io::SvgPanel& panel, const Curve& curve, const std::vector<double>& errors, int order) {
  const std::size_t last = errors.size() - 1;
  const double left = curve.spacings[last], right = curve.spacings[last - 1];
  const double high = 0.25 * errors[last - 1], low = high * std::pow(left / right, order);
  panel.polygon(Eigen::Matrix2Xd{{left, right, right}, {low, low, high}}, {.color = curve.method.color, .width = 1});
  panel.text(right * std::pow(right / left, 0.12), std::sqrt(low * high), std::to_string(order),
             {.color = curve.method.color, .font_size = 12});
}

/// Two panels, value and Jacobian; the legend holds the fitted orders.
void draw(io::SvgPlot& plot, const std::vector<Curve>& curves, const std::string& title, const std::string& error) {
  for (const bool of_value : {true, false}) {
    io::SvgPanel& panel = plot.panel({.title = title + (of_value ? ": value" : ": Jacobian"),
                                      .x_label = "spacing h",
                                      .y_label = error,
                                      .x_scale = io::AxisScale::logarithmic,
                                      .y_scale = io::AxisScale::logarithmic,
                                      .legend = io::Legend::outside});
    for (const Curve& curve : curves) {
      const Method& method = curve.method;
      const std::vector<double>& errors = of_value ? curve.value_errors : curve.jacobian_errors;
      const bool below = method.marker == io::Marker::square;  // a curve that another one covers shows around it
      panel.line(curve.spacings, errors,
                 {.color = method.color,
                  .label = method.name + ": " + two_decimals(fitted_order(curve.spacings, errors)),
                  .width = below ? 5. : 2.,
                  .marker = method.marker,
                  .marker_size = below ? 9. : 6.});
      if (method.triangle) draw_slope(panel, curve, errors, of_value ? method.value_order : method.jacobian_order);
    }
  }
}

/// The errors at one spacing, which all methods on a function share.
void add_rows(Report& report, const std::string& function, int dim, const std::vector<Curve>& curves, double spacing) {
  for (const Curve& curve : curves) {
    const auto shown = std::min_element(curve.spacings.begin(), curve.spacings.end(), [&](double a, double b) {
      return std::abs(a - spacing) < std::abs(b - spacing);
    });
    const auto at = static_cast<std::size_t>(shown - curve.spacings.begin());
    io::ResultRow row;
    row.set("function", function)
        .set("dim", dim)
        .set("method", curve.method.name)
        .set("value_order_expected", curve.method.value_order)
        .set("value_order", fitted_order(curve.spacings, curve.value_errors))
        .set("jacobian_order_expected", curve.method.jacobian_order)
        .set("jacobian_order", fitted_order(curve.spacings, curve.jacobian_errors))
        .set("spacing", curve.spacings[at])
        .set("value_error", curve.value_errors[at])
        .set("jacobian_error", curve.jacobian_errors[at])
        .set("spacings", curve.spacings)
        .set("value_errors", curve.value_errors)
        .set("jacobian_errors", curve.jacobian_errors);
    if (!curve.worst_values.empty()) row.set("worst_value_errors", curve.worst_values);
    report.results.add(std::move(row));
  }
}

/// The fitted order that is furthest from what is expected of it.
struct Furthest {
  double deviation = 0;
  std::string name;

  void look_at(const std::vector<Curve>& curves, int dim) {
    for (const Curve& curve : curves)
      for (const bool of_value : {true, false}) {
        const double order = fitted_order(curve.spacings, of_value ? curve.value_errors : curve.jacobian_errors);
        const int expected = of_value ? curve.method.value_order : curve.method.jacobian_order;
        const double off = std::abs(order - expected);
        if (off <= deviation) continue;
        deviation = std::isfinite(off) ? off : std::numeric_limits<double>::infinity();
        name = curve.method.name + ", d = " + std::to_string(dim) + (of_value ? ", value: " : ", Jacobian: ") +
               two_decimals(order) + " for " + std::to_string(expected);
      }
  }
};

Report convergence(bool quick) {
  Report report;
  Furthest furthest;
  const auto add_waves = [&](io::SvgPlot& plot, const std::vector<Curve>& curves, int dim) {
    add_rows(report, "waves", dim, curves, 0.2);
    furthest.look_at(curves, dim);
    draw(plot, curves, "Plane waves, d = " + std::to_string(dim), "largest error");
  };
  io::SvgPlot few_dimensions(
      {.title = "Error against spacing (with fitted orders)", .columns = 2, .panel_width = 560, .panel_height = 400});
  add_waves(few_dimensions, curves_on_waves<1>(quick), 1);
  add_waves(few_dimensions, curves_on_waves<2>(quick), 2);
  add_waves(few_dimensions, curves_on_waves<3>(quick), 3);
  io::SvgPlot plot(
      {.title = "Error against spacing (with fitted orders)", .columns = 2, .panel_width = 560, .panel_height = 400});
  add_waves(plot, curves_on_waves<4>(quick), 4);
  const std::vector<Curve> arm = curves_on_arm(quick);
  add_rows(report, "soft arm", 4, arm, 0.125);
  draw(plot, arm, "Soft arm in space, d = 4", "relative error");
  report.plots = {{"", plot}, {"_few_dimensions", few_dimensions}};

  report.columns = {{"function"},
                    {"dim", "d"},
                    {"method"},
                    {"value_order_expected", "order of value: expected"},
                    {"value_order", "fitted"},
                    {"jacobian_order_expected", "of Jacobian: expected"},
                    {"jacobian_order", "fitted"},
                    {"spacing", "at h"},
                    {"value_error", "error of value"},
                    {"jacobian_error", "of Jacobian"}};
  report.notes =
      "Waves: six smooth outputs that do not separate, of wave number 1.5; largest error over outputs and " +
      std::to_string(quick ? wave_points_quick : wave_points) +
      " fixed random points, orders fitted over four or five halvings. Soft arm: N = 1575, 0 <= u <= 4 on its four "
      "lines; error over " +
      std::to_string(quick ? arm_points_quick : arm_points) +
      " fixed random points together, relative to the displacements and to the Jacobians (root mean squares); orders "
      "fitted over two or three halvings. One halving more takes K = 2 to the accuracy of the solver itself.\n"
      "Values only: no derivatives are asked of f. Zero twist: the tensor-product Hermite cubic from the values and "
      "gradients that K = 1 has, its mixed derivatives set to zero, the obvious reading of a grid that stores "
      "gradients (on a line it is K = 1).\n";
  Furthest furthest_on_arm;
  furthest_on_arm.look_at(arm, 4);
  const double worst = arm[0].worst_values[2];
  report.checks = {
      {"every fitted order on the waves is within 0.2 of what is expected; furthest: " + furthest.name,
       furthest.deviation <= 0.2},
      {"every fitted order on the soft arm is within 0.2; furthest: " + furthest_on_arm.name,
       furthest_on_arm.deviation <= 0.2, false},
      {"the soft arm's displacements at h = 0.125, K = 1, are within 7e-6 at every point, the accuracy of the paper's "
       "plan; worst: " +
           io::format_number(worst),
       worst <= 7e-6, false}};
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "convergence",
                       "The orders of the surrogate: errors of its value and Jacobian against the spacing.",
                       convergence);
}
