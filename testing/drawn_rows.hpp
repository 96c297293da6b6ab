// SPDX-License-Identifier: BSD-3-Clause
// Functions whose rows are drawn from families, with Jacobians that are theirs, or are spoilt in one of the ways in
// which Jacobians are.
#pragma once

#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace quoin::test {

using DrawingRandom = std::mt19937_64;

/// From low to high, uniform.
inline double drawn(DrawingRandom& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}
/// Less than count.
inline int drawn_index(DrawingRandom& random, int count) {
  return std::uniform_int_distribution<int>(0, count - 1)(random);
}

/// A scalar function, which writes its gradient.
template <int Dim>
using DrawnRow = std::function<double(const Point<Dim>& x, Point<Dim>& gradient)>;

/// The families of functions with a gradient of their own; cells have edges of 1.
inline const std::vector<std::string>& right_families() {
  static const std::vector<std::string> names = {"waves",      "narrow waves", "peaks",     "kink",      "round kink",
                                                 "layer",      "jump",         "fast wave", "clamp",     "symmetric",
                                                 "polynomial", "cusp",         "periodic",  "ripple",    "ridge",
                                                 "linear",     "bumps",        "narrow",    "staircase", "mixed"};
  return names;
}

template <int Dim>
Point<Dim> drawn_direction(DrawingRandom& random) {
  std::normal_distribution<double> normal;
  Point<Dim> direction;
  for (int i = 0; i < Dim; ++i) direction[i] = normal(random);
  return direction.normalized();
}

