// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/differentiable_map.hpp"
#include "quoin/core/exact_function.hpp"
#include "quoin/models/swimmer/detail/workspace_lease.hpp"
#include "quoin/models/swimmer/generalized_mass.hpp"
#include "quoin/models/swimmer/swimmer_flow.hpp"

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace quoin::swimmer {

/// The same as GeneralizedMass, from a map of the potentials of Eq. 10 (Jia, Pan, Manocha 2019): the kinetic energy of the
/// water is -rho/2 times the integral of phi dphi/dn over the surface, so that with F(q) the potentials per unit velocity
/// and W the weights of PotentialFlow::normal_weights
///
///     M(q) = sum_b J_b^T I_b J_b - rho sym(F^T W J).
///
///     AdaptiveGrid<3> grid(Potentials<3>(flow, Motion::planar), options);
///     MassOfPotentials<3, GridView<3>> mass(flow, Motion::planar, grid.at_level(0));
///
/// For fidelity to the paper: GeneralizedMass over AddedMass needs a hundredth of the outputs and is tens of times more
/// accurate on the same grid (docs/swimmer_dynamics.md). Over exact maps the two agree to rounding. Threads and errors as
/// GeneralizedMass.
template <int Dim, class Map>
  requires DifferentiableMap<Map, Dim>
class MassOfPotentials {
 public:
  MassOfPotentials(SwimmerFlow flow, Motion motion, Map map)
      : flow_((detail::require_hinges("MassOfPotentials", Dim, flow.swimmer(), motion), std::move(flow))),
        map_(std::move(map)),
        motion_(motion),
        assembly_(detail::mass_assembly<Dim>(flow_.swimmer(), motion)) {
    const Eigen::Index wanted = flow_.flow().vertices() * (twist_size(motion) + Dim);
    detail::require_outputs("MassOfPotentials", map_.output_size(), wanted, Dim + 1, motion);
    for (int b = 0; b <= Dim; ++b) {
      const Eigen::Index first = flow_.flow().first_vertex(b), count = flow_.flow().first_vertex(b + 1) - first;
      const Eigen::MatrixXd block = flow_.flow().normal_weights().block(first, 6 * b, count, 6);
      if (motion == Motion::planar)
        weights_[b] = block(Eigen::all, planar_components);
      else
        weights_[b] = block;
    }
  }

  Eigen::Index output_size() const { return packed_size(twist_size(motion_) + Dim); }
  FunctionTraits traits() const { return detail::traits_of(map_); }
  Motion motion() const { return motion_; }
  const Map& map() const { return map_; }

  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y) const {
    const detail::WorkspaceLease<Workspace> lease;
    Workspace& w = *lease;
    const Answer answer = map_.evaluate(q, w.F);
    assemble(q, w, y, nullptr);
    return detail::carried_over(answer);
  }
  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    const detail::WorkspaceLease<Workspace> lease;
    Workspace& w = *lease;
    const Answer answer = map_.evaluate(q, w.F, w.dF);
    assemble(q, w, y, &J);
    return detail::carried_over(answer);
  }
  Answer try_evaluate(const Point<Dim>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    const detail::WorkspaceLease<Workspace> lease;
    Workspace& w = *lease;
    const Answer answer = quoin::try_evaluate<Dim>(map_, q, w.F, w.dF);
    if (!answer.has_value()) return answer;
    assemble(q, w, y, &J);
    return detail::carried_over(answer);
  }

 private:
  struct Workspace {
    Eigen::VectorXd F, none;
    Eigen::MatrixXd dF, dnone;
  };

  void assemble(const Point<Dim>& q, Workspace& w, Eigen::VectorXd& y, Eigen::MatrixXd* dy) const {
    std::visit([&](const auto& assembly) { assemble(assembly, q, w, y, dy); }, assembly_);
  }
  template <int Twist>
  void assemble(const detail::MassAssembly<Dim, Twist>& assembly, const Point<Dim>& q, Workspace& w, Eigen::VectorXd& y,
                Eigen::MatrixXd* dy) const {
    using Assembly = detail::MassAssembly<Dim, Twist>;
    using Wide = Eigen::Matrix<double, Assembly::cols, Assembly::rows>;
    const double density = flow_.swimmer().fluid_density();
    w.none.setZero(packed_size(Assembly::rows));
    Wide G;
    typename Assembly::Square half;
    typename Assembly::Tall J;
    const auto add = [&half](auto&& packed) {
      for (int j = 0, at = 0; j < Assembly::cols; ++j)
        for (int i = 0; i <= j; ++i, ++at) packed[at] += half(i, j) + half(j, i);
    };
    if (!dy) {
      assembly(q, w.none, y);
      assembly.jacobians().evaluate(q, J);
      project<Assembly>(w.F, G);
      half.noalias() = (-0.5 * density) * G * J;
      add(y);
      return;
    }
    w.dnone.setZero(packed_size(Assembly::rows), Dim);
    assembly(q, w.none, w.dnone, y, *dy);
    std::array<typename Assembly::Tall, std::size_t{Dim}> dJ;
    assembly.jacobians().evaluate(q, J, dJ);
    Wide dG;
    project<Assembly>(w.F, G);
    half.noalias() = (-0.5 * density) * G * J;
    add(y);
    for (int k = 0; k < Dim; ++k) {
      project<Assembly>(w.dF.col(k), dG);
      half.noalias() = (-0.5 * density) * dG * J;
      half.noalias() -= (0.5 * density) * G * dJ[static_cast<std::size_t>(k)];
      add(dy->col(k));
    }
  }

  // F^T W, by the bodies' blocks of W.
  template <class Assembly, class Column, class Wide>
  void project(const Column& column, Wide& G) const {
    const Eigen::Map<const Eigen::MatrixXd> F(column.data(), flow_.flow().vertices(), Assembly::cols);
    constexpr int twist = Assembly::rows / (Dim + 1);
    for (int b = 0; b <= Dim; ++b)
      G.template middleCols<twist>(twist * b).noalias() =
          F.middleRows(flow_.flow().first_vertex(b), weights_[b].rows()).transpose() * weights_[b];
  }

  SwimmerFlow flow_;
  Map map_;
  Motion motion_;
  detail::AnyMassAssembly<Dim> assembly_;
  Eigen::MatrixXd weights_[std::size_t{Dim + 1}];  // of each body: its vertices x (3 or 6)
};

}  // namespace quoin::swimmer
