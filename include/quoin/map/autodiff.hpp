// SPDX-License-Identifier: BSD-3-Clause
// Derivatives that nobody writes by hand, by Eigen's AutoDiff: exact to rounding.
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>
#include <unsupported/Eigen/AutoDiff>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace quoin {

/// A number with its derivatives by however many variables, none for a constant. Let expressions become numbers where
/// they are named, as `const S sum = a + b`, not `const auto sum`: Eigen's refer to what they are made of.
using Dual = Eigen::AutoDiffScalar<Eigen::VectorXd>;

/// S: double or Dual.
template <class S>
using VectorOf = Eigen::Matrix<S, Eigen::Dynamic, 1>;

/// The variables first, first + 1, ... of `count`.
inline VectorOf<Dual> variables(const Eigen::VectorXd& x, Eigen::Index first, Eigen::Index count) {
  VectorOf<Dual> duals(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) duals[i] = Dual(x[i], Eigen::VectorXd::Unit(count, first + i));
  return duals;
}

inline Eigen::VectorXd values_of(const VectorOf<Dual>& duals) {
  Eigen::VectorXd values(duals.size());
  for (Eigen::Index i = 0; i < duals.size(); ++i) values[i] = duals[i].value();
  return values;
}

/// By the variables first to first + count - 1: one row each.
inline Eigen::MatrixXd derivatives_of(const VectorOf<Dual>& duals, Eigen::Index first, Eigen::Index count) {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(duals.size(), count);
  for (Eigen::Index i = 0; i < duals.size(); ++i)
    if (duals[i].derivatives().size() > 0) rows.row(i) = duals[i].derivatives().segment(first, count);
  return rows;
}

/// A function with its Jacobian from one that is written for any number: f(x, y), with x a vector of Dim numbers and y
/// one of N, to be filled.
///
///   auto f = quoin::autodiff<2>(1, [](const auto& x, auto& y) { y[0] = sin(x[0]) * x[1]; });
template <int Dim, class F>
auto autodiff(Eigen::Index output_size, F f, FunctionTraits traits = {}) {
  const auto call = [f = std::move(f)](const Point<Dim>& x, Eigen::Ref<Eigen::VectorXd> y,
                                       Eigen::Ref<Eigen::MatrixXd> J) {
    const VectorOf<Dual> duals = variables(x, 0, Dim);
    VectorOf<Dual> answer(y.size());
    f(duals, answer);
    y = values_of(answer);
    J = derivatives_of(answer, 0, Dim);
  };
  return exact_function<Dim>(output_size, call, traits);
}

/// What a map answers at x, Dim numbers, with derivatives if these have any: for what is written for any number, over a
/// grid or another map. Throws what the map throws.
template <int Dim, class Map, class S>
VectorOf<S> values_at(const Map& map, const VectorOf<S>& x) {
  static_assert(DifferentiableMap<Map, Dim>);
  Eigen::VectorXd y;
  if constexpr (std::is_same_v<S, double>) {
    map.evaluate(Point<Dim>(x), y);
    return y;
  } else {
    Eigen::MatrixXd J;
    map.evaluate(Point<Dim>(values_of(x)), y, J);
    Eigen::Index count = 0;
    for (Eigen::Index j = 0; j < Dim; ++j) count = std::max(count, x[j].derivatives().size());
    const Eigen::MatrixXd of_x = derivatives_of(x, 0, count), of_y = J * of_x;
    VectorOf<S> duals(y.size());
    for (Eigen::Index i = 0; i < y.size(); ++i) duals[i] = Dual(y[i], of_y.row(i).transpose());
    return duals;
  }
}

}  // namespace quoin
