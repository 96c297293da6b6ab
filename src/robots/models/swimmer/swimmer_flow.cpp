// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/swimmer/swimmer_flow.hpp"

#include "quoin/robots/models/swimmer/detail/fingerprints.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace quoin::swimmer {
namespace {

std::vector<SurfaceMesh> surfaces(const Swimmer& swimmer) {
  std::vector<SurfaceMesh> all;
  for (int b = 0; b < swimmer.links(); ++b) all.push_back(swimmer.link(b).surface);
  return all;
}

// The components of every link's twist that a motion keeps.
std::vector<Eigen::Index> kept(Motion motion, int links) {
  std::vector<Eigen::Index> indices;
  for (int b = 0; b < links; ++b)
    for (int c = 0; c < 6; ++c)
      if (motion == Motion::spatial || (c >= planar_components.front() && c <= planar_components.back()))
        indices.push_back(6 * b + c);
  return indices;
}

// The columns of a body Jacobian that a motion keeps.
std::vector<Eigen::Index> kept_velocities(Motion motion, int hinges) {
  std::vector<Eigen::Index> indices = kept(motion, 1);
  for (int k = 0; k < hinges; ++k) indices.push_back(6 + k);
  return indices;
}

}  // namespace

SwimmerFlow::SwimmerFlow(const Swimmer& swimmer, const PotentialFlowOptions& options)
    : swimmer_(std::make_shared<const Swimmer>(swimmer)), flow_(surfaces(swimmer), options) {}

Fingerprint SwimmerFlow::fingerprint() const {
  Fingerprint fingerprint("swimmer::SwimmerFlow");
  detail::add_hinges(*swimmer_, fingerprint);
  for (int b = 0; b < swimmer_->links(); ++b)
    fingerprint.add_rounded("vertices", flow_.surface(b).vertices).add("triangles", flow_.surface(b).triangles);
  fingerprint.add_rounded("fluid_density", swimmer_->fluid_density())
      .add("least_gap", flow_.min_gap());  // as stores know it
  return fingerprint;
}

void SwimmerFlow::solve(const Eigen::VectorXd& q, Eigen::MatrixXd& phi) const { flow_.solve(swimmer_->poses(q), phi); }

void SwimmerFlow::solve(const Eigen::VectorXd& q, Eigen::MatrixXd& J, std::vector<Eigen::MatrixXd>& dJ,
                        Eigen::MatrixXd& phi, std::vector<Eigen::MatrixXd>& dphi) const {
  swimmer_->link_jacobians(q, J, dJ);
  std::vector<Eigen::Matrix<double, 6, Eigen::Dynamic>> motions;
  for (int k = 0; k < swimmer_->hinges(); ++k) {
    const Eigen::VectorXd twists = J.col(6 + k);
    motions.emplace_back(twists.reshaped(6, swimmer_->links()));
  }
  flow_.solve(swimmer_->poses(q), motions, phi, dphi);
}

void SwimmerFlow::added_mass(const Eigen::VectorXd& q, Motion motion, Eigen::VectorXd& y, Eigen::MatrixXd* J) const {
  const std::vector<Eigen::Index> part = kept(motion, swimmer_->links());
  const auto pack = [&](const Eigen::MatrixXd& phi, auto&& packed) {
    const Eigen::MatrixXd all = swimmer_->fluid_density() * flow_.added_mass(phi);
    pack_symmetric(Eigen::MatrixXd(all(part, part)), packed);
  };
  Eigen::MatrixXd phi;
  std::vector<Eigen::MatrixXd> dphi;
  if (J) {
    Eigen::MatrixXd jacobians;
    std::vector<Eigen::MatrixXd> djacobians;
    solve(q, jacobians, djacobians, phi, dphi);
  } else {
    solve(q, phi);
  }
  y.resize(packed_size(static_cast<Eigen::Index>(part.size())));
  pack(phi, y);
  if (!J) return;
  J->resize(y.size(), swimmer_->hinges());
  for (int k = 0; k < swimmer_->hinges(); ++k) pack(dphi[static_cast<std::size_t>(k)], J->col(k));
}

Eigen::MatrixXd SwimmerFlow::potentials(const Eigen::VectorXd& q, Motion motion) const {
  Eigen::MatrixXd phi, jacobians;
  solve(q, phi);
  swimmer_->link_jacobians(q, jacobians);
  return phi * jacobians(Eigen::all, kept_velocities(motion, swimmer_->hinges()));
}

double SwimmerFlow::asymmetry(const Eigen::VectorXd& q) const {
  Eigen::MatrixXd phi;
  solve(q, phi);
  return flow_.asymmetry(flow_.added_mass(phi));
}

}  // namespace quoin::swimmer
