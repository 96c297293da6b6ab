// SPDX-License-Identifier: BSD-3-Clause
// Random functions on the unit cube with all their derivatives: Genz's six families (A. Genz, Testing multidimensional
// integration routines, 1984), Franke's function, ridges, kinks and layers, drawn from seeds.
#pragma once

#include "quoin/core/multi_index.hpp"
#include "quoin/core/point.hpp"

#include <Eigen/Core>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <vector>

namespace benchmarks {
using namespace quoin;

enum class Family {
  oscillatory,
  product_peak,
  corner_peak,
  gaussian,
  franke,
  ridge,
  continuous,
  discontinuous,
  kink,
  layer
};
inline constexpr std::array all_families = {
    Family::oscillatory, Family::product_peak, Family::corner_peak,   Family::gaussian, Family::franke,
    Family::ridge,       Family::continuous,   Family::discontinuous, Family::kink,     Family::layer};
/// Of those families that have derivatives of all orders, changing over distances that a few samples can resolve.
constexpr bool is_smooth(Family family) { return family < Family::continuous; }
constexpr const char* to_string(Family family) {
  switch (family) {
    case Family::oscillatory: return "oscillatory";
    case Family::product_peak: return "product peak";
    case Family::corner_peak: return "corner peak";
    case Family::gaussian: return "Gaussian";
    case Family::franke: return "Franke";
    case Family::ridge: return "ridge";
    case Family::continuous: return "continuous";
    case Family::discontinuous: return "discontinuous";
    case Family::kink: return "kink";
    case Family::layer: return "layer";
  }
  return "unknown";
}

/// One function of a family: f(x) = sum over terms of weight * prod_i g(slope_i x_i + shift_i), or, for a ridge,
/// weight * g(slope . x + shift): its derivatives are those of g, up to the second.
template <int Dim>
class DrawnFunction {
 public:
  DrawnFunction(Family family, unsigned seed) : random_(seed) { draw(family, seed); }

  /// The derivative of the given orders at x, of total order up to 2.
  double derivative(const Point<Dim>& x, const MultiIndex<Dim>& orders) const {
    double sum = 0;
    for (const Term& term : terms_) {
      double product = term.weight;
      int total = 0;
      for (int i = 0; i < Dim; ++i) {
        const int order = orders[static_cast<std::size_t>(i)];
        total += order;
        if (!term.ridge) product *= g(term.g[i], term.slope[i] * x[i] + term.shift[i], order);
        product *= std::pow(term.slope[i], order);
      }
      if (term.ridge) product *= g(term.g[0], term.slope.dot(x) + term.shift[0], total);
      sum += product;
    }
    return sum;
  }
  /// 1 x C(Dim + order, order), in graded lexicographic order.
  Eigen::MatrixXd jet(const Point<Dim>& x, int order) const {
    const auto indices = graded_multi_indices<Dim>(order);
    Eigen::MatrixXd jet(1, std::ssize(indices));
    for (std::size_t a = 0; a < indices.size(); ++a) jet(0, static_cast<Eigen::Index>(a)) = derivative(x, indices[a]);
    return jet;
  }

 private:
  enum class G { one, cosine, sine, power, tanh, modulus, peak, bell, roof, exponential, cut };
  struct Term {
    double weight = 1;
    bool ridge = false;
    std::array<G, std::size_t{Dim}> g = {};
    Point<Dim> slope = Point<Dim>::Ones(), shift = Point<Dim>::Zero();
  };

  // g and its first two derivatives.
  static double g(G which, double t, int order) {
    const double e = std::exp(-std::abs(t)), side = t < 0 ? -1 : 1;
    switch (which) {
      case G::one: return order == 0;
      case G::cosine: return std::cos(t + order * std::numbers::pi / 2);
      case G::sine: return std::sin(t + order * std::numbers::pi / 2);
      case G::power: {
        constexpr double n = Dim + 1;
        return std::pow(t, -n - order) * (order == 0 ? 1 : order == 1 ? -n : n * (n + 1));
      }
      case G::tanh: {
        const double y = std::tanh(t), slope = 1 - y * y;
        return order == 0 ? y : order == 1 ? slope : -2 * y * slope;
      }
      case G::modulus: return order == 0 ? std::abs(t) : order == 1 ? side : 0;
      case G::peak: {
        const double y = 1 / (1 + t * t);
        return order == 0 ? y : order == 1 ? -2 * t * y * y : (6 * t * t - 2) * y * y * y;
      }
      case G::bell: {
        const double y = std::exp(-t * t);
        return order == 0 ? y : order == 1 ? -2 * t * y : (4 * t * t - 2) * y;
      }
      case G::roof: return order == 1 ? -side * e : e;
      case G::exponential: return std::exp(t);
      case G::cut: return t > 0 ? 0 : std::exp(t);
    }
    return 0;
  }

