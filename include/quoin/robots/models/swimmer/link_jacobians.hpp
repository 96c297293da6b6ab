// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/models/swimmer/hinge_transfer.hpp"
#include "quoin/robots/models/swimmer/swimmer.hpp"

#include <Eigen/Core>

#include <array>
#include <cstddef>

namespace quoin::swimmer {

/// The body Jacobians of a swimmer with Dim hinges, and their derivatives in closed form: Swimmer::link_jacobians at
/// compile-time size, without allocation. Twist is 6, or 3 for planar twists.
template <int Dim, int Twist>
class LinkJacobians {
 public:
  static constexpr int rows = Twist * (Dim + 1), cols = Twist + Dim;  ///< of J
  static constexpr std::size_t pairs = second_derivative_count(Dim);  ///< second derivatives by the angles
  /// Rows x cols: twists of all links, one below the other, by [base twist; dq/dt].
  using Matrix = Eigen::Matrix<double, rows, cols>;

  /// Of a swimmer with Dim hinges; planar twists need hinges along z.
  explicit LinkJacobians(const Swimmer& swimmer) {
    for (int k = 0; k < Dim; ++k) transfers_[k] = HingeTransfer<Twist>(swimmer.hinge(k));
  }

  /// q: rad.
  void evaluate(const Point<Dim>& q, Matrix& J) const {
    J.setZero();
    J.template topLeftCorner<Twist, Twist>().setIdentity();
    for (int k = 0; k < Dim; ++k) {
      const HingeTransfer<Twist>& transfer = transfers_[k];
      auto child = link(J, k + 1);
      child.noalias() = transfer(q[k]).lazyProduct(link(J, transfer.parent()));
      child.col(Twist + k) += transfer.screw();
    }
  }

  /// dJ[k] = dJ/dq_k.
  void evaluate(const Point<Dim>& q, Matrix& J, std::array<Matrix, std::size_t{Dim}>& dJ) const {
    J.setZero();
    J.template topLeftCorner<Twist, Twist>().setIdentity();
    for (Matrix& d : dJ) d.setZero();
    for (int k = 0; k < Dim; ++k) {
      const HingeTransfer<Twist>& transfer = transfers_[k];
      const auto X = transfer(q[k]);
      auto child = link(J, k + 1);
      child.noalias() = X.lazyProduct(link(J, transfer.parent()));
      link(dJ[static_cast<std::size_t>(k)], k + 1).noalias() = transfer.minus_ad().lazyProduct(child);
      child.col(Twist + k) += transfer.screw();
      for (std::size_t l = 0; l < static_cast<std::size_t>(k); ++l)
        link(dJ[l], k + 1).noalias() = X.lazyProduct(link(dJ[l], transfer.parent()));
    }
  }

  /// d2J[second_derivative_index(Dim, k, l)] = d^2 J/dq_k dq_l, after dJ as above.
  void second(const Point<Dim>& q, const std::array<Matrix, std::size_t{Dim}>& dJ,
              std::array<Matrix, pairs>& d2J) const {
    const auto at = [&d2J](int k, int l) -> Matrix& {
      return d2J[static_cast<std::size_t>(second_derivative_index(Dim, k, l))];
    };
    for (Matrix& d : d2J) d.setZero();
    for (int k = 0; k < Dim; ++k) {
      const HingeTransfer<Twist>& transfer = transfers_[k];
      const auto X = transfer(q[k]);
      for (int l = 0; l <= k; ++l)
        link(at(k, l), k + 1).noalias() = transfer.minus_ad().lazyProduct(link(dJ[static_cast<std::size_t>(l)], k + 1));
      for (int l = 0; l < k; ++l)
        for (int m = 0; m <= l; ++m) link(at(l, m), k + 1).noalias() = X.lazyProduct(link(at(l, m), transfer.parent()));
    }
  }

 private:
  template <class M>
  static auto link(M& J, int index) {
    return J.template middleRows<Twist>(Twist * index);
  }

  HingeTransfer<Twist> transfers_[std::size_t{Dim}];
};

}  // namespace quoin::swimmer
