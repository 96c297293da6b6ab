// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/models/topology/interaction_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::topology {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

std::vector<MeshEdge> full_graph(Index robot_points, Index environment_points) {
  std::vector<MeshEdge> edges;
  for (Index i = 0; i < robot_points; ++i)
    for (Index j = i + 1; j < robot_points + environment_points; ++j) edges.push_back({.first = i, .second = j});
  return edges;
}

std::vector<MeshEdge> nearest_graph(const Matrix3Xd& robot, const Matrix3Xd& environment, int nearest) {
  Matrix3Xd all(3, robot.cols() + environment.cols());
  all << robot, environment;
  if (nearest < 1 || nearest >= all.cols())
    throw std::invalid_argument("nearest_graph: " + std::to_string(nearest) + " nearest of " +
                                std::to_string(all.cols()) + " points");
  std::set<std::pair<Index, Index>> pairs;
  std::vector<Index> others;
  for (Index p = 0; p < all.cols(); ++p) {
    others.clear();
    for (Index r = 0; r < all.cols(); ++r)
      if (r != p && std::min(r, p) < robot.cols()) others.push_back(r);
    const auto count = std::min<std::ptrdiff_t>(nearest, std::ssize(others));
    std::partial_sort(others.begin(), others.begin() + count, others.end(), [&](Index a, Index b) {
      return (all.col(a) - all.col(p)).squaredNorm() < (all.col(b) - all.col(p)).squaredNorm();
    });
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      const Index r = others[static_cast<std::size_t>(k)];
      pairs.emplace(std::min(p, r), std::max(p, r));
    }
  }
  std::vector<MeshEdge> edges;
  for (const auto& [first, second] : pairs) edges.push_back({.first = first, .second = second});
  return edges;
}

InteractionMesh::InteractionMesh(Index robot_points, Index environment_points, std::vector<MeshEdge> edges)
    : robot_points_(robot_points), environment_points_(environment_points) {
  if (robot_points < 1 || environment_points < 0)
    throw std::invalid_argument("InteractionMesh: " + std::to_string(robot_points) + " points of the robot, " +
                                std::to_string(environment_points) + " of the environment");
  const Index all = robot_points + environment_points;
  neighbours_.resize(static_cast<std::size_t>(all));
  for (const MeshEdge& edge : edges) {
    if (edge.first < 0 || edge.first >= all || edge.second < 0 || edge.second >= all || edge.first == edge.second ||
        !(edge.weight > 0) || !std::isfinite(edge.weight))
      throw std::invalid_argument("InteractionMesh: an edge from " + std::to_string(edge.first) + " to " +
                                  std::to_string(edge.second) + " of weight " + std::to_string(edge.weight) +
                                  " among " + std::to_string(all) + " points");
    neighbours_[static_cast<std::size_t>(edge.first)].push_back({edge.second, edge.weight});
    neighbours_[static_cast<std::size_t>(edge.second)].push_back({edge.first, edge.weight});
  }
}

void InteractionMesh::laplace(const Matrix3Xd& robot, const Matrix3Xd& environment, const MatrixXd* moved, VectorXd& y,
                              MatrixXd* J) const {
  if (robot.cols() != robot_points_ || environment.cols() != environment_points_ ||
      (moved && moved->rows() != 3 * robot_points_))
    throw std::invalid_argument("InteractionMesh::evaluate: " + std::to_string(robot.cols()) + " and " +
                                std::to_string(environment.cols()) + " points, wanted " +
                                std::to_string(robot_points_) + " and " + std::to_string(environment_points_) +
                                (moved ? "; derivatives of " + std::to_string(moved->rows()) + " coordinates" : ""));
  const auto place = [&](Index p) -> Vector3d {
    return p < robot_points_ ? robot.col(p) : environment.col(p - robot_points_);
  };
  y.resize(size());
  if (J) J->setZero(size(), moved->cols());
  for (Index p = 0; p < robot_points_ + environment_points_; ++p) {
    const std::vector<Neighbour>& neighbours = neighbours_[static_cast<std::size_t>(p)];
    const Vector3d at = place(p);
    const auto rows = [&] { return J->middleRows(3 * p, 3); };
    const auto add = [&](Index point, const Matrix3d& by_point) {
      if (point < robot_points_) rows().noalias() += by_point * moved->middleRows(3 * point, 3);
    };
    if (neighbours.empty()) {
      y.segment<3>(3 * p) = at;
      if (J) add(p, Matrix3d::Identity());
      continue;
    }
    const auto same = std::ranges::find_if(neighbours, [&](const Neighbour& r) { return place(r.point) == at; });
    if (same != neighbours.end()) {
      y.segment<3>(3 * p).setZero();
      if (J) {
        add(p, Matrix3d::Identity());
        add(same->point, -Matrix3d::Identity());
      }
      continue;
    }
    double total = 0;
    Vector3d mean = Vector3d::Zero();
    for (const Neighbour& r : neighbours) {
      const Vector3d there = place(r.point);
      const double u = r.weight / (there - at).norm();
      total += u;
      mean += u * there;
    }
    mean /= total;
    y.segment<3>(3 * p) = at - mean;
    if (!J) continue;
    // dS = sum_r (r - S) / U du_r + u_r / U dr,  du_r = -u_r (r - p) . (dr - dp) / |r - p|^2
    Matrix3d by_p = Matrix3d::Identity();
    for (const Neighbour& r : neighbours) {
      const Vector3d there = place(r.point), way = there - at;
      const double share = r.weight / (way.norm() * total);
      const Matrix3d pulled = share / way.squaredNorm() * (there - mean) * way.transpose();
      by_p -= pulled;
      add(r.point, pulled - share * Matrix3d::Identity());
    }
    add(p, by_p);
  }
}

void InteractionMesh::evaluate(const Matrix3Xd& robot, const Matrix3Xd& environment, VectorXd& y) const {
  laplace(robot, environment, nullptr, y, nullptr);
}

void InteractionMesh::evaluate(const Matrix3Xd& robot, const Matrix3Xd& environment, const MatrixXd& moved, VectorXd& y,
                               MatrixXd& J) const {
  laplace(robot, environment, &moved, y, &J);
}

}  // namespace quoin::topology
