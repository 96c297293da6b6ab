// SPDX-License-Identifier: BSD-3-Clause
// The members of KernelSamples, apart from the class as those of grids are (grid/detail/grid_members.hpp).
#pragma once

#ifndef QUOIN_LINKS_COMPILED_GRID
#include "quoin/kernel/detail/kernel_samples.hpp"
#include "quoin/util/request.hpp"
#include "quoin/util/resize_strong.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace quoin::kernel_detail {

template <int Dim>
Eigen::MatrixXd KernelSamples<Dim>::jet(int sample) const {
  Eigen::MatrixXd jet = *jets_[static_cast<std::size_t>(sample)];
  const auto& indices = JetCorrelation<Dim>::indices(order_);
  for (std::size_t a = 0; a < indices.size(); ++a)
    jet.col(static_cast<Eigen::Index>(a)) /= correlation_.scale(indices[a]);
  jet.col(0) += offset_;
  return jet;
}

template <int Dim>
Point<Dim> KernelSamples<Dim>::extent() const {
  Point<Dim> low = points_[0], high = points_[0];
  for (const Point<Dim>& x : points_) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  const Point<Dim> extent = high - low;
  const double largest = extent.maxCoeff();
  return (extent.array() > 0).select(extent, Point<Dim>::Constant(largest));
}

template <int Dim>
int KernelSamples<Dim>::nearest(const Point<Dim>& x) const {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int s = 0; s < size(); ++s) {
    const double distance = correlation_.distance2(x, point(s));
    if (distance < least) {
      least = distance;
      best = s;
    }
  }
  return best;
}

template <int Dim>
const typename KernelSamples<Dim>::Patch& KernelSamples<Dim>::patch(int index) const {
  Patch& patch = *patches_[static_cast<std::size_t>(index)];
  if (local()) std::call_once(patch.made, [&] { make(patch, point(index)); });
  return patch;
}

template <int Dim>
Eigen::MatrixXd KernelSamples<Dim>::coefficients(
    const Patch& patch, const std::vector<std::shared_ptr<const Eigen::MatrixXd>>& jets) const {
  const Eigen::Index q = derivatives();
  Eigen::MatrixXd transposed(std::ssize(patch.members) * q, jets[0]->rows());
  for (std::size_t m = 0; m < patch.members.size(); ++m)
    transposed.middleRows(static_cast<Eigen::Index>(m) * q, q) =
        jets[static_cast<std::size_t>(patch.members[m])]->transpose();
  patch.factor.solve(transposed);
  return transposed.transpose();
}

template <int Dim>
SampleClusters<Dim> KernelSamples<Dim>::clusters(const Patch& patch) const {
  std::vector<Point<Dim>> points;
  for (const int member : patch.members) points.push_back(point(member).cwiseQuotient(options_.length_scale));
  return {points, next_to_each_other(100)};
}

template <int Dim>
std::vector<LeftOutSample> KernelSamples<Dim>::left_out() const {
  return leave_one_out<Dim>(patches_[0]->inverse, coefficients(*patches_[0], jets_), norm_);
}

template <int Dim>
std::vector<LeftOutSample> KernelSamples<Dim>::clusters_left_out() const {
  const Patch& patch = *patches_[0];
  return leave_clusters_out<Dim>(patch.factor, patch.inverse, coefficients(patch, jets_), clusters(patch).members(),
                                 norm_);
}

template <int Dim>
void KernelSamples<Dim>::correlate(const Patch& patch, const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> out) const {
  int order_x = 0;
  while (jet_size(Dim, order_x) < out.cols()) ++order_x;
  Eigen::Index row = 0;
  for (const int member : patch.members) {
    correlation_.fill(x, order_x, point(member), order_,
                      [&](Eigen::Index a, Eigen::Index b) -> double& { return out(row + b, a); });
    row += derivatives();
  }
}

template <int Dim>
Eigen::VectorXd KernelSamples<Dim>::second_derivative_scales() const {
  const auto& indices = JetCorrelation<Dim>::indices(2);
  Eigen::VectorXd scales(second_derivative_count(Dim));
  for (Eigen::Index pair = 0; pair < scales.size(); ++pair)
    scales[pair] = correlation_.scale(indices[static_cast<std::size_t>(1 + Dim + pair)]);
  return scales;
}

template <int Dim>
KernelDeviation KernelSamples<Dim>::deviation(const Point<Dim>& x, Eigen::MatrixXd& V, bool gradient) const {
  const Patch& p = patch(patch_index(x));
  resize_strong(V, p.factor.size(), gradient ? outputs : 1);
  correlate(p, x, V);
  return deviation_of(p, V);
}