/// A row of a family. Features lie in [-2, 2]^Dim.
template <int Dim>
DrawnRow<Dim> drawn_row(const std::string& family, DrawingRandom& random) {
  using P = Point<Dim>;
  const auto wave = [&](double k) -> DrawnRow<Dim> {
    const P along = k * drawn_direction<Dim>(random);
    const double phase = drawn(random, 0, 2 * std::numbers::pi), height = drawn(random, 0.3, 1);
    return [=](const P& x, P& g) {
      const double a = along.dot(x) + phase;
      g = height * std::cos(a) * along;
      return height * std::sin(a);
    };
  };
  const auto sum = [](std::vector<DrawnRow<Dim>> rows) -> DrawnRow<Dim> {
    return [rows = std::move(rows)](const P& x, P& g) {
      P part;
      double value = 0;
      g.setZero();
      for (const DrawnRow<Dim>& row : rows) value += row(x, part), g += part;
      return value;
    };
  };
  const auto waves = [&](double slow, double fast) {
    std::vector<DrawnRow<Dim>> rows;
    for (int n = 0; n < 3; ++n) rows.push_back(wave(std::exp(drawn(random, std::log(slow), std::log(fast)))));
    return sum(std::move(rows));
  };
  // A function of n . x - c, or of |x - c| - r.
  const auto across = [&](bool round, std::function<std::pair<double, double>(double)> of) -> DrawnRow<Dim> {
    const P direction = drawn_direction<Dim>(random), centre = P::NullaryExpr([&] { return drawn(random, -2, 2); });
    const double radius = drawn(random, 0.3, 2);
    return [=](const P& x, P& g) {
      const P from = x - centre;
      const double length = from.norm();
      const auto [value, slope] = of(round ? length - radius : direction.dot(from));
      g = slope * (round && length > 0 ? P(from / length) : direction);
      return value;
    };
  };
  const auto bump = [&](double width, double height) -> DrawnRow<Dim> {
    const P centre = P::NullaryExpr([&] { return drawn(random, -2, 2); });
    return [=](const P& x, P& g) {
      const P from = (x - centre) / width;
      const double value = height * std::exp(-from.squaredNorm());
      g = -2 * value / width * from;
      return value;
    };
  };
  if (family == "waves") return waves(0.8, 3);
  if (family == "narrow waves") return waves(3, 20);
  if (family == "peaks") {
    std::vector<DrawnRow<Dim>> rows;
    for (int n = 0; n < 4; ++n) rows.push_back(bump(drawn(random, 1, 3), drawn(random, -1, 1)));
    return sum(std::move(rows));
  }
  if (family == "kink" || family == "round kink") {
    const double below = drawn(random, -1, 1), above = drawn(random, -1, 1);
    return sum({across(family == "round kink",
                       [=](double s) { return std::pair(s * (s > 0 ? above : below), s > 0 ? above : below); }),
                waves(0.5, 2)});
  }
  if (family == "layer") {
    const double width = std::exp(drawn(random, std::log(1e-4), std::log(0.5))), height = drawn(random, 0.3, 1);
    return sum({across(drawn_index(random, 2) == 0,
                       [=](double s) {
                         const double value = std::tanh(s / width);
                         return std::pair(height * value, height * (1 - value * value) / width);
                       }),
                waves(0.5, 1)});
  }
  if (family == "jump") {
    const double height = std::exp(drawn(random, std::log(1e-6), 0));
    return sum({across(drawn_index(random, 2) == 0, [=](double s) { return std::pair(s > 0 ? height : 0., 0.); }),
                drawn_index(random, 2) == 0 ? waves(0.5, 2) : wave(0)});
  }
  if (family == "fast wave") return sum({wave(std::exp(drawn(random, std::log(5.), std::log(500.)))), waves(0.5, 2)});
  if (family == "clamp") {
    const double low = drawn(random, -1, 0), high = drawn(random, 0, 1), steep = drawn(random, 0.2, 10);
    return across(false, [=](double s) {
      const double value = steep * s;
      return value < low ? std::pair(low, 0.) : value > high ? std::pair(high, 0.) : std::pair(value, steep);
    });
  }
  if (family == "symmetric") {
    const double k = std::numbers::pi * (1 + drawn_index(random, 4)) / 2;
    const bool product = drawn_index(random, 2) == 0;
    return [=](const P& x, P& g) {
      double value = product ? 1 : 0;
      for (int i = 0; i < Dim; ++i) value = product ? value * std::cos(k * x[i]) : value + std::cos(k * x[i]);
      for (int i = 0; i < Dim; ++i) {
        g[i] = -k * std::sin(k * x[i]);
        for (int j = 0; product && j < Dim; ++j)
          if (j != i) g[i] *= std::cos(k * x[j]);
      }
      return value;
    };
  }
  if (family == "polynomial") {
    const int a = drawn_index(random, 6), b = drawn_index(random, 6), i = drawn_index(random, Dim);
    const P slope = drawn_direction<Dim>(random);
    return [=](const P& x, P& g) {
      const double s = slope.dot(x);
      g = b * std::pow(s, std::max(b - 1, 0)) * slope;
      g[i] += a * std::pow(x[i], std::max(a - 1, 0));
      return std::pow(s, b) + std::pow(x[i], a);
    };
  }
  if (family == "cusp") {
    const double power = drawn(random, 0.3, 1.5);
    return sum({across(drawn_index(random, 2) == 0,
                       [=](double s) {
                         const double size = std::max(std::abs(s), 1e-12);
                         return std::pair(std::pow(size, power), std::copysign(power * std::pow(size, power - 1), s));
                       }),
                waves(0.5, 2)});
  }
  if (family == "periodic") {  // in the cell, along one axis, in all, or in a diagonal
    const int kind = drawn_index(random, 3), axis = drawn_index(random, Dim);
    const double k = 2 * std::numbers::pi * (1 + drawn_index(random, 4)), phase = drawn(random, 0, 6);
    P along = P::Zero();
    along[axis] = k;
    if (kind == 1) along.setConstant(k);
    return sum({[=](const P& x, P& g) {
                  const double a = along.dot(x) + phase;
                  g = std::cos(a) * along;
                  return std::sin(a);
                },
                kind == 2 ? waves(0.5, 2) : wave(0)});
  }
  if (family == "ripple") {
    const double height = std::exp(drawn(random, std::log(1e-8), std::log(1e-2)));
    const DrawnRow<Dim> fast = wave(std::exp(drawn(random, std::log(20.), std::log(2000.))));
    return sum({[=](const P& x, P& g) {
                  const double value = fast(x, g);
                  g *= height;
                  return height * value;
                },
                waves(0.5, 2)});
  }
  if (family == "ridge") {
    const double width = drawn(random, 0.3, 2);
    return across(drawn_index(random, 2) == 0, [=](double s) {
      const double value = std::exp(-s * s / (width * width));
      return std::pair(value, -2 * s / (width * width) * value);
    });
  }
  if (family == "linear")
    return across(false, [slope = drawn(random, -3, 3)](double s) { return std::pair(slope * s, slope); });
  if (family == "bumps")
    return sum({bump(drawn(random, 0.05, 0.3), 1), bump(drawn(random, 0.02, 0.1), 1), waves(0.5, 1)});
  if (family == "narrow") {
    const double width = drawn(random, 0.02, 0.3);
    return across(drawn_index(random, 2) == 0, [=](double s) {
      const double value = 1 / (1 + s * s / (width * width));
      return std::pair(value, -2 * s / (width * width) * value * value);
    });
  }
  if (family == "staircase") {  // layers one behind the other
    const double width = drawn(random, 0.02, 0.2), period = drawn(random, 0.3, 2);
    return across(false, [=](double s) {
      const double within = s - period * std::round(s / period), value = std::tanh(within / width);
      return std::pair(2 * std::tanh(period / 2 / width) * std::round(s / period) + value, (1 - value * value) / width);
    });
  }
  std::string other = "mixed";
  while (other == "mixed")
    other = right_families()[static_cast<std::size_t>(drawn_index(random, static_cast<int>(right_families().size())))];
  return drawn_row<Dim>(other, random);
}

