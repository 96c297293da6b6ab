// SPDX-License-Identifier: BSD-3-Clause
// Whether all samples lie on one surface, beside which they tell nothing.
#pragma once

#include "quoin/core/point.hpp"

#include <Eigen/Core>

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace quoin::kernel_detail {

/// The surface on which all samples lie, if there is one: axes along which none has moved, and polynomials of degree 2
/// that vanish at all of them, as on planes, circles, ellipsoids, cylinders and parabolic sheets.
///
/// What f does across such a surface no sample shows, and no sample that is left out misses it. A polynomial counts
/// only where there are more samples than it has terms; with fewer, those without products of two axes are asked, then
/// none. Among samples all around there is none, and a query costs next to nothing.
template <int Dim>
class SampledSurface {
 public:
  /// points: those of the samples, at least two, in units of the length scales.
  explicit SampledSurface(const std::vector<Point<Dim>>& points) {
    look_at_axes(points);
    if (choose_terms(points)) find_vanishing(points);
  }

  /// Whether x lies on the surface: off it by no more than three times what the samples are, or than rounding is.
  bool holds(const Point<Dim>& x) const {
    for (int i = 0; i < Dim; ++i)
      if (low_[i] == high_[i] && std::abs(x[i] - low_[i]) > 1e-12 * std::abs(low_[i]) + 1e-15) return false;
    return vanishing_.rows() == 0 || all_vanish(x);
  }

 private:
  static constexpr double thin = 1e-10;     // of the variance along an axis, to the largest
  static constexpr double vanishes = 2e-3;  // root mean square of a polynomial one of whose coefficients is 1

  void look_at_axes(const std::vector<Point<Dim>>& points) {
    low_ = high_ = points[0];
    for (const Point<Dim>& x : points) {
      low_ = low_.cwiseMin(x);
      high_ = high_.cwiseMax(x);
    }
    for (const Point<Dim>& x : points)
      for (int i = 0; i < Dim; ++i)
        if (x[i] != low_[i] && x[i] != high_[i]) between_[i] = 1;
  }

  // On a lattice an axis may have two values only; what is between them is no business of a surface's.
  Point<Dim> on_levels(const Point<Dim>& x) const {
    const Point<Dim> nearer = ((x - low_).array().abs() < (x - high_).array().abs()).select(low_, high_);
    return (between_.array() > 0).select(x, nearer);
  }

  // False if there are too few samples for any.
  bool choose_terms(const std::vector<Point<Dim>>& points) {
    const double count = static_cast<double>(points.size());
    Point<Dim> variance = Point<Dim>::Zero();
    for (const Point<Dim>& x : points) mean_ += x / count;
    for (const Point<Dim>& x : points) variance += (x - mean_).cwiseAbs2() / count;
    for (int i = 0; i < Dim; ++i) {
      moves_[static_cast<std::size_t>(i)] = variance[i] > thin * variance.maxCoeff();
      inverse_[i] = moves_[static_cast<std::size_t>(i)] ? 1 / std::sqrt(variance[i]) : 0;
    }
    products_ = true;
    if (count > static_cast<double>(terms(mean_).size())) return true;
    products_ = false;
    return count > static_cast<double>(terms(mean_).size());
  }

  // Takes out of the terms, as functions on the samples, one after the other what the largest of them explains: what is
  // left of the others vanishes.
  void find_vanishing(const std::vector<Point<Dim>>& points) {
    const auto count = static_cast<Eigen::Index>(points.size());
    const Eigen::Index size = terms(mean_).size();
    Eigen::MatrixXd values(count, size), polynomials = Eigen::MatrixXd::Identity(size, size);
    for (Eigen::Index m = 0; m < count; ++m) values.row(m) = terms(points[static_cast<std::size_t>(m)]);
    const double least = vanishes * vanishes * static_cast<double>(count);
    Eigen::Index taken = 0;
    for (Eigen::Index largest; taken < size; ++taken) {
      const double square = values.rightCols(size - taken).colwise().squaredNorm().maxCoeff(&largest);
      if (!(square > least)) break;
      for (Eigen::MatrixXd* of : {&values, &polynomials}) {
        of->col(taken).swap(of->col(taken + largest));
        of->col(taken) /= std::sqrt(square);
      }
      for (Eigen::Index j = taken + 1; j < size; ++j) {
        const double part = values.col(taken).dot(values.col(j));
        values.col(j) -= part * values.col(taken);
        polynomials.col(j) -= part * polynomials.col(taken);
      }
    }
    vanishing_ = polynomials.rightCols(size - taken).transpose();
    allowed_ =
        9 * values.rightCols(size - taken).colwise().squaredNorm().transpose().array() / static_cast<double>(count) +
        1e-12 * vanishing_.rowwise().squaredNorm().array();
  }

  [[gnu::noinline]] bool all_vanish(const Point<Dim>& x) const {
    const Eigen::VectorXd t = terms(on_levels(x));
    for (Eigen::Index i = 0; i < vanishing_.rows(); ++i)
      if (!(std::pow(vanishing_.row(i).dot(t), 2) <= allowed_[i])) return false;
    return true;
  }

  // 1, z_i, z_i z_j of z = (x - mean) / deviation
  Eigen::VectorXd terms(const Point<Dim>& x) const {
    const Point<Dim> z = (x - mean_).cwiseProduct(inverse_);
    Eigen::VectorXd t(1 + Dim + Dim * (Dim + 1) / 2);
    int at = 0;
    t[at++] = 1;
    for (int i = 0; i < Dim; ++i) {
      if (!moves_[static_cast<std::size_t>(i)]) continue;
      t[at++] = z[i];
      for (int j = i; j < (products_ ? Dim : i + 1); ++j)
        if (moves_[static_cast<std::size_t>(j)]) t[at++] = z[i] * z[j];
    }
    return t.head(at);
  }

  Point<Dim> low_, high_, between_ = Point<Dim>::Zero();
  Point<Dim> mean_ = Point<Dim>::Zero(), inverse_;  // of the samples; of their deviation along each axis
  std::array<bool, std::size_t{Dim}> moves_;
  bool products_ = true;       // of two axes, among the terms
  Eigen::MatrixXd vanishing_;  // a polynomial in each row
  Eigen::VectorXd allowed_;    // of the square of each
};

}  // namespace quoin::kernel_detail
