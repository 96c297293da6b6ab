// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/exact_function.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <cmath>
#include <random>

namespace quoin::test {

/// Two outputs, each a sum of two drawn waves, in a unit of its own.
struct TwoWaves {
  Eigen::Matrix<double, 4, 2> k;
  Eigen::Vector4d amplitude, phase;

  explicit TwoWaves(std::mt19937& generator) {
    std::normal_distribution<double> normal;
    const double unit = std::pow(10, normal(generator));
    for (int w = 0; w < 4; ++w) {
      k.row(w) << normal(generator), normal(generator);
      amplitude[w] = unit * normal(generator);
      phase[w] = 3 * normal(generator);
    }
  }
  double derivative(int output, const MultiIndex<2>& a, const Point<2>& x) const {
    double sum = 0;
    for (int w = 2 * output; w < 2 * output + 2; ++w)
      sum += amplitude[w] * std::pow(k(w, 0), a[0]) * std::pow(k(w, 1), a[1]) *
             std::sin(k.row(w).dot(x) + phase[w] + (a[0] + a[1]) * std::acos(0.));
    return sum;
  }
  template <int K>
  auto jet() const {
    return exact_jet<2, K>(2, [waves = *this](const Point<2>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
      Eigen::Index column = 0;
      for (const MultiIndex<2>& a : graded_multi_indices<2>(K)) {
        for (int r = 0; r < 2; ++r) jet(r, column) = waves.derivative(r, a, x);
        ++column;
      }
    });
  }
};

}  // namespace quoin::test
