// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/differentiable_map.hpp"
#include "quoin/core/exact_function.hpp"
#include "quoin/core/point.hpp"
#include "quoin/models/swimmer/generalized_mass.hpp"
#include "quoin/models/swimmer/swimmer_flow.hpp"

#include <Eigen/Core>

#include <utility>

namespace quoin::swimmer {

/// f_u of Jia, Pan, Manocha 2019, Eq. 10: the potentials on the swimmer's surface per unit velocity, as a function of the
/// joint angles; for fidelity, and for pictures of the pressure. The free base adds its twist to the velocities.
///
/// A DifferentiableMap: P x ((3 or 6) + Dim) potentials at the vertices, columns under each other (SwimmerFlow::potentials).
/// Costs and errors as AddedMass; about P / 10 times its outputs.
template <int Dim>
class Potentials {
 public:
  Potentials(SwimmerFlow flow, Motion motion) : flow_(std::move(flow)), motion_(motion) {
    detail::require_hinges("Potentials", Dim, flow_.swimmer(), motion);
  }
  Potentials(const Swimmer& swimmer, Motion motion) : Potentials(SwimmerFlow(swimmer), motion) {}

  Eigen::Index output_size() const { return flow_.flow().vertices() * (twist_size(motion_) + Dim); }
  FunctionTraits traits() const { return {.concurrent = true}; }
  const SwimmerFlow& flow() const { return flow_; }
  Motion motion() const { return motion_; }

  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y) const {
    flow_.potentials(q, motion_, y, nullptr);
    return {.trust = Trust::exact, .error = 0};
  }
  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    flow_.potentials(q, motion_, y, &J);
    return {.trust = Trust::exact, .error = 0, .jacobian_error = 0};
  }

 private:
  SwimmerFlow flow_;
  Motion motion_;
};

}  // namespace quoin::swimmer
