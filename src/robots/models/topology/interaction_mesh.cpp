// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/topology/interaction_mesh.hpp"

#include "quoin/util/to_text.hpp"

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
    throw std::invalid_argument("nearest_graph: " + to_text(nearest) + " nearest of " + to_text(all.cols()) +
                                " points");
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

namespace {

constexpr double least_between = 0.05;  // of the gap

struct Way {
  Vector3d way;
  double u, slope;  // du = -u slope way . d way
};

/// The derivative of a landmark's coordinates by a robot's point; a fourth row makes its columns packs.
struct Block {
  Index point;
  Eigen::Matrix<double, 4, 3> by_point;

  Block(Index of, const Matrix3d& by) : point(of) {
    by_point.topRows<3>() = by;
    by_point.row(3).setZero();
  }
};

/// Scratch memory for one landmark; kept, so that nothing is allocated frame by frame.
struct Scratch {
  std::vector<Way> ways;
  std::vector<Block> blocks;
};

/// Computes rows of J from `row` on: sum over the blocks of by_point * (rows of `moved` of the point).
void multiply(const std::vector<Block>& blocks, const MatrixXd& moved, Index row, MatrixXd& J) {
  for (Index j = 0; j < moved.cols(); ++j) {
    Eigen::Vector4d sum = Eigen::Vector4d::Zero();
    for (const Block& block : blocks) {
      const double* d = &moved.coeffRef(3 * block.point, j);
      sum += d[0] * block.by_point.col(0) + d[1] * block.by_point.col(1) + d[2] * block.by_point.col(2);
    }
    J.col(j).segment<3>(row) = sum.head<3>();
  }
}

}  // namespace

InteractionMesh::InteractionMesh(Index robot_points, Index environment_points, std::vector<MeshEdge> edges)
    : robot_points_(robot_points), environment_points_(environment_points) {
  if (robot_points < 1 || environment_points < 0)
    throw std::invalid_argument("InteractionMesh: " + to_text(robot_points) + " points of the robot, " +
                                to_text(environment_points) + " of the environment");
  const Index all = robot_points + environment_points;
  neighbours_.resize(static_cast<std::size_t>(all));
  for (const MeshEdge& edge : edges) {
    if (edge.first < 0 || edge.first >= all || edge.second < 0 || edge.second >= all || edge.first == edge.second ||
        !(edge.weight > 0) || !std::isfinite(edge.weight) || !(edge.gap >= 0) || !std::isfinite(edge.gap))
      throw std::invalid_argument("InteractionMesh: an edge from " + to_text(edge.first) + " to " +
                                  to_text(edge.second) + " of weight " + to_text(edge.weight) + " and gap " +
                                  to_text(edge.gap) + " among " + to_text(all) + " points");
    neighbours_[static_cast<std::size_t>(edge.first)].push_back({edge.second, edge.weight, edge.gap});
    neighbours_[static_cast<std::size_t>(edge.second)].push_back({edge.first, edge.weight, edge.gap});
  }
}

Fingerprint InteractionMesh::fingerprint() const {
  Fingerprint fingerprint("topology::InteractionMesh");
  fingerprint.add("robot", robot_points_).add("environment", environment_points_);
  for (const std::vector<Neighbour>& neighbours : neighbours_) {
    std::vector<Index> points;
    std::vector<double> weights, gaps;
    for (const Neighbour& neighbour : neighbours) {
      points.push_back(neighbour.point);
      weights.push_back(neighbour.weight);
      gaps.push_back(neighbour.gap);
    }
    fingerprint.add("neighbours", points).add_rounded("weights", weights).add_rounded("gaps", gaps);
  }
  return fingerprint;
}

void InteractionMesh::laplace(const Matrix3Xd& robot, const Matrix3Xd& environment, const MatrixXd* moved, VectorXd& y,
                              MatrixXd* J) const {
  if (robot.cols() != robot_points_ || environment.cols() != environment_points_ ||
      (moved && moved->rows() != 3 * robot_points_))
    throw std::invalid_argument(
        "InteractionMesh::evaluate: " + to_text(robot.cols()) + " and " + to_text(environment.cols()) +
        " points, wanted " + to_text(robot_points_) + " and " + to_text(environment_points_) +
        (moved ? "; derivatives of " + to_text(moved->rows()) + " coordinates, wanted " + to_text(3 * robot_points_)
               : ""));
  const auto place = [&](Index p) -> Vector3d {
    return p < robot_points_ ? robot.col(p) : environment.col(p - robot_points_);
  };
  y.resize(size());
  if (J) J->setZero(size(), moved->cols());
  thread_local Scratch scratch;
  for (Index p = 0; p < robot_points_ + environment_points_; ++p) {
    const std::vector<Neighbour>& neighbours = neighbours_[static_cast<std::size_t>(p)];
    const Vector3d at = place(p);
    scratch.blocks.clear();
    const auto add = [&](Index point, const Matrix3d& by_point) {
      if (J && point < robot_points_) scratch.blocks.push_back({point, by_point});
    };
    if (neighbours.empty()) {
      y.segment<3>(3 * p) = at;
      add(p, Matrix3d::Identity());
    } else if (const auto same = std::ranges::find_if(
                   neighbours, [&](const Neighbour& r) { return r.gap == 0 && place(r.point) == at; });
               same != neighbours.end()) {
      y.segment<3>(3 * p).setZero();
      add(p, Matrix3d::Identity());
      add(same->point, -Matrix3d::Identity());
    } else {
      scratch.ways.clear();
      double total = 0;
      Vector3d pull = Vector3d::Zero();
      for (const Neighbour& r : neighbours) {
        const Vector3d way = place(r.point) - at;
        const double distance = way.norm(), between = std::max(distance - r.gap, least_between * r.gap);
        const double u = r.weight / between;
        total += u;
        pull += u * way;
        if (J) scratch.ways.push_back({way, u, distance - r.gap < between ? 0 : 1 / (between * distance)});
      }
      pull /= total;  // S - p
      y.segment<3>(3 * p) = -pull;
      if (!J) continue;
      // dS = sum_r (r - S) / U du_r + u_r / U dr,  du_r = -u_r slope_r (r - p) . (dr - dp)
      Matrix3d by_p = Matrix3d::Identity();
      for (std::size_t k = 0; k < neighbours.size(); ++k) {
        const auto& [way, u, slope] = scratch.ways[k];
        const double share = u / total;
        const Matrix3d pulled = share * slope * (way - pull) * way.transpose();
        by_p -= pulled;
        add(neighbours[k].point, pulled - share * Matrix3d::Identity());
      }
      add(p, by_p);
    }
    if (J) multiply(scratch.blocks, *moved, 3 * p, *J);
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
