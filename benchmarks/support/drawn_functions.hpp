// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/draw.hpp"
#include "benchmarks/support/library.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace benchmarks {

/// A scalar function at a point, with its derivatives there.
template <int Dim>
struct DrawnJet {
  double value;
  Point<Dim> gradient;
  Eigen::Matrix<double, Dim, Dim> hessian;
};

/// Scalar functions on [-2, 2]^Dim with random parameters: Genz's six (1984), Franke's with peaks and dips anywhere,
/// ridges, layers, kinks and cusps. `narrowest` and `widest` bound the length over which a smooth one turns.
template <int Dim>
class DrawnFunctions {
 public:
  using Scalar = std::function<DrawnJet<Dim>(const Point<Dim>& x)>;

  static const std::vector<std::string>& smooth() {
    static const std::vector<std::string> names = {"oscillatory", "product peak", "corner peak",
                                                   "Gaussian",    "Franke",       "ridge"};
    return names;
  }
  static const std::vector<std::string>& rough() {
    static const std::vector<std::string> names = {"C0 peak", "layer", "kink", "cusp"};
    return names;
  }
  static const std::vector<std::string>& jumping() {
    static const std::vector<std::string> names = {"jump"};
    return names;
  }

  DrawnFunctions(double narrowest, double widest) : narrowest_(narrowest), widest_(widest) {}

  /// `outputs` of one family, each with its own parameters. Throws std::invalid_argument for another name.
  std::vector<Scalar> draw(const std::string& family, int outputs, Draw& random) const {
    std::vector<Scalar> functions;
    for (int r = 0; r < outputs; ++r) functions.push_back(draw(family, random));
    return functions;
  }

 private:
  using Array = Eigen::Array<double, Dim, 1>;
  using Jet = DrawnJet<Dim>;

  Scalar draw(const std::string& family, Draw& random) const {
    const Array at = random.in_box<Dim>(-1.5, 1.5).array();
    const Array widths = random.log_in_box<Dim>(narrowest_, widest_).array();
    const Point<Dim> direction = random.direction<Dim>();
    const double width = random.log_uniform(narrowest_, widest_), shift = random.uniform(-1, 1);
    if (family == "oscillatory") {
      const Point<Dim> k = 2 / width * direction;
      return [k, phase = std::numbers::pi * shift](const Point<Dim>& x) {
        const double t = phase + k.dot(x), y = std::cos(t);
        return along(k, y, -std::sin(t), -y);
      };
    }
    if (family == "product peak")
      return [at, widths](const Point<Dim>& x) {
        const Array t = (x.array() - at) / widths, s = 1 + t.square();
        return product(1 / s.prod(), -2 * t / (widths * s), 2 * (t.square() - 1) / (widths * s).square());
      };
    if (family == "corner peak")
      return [widths](const Point<Dim>& x) {
        constexpr int n = Dim + 1;
        const double s = 1 + ((x.array() + 2) / widths).mean(), y = std::pow(s, -n);
        return along((1 / (Dim * widths)).matrix(), y, -n * y / s, n * (n + 1) * y / (s * s));
      };
    if (family == "Gaussian") return peaks({{at, widths, 1}});
    if (family == "Franke") {
      std::vector<Peak> several;
      for (int k = 0; k < 4; ++k)
        several.push_back({random.in_box<Dim>(-1.7, 1.7).array(), random.log_in_box<Dim>(narrowest_, widest_).array(),
                           random.uniform(-1, 1)});
      return peaks(several);
    }
    if (family == "ridge") return ridge(direction / width, shift, static_cast<int>(random.uniform(0, 3)));
    if (family == "layer") {
      const double thickness = random.log_uniform(0.02, 0.3);
      return ridge(direction / thickness, shift / thickness, 0);
    }
    if (family == "C0 peak")
      return [at, widths](const Point<Dim>& x) {
        const Array t = (x.array() - at) / widths;
        return product(std::exp(-t.abs().sum()), -t.sign() / widths, Array::Zero());
      };
    if (family == "jump")
      return [at, widths](const Point<Dim>& x) {
        const bool beyond = x[0] > at[0] || (Dim > 1 && x[Dim - 1] > at[Dim - 1]);
        return product(beyond ? 0 : std::exp((x.array() / widths).mean()), 1 / widths / Dim, Array::Zero());
      };
    if (family == "kink")
      return [direction, shift, wave = random.direction<Dim>()](const Point<Dim>& x) {
        const double t = direction.dot(x) - shift, s = wave.dot(x);
        return sum(along(direction, std::abs(t), t > 0 ? 1 : -1, 0),
                   along(wave, std::sin(s), std::cos(s), -std::sin(s)));
      };
    if (family == "cusp")
      return [at](const Point<Dim>& x) {
        const Point<Dim> from = x - at.matrix();
        const double r = from.norm();
        Jet jet{r * std::sqrt(r), Point<Dim>::Zero(), Eigen::Matrix<double, Dim, Dim>::Zero()};
        if (r == 0) return jet;
        jet.gradient = 1.5 / std::sqrt(r) * from;
        jet.hessian.diagonal().setConstant(1.5 / std::sqrt(r));
        jet.hessian -= 0.75 / (r * r * std::sqrt(r)) * from * from.transpose();
        return jet;
      };
    throw std::invalid_argument("DrawnFunctions: there is no family '" + family + "'");
  }

