// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/program/library.hpp"
#include "examples/studies/swimming/stroke_problem.hpp"
#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/hintable.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/models/swimmer/decoupled_added_mass.hpp"
#include "quoin/robots/models/swimmer/generalized_mass.hpp"
#include "quoin/robots/models/swimmer/swimmer_flow.hpp"

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

/// The swimmer as the paper has it, for comparison: the grid holds the potentials of Eq. 10, and the mass of links and
/// water is computed from them at query time. The library's grids hold the added mass in the links' frames, which is 78
/// numbers and easier to interpolate (docs/robots/swimmer_dynamics.md).
namespace studies::stroke {

/// f_u of Jia, Pan, Manocha 2019, Eq. 10, with the base's motion: the potentials F at the P vertices per unit planar
/// twist of the base and per unit rate of a joint, P x 6, column after column, and their Jacobian. Throws as
/// SwimmerFlow does.
class Potentials {
 public:
  static constexpr int velocities = 3 + joints;

  explicit Potentials(swimmer::SwimmerFlow flow) : flow_(std::move(flow)) {}

  Eigen::Index output_size() const { return velocities * flow_.flow().vertices(); }
  FunctionTraits traits() const { return {.concurrent = true}; }

  Answer evaluate(const Point<joints>& q, Eigen::VectorXd& y) const;
  Answer evaluate(const Point<joints>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const;

 private:
  swimmer::SwimmerFlow flow_;
};

/// The fluxes B = F^T W, 6 x 12, of potentials F through the links' surfaces: W holds the integral of (shape function
/// of a vertex) x (normal velocity under a link's unit planar twist). Linear in F, and all that the mass needs of it.
class Fluxes {
 public:
  static constexpr int size = Potentials::velocities * 3 * (joints + 1);

  explicit Fluxes(const swimmer::SwimmerFlow& flow);

  /// 72 x 6 P, for AdaptiveGrid::linear_output: B, column after column, as a function of F.
  Eigen::MatrixXd functional() const;
  /// F (6 P) to B (72).
  void operator()(const Eigen::Ref<const Eigen::VectorXd>& potentials, Eigen::Ref<Eigen::VectorXd> fluxes) const;

 private:
  std::pair<Eigen::Index, Eigen::Index> vertices_of(int link) const {  // the first, and their number
    const auto b = static_cast<std::size_t>(link);
    return {first_vertex_[b], first_vertex_[b + 1] - first_vertex_[b]};
  }

  Eigen::MatrixX3d weights_;  // of a vertex, by the twist of the link that has it: the others' are zero
  std::array<Eigen::Index, joints + 2> first_vertex_;
};

/// The fluxes from a map of all potentials, at query time: a query sweeps all P x 6 of them, as the paper's does.
template <class Map>
class SweptFluxes {
 public:
  SweptFluxes(Fluxes fluxes, Map potentials) : fluxes_(std::move(fluxes)), potentials_(std::move(potentials)) {}

  Eigen::Index output_size() const { return Fluxes::size; }
  Answer evaluate(const Point<joints>& q, Eigen::VectorXd& y) const {
    thread_local Eigen::VectorXd F;
    const Answer answer = potentials_.evaluate(q, F);
    y.resize(Fluxes::size);
    fluxes_(F, y);
    return answer.without_error();
  }
  Answer evaluate(const Point<joints>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return with_jacobian(q, y, J, [&](auto& F, auto& dF) { return potentials_.evaluate(q, F, dF); });
  }
  Answer try_evaluate(const Point<joints>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    return with_jacobian(q, y, J,
                         [&](auto& F, auto& dF) { return quoin::try_evaluate<joints>(potentials_, q, F, dF); });
  }

 private:
  template <class Ask>
  Answer with_jacobian(const Point<joints>&, Eigen::VectorXd& y, Eigen::MatrixXd& J, const Ask& ask) const {
    thread_local Eigen::VectorXd F;
    thread_local Eigen::MatrixXd dF;
    const Answer answer = ask(F, dF);
    if (!answer.has_value()) return answer;
    y.resize(Fluxes::size);
    J.resize(Fluxes::size, joints);
    fluxes_(F, y);
    for (int k = 0; k < joints; ++k) fluxes_(dF.col(k), J.col(k));
    return answer.without_error();
  }

