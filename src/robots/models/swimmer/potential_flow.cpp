// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/swimmer/potential_flow.hpp"

#include "quoin/util/to_text.hpp"

#include "panel_contact.hpp"
#include "potential_flow_body.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace quoin::swimmer {
namespace {

using Twists = Eigen::Matrix<double, 6, Eigen::Dynamic>;

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("PotentialFlow::solve: " + why); }

void check_poses(const std::vector<Eigen::Isometry3d>& poses, std::size_t bodies) {
  if (poses.size() != bodies) refuse(to_text(poses.size()) + " poses are given for " + to_text(bodies) + " bodies");
  for (std::size_t b = 0; b < bodies; ++b) {
    if (!poses[b].matrix().allFinite()) refuse("the pose of body " + to_text(b) + " is not finite");
    const Eigen::Matrix3d turn = poses[b].linear();
    const double off = (turn.transpose() * turn - Eigen::Matrix3d::Identity()).norm();
    if (!(off < 1e-9) || turn.determinant() < 0)
      refuse("the pose of body " + to_text(b) + " is not a rotation and a translation: |R^T R - 1| = " + to_text(off) +
             ", det R = " + to_text(turn.determinant()));
  }
}

void check_motions(const std::vector<Twists>& motions, std::size_t bodies) {
  for (std::size_t k = 0; k < motions.size(); ++k) {
    if (motions[k].cols() != static_cast<Eigen::Index>(bodies))
      refuse("motions[" + to_text(k) + "] has " + to_text(motions[k].cols()) + " columns for " + to_text(bodies) +
             " bodies");
    if (!motions[k].allFinite()) refuse("motions[" + to_text(k) + "] is not finite");
  }
}

std::string pair_name(int a, int b) {
  return "PotentialFlow::solve: bodies " + to_text(std::min(a, b)) + " and " + to_text(std::max(a, b));
}

// Throws BodiesTouch unless body a, at `points` in the frame of body b, keeps its distance.
void require_apart(const FlowBody& body, int a, const Eigen::Matrix3Xd& points, const FlowBody& other, int b,
                   const Eigen::VectorXd& winding, double min_gap) {
  for (Eigen::Index i = 0; i < winding.size(); ++i)
    if (!(std::abs(winding[i]) <= 0.5))  // a point on an edge or vertex gives NaN
      throw BodiesTouch(pair_name(a, b) + " overlap: vertex " + to_text(i) + " of body " + to_text(a) +
                            " lies inside body " + to_text(b),
                        std::min(a, b), std::max(a, b), 0);
  const auto nearest = nearest_panel(body.panels, points, other.panels, min_gap * other.longest);
  if (nearest.pierced)
    throw BodiesTouch(pair_name(a, b) + " overlap: an edge at vertex " + to_text(nearest.vertex) + " of body " +
                          to_text(a) + " passes through panel " + to_text(nearest.panel) + " of body " + to_text(b),
                      std::min(a, b), std::max(a, b), 0);
  if (nearest.fraction < min_gap)
    throw BodiesTouch(pair_name(a, b) + " come too close: vertex " + to_text(nearest.vertex) + " of body " +
                          to_text(a) + " is " + to_text(nearest.distance) + " m from panel " + to_text(nearest.panel) +
                          " of body " + to_text(b) + ", " + to_text(nearest.fraction) +
                          " of its longest edge; min_gap = " + to_text(min_gap),
                      std::min(a, b), std::max(a, b), nearest.distance);
}

}  // namespace

struct PotentialFlow::State {
  std::vector<FlowBody> bodies;
  PanelKernels kernels;
  double min_gap;
  Eigen::Index vertices;
  Eigen::MatrixXd weights;

  // Vertices of body a in the frame of body b.
  Eigen::Matrix3Xd seen_from(const std::vector<Eigen::Isometry3d>& poses, std::size_t a, std::size_t b) const {
    return (poses[b].inverse() * poses[a]) * bodies[a].surface.vertices;
  }