  // g(a . x - b), of which g and its derivatives are given.
  static Jet along(const Point<Dim>& a, double g, double dg, double ddg) {
    return {g, dg * a, ddg * a * a.transpose()};
  }
  // A product of functions of one variable each, y, from the first and second derivatives of their logarithms.
  static Jet product(double y, const Array& slopes, const Array& curvatures) {
    Jet jet{y, (y * slopes).matrix(), y * slopes.matrix() * slopes.matrix().transpose()};
    jet.hessian.diagonal().array() += y * curvatures;
    return jet;
  }
  static Jet sum(const Jet& a, const Jet& b) {
    return {a.value + b.value, a.gradient + b.gradient, a.hessian + b.hessian};
  }

  struct Peak {
    Array at, widths;
    double height;
  };

  static Scalar peaks(std::vector<Peak> several) {
    return [several = std::move(several)](const Point<Dim>& x) {
      Jet jet{0, Point<Dim>::Zero(), Eigen::Matrix<double, Dim, Dim>::Zero()};
      for (const Peak& peak : several) {
        const Array t = (x.array() - peak.at) / peak.widths;
        const double one = peak.height * std::exp(-t.square().sum());
        jet = sum(jet, product(one, -2 * t / peak.widths, -2 / peak.widths.square()));
      }
      return jet;
    };
  }

  // g(a . x - b) with g = tanh, 1/(1 + t^2) or exp(-t^2)
  static Scalar ridge(const Point<Dim>& a, double b, int kind) {
    return [a, b, kind](const Point<Dim>& x) {
      const double t = a.dot(x) - b;
      if (kind == 0) {
        const double y = std::tanh(t), dy = 1 - y * y;
        return along(a, y, dy, -2 * y * dy);
      }
      if (kind == 1) {
        const double y = 1 / (1 + t * t);
        return along(a, y, -2 * t * y * y, (6 * t * t - 2) * y * y * y);
      }
      const double y = std::exp(-t * t);
      return along(a, y, -2 * t * y, (4 * t * t - 2) * y);
    };
  }

  double narrowest_, widest_;
};

/// The functions' jets at x, one row each, N x C(Dim + order, order), of order 0 to 2.
template <int Dim>
void fill_jets(const std::vector<typename DrawnFunctions<Dim>::Scalar>& functions, const Point<Dim>& x, int order,
               Eigen::Ref<Eigen::MatrixXd> jets) {
  for (Eigen::Index r = 0; r < jets.rows(); ++r) {
    const DrawnJet<Dim> jet = functions[static_cast<std::size_t>(r)](x);
    jets(r, 0) = jet.value;
    if (order >= 1) jets.row(r).template segment<Dim>(1) = jet.gradient;
    Eigen::Index column = 1 + Dim;
    if (order >= 2)
      for (int i = 0; i < Dim; ++i)
        for (int j = i; j < Dim; ++j) jets(r, column++) = jet.hessian(i, j);
  }
}

}  // namespace benchmarks
