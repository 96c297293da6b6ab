// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/hintable.hpp"
#include "quoin/robots/dynamics/discrete.hpp"
#include "quoin/robots/models/swimmer/detail/swimmer_step.hpp"
#include "quoin/robots/models/swimmer/motion.hpp"
#include "quoin/robots/models/swimmer/swimmer_options.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::swimmer {

/// The motion of a swimmer under joint torques (Jia, Pan, Manocha 2019, Eqs. 3 and 4), over any map of its generalized
/// mass M(q), exact or surrogate.
///
///     GeneralizedMass<3, GridView<3>> mass(fish, Motion::planar, grid.at_level(2));
///     SwimmerDynamics<3, decltype(mass)> swim(mass, Motion::planar, {.time_step = 0.02});
///     Eigen::VectorXd x = swim.rest_state(q0), next;                       // q, dq/dt, pose of the base
///     Eigen::MatrixXd dnext_dx, dnext_du;
///     if (swim.step(x, torques, next, dnext_dx, dnext_du) != StepStatus::ok) ...
///     Eigen::Isometry3d base = swim.base_pose(next);
///
/// Lagrange's equations with the added mass on the left, the base by Kirchhoff's equations. With zero momentum the
/// equations of the joints decouple, d/dt (Mh dq/dt) - 1/2 (dq/dt)^T dMh dq/dt = tau with Mh = M_qq - M_qb M_bb^-1
/// M_bq, and the pose is reconstructed from xi = -M_bb^-1 M_bq dq/dt. Torques are held over a step; there is neither
/// gravity nor buoyancy. A step commutes with motions of the world.
///
/// State: [q (Dim); dq/dt (Dim); pose of the base; with free momentum, its body twist]. The pose is (theta, x, y) in
/// planar motion, else position and quaternion (x, y, z, w), normalized in each step. Controls: Dim, joint torques in
/// newton metres over `torque_scale`. StateLayout gives the indices.
///
/// Derivatives are those of the scheme itself. Second derivatives of M are the map's own if it is a
/// TwiceDifferentiableMap, as over a grid, else central differences of its Jacobian, one-sided at the end of its
/// domain; everything else is in closed form.
///
/// Status: outside_domain and map_failed as the map answers at the points that the scheme queries (which need not
/// include the next state); outside_domain also where the motion is not finite; singular if M is not positive definite.
///
/// A step queries the map 4 times (rk4), twice (midpoint) or once (second_difference); with derivatives as often if the
/// map is twice differentiable, else 1 + 2 Dim times as often. Const, no allocation after warm-up, as safe to call from
/// many threads as the map. Throws only std::invalid_argument, for sizes that do not fit and for a zero quaternion.
template <int Dim, class MassMap>
  requires DifferentiableMap<MassMap, Dim>
class SwimmerDynamics {
 public:
  /// Of the scheme.
  using Options = SwimmerDynamicsOptions;
  /// Rad or rad/s, one number a hinge.
  using Joints = Point<Dim>;

  /// Keeps a copy of the map.
  SwimmerDynamics(MassMap mass, Motion motion, const Options& options = {})
      : mass_(std::move(mass)), options_(options), layout_{Dim, motion, options.momentum} {
    const Eigen::Index wanted = packed_size(twist_size(motion) + Dim);
    if (mass_.output_size() != wanted)
      throw std::invalid_argument("SwimmerDynamics<" + to_text(Dim) + ">: the map has " + to_text(mass_.output_size()) +
                                  " outputs, wanted " + to_text(wanted));
    const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
    if (!positive(options.time_step) || options.substeps < 1 || !positive(options.torque_scale) ||
        !positive(options.difference_step) || !(options.singular_tolerance >= 0))
      throw std::invalid_argument("SwimmerDynamics: time step " + to_text(options.time_step) + ", substeps " +
                                  to_text(options.substeps) + ", torque scale " + to_text(options.torque_scale) +
                                  " and difference step " + to_text(options.difference_step) +
                                  " must be positive and finite, singular tolerance " +
                                  to_text(options.singular_tolerance) + " not negative");
  }

