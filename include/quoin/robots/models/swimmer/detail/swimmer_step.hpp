// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/point.hpp"
#include "quoin/robots/dynamics/discrete.hpp"
#include "quoin/robots/models/swimmer/detail/equations_of_motion.hpp"
#include "quoin/robots/models/swimmer/detail/mass_query.hpp"
#include "quoin/robots/models/swimmer/detail/pose_increment.hpp"
#include "quoin/robots/models/swimmer/detail/workspace_lease.hpp"
#include "quoin/robots/models/swimmer/swimmer_options.hpp"
#include "quoin/util/abi_check.hpp"

#include <Eigen/Core>

#include <array>
#include <type_traits>

namespace quoin::swimmer::detail {

// Integrates y = [q; v; g]: v is dq/dt at zero momentum, else [base twist; dq/dt]; g is the pose of the base relative
// to the start of the step. The tangent has a column for each of q, v and the controls at the start.
template <int Dim, int Twist, Momentum momentum>
struct SwimmerTangents {
  using Increment = PoseIncrement<Twist>;
  static constexpr bool free = momentum == Momentum::free;
  static constexpr int v_size = free ? Twist + Dim : Dim;
  static constexpr int size = Dim + v_size + Increment::size;
  static constexpr int columns = 2 * Dim + v_size;
  using State = Eigen::Matrix<double, size, 1>;
  using Tangent = Eigen::Matrix<double, size, columns>;
};

template <int Dim, int Twist, Momentum momentum>
class SwimmerStepper {
  using T = SwimmerTangents<Dim, Twist, momentum>;
  using Increment = typename T::Increment;
  using Equations = EquationsOfMotion<Dim, Twist>;
  using Joints = typename Equations::Joints;
  using Base = typename Equations::Base;
  using Velocity = typename Equations::Vector;

 public:
  using State = typename T::State;
  using Tangent = typename T::Tangent;

  SwimmerStepper(const MassQuery<Dim>& mass, const SwimmerDynamicsOptions& options, const Joints& torque)
      : mass_(mass), options_(options), torque_(torque) {}

  // S null: no derivatives.
  StepStatus advance(State& y, Tangent* S) {
    const double h = options_.time_step / options_.substeps;
    for (int i = 0; i < options_.substeps; ++i) {
      StepStatus status = StepStatus::ok;
      switch (options_.integrator) {
        case Integrator::rk4:
          status = runge_kutta({{0.5, 0.5, 1}, {1. / 6, 1. / 3, 1. / 3, 1. / 6}, 4}, h, y, S);
          break;
        case Integrator::midpoint: status = runge_kutta({{0.5}, {0, 1}, 2}, h, y, S); break;
        case Integrator::second_difference: status = second_difference(h, y, S); break;
      }
      if (status != StepStatus::ok) return status;
      if (!y.allFinite()) return StepStatus::outside_domain;
    }
    return StepStatus::ok;
  }

 private:
  // The start address of an array decides how Eigen splits its loops, and hence how they round. With cache lines of
  // their own, all arrays of a step start alike in every thread, and a step is bitwise reproducible.
  struct alignas(64) Workspace {
    Eigen::VectorXd packed, packed_aside;
    Eigen::MatrixXd dpacked, d2packed, ahead, behind;
    bool knows_second;  // d2packed belongs to packed
    Equations equations;
    typename Equations::Slopes slopes;
    Eigen::Matrix<double, Equations::size, Dim * Dim> d2w;
  };

  // A scheme in which each stage depends only on the one before: stage i + 1 is evaluated at y + h reach[i] k_i.
  struct Scheme {
    std::array<double, 3> reach;
    std::array<double, 4> weight;
    int stages;
  };
  StepStatus runge_kutta(const Scheme& scheme, double h, State& y, Tangent* S) {
    alignas(64) State point = y;
    alignas(64) State k;
    alignas(64) State sum = State::Zero();
    alignas(64) Tangent S_point;
    alignas(64) Tangent dk;
    alignas(64) Tangent S_sum;
    if (S) {
      S_point = *S;
      S_sum.setZero();
    }
    for (int i = 0; i < scheme.stages; ++i) {
      if (const auto status = rate(point, k, S ? &S_point : nullptr, dk); status != StepStatus::ok) return status;
      sum += scheme.weight[i] * k;
      if (S) S_sum += scheme.weight[i] * dk;
      if (i + 1 == scheme.stages) break;
      point = y + h * scheme.reach[i] * k;
      if (S) S_point = *S + h * scheme.reach[i] * dk;
    }
    y += h * sum;
    if (S) *S += h * S_sum;
    return StepStatus::ok;
  }

