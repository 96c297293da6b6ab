// SPDX-License-Identifier: BSD-3-Clause
// Whether all samples lie on one surface, beside which they tell nothing.
#pragma once

#include "quoin/core/point.hpp"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <cmath>
#include <vector>

namespace quoin::kernel_detail {

/// The surface on which all samples lie, if there is one: axes along which none has moved, and polynomials of degree 2
/// that vanish at all of them, as on circles, ellipsoids, cylinders and parabolic sheets.
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
    if (vanishing_.rows() == 0) return true;
    const Eigen::VectorXd left = vanishing_ * terms(on_levels(x));
    return (left.array().square() / allowed_).sum() <= 1;
  }

 private:
  using Square = Eigen::Matrix<double, Dim, Dim>;
  static constexpr double thin = 1e-10;     // of the variance along an axis, to the largest
  static constexpr double vanishes = 1e-3;  // root mean square of a polynomial with coefficients of norm 1

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
    mean_.setZero();
    for (const Point<Dim>& x : points) mean_ += x / count;
    Square spread = Square::Zero();
    for (const Point<Dim>& x : points) spread += (x - mean_) * (x - mean_).transpose() / count;
    const Eigen::SelfAdjointEigenSolver<Square> principal(spread);
    const double least = thin * principal.eigenvalues()[Dim - 1];
    map_.setZero();
    for (int i = Dim - 1; i >= 0 && principal.eigenvalues()[i] > least; --i)
      map_.row(moved_++) = principal.eigenvectors().col(i).transpose() / std::sqrt(principal.eigenvalues()[i]);
    if (count > term_count()) return true;
    products_ = false;
    moved_ = 0;
    map_.setZero();
    for (int i = 0; i < Dim; ++i)
      if (spread(i, i) > least) map_(moved_++, i) = 1 / std::sqrt(spread(i, i));
    return count > term_count();
  }

  void find_vanishing(const std::vector<Point<Dim>>& points) {
    const double count = static_cast<double>(points.size());
    Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(term_count(), term_count());
    for (const Point<Dim>& x : points) {
      const Eigen::VectorXd t = terms(x);
      moments += t * t.transpose() / count;
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> kinds(moments);
    const Eigen::Index vanishing = (kinds.eigenvalues().array() < vanishes * vanishes).count();
    vanishing_ = kinds.eigenvectors().leftCols(vanishing).transpose();
    // Of each its mean square over the samples, since the eigenvectors diagonalize the moments.
    allowed_ = 9 * kinds.eigenvalues().head(vanishing).cwiseMax(0).array() + 1e-12;
  }

  int term_count() const { return 1 + moved_ + (products_ ? moved_ * (moved_ + 1) / 2 : moved_); }
  // 1, z_i, z_i z_j of z = map (x - mean)
  Eigen::VectorXd terms(const Point<Dim>& x) const {
    const Point<Dim> z = map_ * (x - mean_);
    Eigen::VectorXd t(term_count());
    int at = 0;
    t[at++] = 1;
    for (int i = 0; i < moved_; ++i) t[at++] = z[i];
    for (int i = 0; i < moved_; ++i)
      for (int j = i; j < (products_ ? moved_ : i + 1); ++j) t[at++] = z[i] * z[j];
    return t;
  }

  Point<Dim> low_ = Point<Dim>::Zero(), high_ = Point<Dim>::Ones(), between_ = Point<Dim>::Zero();
  Point<Dim> mean_;
  Square map_;
  int moved_ = 0;         // rows of the map that are used
  bool products_ = true;  // of two axes, among the terms
  Eigen::MatrixXd vanishing_;
  Eigen::ArrayXd allowed_;  // of the square of each
};

}  // namespace quoin::kernel_detail