  void assemble(const std::vector<Eigen::Isometry3d>& poses, Eigen::MatrixXd& matrix, Eigen::MatrixXd& rhs) const;
  std::vector<RelativeMotion> relative_motions(const Eigen::Isometry3d& pose, const std::vector<Twists>& motions,
                                               std::size_t a, std::size_t b) const;
  void subtract_derivatives(const std::vector<Eigen::Isometry3d>& poses, const std::vector<Twists>& motions,
                            const Eigen::MatrixXd& phi, Eigen::MatrixXd& rhs) const;
};

void PotentialFlow::State::assemble(const std::vector<Eigen::Isometry3d>& poses, Eigen::MatrixXd& matrix,
                                    Eigen::MatrixXd& rhs) const {
  matrix.resize(vertices, vertices);
  rhs.resize(vertices, 6 * static_cast<Eigen::Index>(bodies.size()));
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const auto& source = bodies[b];
    auto layer = rhs.middleCols(6 * static_cast<Eigen::Index>(b), 6);
    for (std::size_t a = 0; a < bodies.size(); ++a) {
      const auto& body = bodies[a];
      auto block = matrix.block(body.first, source.first, body.count, source.count);
      auto rows = layer.middleRows(body.first, body.count);
      if (a == b) {
        block = body.own_block;
        rows = body.own_layer;
        continue;
      }
      const auto points = seen_from(poses, a, b);
      const auto winding = assemble_pair(kernels, source, points, block, rows);
      require_apart(body, static_cast<int>(a), points, source, static_cast<int>(b), winding, min_gap);
    }
  }
  rhs = -rhs;
}

std::vector<RelativeMotion> PotentialFlow::State::relative_motions(const Eigen::Isometry3d& pose,
                                                                   const std::vector<Twists>& motions, std::size_t a,
                                                                   std::size_t b) const {
  std::vector<RelativeMotion> found;
  const double reach = pose.translation().norm() + bodies[a].size;
  for (std::size_t k = 0; k < motions.size(); ++k) {
    const auto of_a = motions[k].col(static_cast<Eigen::Index>(a)), of_b = motions[k].col(static_cast<Eigen::Index>(b));
    const Eigen::Vector3d spin = pose.linear() * of_a.head<3>();
    const Eigen::Vector3d angular = spin - of_b.head<3>();
    const Eigen::Vector3d linear = pose.linear() * of_a.tail<3>() + pose.translation().cross(spin) - of_b.tail<3>();
    // The twists of two bodies that a parameter moves together differ only by rounding.
    const double scale =
        (of_a.head<3>().norm() + of_b.head<3>().norm()) * reach + of_a.tail<3>().norm() + of_b.tail<3>().norm();
    if (angular.norm() * reach + linear.norm() > 64 * std::numeric_limits<double>::epsilon() * scale)
      found.push_back({static_cast<int>(k), angular, linear});
  }
  return found;
}

void PotentialFlow::State::subtract_derivatives(const std::vector<Eigen::Isometry3d>& poses,
                                                const std::vector<Twists>& motions, const Eigen::MatrixXd& phi,
                                                Eigen::MatrixXd& rhs) const {
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const auto& source = bodies[b];
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> values =
        phi.middleRows(source.first, source.count);
    for (std::size_t a = 0; a < bodies.size(); ++a) {
      if (a == b) continue;
      const auto relative = relative_motions(poses[b].inverse() * poses[a], motions, a, b);
      if (relative.empty()) continue;
      subtract_pair_derivatives(kernels, source, seen_from(poses, a, b), relative, values, bodies[a].first,
                                6 * static_cast<Eigen::Index>(b), rhs);
    }
  }
}

PotentialFlow::PotentialFlow(std::vector<SurfaceMesh> bodies, const PotentialFlowOptions& options) {
  if (bodies.empty()) throw std::invalid_argument("PotentialFlow: there are no bodies");
  if (!(options.min_gap >= 1e-6) || !std::isfinite(options.min_gap))
    throw std::invalid_argument("PotentialFlow: min_gap = " + to_text(options.min_gap) +
                                " must be finite and at least 1e-6");
  for (std::size_t b = 0; b < bodies.size(); ++b)
    require_closed_surface(bodies[b], "PotentialFlow: body " + to_text(b));

  auto state = std::make_shared<State>();
  state->kernels = options.scalar ? panel_kernels().front() : panel_kernels().back();
  state->min_gap = options.min_gap;
  state->vertices = 0;
  state->bodies.reserve(bodies.size());
  for (auto& body : bodies) {
    state->bodies.emplace_back(std::move(body), state->vertices);
    state->vertices += state->bodies.back().count;
  }
  state->weights.setZero(state->vertices, 6 * static_cast<Eigen::Index>(bodies.size()));
  Eigen::Index column = 0;
  for (const auto& body : state->bodies) {
    state->weights.block(body.first, column, body.count, 6) = swimmer::normal_weights(body.surface);
    column += 6;
  }
  state_ = std::move(state);
}