  Fluxes fluxes_;
  Map potentials_;
};

/// The mass of links and water from a map of the fluxes, M(q) = sum_b J_b^T I_b J_b - rho sym(B J): packed, as
/// GeneralizedMass gives it. A DifferentiableMap.
template <class Map>
class MassFromFluxes {
 public:
  MassFromFluxes(const swimmer::Swimmer& fish, Map fluxes)
      : fluxes_(std::move(fluxes)),
        density_(fish.fluid_density()),
        jacobians_(fish),
        links_(fish, swimmer::Motion::planar, no_water()) {}

  Eigen::Index output_size() const { return links_.output_size(); }
  void hint(const Eigen::MatrixXd& angles) const
    requires Hintable<Map>
  {
    fluxes_.hint(angles);
  }
  Answer evaluate(const Point<joints>& q, Eigen::VectorXd& y) const {
    thread_local Eigen::VectorXd B;
    const Answer answer = fluxes_.evaluate(q, B);
    links_.evaluate(q, y);
    Tall J;
    jacobians_.evaluate(q, J);
    subtract(of(B) * J, y);
    return answer.without_error();
  }
  Answer evaluate(const Point<joints>& q, Eigen::VectorXd& y, Eigen::MatrixXd& dy) const {
    return with_jacobian(q, y, dy, [&](auto& B, auto& dB) { return fluxes_.evaluate(q, B, dB); });
  }
  Answer try_evaluate(const Point<joints>& q, Eigen::VectorXd& y, Eigen::MatrixXd& dy) const {
    return with_jacobian(q, y, dy, [&](auto& B, auto& dB) { return quoin::try_evaluate<joints>(fluxes_, q, B, dB); });
  }

 private:
  using Jacobians = swimmer::LinkJacobians<joints, 3>;
  using Tall = typename Jacobians::Matrix;  // 12 x 6
  using Square = Eigen::Matrix<double, Potentials::velocities, Potentials::velocities>;
  using Wide = Eigen::Matrix<double, Potentials::velocities, Jacobians::rows>;

  static swimmer::DecoupledAddedMass<joints> no_water() {
    return swimmer::DecoupledAddedMass<joints>(std::vector<Eigen::MatrixXd>(joints + 1, Eigen::MatrixXd::Zero(3, 3)));
  }
  static Wide of(const Eigen::Ref<const Eigen::VectorXd>& B) {
    return B.reshaped(Wide::RowsAtCompileTime, Wide::ColsAtCompileTime);
  }
  template <class Packed>
  void subtract(const Square& product, Packed&& packed) const {
    for (int j = 0, at = 0; j < product.cols(); ++j)
      for (int i = 0; i <= j; ++i, ++at) packed[at] -= 0.5 * density_ * (product(i, j) + product(j, i));
  }

  template <class Ask>
  Answer with_jacobian(const Point<joints>& q, Eigen::VectorXd& y, Eigen::MatrixXd& dy, const Ask& ask) const {
    thread_local Eigen::VectorXd B;
    thread_local Eigen::MatrixXd dB;
    const Answer answer = ask(B, dB);
    if (!answer.has_value()) return answer;
    links_.evaluate(q, y, dy);
    Tall J;
    std::array<Tall, std::size_t{joints}> dJ;
    jacobians_.evaluate(q, J, dJ);
    subtract(of(B) * J, y);
    for (int k = 0; k < joints; ++k) subtract(of(dB.col(k)) * J + of(B) * dJ[static_cast<std::size_t>(k)], dy.col(k));
    return answer.without_error();
  }

  Map fluxes_;
  double density_;
  Jacobians jacobians_;
  swimmer::GeneralizedMass<joints, swimmer::DecoupledAddedMass<joints>> links_;
};

}  // namespace studies::stroke
