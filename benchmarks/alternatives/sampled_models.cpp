// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/alternatives/sampled_models.hpp"

#include <optional>
#include <utility>

namespace benchmarks {
namespace {

/// Points that fill the box evenly and are none of the tests, which are halton_points themselves.
Eigen::MatrixXd shifted_halton_points(const Box& box, int count) {
  const Eigen::ArrayXd edges = box.upper - box.lower;
  Eigen::MatrixXd points = halton_points(box, count);
  for (auto x : points.colwise()) {
    const Eigen::ArrayXd share = (x - box.lower).array() / edges + 0.618;
    x = box.lower + (edges * (share - share.floor())).matrix();
  }
  return points;
}

}  // namespace

NearestNeighbour::NearestNeighbour(const SampledFunction& f, Eigen::MatrixXd points) : points_(std::move(points)) {
  for (const auto x : points_.colwise()) {
    jets_.emplace_back(f.outputs, 1 + f.dim);
    f.sample(x, 1, jets_.back());
  }
}

void NearestNeighbour::evaluate(const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
  Eigen::Index nearest;
  (points_.colwise() - x).colwise().squaredNorm().minCoeff(&nearest);
  J = jets_[static_cast<std::size_t>(nearest)].rightCols(x.size());
  y = jets_[static_cast<std::size_t>(nearest)].col(0);
  y.noalias() += J * (x - points_.col(nearest));
}

Method nearest_neighbour(const Workload& w, const SampleRecord& record, bool on_path) {
  return {std::string("nearest neighbour") + (on_path ? ", on the path" : ""), 1 + w.f.dim,
          [&w, record, on_path, step = std::size_t{0}, count = 0L]() mutable -> std::optional<Stage> {
            Eigen::MatrixXd points;
            if (step < record->size()) {
              points = (*record)[step++];
            } else {
              if (on_path || record->empty() || 2 * count > w.budget) return {};
              points = shifted_halton_points(w.box, static_cast<int>(2 * count));
            }
            count = points.cols();
            const auto map = std::make_shared<NearestNeighbour>(w.f, std::move(points));
            return Stage{count, [map](const auto& x, auto& y, auto& J) { map->evaluate(x, y, J); }};
          }};
}

}  // namespace benchmarks