Eigen::Index PotentialFlow::vertices() const { return state_->vertices; }

int PotentialFlow::bodies() const { return static_cast<int>(state_->bodies.size()); }

Eigen::Index PotentialFlow::first_vertex(int body) const {
  return body == bodies() ? vertices() : state_->bodies.at(static_cast<std::size_t>(body)).first;
}

const SurfaceMesh& PotentialFlow::surface(int body) const {
  return state_->bodies.at(static_cast<std::size_t>(body)).surface;
}

double PotentialFlow::min_gap() const { return state_->min_gap; }

void PotentialFlow::solve(const std::vector<Eigen::Isometry3d>& poses, Eigen::MatrixXd& phi) const {
  std::vector<Eigen::MatrixXd> none;
  solve(poses, {}, phi, none);
}

void PotentialFlow::solve(const std::vector<Eigen::Isometry3d>& poses, const std::vector<Twists>& motions,
                          Eigen::MatrixXd& phi, std::vector<Eigen::MatrixXd>& dphi) const {
  check_poses(poses, state_->bodies.size());
  check_motions(motions, state_->bodies.size());
  Eigen::MatrixXd matrix, rhs;
  state_->assemble(poses, matrix, rhs);
  const Eigen::PartialPivLU<Eigen::Ref<Eigen::MatrixXd>> factors(matrix);
  phi = factors.solve(rhs);
  if (!phi.allFinite())
    throw std::domain_error("PotentialFlow::solve: the boundary equations are singular: a surface meets itself");
  dphi.resize(motions.size());
  if (motions.empty()) return;
  const auto columns = rhs.cols();
  rhs.setZero(rhs.rows(), columns * static_cast<Eigen::Index>(motions.size()));  // the motions side by side
  state_->subtract_derivatives(poses, motions, phi, rhs);
  const Eigen::MatrixXd all = factors.solve(rhs);
  for (std::size_t k = 0; k < dphi.size(); ++k)
    dphi[k] = all.middleCols(static_cast<Eigen::Index>(k) * columns, columns);
}

const Eigen::MatrixXd& PotentialFlow::normal_weights() const { return state_->weights; }

Eigen::MatrixXd PotentialFlow::added_mass(const Eigen::MatrixXd& phi) const {
  const auto columns = state_->weights.cols();
  if (phi.rows() != vertices() || phi.cols() != columns)
    throw std::invalid_argument("PotentialFlow::added_mass: phi is " + shape_text(phi) + ", not " +
                                to_text(vertices()) + " x " + to_text(columns));
  Eigen::MatrixXd mass(columns, columns);
  Eigen::Index column = 0;
  for (const auto& body : state_->bodies) {
    mass.middleCols(column, 6).noalias() =
        -phi.middleRows(body.first, body.count).transpose() * state_->weights.block(body.first, column, body.count, 6);
    column += 6;
  }
  return mass;
}

double PotentialFlow::asymmetry(const Eigen::MatrixXd& added_mass) const {
  const auto columns = state_->weights.cols();
  if (added_mass.rows() != columns || added_mass.cols() != columns)
    throw std::invalid_argument("PotentialFlow::asymmetry: the matrix is " + shape_text(added_mass) + ", not " +
                                to_text(columns) + " square");
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(columns);
  for (std::size_t b = 0; b < state_->bodies.size(); ++b)
    scale.segment<3>(6 * static_cast<Eigen::Index>(b)).setConstant(1 / state_->bodies[b].gyration);
  const Eigen::MatrixXd scaled = scale.asDiagonal() * added_mass * scale.asDiagonal();
  return (scaled - scaled.transpose()).norm() / scaled.norm();
}

}  // namespace quoin::swimmer
