// SPDX-License-Identifier: BSD-3-Clause
// Derivatives that nobody writes by hand, by differences: for what cannot be written for any number, as a simulator.
#pragma once

#include "quoin/map/exact_function.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// How far from x differences look: step times the size of the variable, or its scale where x is smaller. The default
/// is best for what is right to rounding; of what repeats to 1e-9, say, its cube root.
struct DifferenceOptions {
  double step = 6e-6;           ///< the cube root of the rounding error
  Eigen::VectorXd scales = {};  ///< one for each variable; empty: ones
};

namespace detail {
/// The steps of x's variables. Throws std::invalid_argument for options that mean nothing.
inline Eigen::VectorXd difference_steps(const Eigen::VectorXd& x, const DifferenceOptions& options) {
  if (!(options.step > 0) || !std::isfinite(options.step))
    throw std::invalid_argument("DifferenceOptions::step = " + to_text(options.step) + " is not positive and finite");
  if (options.scales.size() == 0) return options.step * x.cwiseAbs().cwiseMax(1.0);
  if (options.scales.size() != x.size() || !(options.scales.array() > 0).all() || !options.scales.allFinite())
    throw std::invalid_argument("DifferenceOptions::scales: " + to_text(options.scales.size()) + " numbers, expected " +
                                to_text(x.size()) + ", positive and finite");
  return options.step * x.cwiseAbs().cwiseMax(options.scales);
}
}  // namespace detail

/// A function with its Jacobian from one that gives values alone, f(x, y): central differences, 1 + 2 Dim calls. For
/// maps that are asked directly; a grid over f needs fewer by exact_function_without_derivatives.
template <int Dim, class F>
auto differenced(Eigen::Index output_size, F f, DifferenceOptions options = {}, FunctionTraits traits = {}) {
  detail::difference_steps(Point<Dim>::Zero(), options);
  const auto call = [f = std::move(f), options = std::move(options)](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y,
                                                                     Eigen::Ref<Eigen::MatrixXd> J) {
    const Eigen::VectorXd steps = detail::difference_steps(x, options);
    Eigen::VectorXd above(y.size()), below(y.size());
    for (int j = 0; j < Dim; ++j) {
      Point<Dim> up = x, down = x;
      up[j] += steps[j];
      down[j] -= steps[j];
      f(up, Eigen::Ref<Eigen::VectorXd>(above));
      f(down, Eigen::Ref<Eigen::VectorXd>(below));
      J.col(j) = (above - below) / (up[j] - down[j]);
    }
    f(x, y);
  };
  return exact_function<Dim>(output_size, call, traits);
}

}  // namespace quoin
