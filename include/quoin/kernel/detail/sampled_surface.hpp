// SPDX-License-Identifier: BSD-3-Clause
// Whether all samples lie on one surface, beside which they tell nothing.
#pragma once

#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace quoin::kernel_detail {

/// The surface on which all samples lie, if there is one: axes along which none has moved, and polynomials of degree 2
/// to 4 that vanish at all of them, as on planes, circles, ellipsoids, cylinders, parabolic sheets and tori.
///
/// What f does across such a surface no sample shows, and no sample that is left out misses it. A polynomial of some
/// degree counts only where there are more samples than it has terms; with too few for degree 2, those without products
/// of two axes are asked, then none. Among samples all around there is none, and a query costs next to nothing.
template <int Dim>
class SampledSurface {
 public:
  /// points: those of the samples, at least two, in units of the length scales.
  explicit SampledSurface(const std::vector<Point<Dim>>& points) {
    for (const Point<Dim>& x : points) mean_ += x / static_cast<double>(points.size());
    low_ = high_ = points[0];
    for (const Point<Dim>& x : points) {
      low_ = low_.cwiseMin(x);
      high_ = high_.cwiseMax(x);
    }
    choose_terms(points);
    look_for_levels(points);
    find_vanishing(points);
  }

  /// Whether x lies on the surface: off it by no more than twice what samples are, each left out, or than rounding is.
  bool holds(const Point<Dim>& x) const {
    for (int i = 0; i < Dim; ++i)
      if (low_[i] == high_[i] && std::abs(x[i] - low_[i]) > 1e-12 * std::abs(low_[i]) + 1e-15) return false;
    return vanishing_.empty() || all_vanish(x);
  }

 private:
  using Square = Eigen::Matrix<double, Dim, Dim>;
  struct Polynomial {
    Eigen::VectorXd coefficients;
    double allowed;  // of its square
  };
  static constexpr int highest_degree = 4;
  static constexpr double flat = 1e-10;     // of the variance in a direction, to the largest
  static constexpr double vanishes = 4e-2;  // root mean square of a polynomial one of whose coefficients is 1

  // The coordinates are uncorrelated and have variance 1, so that a thin box that lies askew is as wide as any other:
  // Cholesky with pivots, of the correlations between axes.
  void choose_terms(const std::vector<Point<Dim>>& points) {
    const auto count = static_cast<int>(points.size());
    Square covariance = Square::Zero();
    for (const Point<Dim>& x : points) covariance += (x - mean_) * (x - mean_).transpose() / count;
    const Point<Dim> variance = covariance.diagonal();
    const Point<Dim> scale =
        (variance.array() > flat * variance.maxCoeff()).select(variance.array().sqrt().inverse(), 0).matrix();
    // the factor's type depends on no Dim: it takes long to compile
    const Eigen::LDLT<Eigen::MatrixXd> factor(scale.asDiagonal() * covariance * scale.asDiagonal());
    const Eigen::VectorXd left = factor.vectorD();
    while (moving_ < Dim && left[moving_] > flat) ++moving_;

    const Eigen::MatrixXd axes = factor.transpositionsP() * Eigen::MatrixXd(scale.asDiagonal());
    coordinates_ = factor.matrixL().solve(axes);
    for (int i = 0; i < moving_; ++i) coordinates_.row(i) /= std::sqrt(left[i]);
    degree_ = highest_degree;
    while (degree_ > 1 && jet_size(moving_, degree_) >= count) --degree_;
    if (degree_ > 1) {
      keep_terms(degree_, degree_);
    } else if (2 * moving_ + 1 < count) {  // squares are of the axes
      coordinates_.topRows(moving_) = axes.topRows(moving_);
      keep_terms(2, 1);
    }
  }
  // together: the most axes of which a term is a product. Of a flat direction its coordinate alone is a term.
  void keep_terms(int degree, int together) {
    degree_ = degree;
    for (const MultiIndex<Dim>& term : graded_multi_indices<Dim>(degree)) {
      const auto is_in = [](int power) { return power > 0; };
      const auto last = std::find_if(term.rbegin(), term.rend(), is_in);
      const auto axis = term.rend() - last - 1;
      if (std::count_if(term.begin(), term.end(), is_in) > together) continue;
      if (axis < moving_ || (std::accumulate(term.begin(), term.end(), 0) == 1 && !coordinates_.row(axis).isZero(0)))
        terms_.push_back(term);
    }
  }

