// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/exact_function.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <atomic>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <vector>

namespace quoin::test {

/// Points of the box, without symmetry: fixed seeds, uniform.
template <int Dim>
std::vector<Point<Dim>> random_points(int count, const Point<Dim>& lower, const Point<Dim>& upper, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit;
  std::vector<Point<Dim>> points(count);
  for (Point<Dim>& x : points)
    for (int i = 0; i < Dim; ++i) x[i] = lower[i] + (upper[i] - lower[i]) * unit(random);
  return points;
}

/// Smooth waves that are not separable: output r is sin(k_r . x + r), with all derivatives in closed form.
template <int Dim>
class Waves {
 public:
  explicit Waves(int outputs, double wave_number = 1.0) : k_(outputs, Dim) {
    for (int r = 0; r < outputs; ++r)
      for (int i = 0; i < Dim; ++i) k_(r, i) = wave_number * (0.6 + 0.25 * std::sin(1.0 + 2.0 * r + 3.0 * i));
  }

  int outputs() const { return static_cast<int>(k_.rows()); }
  double derivative(int output, const MultiIndex<Dim>& a, const Point<Dim>& x) const {
    double factor = 1;
    int total = 0;
    for (int i = 0; i < Dim; ++i) {
      factor *= std::pow(k_(output, i), a[i]);
      total += a[i];
    }
    return factor * std::sin(k_.row(output).dot(x) + output + total * std::numbers::pi / 2);
  }
  Eigen::VectorXd value(const Point<Dim>& x) const {
    Eigen::VectorXd y(outputs());
    for (int r = 0; r < outputs(); ++r) y[r] = std::sin(k_.row(r).dot(x) + r);
    return y;
  }
  Eigen::MatrixXd jacobian(const Point<Dim>& x) const {
    Eigen::MatrixXd J(outputs(), Dim);
    for (int r = 0; r < outputs(); ++r) J.row(r) = std::cos(k_.row(r).dot(x) + r) * k_.row(r);
    return J;
  }

  /// The waves as a function sampled to order K.
  template <int K>
  auto jet() const {
    return exact_jet<Dim, K>(outputs(), [waves = *this](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
      static const auto indices = graded_multi_indices<Dim>(K);
      for (std::size_t a = 0; a < indices.size(); ++a)
        for (int r = 0; r < waves.outputs(); ++r)
          jet(r, static_cast<Eigen::Index>(a)) = waves.derivative(r, indices[a], x);
    });
  }

 private:
  Eigen::MatrixXd k_;
};

/// The number of calls, shared by all copies of a function.
using Calls = std::shared_ptr<std::atomic<int>>;
inline Calls new_calls() { return std::make_shared<std::atomic<int>>(0); }

/// Waves with their Jacobian that count their calls.
template <int Dim>
auto counted_waves(const Calls& calls, int outputs = 3, FunctionTraits traits = {.concurrent = true}) {
  return exact_function<Dim>(
      outputs,
      [calls, waves = Waves<Dim>(outputs)](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y,
                                           Eigen::Ref<Eigen::MatrixXd> J) {
        ++*calls;
        y = waves.value(x);
        J = waves.jacobian(x);
      },
      traits);
}

}  // namespace quoin::test