template <int Dim>
std::vector<KernelDeviation> KernelSamples<Dim>::deviations(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
  std::vector<KernelDeviation> all(static_cast<std::size_t>(X.cols()));
  if (size() == 0) return all;
  constexpr Eigen::Index together = 64;
  Eigen::MatrixXd V;
  StopCheck stop;
  for (Eigen::Index first = 0, count = 1; first < X.cols(); first += count) {
    stop();
    if (local()) {
      all[static_cast<std::size_t>(first)] = deviation(X.col(first), V);
      continue;
    }
    count = std::min(together, X.cols() - first);
    resize_strong(V, patches_[0]->factor.size(), count * outputs);
    for (Eigen::Index m = 0; m < count; ++m)
      correlate(*patches_[0], X.col(first + m), V.middleCols(m * outputs, outputs));
    patches_[0]->factor.solve_lower(V);
    for (Eigen::Index m = 0; m < count; ++m)
      all[static_cast<std::size_t>(first + m)] = left_over(V.middleCols(m * outputs, outputs));
  }
  return all;
}

template <int Dim>
KernelDeviation KernelSamples<Dim>::deviation_of(const Patch& patch, Eigen::MatrixXd& V) const {
  patch.factor.solve_lower(V);
  return left_over(V);
}

template <int Dim>
void KernelSamples<Dim>::add(const Point<Dim>& x, const Eigen::MatrixXd& jet) {
  if (size() == 0) offset_ = jet.col(0);
  auto normalized = std::make_shared<Eigen::MatrixXd>(jet);
  normalized->col(0) -= offset_;
  const auto& indices = JetCorrelation<Dim>::indices(order_);
  for (std::size_t a = 0; a < indices.size(); ++a)
    normalized->col(static_cast<Eigen::Index>(a)) *= correlation_.scale(indices[a]);
  points_.push_back(x);
  jets_.push_back(std::move(normalized));

  if (size() <= options_.localize_above) {
    auto grown = std::make_shared<Patch>();  // copies keep the old one
    grown->members = patches_[0]->members;
    grown->factor = patches_[0]->factor;
    grown->inverse = patches_[0]->inverse;
    append(*grown, size() - 1);
    patches_[0] = std::move(grown);
    return;
  }
  if (size() == options_.localize_above + 1) patches_.clear();
  patches_.resize(static_cast<std::size_t>(size()));
  for (int s = 0; s < size(); ++s) {
    std::shared_ptr<Patch>& patch = patches_[static_cast<std::size_t>(s)];
    if (!patch || correlation_.distance2(x, point(s)) < patch->radius2.load()) patch = std::make_shared<Patch>();
  }
}

template <int Dim>
KernelDeviation KernelSamples<Dim>::left_over(const Eigen::Ref<const Eigen::MatrixXd>& V) const {
  const auto sigma = [&](Eigen::Index column) {
    return std::sqrt(std::max(1 - V.col(column).squaredNorm(), options_.jitter));
  };
  KernelDeviation d{.value = sigma(0), .gradient = 0};
  for (Eigen::Index j = 1; j < V.cols(); ++j) d.gradient = std::max(d.gradient, sigma(j));
  return d;
}

template <int Dim>
void KernelSamples<Dim>::append(Patch& patch, int sample) const {
  const int q = derivatives();
  Eigen::MatrixXd K21(q, patch.factor.size()), K22(q, q);
  const auto fill = [&](int other, Eigen::Ref<Eigen::MatrixXd> block) {
    correlation_.fill(point(sample), order_, point(other), order_,
                      [&](Eigen::Index a, Eigen::Index b) -> double& { return block(a, b); });
  };
  Eigen::Index column = 0;
  for (const int member : patch.members) {
    fill(member, K21.middleCols(column, q));
    column += q;
  }
  fill(sample, K22);
  patch.factor.append(K21, K22);
  patch.inverse.append(patch.factor);
  patch.members.push_back(sample);
}

template <int Dim>
void KernelSamples<Dim>::make(Patch& patch, const Point<Dim>& center) const {
  std::vector<std::pair<double, int>> order;
  order.reserve(points_.size());
  for (int s = 0; s < size(); ++s) order.emplace_back(correlation_.distance2(center, point(s)), s);
  const auto last = order.begin() + std::min<std::ptrdiff_t>(options_.neighbours, size());
  std::partial_sort(order.begin(), last, order.end());
  clear(patch);
  for (auto it = order.begin(); it != last; ++it) append(patch, it->second);
  patch.radius2 = std::prev(last)->first;
}

}  // namespace quoin::kernel_detail
#endif
