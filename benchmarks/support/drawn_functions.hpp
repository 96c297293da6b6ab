// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/library.hpp"
#include "quoin/core/point.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace benchmarks {

/// Random numbers that are the same on every platform: the engine's are, the standard library's distributions' are not.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  double uniform(double from, double to) { return from + (to - from) * static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double log_uniform(double from, double to) { return std::exp(uniform(std::log(from), std::log(to))); }
  template <int Dim>
  Point<Dim> in_box(double from, double to) {
    Point<Dim> x;
    for (double& xi : x) xi = uniform(from, to);
    return x;
  }
  template <int Dim>
  Point<Dim> log_in_box(double from, double to) {
    Point<Dim> x;
    for (double& xi : x) xi = log_uniform(from, to);
    return x;
  }
  template <int Dim>
  Point<Dim> direction() {  // uniform on the sphere
    for (;;) {
      const Point<Dim> x = in_box<Dim>(-1, 1);
      if (const double norm = x.norm(); norm > 0.1 && norm <= 1) return x / norm;
    }
  }

 private:
  std::mt19937_64 engine_;
};

/// Scalar functions on [-2, 2]^Dim with random parameters: Genz's six (1984), Franke's with peaks and dips anywhere,
/// ridges, layers, kinks and cusps. `narrowest` and `widest` bound the length over which a smooth one turns.
template <int Dim>
class DrawnFunctions {
 public:
  using Scalar = std::function<double(const Point<Dim>& x, Point<Dim>& gradient)>;

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

  Scalar draw(const std::string& family, Draw& random) const {
    const Array at = random.in_box<Dim>(-1.5, 1.5).array();
    const Array widths = random.log_in_box<Dim>(narrowest_, widest_).array();
    const Point<Dim> direction = random.direction<Dim>();
    const double width = random.log_uniform(narrowest_, widest_), shift = random.uniform(-1, 1);
    if (family == "oscillatory") {
      const Point<Dim> k = 2 / width * direction;
      return [k, phase = std::numbers::pi * shift](const Point<Dim>& x, Point<Dim>& gradient) {
        gradient = -std::sin(phase + k.dot(x)) * k;
        return std::cos(phase + k.dot(x));
      };
    }
    if (family == "product peak")
      return [at, widths](const Point<Dim>& x, Point<Dim>& gradient) {
        const Array t = (x.array() - at) / widths;
        const double y = 1 / (1 + t.square()).prod();
        gradient = -2 * y * t / (widths * (1 + t.square()));
        return y;
      };
    if (family == "corner peak")
      return [widths](const Point<Dim>& x, Point<Dim>& gradient) {
        const double s = 1 + ((x.array() + 2) / widths).mean();
        const double y = std::pow(s, -Dim - 1);
        gradient = -(Dim + 1) * y / s / Dim / widths;
        return y;
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
      return [at, widths](const Point<Dim>& x, Point<Dim>& gradient) {
        const Array t = (x.array() - at) / widths;
        const double y = std::exp(-t.abs().sum());
        gradient = -y * t.sign() / widths;
        return y;
      };
    if (family == "jump")
      return [at, widths](const Point<Dim>& x, Point<Dim>& gradient) {
        gradient.setZero();
        if (x[0] > at[0] || (Dim > 1 && x[Dim - 1] > at[Dim - 1])) return 0.0;
        const double y = std::exp((x.array() / widths).mean());
        gradient.array() = y / widths / Dim;
        return y;
      };
    if (family == "kink")
      return [direction, shift, wave = random.direction<Dim>()](const Point<Dim>& x, Point<Dim>& gradient) {
        const double t = direction.dot(x) - shift, s = wave.dot(x);
        gradient = (t > 0 ? 1.0 : -1.0) * direction + std::cos(s) * wave;
        return std::abs(t) + std::sin(s);
      };
    if (family == "cusp")
      return [at](const Point<Dim>& x, Point<Dim>& gradient) {
        const Point<Dim> from = x - at.matrix();
        const double r = from.norm();
        gradient = r > 0 ? Point<Dim>(1.5 / std::sqrt(r) * from) : Point<Dim>(Point<Dim>::Zero());
        return r * std::sqrt(r);
      };
    throw std::invalid_argument("DrawnFunctions: there is no family '" + family + "'");
  }

  struct Peak {
    Array at, widths;
    double height;
  };

  static Scalar peaks(std::vector<Peak> several) {
    return [several = std::move(several)](const Point<Dim>& x, Point<Dim>& gradient) {
      double y = 0;
      gradient.setZero();
      for (const Peak& peak : several) {
        const Array t = (x.array() - peak.at) / peak.widths;
        const double one = peak.height * std::exp(-t.square().sum());
        gradient.array() -= 2 * one * t / peak.widths;
        y += one;
      }
      return y;
    };
  }

  // g(a . x - b) with g = tanh, 1/(1 + t^2) or exp(-t^2)
  static Scalar ridge(const Point<Dim>& a, double b, int kind) {
    return [a, b, kind](const Point<Dim>& x, Point<Dim>& gradient) {
      const double t = a.dot(x) - b;
      const double y = kind == 0 ? std::tanh(t) : kind == 1 ? 1 / (1 + t * t) : std::exp(-t * t);
      gradient = (kind == 0 ? 1 - y * y : kind == 1 ? -2 * t * y * y : -2 * t * y) * a;
      return y;
    };
  }

  double narrowest_, widest_;
};

/// A random closed curve within [-2, 2]^Dim: three harmonics around a random centre.
template <int Dim>
std::vector<Point<Dim>> draw_closed_curve(int points, Draw& random) {
  const Point<Dim> centre = random.in_box<Dim>(-0.6, 0.6);
  std::array<Point<Dim>, 3> cosines, sines;
  for (int k = 0; k < 3; ++k) {
    cosines[k] = random.in_box<Dim>(-0.6, 0.6) / (k + 1);
    sines[k] = random.in_box<Dim>(-0.6, 0.6) / (k + 1);
  }
  std::vector<Point<Dim>> curve;
  for (int i = 0; i < points; ++i) {
    Point<Dim> x = centre;
    for (int k = 0; k < 3; ++k) {
      const double turn = 2 * std::numbers::pi * (k + 1) * i / points;
      x += std::cos(turn) * cosines[k] + std::sin(turn) * sines[k];
    }
    curve.push_back(x.cwiseMax(-1.99).cwiseMin(1.99));
  }
  return curve;
}

}  // namespace benchmarks
