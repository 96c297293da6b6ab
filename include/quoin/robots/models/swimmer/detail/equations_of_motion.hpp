// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/swimmer/hinge_transfer.hpp"
#include "quoin/robots/models/swimmer/motion.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <cstddef>

namespace quoin::swimmer::detail {

// Kirchhoff's equations: the rate of the momentum p = [angular; linear] in the frame of a base that moves with the
// twist, both in that frame; and its derivatives by p and by the twist.
inline Eigen::Vector3d momentum_rate(const Eigen::Vector3d& p, const Eigen::Vector3d& twist) {
  return {p[1] * twist[2] - p[2] * twist[1], p[2] * twist[0], -p[1] * twist[0]};
}
inline Eigen::Matrix<double, 6, 1> momentum_rate(const Eigen::Matrix<double, 6, 1>& p,
                                                 const Eigen::Matrix<double, 6, 1>& twist) {
  const Eigen::Vector3d l = p.head<3>(), f = p.tail<3>(), omega = twist.head<3>(), v = twist.tail<3>();
  Eigen::Matrix<double, 6, 1> rate;
  rate << l.cross(omega) + f.cross(v), f.cross(omega);
  return rate;
}
inline void momentum_rate_slopes(const Eigen::Vector3d& p, const Eigen::Vector3d& twist, Eigen::Matrix3d& by_p,
                                 Eigen::Matrix3d& by_twist) {
  by_p << 0, twist[2], -twist[1], 0, 0, twist[0], 0, -twist[0], 0;
  by_twist << 0, -p[2], p[1], p[2], 0, 0, -p[1], 0, 0;
}
inline void momentum_rate_slopes(const Eigen::Matrix<double, 6, 1>& p, const Eigen::Matrix<double, 6, 1>& twist,
                                 Eigen::Matrix<double, 6, 6>& by_p, Eigen::Matrix<double, 6, 6>& by_twist) {
  by_p.setZero();
  by_p.topLeftCorner<3, 3>() = by_p.bottomRightCorner<3, 3>() = -cross_matrix(twist.head<3>());
  by_p.topRightCorner<3, 3>() = -cross_matrix(twist.tail<3>());
  by_twist.setZero();
  by_twist.topLeftCorner<3, 3>() = cross_matrix(p.head<3>());
  by_twist.topRightCorner<3, 3>() = by_twist.bottomLeftCorner<3, 3>() = cross_matrix(p.tail<3>());
}

// Lagrange's equations of a swimmer at one q. With w = [base twist xi; dq/dt], p = (M w)_base,
//
//     M dw/dt + h(q, w) = [0; tau],   h = (sum_k qdot_k dM_k) w - [momentum_rate(p, xi); w^T dM_k w / 2].
//
// At zero momentum xi = -X qdot, X = M_bb^-1 M_bq, p stays zero, and the last Dim of these equations are
// d/dt (Mh qdot) - qdot^T dMh qdot / 2 = tau with Mh = M_qq - M_qb X: one factorization serves both.
template <int Dim, int Twist>
class EquationsOfMotion {
 public:
  static constexpr int size = Twist + Dim;
  using Vector = Eigen::Matrix<double, size, 1>;
  using Square = Eigen::Matrix<double, size, size>;
  using Wide = Eigen::Matrix<double, size, Dim>;
  using Joints = Eigen::Matrix<double, Dim, 1>;
  using Base = Eigen::Matrix<double, Twist, 1>;
  using BaseByJoints = Eigen::Matrix<double, Twist, Dim>;

  // Sets the packed mass and its Jacobian. Returns false if M is not positive definite to this tolerance
  // relative to its diagonal.
  bool set(const Eigen::VectorXd& packed, const Eigen::MatrixXd& dpacked, double tolerance) {
    unpack_symmetric(packed, M_);
    for (int k = 0; k < Dim; ++k) unpack_symmetric(dpacked.col(k), dM_[k]);
    lower_.compute(M_);
    if (lower_.info() != Eigen::Success) return false;
    for (int i = 0; i < size; ++i) {
      const double pivot = lower_.matrixLLT()(i, i) * lower_.matrixLLT()(i, i);
      if (!(pivot > tolerance * M_(i, i))) return false;
    }
    const auto base = lower_.matrixLLT().template topLeftCorner<Twist, Twist>();
    X_ = lower_.matrixLLT().template bottomLeftCorner<Dim, Twist>().transpose();
    base.template triangularView<Eigen::Lower>().transpose().solveInPlace(X_);
    return true;
  }