  Eigen::Index state_size() const { return layout_.size(); }
  Eigen::Index control_size() const { return Dim; }
  /// Where in a state what stands.
  const StateLayout& layout() const { return layout_; }
  /// M, of the joints and the base.
  const MassMap& mass() const { return mass_; }
  /// As they were given.
  const Options& options() const { return options_; }

  /// Steps will be taken from these states.
  void hint(const Eigen::MatrixXd& states) const
    requires Hintable<MassMap>
  {
    mass_.hint(states.topRows<Dim>());
  }

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    return advance(x, u, next, nullptr, nullptr);
  }
  /// dnext_dx: state x state; dnext_du: state x Dim.
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dnext_dx,
                  Eigen::MatrixXd& dnext_du) const {
    return advance(x, u, next, &dnext_dx, &dnext_du);
  }

  /// The state at these angles and rates (rad, rad/s), with the base at this pose (planar motion: within the
  /// plane z = 0); free momentum: with this body twist of the base (3 or 6; empty: the twist at zero
  /// momentum, which queries the map).
  Eigen::VectorXd state(const Joints& q, const Joints& rates,
                        const Eigen::Isometry3d& base = Eigen::Isometry3d::Identity(),
                        const Eigen::VectorXd& twist = {}) const {
    const int expected = twist_size(layout_.motion);
    if (twist.size() != 0 && (twist.size() != expected || layout_.momentum == Momentum::zero))
      throw std::invalid_argument("SwimmerDynamics::state: a base twist of size " + to_text(twist.size()) +
                                  " given, wanted " +
                                  (layout_.momentum == Momentum::zero ? "none" : to_text(expected)));
    if (layout_.motion == Motion::planar &&
        !(base.linear()(2, 2) > 1 - 1e-9 && std::abs(base.translation().z()) <= 1e-9 * (1 + base.translation().norm())))
      throw std::invalid_argument(
          "SwimmerDynamics::state: planar motion needs a base in the plane z = 0, this one is at z = " +
          to_text(base.translation().z()) + " with its z axis at " + to_text(base.linear()(2, 2)) +
          " along the world's");
    Eigen::VectorXd x(layout_.size());
    x.template head<Dim>() = q;
    x.template segment<Dim>(Dim) = rates;
    if (layout_.motion == Motion::planar)
      x.segment(layout_.pose(), 3) = detail::PoseIncrement<3>::of(base);
    else
      x.segment(layout_.pose(), 7) = detail::PoseIncrement<6>::of(base);
    if (layout_.momentum == Momentum::free)
      x.tail(expected) = twist.size() != 0 ? twist : twist_at_zero_momentum(q, rates);
    return x;
  }
  /// At rest, with zero momentum or none at all.
  Eigen::VectorXd rest_state(const Joints& q, const Eigen::Isometry3d& base = Eigen::Isometry3d::Identity()) const {
    return state(q, Joints::Zero(), base, at_rest());
  }

  /// Pose of the base in the world.
  Eigen::Isometry3d base_pose(const Eigen::VectorXd& x) const {
    require_state(x, "base_pose");
    if (layout_.motion == Motion::planar) return detail::PoseIncrement<3>::isometry(x.segment<3>(layout_.pose()));
    return detail::PoseIncrement<6>::isometry(x.segment<7>(layout_.pose()));
  }
  /// The base's body twist for these rates at zero momentum. Queries the map, throws what it throws.
  Eigen::VectorXd twist_at_zero_momentum(const Joints& q, const Joints& rates) const {
    const Eigen::MatrixXd M = mass_matrix(q);
    const int b = twist_size(layout_.motion);
    return -M.topLeftCorner(b, b).llt().solve(M.topRightCorner(b, Dim) * rates);
  }
  /// [base twist; dq/dt], 3 or 6 and Dim.
  Eigen::VectorXd velocity(const Eigen::VectorXd& x) const {
    require_state(x, "velocity");
    const Joints q = x.template head<Dim>(), rates = x.template segment<Dim>(Dim);
    const int b = twist_size(layout_.motion);
    Eigen::VectorXd w(b + Dim);
    w << (layout_.momentum == Momentum::free ? Eigen::VectorXd(x.tail(b)) : twist_at_zero_momentum(q, rates)), rates;
    return w;
  }
  /// Of links and water, joules. Queries the map, throws what it throws.
  double kinetic_energy(const Eigen::VectorXd& x) const {
    const Eigen::VectorXd w = velocity(x);
    return 0.5 * w.dot(mass_matrix(x.template head<Dim>()) * w);
  }
  /// Of links and water, in the world: [angular, about the world's origin; linear] (6; N m s, N s). Conserved.
  Eigen::Matrix<double, 6, 1> momentum(const Eigen::VectorXd& x) const {
    const Eigen::VectorXd p = mass_matrix(x.template head<Dim>()).topRows(twist_size(layout_.motion)) * velocity(x);
    Eigen::Matrix<double, 6, 1> body = Eigen::Matrix<double, 6, 1>::Zero();
    if (layout_.motion == Motion::planar)
      body(planar_components) = p;
    else
      body = p;
    const Eigen::Isometry3d base = base_pose(x);
    Eigen::Matrix<double, 6, 1> world;
    world.tail<3>() = base.linear() * body.tail<3>();
    world.head<3>() = base.linear() * body.head<3>() + Eigen::Vector3d(base.translation()).cross(world.tail<3>());
    return world;
  }
  /// M(q), (3 or 6) + Dim square.
  Eigen::MatrixXd mass_matrix(const Joints& q) const {
    Eigen::VectorXd packed;
    mass_.evaluate(q, packed);
    const int m = twist_size(layout_.motion) + Dim;
    Eigen::MatrixXd M(m, m);
    unpack_symmetric(packed, M);
    return M;
  }

 private:
  Eigen::VectorXd at_rest() const {
    if (layout_.momentum == Momentum::zero) return {};
    return Eigen::VectorXd::Zero(twist_size(layout_.motion));
  }

  void require_state(const Eigen::VectorXd& x, const char* who) const {
    if (x.size() != layout_.size())
      throw std::invalid_argument(std::string("SwimmerDynamics::") + who + ": state of size " + to_text(x.size()) +
                                  ", wanted " + to_text(layout_.size()));
    if (layout_.motion == Motion::spatial && !(x.template segment<4>(layout_.pose() + 3).norm() > 0))
      throw std::invalid_argument(std::string("SwimmerDynamics::") + who + ": the quaternion of the pose is zero");
  }

  StepStatus advance(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next,
                     Eigen::MatrixXd* dnext_dx, Eigen::MatrixXd* dnext_du) const {
    require_state(x, "step");
    if (u.size() != Dim)
      throw std::invalid_argument("SwimmerDynamics::step: control of size " + to_text(u.size()) + ", wanted " +
                                  to_text(Dim));
    const auto go = [&]<int Twist, Momentum momentum>() {
      return detail::swimmer_step<Dim, Twist, momentum>(detail::MassQuery<Dim>(mass_), options_, layout_, x, u, next,
                                                        dnext_dx, dnext_du);
    };
    if (layout_.motion == Motion::planar)
      return layout_.momentum == Momentum::zero ? go.template operator()<3, Momentum::zero>()
                                                : go.template operator()<3, Momentum::free>();
    return layout_.momentum == Momentum::zero ? go.template operator()<6, Momentum::zero>()
                                              : go.template operator()<6, Momentum::free>();
  }

  MassMap mass_;
  Options options_;
  StateLayout layout_;
};

}  // namespace quoin::swimmer
