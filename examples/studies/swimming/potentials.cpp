// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/swimming/potentials.hpp"

#include <vector>

namespace studies::stroke {
namespace {

/// Of a spatial twist of the base and the rates of the joints, those of planar motion.
constexpr std::array<int, Potentials::velocities> planar_velocities{
    swimmer::planar_components[0], swimmer::planar_components[1], swimmer::planar_components[2], 6, 7, 8};

}  // namespace

Answer Potentials::evaluate(const Point<joints>& q, Eigen::VectorXd& y) const {
  y = flow_.potentials(q, swimmer::Motion::planar).reshaped();
  return {.trust = Trust::exact, .error = 0};
}

Answer Potentials::evaluate(const Point<joints>& q, Eigen::VectorXd& y, Eigen::MatrixXd& dy) const {
  const swimmer::Swimmer& fish = flow_.swimmer();
  Eigen::MatrixXd J, phi;
  std::vector<Eigen::MatrixXd> dJ, dphi;
  fish.link_jacobians(q, J, dJ);
  std::vector<Eigen::Matrix<double, 6, Eigen::Dynamic>> motions;
  for (int k = 0; k < joints; ++k) {
    const Eigen::VectorXd twists = J.col(6 + k);
    motions.emplace_back(twists.reshaped(6, fish.links()));
  }
  flow_.flow().solve(fish.poses(q), motions, phi, dphi);
  y = (phi * J(Eigen::all, planar_velocities)).reshaped();
  dy.resize(y.size(), joints);
  for (std::size_t k = 0; k < joints; ++k)
    dy.col(static_cast<Eigen::Index>(k)) =
        (dphi[k] * J(Eigen::all, planar_velocities) + phi * dJ[k](Eigen::all, planar_velocities)).reshaped();
  return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
}

Fluxes::Fluxes(const swimmer::SwimmerFlow& flow) : weights_(flow.flow().vertices(), 3) {
  for (int b = 0; b <= joints + 1; ++b) first_vertex_[static_cast<std::size_t>(b)] = flow.flow().first_vertex(b);
  for (int b = 0; b <= joints; ++b) {
    const auto [first, count] = vertices_of(b);
    for (int c = 0; c < 3; ++c) {
      const int twist = 6 * b + swimmer::planar_components[static_cast<std::size_t>(c)];
      weights_.col(c).segment(first, count) = flow.flow().normal_weights().col(twist).segment(first, count);
    }
  }
}

Eigen::MatrixXd Fluxes::functional() const {
  const Eigen::Index P = weights_.rows();
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(size, Potentials::velocities * P);
  for (int b = 0; b <= joints; ++b) {
    const auto [first, count] = vertices_of(b);
    for (int c = 0; c < 3; ++c)
      for (int a = 0; a < Potentials::velocities; ++a)
        C.row(Potentials::velocities * (3 * b + c) + a).segment(a * P + first, count) =
            weights_.col(c).segment(first, count).transpose();
  }
  return C;
}

void Fluxes::operator()(const Eigen::Ref<const Eigen::VectorXd>& potentials, Eigen::Ref<Eigen::VectorXd> fluxes) const {
  const auto F = potentials.reshaped(weights_.rows(), Potentials::velocities);
  auto B = fluxes.reshaped(Potentials::velocities, 3 * (joints + 1));
  for (int b = 0; b <= joints; ++b) {
    const auto [first, count] = vertices_of(b);
    B.middleCols(3 * b, 3).noalias() = F.middleRows(first, count).transpose() * weights_.middleRows(first, count);
  }
}

}  // namespace studies::stroke