  const Square& mass() const { return M_; }
  Base twist_at_zero_momentum(const Joints& rates) const { return -X_ * rates; }
  const BaseByJoints& X() const { return X_; }
  Vector velocity_at_zero_momentum(const Joints& rates) const {
    Vector w;
    w << -X_ * rates, rates;
    return w;
  }

  // dw/dt. If with_momentum is false, the momentum is assumed to be zero.
  Vector accelerate(const Vector& w, const Joints& torque, bool with_momentum) {
    const Joints rates = w.template tail<Dim>();
    for (int k = 0; k < Dim; ++k) D_.col(k).noalias() = dM_[k].lazyProduct(w);
    Vector right = -D_ * rates;
    right.template tail<Dim>() += torque + 0.5 * D_.transpose() * w;
    if (with_momentum) {
      const Base p = M_.template topRows<Twist>() * w, xi = w.template head<Twist>();
      right.template head<Twist>() += momentum_rate(p, xi);
    }
    a_ = lower_.solve(right);
    return a_;
  }

  // Derivatives of dw/dt after accelerate(w, ...). d2w: column l * Dim + k is d2M/dq_k dq_l w.
  struct Slopes {
    Square by_w;
    Wide by_q;
    Wide by_torque;
  };
  void differentiate(const Vector& w, const Eigen::Matrix<double, size, Dim * Dim>& d2w, bool with_momentum,
                     Slopes& s) const {
    const Joints rates = w.template tail<Dim>();
    s.by_w.setZero();
    for (int k = 0; k < Dim; ++k) s.by_w -= rates[k] * dM_[k];
    s.by_w.template rightCols<Dim>() -= D_;
    s.by_w.template bottomRows<Dim>() += D_.transpose();
    for (int l = 0; l < Dim; ++l) {
      const auto second = d2w.template middleCols<Dim>(l * Dim);
      s.by_q.col(l).noalias() = -dM_[l].lazyProduct(a_);
      s.by_q.col(l).noalias() -= second * rates;
      s.by_q.col(l).template tail<Dim>().noalias() += 0.5 * second.transpose() * w;
    }
    if (with_momentum) {
      const Base p = M_.template topRows<Twist>() * w, xi = w.template head<Twist>();
      Eigen::Matrix<double, Twist, Twist> by_p, by_xi;
      momentum_rate_slopes(p, xi, by_p, by_xi);
      s.by_w.template topRows<Twist>() += by_p * M_.template topRows<Twist>();
      s.by_w.template topLeftCorner<Twist, Twist>() += by_xi;
      s.by_q.template topRows<Twist>() += by_p * D_.template topRows<Twist>();
    }
    lower_.solveInPlace(s.by_w);
    lower_.solveInPlace(s.by_q);
    s.by_torque.setZero();
    s.by_torque.template bottomRows<Dim>().setIdentity();
    lower_.solveInPlace(s.by_torque);
  }

  // d(-X rates)/dq_l in column l at fixed rates: -M_bb^-1 (dM_l w)_base with w at zero momentum.
  BaseByJoints twist_slopes(const Joints& rates) const {
    const Vector w = velocity_at_zero_momentum(rates);
    BaseByJoints slopes;
    for (int l = 0; l < Dim; ++l) slopes.col(l) = -(dM_[l].template topRows<Twist>() * w);
    const auto base = lower_.matrixLLT().template topLeftCorner<Twist, Twist>();
    base.template triangularView<Eigen::Lower>().solveInPlace(slopes);
    base.template triangularView<Eigen::Lower>().transpose().solveInPlace(slopes);
    return slopes;
  }

 private:
  Square M_;
  Square dM_[std::size_t{Dim}];
  Eigen::LLT<Square> lower_;
  BaseByJoints X_;
  Wide D_;    // column k: dM_k w
  Vector a_;  // dw/dt
};

}  // namespace quoin::swimmer::detail
