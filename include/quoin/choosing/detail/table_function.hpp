// SPDX-License-Identifier: BSD-3-Clause
// A function of a table's variables as one of the variables of the grid under it.
#pragma once

#include "quoin/choosing/table_axis.hpp"
#include "quoin/grid/evaluator.hpp"
#include "quoin/map/fingerprint.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/samples.hpp"

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace quoin::choosing_detail {

template <int Dim>
using TableAxes = std::array<TableAxis, std::size_t{Dim}>;

template <int Dim>
Point<Dim> in_grid(const TableAxes<Dim>& axes, Point<Dim> x) {
  for (unsigned i = 0; i < Dim; ++i) x[i] = axes[i].in_grid(x[i]);
  return x;
}
template <int Dim>
Point<Dim> from_grid(const TableAxes<Dim>& axes, Point<Dim> u) {
  for (unsigned i = 0; i < Dim; ++i) u[i] = axes[i].from_grid(u[i]);
  return u;
}

/// dx/du at x, per axis: what makes derivatives by the table's variables those by the grid's.
template <int Dim>
Point<Dim> stretch(const TableAxes<Dim>& axes, const Point<Dim>& x) {
  Point<Dim> by_axis;
  for (unsigned i = 0; i < Dim; ++i) by_axis[i] = axes[i].scale == AxisScale::logarithmic ? x[i] : 1;
  return by_axis;
}

/// Samples of jets up to order 1 by the table's variables, as those by the grid's; or back.
template <int Dim>
Samples<Dim> converted(const TableAxes<Dim>& axes, Samples<Dim> samples, bool to_grid) {
  for (Eigen::Index m = 0; m < samples.size(); ++m) {
    const Point<Dim> there = samples.point(m), x = to_grid ? there : from_grid<Dim>(axes, there);
    samples.points.col(m) = to_grid ? in_grid<Dim>(axes, there) : x;
    if (samples.jet_order == 0) continue;
    const Point<Dim> by_axis = stretch<Dim>(axes, x);
    samples.jet(m).rightCols(Dim) *= (to_grid ? by_axis : Point<Dim>(by_axis.cwiseInverse())).asDiagonal();
  }
  return samples;
}

/// x -> f(x) as u -> f(x(u)), a JetFunction of order 0 or 1. A start that f may take from a neighbour is not offered.
template <int Dim, class F>
class TableFunction {
  static constexpr bool gives_jets = JetFunction<F, Dim>;

 public:
  static constexpr int jet_order = [] {
    if constexpr (gives_jets)
      return F::jet_order;
    else
      return 1;
  }();
  static_assert(jet_order <= 1, "a table takes functions that give values, or values and Jacobians");
  static constexpr bool difference_gradients = [] {
    if constexpr (requires { F::difference_gradients; })
      return F::difference_gradients;
    else
      return false;
  }();

  TableFunction(F f, TableAxes<Dim> axes) : f_(std::move(f)), axes_(std::move(axes)) {}

  Eigen::Index output_size() const { return f_.output_size(); }
  FunctionTraits traits() const {
    if constexpr (requires { f_.traits(); })
      return f_.traits();
    else
      return {};
  }
  std::uint64_t made() const
    requires requires(const F& f) { f.made(); }
  {
    return f_.made();
  }
  Fingerprint fingerprint() const
    requires Fingerprinted<F>
  {
    Fingerprint of("table");
    of.add("f", f_.fingerprint());
    for (const TableAxis& axis : axes_) of.add(axis.name, static_cast<int>(axis.scale));
    return of;
  }

  int sample(const Point<Dim>& u, Eigen::Ref<Eigen::MatrixXd> jet) const {
    const Point<Dim> x = from_grid<Dim>(axes_, u);
    int branch = 0;
    if constexpr (!gives_jets) {
      Eigen::VectorXd y;
      Eigen::MatrixXd J;
      f_.evaluate(x, y, J);
      jet.col(0) = y;
      jet.rightCols(Dim) = J;
    } else if constexpr (requires { int{f_.sample(x, jet)}; }) {
      branch = f_.sample(x, jet);
    } else {
      f_.sample(x, jet);
    }
    if constexpr (jet_order == 1) jet.rightCols(Dim) *= stretch<Dim>(axes_, x).asDiagonal();
    return branch;
  }

 private:
  F f_;
  TableAxes<Dim> axes_;
};

}  // namespace quoin::choosing_detail
