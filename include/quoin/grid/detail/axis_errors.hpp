// SPDX-License-Identifier: BSD-3-Clause
// In the descent of a query to a tolerance: errors along axes that cancel at the centre of a cell.
#pragma once

#include "quoin/core/multi_index.hpp"
#include "quoin/core/point.hpp"
#include "quoin/grid/detail/jet_cell.hpp"
#include "quoin/grid/detail/packed_jet.hpp"
#include "quoin/grid/detail/sweep.hpp"

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace quoin::grid_detail {

/// The error of a cell's interpolant by derivatives along one axis each, of order m = 2K + 2: e_i in the middle of the
/// edges along the axis i, and their sum at the centre, where they may cancel, as those of x^4 - y^4 do. The data of
/// corners and centre do not know them: the polynomials (x_i (x_i - 1))^(K+1) and their gradients are zero at all
/// corners, and their gradients at the centre. But the data at the ends of an edge have a divided difference of order
/// m - 1, h^(m-1)/(m-1)! of that derivative in its middle, and from there to the middle of a coarser cell around this
/// one it changes by the derivative of order m.
template <int Dim>
class AxisErrors {
 public:
  /// The jets of a cell's corners, and its edges.
  struct Cell {
    PackedJets jets;
    Point<Dim> h;
  };

  /// interpolant: K >= 1. Keeps a reference.
  explicit AxisErrors(const JetCell<Dim>& interpolant) : interpolant_(interpolant) {}

  /// The e_i of each output (rows x Dim). place: of the cell's centre in the coarser one, in [0, 1]^Dim. slopes (rows x
  /// Dim): the gradient of f at the centre of the coarser one less that of the interpolant, which derivatives of order
  /// m leave alone: where that is the larger error f is not smooth, or not resolved there, and e_i is left 0.
  Eigen::ArrayXXd beside(const Cell& cell, const Cell& coarser, const Point<Dim>& place,
                         const Eigen::MatrixXd& slopes) const {
    const int K = order();
    const double ratio = coarser.h[0] / cell.h[0];
    const Point<Dim> distance = ratio * (Point<Dim>::Constant(0.5) - place);
    Eigen::ArrayXXd errors = differences(coarser, place, K + 1) * std::pow(ratio, -(2 * K + 1)) -
                             differences(cell, Point<Dim>::Constant(0.5), K + 1);
    for (int axis = 0; axis < Dim; ++axis) {
      auto error = errors.col(axis);
      error *= in_the_middle() / (2 * K + 2) / distance[axis];
      const auto uneven = coarser.h[axis] * slopes.col(axis).array().abs();
      error = (uneven <= std::pow(ratio, 2 * K + 2) * error.abs()).select(error, 0).eval();
    }
    return errors;
  }

  /// What the |e_i| may be of each output (rows x Dim), as far as the corners alone leave room, if an edge times a
  /// derivative is at most twice that of the order below: 0 where what they see changes across the cell, as it does of
  /// functions that are no sums of functions of one variable each; there other errors are as large.
  Eigen::ArrayXXd room(const Cell& cell) const {
    const int K = order();
    Eigen::ArrayXXd room = Eigen::ArrayXXd::Zero(cell.jets.rows, Dim);
    double of_size = growth * in_the_middle() / (2 * K + 2);
    for (int upper = K + 1; upper >= K; --upper) {
      Eigen::ArrayXXd least, greatest;  // over the edges
      for (int c = 0; c < 1 << Dim; ++c) {
        Point<Dim> corner;
        for (int k = 0; k < Dim; ++k) corner[k] = c >> k & 1;
        const Eigen::ArrayXXd known = differences(cell, corner, upper);
        least = c == 0 ? known : least.min(known);
        greatest = c == 0 ? known : greatest.max(known);
      }
      const Eigen::ArrayXXd size = greatest.max(-least);
      room = (greatest - least <= of_sums * size).select(room.max(of_size * size), room);
      of_size /= 2 * K + 1;
    }
    return room;
  }

  /// The largest error that the e_i of each output add up to, by one sign or by the other.
  static Eigen::VectorXd largest(const Eigen::ArrayXXd& errors) {
    return errors.max(0).rowwise().sum().max((-errors).max(0).rowwise().sum());
  }

 private:
  static constexpr double growth = 2;
  static constexpr double of_sums = 0.05;  // what a part of may change; chosen by measurement (docs/accuracy.md)

  int order() const { return interpolant_.order(); }
  // Of (t (t - 1))^(K + 1), its size.
  double in_the_middle() const { return std::exp2(-2 * (order() + 1)); }

  // The divided differences of the data at the ends of edges along each axis, of the lower end K + 1 times and of the
  // upper so often, K or K + 1; between the edges as at the place. rows x Dim.
  Eigen::ArrayXXd differences(const Cell& cell, const Point<Dim>& place, int upper) const {
    static_assert(Dim <= max_sweep_outputs);
    const int size = interpolant_.jet_size();
    std::vector<double> weights(static_cast<std::size_t>((size << Dim) * Dim), 0.0);
    for (int column = 0; column < size; ++column) {
      const MultiIndex<Dim>& l = interpolant_.indices()[static_cast<std::size_t>(column)];
      const int n = std::accumulate(l.begin(), l.end(), 0);
      for (int axis = 0; axis < Dim; ++axis) {
        if (l[static_cast<std::size_t>(axis)] < n) continue;
        const double scale = std::pow(cell.h[axis], n);
        const double ends[] = {scale * weight(n, upper, false), scale * weight(n, upper, true)};
        for (int c = 0; c < 1 << Dim; ++c) {
          double of_edge = ends[c >> axis & 1];
          for (int k = 0; k < Dim; ++k)
            if (k != axis) of_edge *= c >> k & 1 ? place[k] : 1 - place[k];
          weights[static_cast<std::size_t>((c * size + column) * Dim + axis)] = of_edge;
        }
      }
    }
    Eigen::ArrayXXd sums(cell.jets.rows, Dim);
    double* out[Dim];
    for (int axis = 0; axis < Dim; ++axis) out[axis] = sums.col(axis).data();
    sweep(cell.jets, weights.data(), Dim, out);
    return sums;
  }

  // Of the derivative of order n at one end of [0, 1]: over n!, C(K + upper - 1 - n, upper - 1 or K), and its sign.
  double weight(int n, int upper, bool at_upper) const {
    const int chosen = at_upper ? order() : upper - 1, among = order() + upper - 1 - n;
    if (at_upper && n >= upper) return 0;
    double weight = (at_upper ? upper - 1 - n : upper) % 2 ? -1 : 1;
    for (int i = 1; i <= chosen; ++i) weight *= static_cast<double>(among - chosen + i) / i;
    for (int i = 1; i <= n; ++i) weight /= i;
    return weight;
  }

  const JetCell<Dim>& interpolant_;
};

}  // namespace quoin::grid_detail