  void draw(Family family, unsigned seed) {
    using std::numbers::pi;
    switch (family) {
      case Family::oscillatory: return ridge(G::cosine, sharpness(9), uniform(0, 2 * pi));
      case Family::corner_peak: return ridge(G::power, sharpness(1.85), 1);
      case Family::ridge:
        return seed % 2 ? ridge(G::sine, direction() * uniform(1, 6), uniform(-2, 2)) : across(G::tanh, uniform(1, 4));
      case Family::kink: return across(G::modulus, 1);
      case Family::layer: return across(G::tanh, 1 / std::exp(uniform(std::log(0.02), std::log(0.2))));
      case Family::product_peak: return product(G::peak, sharpness(7.25));
      case Family::gaussian: return product(G::bell, sharpness(7.03));
      case Family::continuous: return product(G::roof, sharpness(20.4));
      case Family::discontinuous: return product(G::cut, sharpness(4.3));
      case Family::franke: return franke();
    }
  }

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Point<Dim> point(double low = 0, double high = 1) {
    Point<Dim> x;
    for (int i = 0; i < Dim; ++i) x[i] = uniform(low, high);
    return x;
  }
  // Genz's difficulties, of the given sum.
  Point<Dim> sharpness(double sum) {
    const Point<Dim> c = point(0.1);
    return c * (sum / c.sum());
  }
  Point<Dim> direction() {
    Point<Dim> a;
    for (int i = 0; i < Dim; ++i) a[i] = std::normal_distribution<double>()(random_);
    return a.normalized();
  }

  void ridge(G which, const Point<Dim>& slope, double shift) {
    Term term{.ridge = true, .slope = slope};
    term.g[0] = which;
    term.shift[0] = shift;
    terms_.push_back(term);
  }
  // Across a random plane through the cube, on a slow wave.
  void across(G which, double steepness) {
    const Point<Dim> a = direction() * steepness;
    ridge(which, a, -a.dot(point(0.2, 0.8)));
    ridge(G::sine, direction() * uniform(0.5, 2), uniform(-2, 2));
    terms_.back().weight = 0.3;
  }
  // Around a random centre.
  void product(G which, const Point<Dim>& slope) {
    Term term{.slope = slope};
    term.g.fill(which);
    const Point<Dim> centre = point();
    for (int i = 0; i < Dim; ++i) term.shift[i] = -slope[i] * centre[i];
    if (which == G::cut)
      for (int i = 2; i < Dim; ++i) term.g[static_cast<std::size_t>(i)] = G::exponential;
    terms_.push_back(term);
  }
  // Franke's two variables are the first ones, on a random part of his square; others enter by a slow wave.
  void franke() {
    Point<Dim> zoom = Point<Dim>::Constant(9 * uniform(0.4, 1)), from = zoom.cwiseProduct(point(0, 0.3));
    const auto bells = [&](double weight, double a, double b, double p, double r, bool second_linear) {
      Term term{.weight = weight};
      const double centre[] = {a, b}, width[] = {p, r};
      for (int i = 0; i < std::min(Dim, 2); ++i) {
        const auto axis = static_cast<std::size_t>(i);
        const bool linear = i == 1 && second_linear;
        term.g[axis] = linear ? G::exponential : G::bell;
        const double scale = linear ? -1 / width[i] : 1 / std::sqrt(width[i]);
        term.slope[i] = scale * zoom[i];
        term.shift[i] = scale * (from[i] - centre[i]);
      }
      for (int i = 2; i < Dim; ++i) term.g[static_cast<std::size_t>(i)] = G::one;
      terms_.push_back(term);
    };
    bells(0.75, 2, 2, 4, 4, false);
    bells(0.75, -1, -1, 49, 10, true);
    bells(0.5, 7, 3, 4, 4, false);
    bells(-0.2, 4, 7, 1, 1, false);
    if (Dim > 2) ridge(G::sine, direction() * 2, uniform(-2, 2));
  }

  std::mt19937_64 random_;
  std::vector<Term> terms_;
};

}  // namespace benchmarks