  StepStatus second_difference(double h, State& y, Tangent* S) {
    alignas(64) State k;
    alignas(64) Tangent dk;
    if (const auto status = rate(y, k, S, dk); status != StepStatus::ok) return status;
    v(y) += h * v(k);
    if (S) v(*S) += h * v(dk);
    pose_rate(y, k, S, dk);
    q(y) += h * rates(y);
    g(y) += h * g(k);
    if (S) {
      q(*S) += h * rates(*S);
      g(*S) += h * g(dk);
    }
    return StepStatus::ok;
  }

  // dy/dt and, for a tangent S, its derivative along S.
  StepStatus rate(const State& y, State& k, const Tangent* S, Tangent& dk) {
    const Joints angles = q(y);
    if (!y.allFinite()) return StepStatus::outside_domain;
    if (const auto status = query(angles, S != nullptr); status != StepStatus::ok) return status;
    if (!w_.equations.set(w_.packed, w_.dpacked, options_.singular_tolerance)) return StepStatus::singular;

    Velocity w;
    if constexpr (T::free)
      w = v(y);
    else
      w = w_.equations.velocity_at_zero_momentum(v(y));
    const Velocity a = w_.equations.accelerate(w, torque_, T::free);
    q(k) = rates(y);
    v(k) = a.template tail<T::v_size>();
    if (S) {
      if (const auto status = second_derivatives(angles, w); status != StepStatus::ok) return status;
      w_.equations.differentiate(w, w_.d2w, T::free, w_.slopes);
      constexpr int n = T::v_size;
      Eigen::Matrix<double, n, Dim> by_q = w_.slopes.by_q.template bottomRows<n>();
      Eigen::Matrix<double, n, n> by_v;
      if constexpr (T::free) {
        by_v = w_.slopes.by_w;
      } else {
        // The dependence through the twist of the base, which follows from q and the rates.
        const auto by_twist = w_.slopes.by_w.template bottomLeftCorner<n, Twist>();
        by_q += by_twist * w_.equations.twist_slopes(v(y));
        by_v = w_.slopes.by_w.template bottomRightCorner<n, n>() - by_twist * w_.equations.X();
      }
      q(dk) = rates(*S);
      v(dk).noalias() = by_q * q(*S);
      v(dk).noalias() += by_v * v(*S);
      v(dk).template rightCols<Dim>() += options_.torque_scale * w_.slopes.by_torque.template bottomRows<n>();
    }
    pose_rate(y, k, S, dk);
    return StepStatus::ok;
  }

  // dg/dt for the velocities in y, with the current mass.
  void pose_rate(const State& y, State& k, const Tangent* S, Tangent& dk) const {
    Base xi;
    if constexpr (T::free)
      xi = v(y).template head<Twist>();
    else
      xi = w_.equations.twist_at_zero_momentum(v(y));
    if (!S) {
      g(k) = Increment::rate(g(y), xi);
      return;
    }
    Eigen::Matrix<double, Increment::size, Increment::size> by_pose;
    Eigen::Matrix<double, Increment::size, Twist> by_twist;
    g(k) = Increment::rate(g(y), xi, by_pose, by_twist);
    Eigen::Matrix<double, Twist, T::columns> dxi;
    if constexpr (T::free) {
      dxi = v(*S).template topRows<Twist>();
    } else {
      dxi.noalias() = w_.equations.twist_slopes(v(y)) * q(*S);
      dxi.noalias() -= w_.equations.X() * v(*S);
    }
    g(dk).noalias() = by_pose * g(*S);
    g(dk).noalias() += by_twist * dxi;
  }

