// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/snap_through/buckled_arm.hpp"

#include "quoin/robots/models/soft_arm/beam.hpp"

#include <stdexcept>
#include <utility>

namespace studies::branches {

using namespace soft_arm;

template <int D>
BuckledArm<D>::BuckledArm(SoftArm<D> arm, const ControlMap& controls, const std::vector<Controls>& starts)
    : statics_(std::move(arm), {.iterations = 300}), controls_(controls) {
  const Statics<D> unloaded{SoftArm<D>(this->arm().mesh())};
  for (const Controls& u : starts) unloaded.evaluate(u, starts_.emplace_back());
  side_.setZero(output_size());
  if (D == 2) {
    for (const int vertex : this->arm().mesh().tip) side_[D * vertex] = 1;
  } else {
    for (const auto& line : this->arm().mesh().lines)
      for (std::size_t i = 0; i < line.size(); ++i) side_[D * line[i]] = i % 2 == 0 ? 1 : -1;
  }
}

template <int D>
int BuckledArm<D>::branch_of(const Eigen::VectorXd& y) const {
  return side_.head(arm().size()).dot(y.head(arm().size()) - arm().rest()) >= 0 ? 1 : -1;
}

template <int D>
std::optional<Equilibrium> BuckledArm<D>::settle(const Eigen::VectorXd& start, const Point<2>& x) const {
  const Controls u = controls_ * x;
  Equilibrium found;
  Eigen::MatrixXd by_controls;
  if (statics_.solve_from(start.head(arm().size()), u, found.y, &by_controls).status != StaticsStatus::ok)
    return std::nullopt;
  found.J = by_controls * controls_;
  found.energy = arm().energy(found.y.head(arm().size()), u);
  found.branch = branch_of(found.y);
  return found;
}

BuckledArm<2> loaded_arm(double payload) {
  const ArmMesh<2> mesh = make_beam<2>();
  ArmOptions<2> options;
  options.gravity[0] = 0.3;
  options.dead_load.setZero(mesh.vertices.size());
  for (const int vertex : mesh.tip) options.dead_load[2 * vertex + 1] = -payload / static_cast<double>(mesh.tip.size());
  return {SoftArm<2>(mesh, options), Eigen::Matrix2d::Identity(), {{0, 1}, {1, 0}}};
}

BuckledArm<3> pushed_arm() {
  ArmOptions<3> options;
  options.gravity[0] = 0.05;
  BuckledArm<3>::ControlMap controls;
  controls << -1, -1, -1, 1, -1, 1, -1, -1;
  return {SoftArm<3>(make_beam<3>(), options), controls, {{-1, 1, 1, -1}, {1, -1, -1, 1}}};
}

template class BuckledArm<2>;
template class BuckledArm<3>;

}  // namespace studies::branches
