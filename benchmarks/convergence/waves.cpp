// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/convergence/waves.hpp"

#include "benchmarks/convergence/points_in_box.hpp"
#include "benchmarks/convergence/zero_twist_cubic.hpp"
#include "quoin/quoin.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>

namespace benchmarks {
namespace {

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

}  // namespace

template <int Dim>
std::vector<Curve> curves_on_waves(bool quick) {
  const PlaneWaves<Dim> waves;
  const auto points = points_in_box<Dim>(wave_points(quick), -3, 3, 1);
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
  if constexpr (Dim > 1) {  // in one dimension there are no mixed derivatives: it is K = 1
    const auto f = waves.template jet<1>();
    curves.push_back(errors_on_waves<Dim>(
        zero_twist, waves, points, [&](int level, const Point<Dim>& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) {
          zero_twist_cubic<Dim>(f, origin, std::ldexp(zero_twist.largest_spacing, -level), x, y, J);
        }));
  }
  return curves;
}

template std::vector<Curve> curves_on_waves<1>(bool);
template std::vector<Curve> curves_on_waves<2>(bool);
template std::vector<Curve> curves_on_waves<3>(bool);
template std::vector<Curve> curves_on_waves<4>(bool);

}  // namespace benchmarks