/// The ways in which a Jacobian is wrong.
inline const std::vector<std::string>& wrong_jacobians() {
  static const std::vector<std::string> names = {"sign of a row", "sign of a column", "transposed",   "degrees",
                                                 "1 % off",       "one entry",        "a row 1 % off"};
  return names;
}

/// Rows of a family, in units of their own; their Jacobian may be spoilt.
template <int Dim>
class DrawnFunction {
 public:
  DrawnFunction(const std::string& family, int outputs, DrawingRandom& random) : units_(outputs) {
    for (int r = 0; r < outputs; ++r) {
      rows_.push_back(drawn_row<Dim>(family, random));
      units_[r] = std::pow(10., drawn(random, -6, 6));
    }
  }

  int outputs() const { return static_cast<int>(rows_.size()); }
  const Eigen::VectorXd& units() const { return units_; }
  /// Weights of a norm in which each row counts as much.
  Eigen::VectorXd weights() const { return units_.cwiseInverse() / std::sqrt(static_cast<double>(outputs())); }
  void in_one_unit() { units_.setOnes(); }

  /// spoil: changes J, N x Dim, in the rows' own units.
  void spoil(std::function<void(Eigen::MatrixXd& J)> spoil) { spoil_ = std::move(spoil); }
  /// One of wrong_jacobians().
  void spoil(const std::string& way, DrawingRandom& random) {
    const int row = drawn_index(random, outputs()), column = drawn_index(random, Dim);
    const double factor = std::vector<double>{0, -1, 2, 0.5, 1.1}[static_cast<std::size_t>(drawn_index(random, 5))];
    if (way == "sign of a row") spoil([=](Eigen::MatrixXd& J) { J.row(row) *= -1; });
    if (way == "sign of a column") spoil([=](Eigen::MatrixXd& J) { J.col(column) *= -1; });
    if (way == "degrees") spoil([](Eigen::MatrixXd& J) { J *= std::numbers::pi / 180; });
    if (way == "1 % off") spoil([](Eigen::MatrixXd& J) { J *= 1.01; });
    if (way == "a row 1 % off") spoil([=](Eigen::MatrixXd& J) { J.row(row) *= 1.01; });
    if (way == "one entry") spoil([=](Eigen::MatrixXd& J) { J(row, column) *= factor; });
    if (way == "transposed")
      spoil([](Eigen::MatrixXd& J) {  // the N Dim numbers, read in the other order
        const Eigen::MatrixXd other = J.transpose();
        J = Eigen::Map<const Eigen::MatrixXd>(other.data(), J.rows(), J.cols());
      });
  }
  /// Values rounded to, or jittered by, so much of a row's unit.
  void roughen(double to, bool rounded) {
    rough_ = to;
    rounded_ = rounded;
  }

  void operator()(const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y, Eigen::Ref<Eigen::MatrixXd> J) const {
    Eigen::MatrixXd mine(outputs(), Dim);
    Point<Dim> gradient;
    for (int r = 0; r < outputs(); ++r) {
      y[r] = rows_[static_cast<std::size_t>(r)](x, gradient);
      if (rough_ > 0) y[r] = rounded_ ? rough_ * std::round(y[r] / rough_) : y[r] + rough_ * jitter(x, r);
      mine.row(r) = gradient.transpose();
    }
    if (spoil_) spoil_(mine);
    y.array() *= units_.array();
    J = units_.asDiagonal() * mine;
  }

 private:
  static double jitter(const Point<Dim>& x, int row) {  // in [-1/2, 1/2), a function of x
    std::uint64_t h = 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(row + 1);
    for (int i = 0; i < Dim; ++i) {
      h ^= std::bit_cast<std::uint64_t>(x[i] + 0.0);
      h *= 0xbf58476d1ce4e5b9u;
      h ^= h >> 29;
    }
    h *= 0x94d049bb133111ebu;
    h ^= h >> 32;
    return static_cast<double>(h >> 11) * 0x1p-53 - 0.5;
  }

  std::vector<DrawnRow<Dim>> rows_;
  Eigen::VectorXd units_;
  std::function<void(Eigen::MatrixXd&)> spoil_;
  double rough_ = 0;
  bool rounded_ = false;
};

}  // namespace quoin::test
