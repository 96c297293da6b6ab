// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/alternatives/leja_sparse_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace benchmarks {
namespace {

constexpr int most_nodes = 200;

/// Real parts of a Leja sequence of the unit circle without repetitions (Chkifa 2013), starting at the centre.
Eigen::VectorXd r_leja_points(int count) {
  std::vector<double> angle{0, std::numbers::pi, std::numbers::pi / 2};
  for (std::size_t k = 1; std::ssize(angle) < count; ++k) {
    angle.push_back(angle[k + 1] / 2);
    angle.push_back(angle.back() + std::numbers::pi);
  }
  Eigen::VectorXd points(count);
  for (int k = 0; k < count; ++k) points[k] = std::cos(angle[k]);
  points.head(3) << 0, 1, -1;
  return points;
}

}  // namespace

LejaSparseGrid::LejaSparseGrid(SampledFunction f, Box box)
    : f_(std::move(f)),
      box_(std::move(box)),
      nodes_(r_leja_points(most_nodes)),
      denominators_(Eigen::VectorXd::Ones(most_nodes)),
      at_nodes_(Eigen::MatrixXd::Zero(most_nodes, most_nodes)),
      surplus_(f_.outputs, 64) {
  for (int m = 0; m < most_nodes; ++m) {
    double product = 1;
    for (int k = 0; k <= m; ++k) {
      at_nodes_(k, m) = k == m ? 1 : product / denominators_[k];
      if (k < m) product *= nodes_[m] - nodes_[k];
    }
    denominators_[m] = product;
  }
  add(Index(f_.dim, 0));
}

Eigen::VectorXd LejaSparseGrid::point(Eigen::Index m) const {
  Eigen::VectorXd x(f_.dim);
  for (int i = 0; i < f_.dim; ++i) {
    const double t = nodes_[indices_[m][i]];
    x[i] = 0.5 * ((1 - t) * box_.lower[i] + (1 + t) * box_.upper[i]);
  }
  return x;
}

void LejaSparseGrid::add(const Index& index) {
  const auto count = evaluations();
  Eigen::VectorXd weights(count);
  for (Eigen::Index m = 0; m < count; ++m) {
    double weight = 1;
    for (int i = 0; i < f_.dim && weight != 0; ++i) weight *= at_nodes_(indices_[m][i], index[i]);
    weights[m] = weight;
  }
  if (count == surplus_.cols()) surplus_.conservativeResize(Eigen::NoChange, 2 * count);
  indices_.push_back(index);
  position_[index] = count;
  Eigen::MatrixXd value(f_.outputs, 1);
  f_.sample(point(count), 0, value);
  surplus_.col(count) = value - surplus_.leftCols(count) * weights;
  size_.push_back(surplus_.col(count).norm());
  grown_.push_back(false);
  highest_ = std::max(highest_, *std::max_element(index.begin(), index.end()));
}

void LejaSparseGrid::refine(Eigen::Index wanted) {
  while (evaluations() < wanted) {
    const bool oldest = ++steps_ % 8 == 0;
    Eigen::Index chosen = -1;
    for (Eigen::Index m = 0; m < evaluations(); ++m) {
      if (grown_[m] || (chosen >= 0 && (oldest || size_[m] <= size_[chosen]))) continue;
      chosen = m;
    }
    if (chosen < 0) return;
    grown_[chosen] = true;
    for (int i = 0; i < f_.dim; ++i) {
      Index next = indices_[chosen];
      if (++next[i] == most_nodes) continue;
      bool admissible = true;
      for (int j = 0; j < f_.dim && admissible; ++j) {
        if (next[j] == 0) continue;
        Index below = next;
        --below[j];
        const auto found = position_.find(below);
        admissible = found != position_.end() && grown_[found->second];
      }
      if (admissible) add(next);
    }
  }
}

void LejaSparseGrid::evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
  const int dim = f_.dim;
  Eigen::MatrixXd h(highest_ + 1, dim), dh(highest_ + 1, dim);
  for (int i = 0; i < dim; ++i) {
    const double half = 0.5 * (box_.upper[i] - box_.lower[i]);
    const double t = (x[i] - 0.5 * (box_.lower[i] + box_.upper[i])) / half;
    double product = 1, derivative = 0;
    for (int k = 0; k <= highest_; ++k) {
      h(k, i) = product / denominators_[k];
      dh(k, i) = derivative / denominators_[k] / half;
      derivative = derivative * (t - nodes_[k]) + product;
      product *= t - nodes_[k];
    }
  }
  const Eigen::Index count = evaluations();
  Eigen::MatrixXd weights(1 + dim, count);
  Eigen::VectorXd before(dim + 1);
  for (Eigen::Index m = 0; m < count; ++m) {
    const Index& index = indices_[m];
    before[0] = 1;
    for (int i = 0; i < dim; ++i) before[i + 1] = before[i] * h(index[i], i);
    weights(0, m) = before[dim];
    double after = 1;
    for (int i = dim - 1; i >= 0; --i) {
      weights(1 + i, m) = before[i] * dh(index[i], i) * after;
      after *= h(index[i], i);
    }
  }
  y.noalias() = surplus_.leftCols(count) * weights.row(0).transpose();
  J.noalias() = surplus_.leftCols(count) * weights.bottomRows(dim).transpose();
}

}  // namespace benchmarks