  StepStatus query(const Joints& angles, Eigen::VectorXd& packed, Eigen::MatrixXd& dpacked) const {
    if (const auto s = status_of(mass_(angles, packed, dpacked)); s != StepStatus::ok) return s;
    return packed.allFinite() && dpacked.allFinite() ? StepStatus::ok : StepStatus::map_failed;
  }

  // The mass and its Jacobian, and for a derivative their second derivatives too if the map has them. A map that has
  // none at this point alone, as where a grid calls its function by policy, is differenced there.
  StepStatus query(const Joints& angles, bool differentiate) {
    w_.knows_second = false;
    if (differentiate && mass_.has_second() && options_.derivative == StepDerivative::exact) {
      const StepStatus s = status_of(mass_.second(angles, w_.packed, w_.dpacked, w_.d2packed));
      w_.knows_second = s == StepStatus::ok && w_.d2packed.allFinite();
      if (w_.knows_second) return w_.packed.allFinite() && w_.dpacked.allFinite() ? s : StepStatus::map_failed;
      if (s == StepStatus::outside_domain) return s;
    }
    return query(angles, w_.packed, w_.dpacked);
  }

  // d2M/dq_k dq_l w into column l Dim + k.
  StepStatus second_derivatives(const Joints& angles, const Velocity& w) {
    if (options_.derivative == StepDerivative::gauss_newton) {
      w_.d2w.setZero();
      return StepStatus::ok;
    }
    typename Equations::Square second;
    if (w_.knows_second) {
      for (int k = 0, pair = 0; k < Dim; ++k)
        for (int l = k; l < Dim; ++l, ++pair) {
          unpack_symmetric(w_.d2packed.col(pair), second);
          w_.d2w.col(l * Dim + k).noalias() = second.lazyProduct(w);
          w_.d2w.col(k * Dim + l) = w_.d2w.col(l * Dim + k);
        }
      return StepStatus::ok;
    }
    const double h = options_.difference_step;
    for (int l = 0; l < Dim; ++l) {
      Joints aside = angles;
      aside[l] = angles[l] + h;
      const StepStatus forward = query(aside, w_.packed_aside, w_.ahead);
      aside[l] = angles[l] - h;
      const StepStatus backward = query(aside, w_.packed_aside, w_.behind);
      if (forward != StepStatus::ok && backward != StepStatus::ok) return forward;
      // At the end of the domain the difference is one-sided.
      if (forward != StepStatus::ok) w_.ahead = w_.dpacked;
      if (backward != StepStatus::ok) w_.behind = w_.dpacked;
      w_.ahead -= w_.behind;
      w_.ahead /= forward == StepStatus::ok && backward == StepStatus::ok ? 2 * h : h;
      for (int k = 0; k < Dim; ++k) {
        unpack_symmetric(w_.ahead.col(k), second);
        w_.d2w.col(l * Dim + k).noalias() = second.lazyProduct(w);
      }
    }
    return StepStatus::ok;
  }

  template <class Y>
  static auto q(Y& y) {
    return y.template topRows<Dim>();
  }
  template <class Y>
  static auto v(Y& y) {
    return y.template middleRows<T::v_size>(Dim);
  }
  template <class Y>
  static auto rates(Y& y) {
    return y.template middleRows<Dim>(T::v_size);
  }
  template <class Y>
  static auto g(Y& y) {
    return y.template bottomRows<Increment::size>();
  }