  // On a lattice an axis may have a few values only, or nearly so; what is between them is no business of a surface's.
  void look_for_levels(const std::vector<Point<Dim>>& points) {
    for (int i = 0; i < Dim; ++i) {
      std::vector<double> values;
      for (const Point<Dim>& x : points) values.push_back(x[i]);
      std::sort(values.begin(), values.end());
      std::vector<double>& levels = levels_[static_cast<std::size_t>(i)];
      for (const double value : values)
        if (levels.empty() || value - levels.back() > (high_[i] - low_[i]) / 16) levels.push_back(value);
      if (std::ssize(levels) > degree_) levels.clear();
    }
  }
  Point<Dim> on_levels(Point<Dim> x) const {
    for (int i = 0; i < Dim; ++i) {
      const std::vector<double>& levels = levels_[static_cast<std::size_t>(i)];
      const auto nearer = [&](double a, double b) { return std::abs(a - x[i]) < std::abs(b - x[i]); };
      if (!levels.empty()) x[i] = *std::min_element(levels.begin(), levels.end(), nearer);
    }
    return x;
  }

  // Takes out of the terms, as functions on the samples, one after the other what the largest of them explains. Where
  // what is left of that one is small, also at samples that are left out, it vanishes.
  void find_vanishing(const std::vector<Point<Dim>>& points) {
    const auto count = static_cast<Eigen::Index>(points.size()), size = std::ssize(terms_);
    Eigen::MatrixXd values(count, size), polynomials = Eigen::MatrixXd::Identity(size, size);
    for (Eigen::Index m = 0; m < count; ++m) values.row(m) = values_of_terms(points[static_cast<std::size_t>(m)]);
    Eigen::ArrayXd unexplained = Eigen::ArrayXd::Ones(count);  // of each sample, by the terms taken
    for (Eigen::Index k = 0; k < size; ++k) {
      Eigen::Index largest;
      const double square = values.rightCols(size - k).colwise().squaredNorm().maxCoeff(&largest);
      for (Eigen::MatrixXd* of : {&values, &polynomials}) of->col(k).swap(of->col(k + largest));
      const Eigen::ArrayXd left_out = (values.col(k).array() / unexplained.max(1e-9)).square();
      if (left_out.mean() < vanishes * vanishes)
        vanishing_.push_back({polynomials.col(k), 4 * left_out.maxCoeff() + 1e-12 * polynomials.col(k).squaredNorm()});
      if (!(square > 1e-20 * static_cast<double>(count))) continue;
      for (Eigen::MatrixXd* of : {&values, &polynomials}) of->col(k) /= std::sqrt(square);
      for (Eigen::Index j = k + 1; j < size; ++j) {
        const double part = values.col(k).dot(values.col(j));
        values.col(j) -= part * values.col(k);
        polynomials.col(j) -= part * polynomials.col(k);
      }
      unexplained -= values.col(k).array().square();
    }
  }

  [[gnu::noinline]] bool all_vanish(const Point<Dim>& x) const {
    const Eigen::RowVectorXd values = values_of_terms(x);
    return std::all_of(vanishing_.begin(), vanishing_.end(), [&](const Polynomial& polynomial) {
      return std::pow(values * polynomial.coefficients, 2) <= polynomial.allowed;
    });
  }

  Eigen::RowVectorXd values_of_terms(const Point<Dim>& x) const {
    const Point<Dim> z = coordinates_ * (on_levels(x) - mean_);
    Eigen::RowVectorXd values = Eigen::RowVectorXd::Ones(std::ssize(terms_));
    for (std::size_t t = 0; t < terms_.size(); ++t)
      for (int i = 0; i < Dim; ++i)
        for (int power = terms_[t][static_cast<std::size_t>(i)]; power > 0; --power)
          values[static_cast<Eigen::Index>(t)] *= z[i];
    return values;
  }

  Point<Dim> low_, high_, mean_ = Point<Dim>::Zero();
  std::array<std::vector<double>, std::size_t{Dim}> levels_;  // of axes with few
  Square coordinates_;                                        // of x - mean_
  int moving_ = 0;  // of the coordinates, which are first; the others are flat
  int degree_ = 0;
  std::vector<MultiIndex<Dim>> terms_;
  std::vector<Polynomial> vanishing_;
};

}  // namespace quoin::kernel_detail
