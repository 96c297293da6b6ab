// SPDX-License-Identifier: BSD-3-Clause
// In the descent of a query to a tolerance: errors along axes that cancel at the centre of a cell.
#pragma once

#include "quoin/grid/detail/kernels/jet_cell.hpp"
#include "quoin/grid/detail/kernels/packed_jet.hpp"
#include "quoin/grid/detail/kernels/sweep.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace quoin::grid_detail {

/// The parts of the error of a cell's interpolant that the data of its corners and centre do not know, but for their
/// sum at the centre, where they may cancel: those by derivatives along one axis each, of order m = 2K + 2, as large
/// as e_i in the middle of edges along the axis i; and for K = 1 those by d_i^2 d_k^2, m_ik in the middle of faces.
/// The polynomials (x_i (x_i - 1))^(K+1) and x_i (x_i - 1) x_k (x_k - 1) and their gradients are zero at all
/// corners, and their gradients at the centre. But the data at the ends of an edge have a divided difference of
/// order m - 1, h^(m-1)/(m-1)! of the derivative in its middle, and from there to the middle of a coarser cell
/// around this one it changes by the derivative of order m; and what second derivatives along an edge change by,
/// across a face, changes so, too.
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

  /// The e_i of each output, and for K = 1 behind them the m_ik, i < k (rows x parts). place: of the cell's centre
  /// in the coarser one, in [0, 1]^Dim. slopes (rows x Dim): the gradient of f at the centre of the coarser one less
  /// that of the interpolant, which these derivatives leave alone: where that is the larger error f is not smooth,
  /// or not resolved there, and the part is left 0.
  Eigen::MatrixXd beside(const Cell& cell, const Cell& coarser, const Point<Dim>& place,
                         const Eigen::MatrixXd& slopes) const {
    const int K = order();
    const Point<Dim> middle = Point<Dim>::Constant(0.5);
    const double ratio = coarser.h[0] / cell.h[0], to_coarser = std::pow(ratio, 2 * K + 2);
    const Point<Dim> distance = ratio * (middle - place);
    const auto change = [&](const Functional& of_coarser, const Functional& of_cell) {
      Eigen::MatrixXd rise = sums(coarser, of_coarser);
      const Eigen::MatrixXd own = sums(cell, of_cell);
      for (Eigen::Index i = 0; i < rise.size(); ++i)
        rise.data()[i] = rise.data()[i] * (ratio / to_coarser) - own.data()[i];
      return rise;
    };
    const auto uneven = [&](Eigen::Index row, int axis) { return coarser.h[axis] * std::abs(slopes(row, axis)); };
    const auto smooth = [&](double error, double limit) { return limit <= to_coarser * std::abs(error) ? error : 0; };
    Eigen::MatrixXd errors(slopes.rows(), parts());
    const Eigen::MatrixXd along = change(differences(coarser, place, K + 1), differences(cell, middle, K + 1));
    for (int axis = 0; axis < Dim; ++axis)
      for (Eigen::Index row = 0; row < errors.rows(); ++row)
        errors(row, axis) =
            smooth(in_the_middle() / (2 * K + 2) / distance[axis] * along(row, axis), uneven(row, axis));
    for (int i = 0, part = Dim; i < Dim && K == 1; ++i) {
      const Eigen::MatrixXd bent = change(bends(coarser, place, i), bends(cell, middle, i));
      for (int k = i + 1; k < Dim; ++k, ++part)
        for (Eigen::Index row = 0; row < errors.rows(); ++row)
          errors(row, part) = smooth(bent(row, k) / distance[k] / 64, uneven(row, i) + uneven(row, k));
    }
    return errors;
  }

  /// What the sizes of these parts may be (rows x parts), as far as the corners alone leave room, if an edge times a
  /// derivative is at most twice that of the order below: 0 where what they see changes across the cell, as it does of
  /// functions that are no sums of functions of one variable each, or of products of such; there other errors are as
  /// large.
  Eigen::MatrixXd room(const Cell& cell) const {
    const int K = order();
    Eigen::MatrixXd room = Eigen::MatrixXd::Zero(cell.jets.rows, parts());
    double of_size = growth * in_the_middle() / (2 * K + 2);
    for (int upper = K + 1; upper >= K; --upper) {
      const Eigen::MatrixXd size =
          size_of_even(cell, [&](const Point<Dim>& corner) { return differences(cell, corner, upper); });
      for (Eigen::Index i = 0; i < size.size(); ++i)  // the first Dim parts
        room.data()[i] = std::max(room.data()[i], of_size * size.data()[i]);
      of_size /= 2 * K + 1;
    }
    for (int i = 0, part = Dim; i < Dim && K == 1; ++i) {
      const Eigen::MatrixXd size = size_of_even(cell, [&](const Point<Dim>& corner) { return bends(cell, corner, i); });
      for (int k = i + 1; k < Dim; ++k, ++part) room.col(part) = growth / 64 * size.col(k);
    }
    return room;
  }

  /// The largest that these parts add up to in the middle of an edge, a face or the cell, for each output. errors: rows
  /// x parts, or the e_i alone.
  static Eigen::VectorXd largest(const Eigen::MatrixXd& errors) {
    Eigen::VectorXd largest = Eigen::VectorXd::Zero(errors.rows());
    for (Eigen::Index row = 0; row < errors.rows(); ++row)
      for (int axes = 1; axes < 1 << Dim; ++axes) {
        double sum = 0;
        for (int i = 0, part = Dim; i < Dim; ++i) {
          if (axes >> i & 1) sum += errors(row, i);
          for (int k = i + 1; k < Dim && errors.cols() > Dim; ++k, ++part)
            if ((axes >> i & 1) && (axes >> k & 1)) sum += errors(row, part);
        }
        largest[row] = std::max(largest[row], std::abs(sum));
      }
    return largest;
  }

 private:
  static constexpr double growth = 2;
  static constexpr double of_sums = 0.05;  // what a part of may change; chosen by measurement (docs/notes/accuracy.md)

  int order() const { return interpolant_.order(); }
  // Of (t (t - 1))^(K + 1), its size.
  double in_the_middle() const { return std::exp2(-2 * (order() + 1)); }

  // Weights of the numbers of all corners in Dim sums: [corner and derivative][sum].
  using Functional = std::vector<double>;

  int parts() const { return order() == 1 ? Dim + Dim * (Dim - 1) / 2 : Dim; }

  // rows x Dim.
  static Eigen::MatrixXd sums(const Cell& cell, const Functional& weights) {
    static_assert(Dim <= max_sweep_outputs);
    Eigen::MatrixXd sums(cell.jets.rows, Dim);
    std::array<double*, static_cast<std::size_t>(Dim)> out;
    for (int axis = 0; axis < Dim; ++axis) out[static_cast<std::size_t>(axis)] = sums.col(axis).data();
    sweep(cell.jets, weights.data(), Dim, out.data());
    return sums;
  }

  // The divided differences of the data at the ends of edges along each axis, of the lower end K + 1 times and of the
  // upper so often, K or K + 1; between the edges as at the place.
  Functional differences(const Cell& cell, const Point<Dim>& place, int upper) const {
    const int size = interpolant_.jet_size();
    Functional weights(static_cast<std::size_t>((size << Dim) * Dim), 0.0);
    for (int column = 0; column < size; ++column) {
      const MultiIndex<Dim>& l = interpolant_.indices()[static_cast<std::size_t>(column)];
      const int n = std::accumulate(l.begin(), l.end(), 0);
      for (int axis = 0; axis < Dim; ++axis) {
        if (l[static_cast<std::size_t>(axis)] < n) continue;
        const double scale = std::pow(cell.h[axis], n);
        const double ends[] = {scale * weight(n, upper, false), scale * weight(n, upper, true)};
        for (int c = 0; c < 1 << Dim; ++c)
          weights[static_cast<std::size_t>((c * size + column) * Dim + axis)] =
              ends[c >> axis & 1] * near(c, place, axis, axis);
      }
    }
    return weights;
  }

  // h_i^2 times the second derivative along the axis i, of the cubic polynomials of the edges along it at the place:
  // what it changes by from face to face along every other axis k. K = 1.
  Functional bends(const Cell& cell, const Point<Dim>& place, int i) const {
    const int size = interpolant_.jet_size();
    Functional weights(static_cast<std::size_t>((size << Dim) * Dim), 0.0);
    for (int c = 0; c < 1 << Dim; ++c) {
      const bool upper = c >> i & 1;
      const double value = (upper ? -1 : 1) * (12 * place[i] - 6), slope = cell.h[i] * (6 * place[i] - (upper ? 2 : 4));
      for (int k = 0; k < Dim; ++k) {
        if (k == i) continue;
        const double of_face = (c >> k & 1 ? 1 : -1) * near(c, place, i, k);
        weights[static_cast<std::size_t>(c * size * Dim + k)] = of_face * value;
        weights[static_cast<std::size_t>((c * size + 1 + i) * Dim + k)] = of_face * slope;
      }
    }
    return weights;
  }

  // Of functionals at the corners of a cell, the largest size of each sum; 0 where it changes from corner to corner.
  template <class At>
  static Eigen::MatrixXd size_of_even(const Cell& cell, const At& at) {
    Eigen::MatrixXd least, greatest;
    for (int c = 0; c < 1 << Dim; ++c) {
      Point<Dim> corner;
      for (int k = 0; k < Dim; ++k) corner[k] = c >> k & 1;
      const Eigen::MatrixXd known = sums(cell, at(corner));
      if (c == 0) least = greatest = known;
      for (Eigen::Index i = 0; i < known.size(); ++i) {
        least.data()[i] = std::min(least.data()[i], known.data()[i]);
        greatest.data()[i] = std::max(greatest.data()[i], known.data()[i]);
      }
    }
    for (Eigen::Index i = 0; i < least.size(); ++i) {
      double& size = greatest.data()[i];
      const double change = size - least.data()[i];
      size = std::max(size, -least.data()[i]);
      if (!(change <= of_sums * size)) size = 0;
    }
    return greatest;
  }

  // How near a corner is to a place along the axes but two: the weight in a multilinear interpolant.
  static double near(int corner, const Point<Dim>& place, int but, int and_but) {
    double weight = 1;
    for (int k = 0; k < Dim; ++k)
      if (k != but && k != and_but) weight *= corner >> k & 1 ? place[k] : 1 - place[k];
    return weight;
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