  const MassQuery<Dim>& mass_;
  const SwimmerDynamicsOptions& options_;
  const Joints torque_;
  const WorkspaceLease<Workspace> lease_;
  Workspace& w_ = *lease_;
};

// One step of the state x of SwimmerDynamics. The derivatives are null or both given.
template <int Dim, int Twist, Momentum momentum>
StepStatus swimmer_step(const MassQuery<Dim>& mass, const SwimmerDynamicsOptions& options, const StateLayout& layout,
                        const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next,
                        Eigen::MatrixXd* dnext_dx, Eigen::MatrixXd* dnext_du) {
  using T = SwimmerTangents<Dim, Twist, momentum>;
  using Increment = typename T::Increment;
  constexpr int pose = Increment::size, v = T::v_size;
  alignas(64) typename T::State y;
  alignas(64) typename T::Tangent S;
  y.template head<Dim>() = x.template head<Dim>();
  if constexpr (T::free) y.template segment<Twist>(Dim) = x.template segment<Twist>(layout.twist());
  y.template segment<Dim>(v) = x.template segment<Dim>(layout.rates());
  y.template tail<pose>() = Increment::identity();
  if (dnext_dx) {
    S.setZero();
    S.template topLeftCorner<Dim + v, Dim + v>().setIdentity();
  }

  SwimmerStepper<Dim, Twist, momentum> stepper(mass, options, options.torque_scale * Point<Dim>(u));
  const StepStatus status = stepper.advance(y, dnext_dx ? &S : nullptr);
  if (status != StepStatus::ok) return status;

  const typename Increment::Pose before = x.template segment<pose>(layout.pose()), increment = y.template tail<pose>();
  next.resize(layout.size());
  next.template head<Dim>() = y.template head<Dim>();
  next.template segment<Dim>(layout.rates()) = y.template segment<Dim>(v);
  next.template segment<pose>(layout.pose()) = Increment::compose(before, increment);
  if constexpr (T::free) next.template segment<Twist>(layout.twist()) = y.template segment<Twist>(Dim);
  if (!dnext_dx) return status;

  Eigen::Matrix<double, pose, pose> by_pose, by_increment;
  Increment::compose_slopes(before, increment, by_pose, by_increment);
  S.template bottomRows<pose>() = (by_increment * S.template bottomRows<pose>()).eval();
  const auto put = [&](auto column, auto width, int first, Eigen::MatrixXd& out) {
    constexpr int from = decltype(column)::value, n = decltype(width)::value;
    const auto S_part = S.template middleCols<n>(from);
    auto to = out.template middleCols<n>(first);
    to.template topRows<Dim>() = S_part.template topRows<Dim>();
    to.template middleRows<Dim>(layout.rates()) = S_part.template middleRows<Dim>(v);
    to.template middleRows<pose>(layout.pose()) = S_part.template bottomRows<pose>();
    if constexpr (T::free) to.template middleRows<Twist>(layout.twist()) = S_part.template middleRows<Twist>(Dim);
  };
  dnext_dx->setZero(layout.size(), layout.size());
  dnext_du->resize(layout.size(), Dim);
  using std::integral_constant;
  put(integral_constant<int, 0>{}, integral_constant<int, Dim>{}, 0, *dnext_dx);
  put(integral_constant<int, v>{}, integral_constant<int, Dim>{}, layout.rates(), *dnext_dx);
  if constexpr (T::free) put(integral_constant<int, Dim>{}, integral_constant<int, Twist>{}, layout.twist(), *dnext_dx);
  put(integral_constant<int, Dim + v>{}, integral_constant<int, Dim>{}, 0, *dnext_du);
  dnext_dx->template block<pose, pose>(layout.pose(), layout.pose()) = by_pose;
  return status;
}

// Compiled in the library for the usual four links.
#define QUOIN_SWIMMER_STEP(prefix, dim, twist, momentum)                                                \
  prefix template StepStatus swimmer_step<dim, twist, momentum>(                                        \
      const MassQuery<dim>&, const SwimmerDynamicsOptions&, const StateLayout&, const Eigen::VectorXd&, \
      const Eigen::VectorXd&, Eigen::VectorXd&, Eigen::MatrixXd*, Eigen::MatrixXd*)
QUOIN_SWIMMER_STEP(extern, 3, 3, Momentum::zero);
QUOIN_SWIMMER_STEP(extern, 3, 3, Momentum::free);
QUOIN_SWIMMER_STEP(extern, 3, 6, Momentum::zero);
QUOIN_SWIMMER_STEP(extern, 3, 6, Momentum::free);

}  // namespace quoin::swimmer::detail
