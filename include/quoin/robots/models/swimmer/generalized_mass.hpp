// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/exact_function.hpp"
#include "quoin/map/fingerprint.hpp"
#include "quoin/map/hintable.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/robots/models/swimmer/detail/fingerprints.hpp"
#include "quoin/robots/models/swimmer/detail/workspace_lease.hpp"
#include "quoin/robots/models/swimmer/link_jacobians.hpp"
#include "quoin/robots/models/swimmer/motion.hpp"
#include "quoin/robots/models/swimmer/swimmer.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace quoin::swimmer {
namespace detail {

template <class Map>
FunctionTraits traits_of(const Map& map) {
  if constexpr (requires { map.traits(); })
    return map.traits();
  else
    return {};
}

inline void require_outputs(const char* who, Eigen::Index given, Eigen::Index wanted, int links, Motion motion) {
  if (given != wanted)
    throw std::invalid_argument(std::string(who) + ": the map has " + to_text(given) + " outputs, " + to_text(links) +
                                " links in " + (motion == Motion::planar ? "planar" : "spatial") + " motion need " +
                                to_text(wanted));
}

inline void require_hinges(const char* who, int dim, const Swimmer& swimmer, Motion motion) {
  if (swimmer.hinges() != dim)
    throw std::invalid_argument(std::string(who) + "<" + to_text(dim) + ">: the swimmer has " +
                                to_text(swimmer.hinges()) + " hinges");
  if (motion == Motion::planar) swimmer.require_planar(who);
}

// sum_b J_b^T I_b J_b + J^T A J, with J and A of compile-time size.
template <int Dim, int Twist>
class MassAssembly {
 public:
  using Jacobians = LinkJacobians<Dim, Twist>;
  using Tall = typename Jacobians::Matrix;
  static constexpr int rows = Jacobians::rows, cols = Jacobians::cols;
  using Square = Eigen::Matrix<double, cols, cols>;
  using Added = Eigen::Matrix<double, rows, rows>;

  explicit MassAssembly(const Swimmer& swimmer) : jacobians_(swimmer) {
    for (int b = 0; b <= Dim; ++b) {
      if constexpr (Twist == 3)
        bodies_[b] = swimmer.mass_matrix(b)(planar_components, planar_components);
      else
        bodies_[b] = swimmer.mass_matrix(b);
    }
  }

  const Jacobians& jacobians() const { return jacobians_; }

  // added, y: packed.
  void operator()(const Point<Dim>& q, const Eigen::VectorXd& added, Eigen::VectorXd& y) const {
    Tall J, AJ;
    Added A;
    jacobians_.evaluate(q, J);
    total(added, A);
    AJ.noalias() = A.lazyProduct(J);
    Square M;
    M.noalias() = J.transpose().lazyProduct(AJ);
    y.resize(packed_size(cols));
    pack_symmetric(M, y);
  }

  // dadded: packed_size(rows) x Dim; dy: packed_size(cols) x Dim.
  void operator()(const Point<Dim>& q, const Eigen::VectorXd& added, const Eigen::MatrixXd& dadded, Eigen::VectorXd& y,
                  Eigen::MatrixXd& dy) const {
    Tall J, AJ, dAJ;
    std::array<Tall, std::size_t{Dim}> dJ;
    Added A;
    Square M, half;
    jacobians_.evaluate(q, J, dJ);
    total(added, A);
    AJ.noalias() = A.lazyProduct(J);
    M.noalias() = J.transpose().lazyProduct(AJ);
    y.resize(packed_size(cols));
    pack_symmetric(M, y);
    dy.resize(packed_size(cols), Dim);
    for (int k = 0; k < Dim; ++k) {
      // dM = half + half^T with half = dJ^T A J + J^T dA J / 2: A need not be multiplied by dJ.
      unpack_symmetric(dadded.col(k), A);
      dAJ.noalias() = 0.5 * A.lazyProduct(J);
      half.noalias() = J.transpose().lazyProduct(dAJ);
      half.noalias() += dJ[static_cast<std::size_t>(k)].transpose().lazyProduct(AJ);
      for (int j = 0, at = 0; j < cols; ++j)
        for (int i = 0; i <= j; ++i, ++at) dy(at, k) = half(i, j) + half(j, i);
    }
  }

  // d2M/dq_k dq_l = half + half^T with half = J^T d2A_kl J / 2 + dJ_k^T d(A J)_l + dJ_l^T dA_k J + d2J_kl^T A J.
  // d2added: packed_size(rows) x pairs; d2y: packed_size(cols) x pairs.
  void second(const Point<Dim>& q, const Eigen::VectorXd& added, const Eigen::MatrixXd& dadded,
              const Eigen::MatrixXd& d2added, Eigen::MatrixXd& d2y) const {
    Tall J, AJ, product;
    std::array<Tall, std::size_t{Dim}> dJ, dA_J, d_AJ;
    std::array<Tall, Jacobians::pairs> d2J;
    Added A, dA;
    Square half;
    jacobians_.evaluate(q, J, dJ);
    jacobians_.second(q, dJ, d2J);
    total(added, A);
    AJ.noalias() = A.lazyProduct(J);
    for (std::size_t k = 0; k < std::size_t{Dim}; ++k) {
      unpack_symmetric(dadded.col(static_cast<Eigen::Index>(k)), dA);
      dA_J[k].noalias() = dA.lazyProduct(J);
      d_AJ[k].noalias() = A.lazyProduct(dJ[k]);
      d_AJ[k] += dA_J[k];
    }
    d2y.resize(packed_size(cols), Jacobians::pairs);
    Eigen::Index pair = 0;
    for (std::size_t k = 0; k < std::size_t{Dim}; ++k)
      for (std::size_t l = k; l < std::size_t{Dim}; ++l, ++pair) {
        unpack_symmetric(d2added.col(pair), dA);
        product.noalias() = 0.5 * dA.lazyProduct(J);
        half.noalias() = J.transpose().lazyProduct(product);
        half.noalias() += dJ[k].transpose().lazyProduct(d_AJ[l]);
        half.noalias() += dJ[l].transpose().lazyProduct(dA_J[k]);
        half.noalias() += d2J[static_cast<std::size_t>(pair)].transpose().lazyProduct(AJ);
        for (int j = 0, at = 0; j < cols; ++j)
          for (int i = 0; i <= j; ++i, ++at) d2y(at, pair) = half(i, j) + half(j, i);
      }
  }

 private:
  void total(const Eigen::VectorXd& added, Added& A) const {
    unpack_symmetric(added, A);
    for (int b = 0; b <= Dim; ++b) A.template block<Twist, Twist>(Twist * b, Twist * b) += bodies_[b];
  }

  Jacobians jacobians_;
  Eigen::Matrix<double, Twist, Twist> bodies_[std::size_t{Dim + 1}];
};

template <int Dim>
using AnyMassAssembly = std::variant<MassAssembly<Dim, 3>, MassAssembly<Dim, 6>>;

template <int Dim>
AnyMassAssembly<Dim> mass_assembly(const Swimmer& swimmer, Motion motion) {
  if (motion == Motion::planar) return MassAssembly<Dim, 3>(swimmer);
  return MassAssembly<Dim, 6>(swimmer);
}

}  // namespace detail

/// The mass matrix of a swimmer and the water around it, as a function of the joint angles,
///
///     M(q) = sum_b J_b^T I_b J_b + J^T A(q) J,
///
/// from a map of the added mass A of its links in their own frames, exact or surrogate; J are the body Jacobians of the
/// links, in closed form. Kinetic energy is w^T M w / 2 with w = [base twist; dq/dt], see Motion.
///
///     Swimmer fish = ellipsoid_chain();
///     AdaptiveGrid<3> grid(AddedMass<3>(fish, Motion::planar), options);
///     GeneralizedMass<3, GridView<3>> mass(fish, Motion::planar, grid.at_level(0));
///
/// Outputs of the map: the upper triangle of A, 3 links (planar) or 6 links (spatial) square, packed (packed_index).
/// Outputs of this class: the upper triangle of M, (3 or 6) + Dim square, with their exact Jacobian, and
/// with their exact second derivatives if the map has its own.
///
/// An error that the map claims is not carried over: answers become Trust::unchecked. Takes about 2 us beyond the map
/// for four links in a plane. As safe to call from many threads as the map. Throws std::invalid_argument if numbers do
/// not fit or a swimmer is not planar (Swimmer::require_planar), and what the map throws.
template <int Dim, class Map>
  requires DifferentiableMap<Map, Dim>
class GeneralizedMass {
 public:
  /// Holds its own copy of the map.
  GeneralizedMass(const Swimmer& swimmer, Motion motion, Map map)
      : map_((detail::require_hinges("GeneralizedMass", Dim, swimmer, motion), std::move(map))),
        motion_(motion),
        mechanism_("swimmer::GeneralizedMass"),
        assembly_(detail::mass_assembly<Dim>(swimmer, motion)) {
    detail::require_outputs("GeneralizedMass", map_.output_size(), packed_size(twist_size(motion) * (Dim + 1)), Dim + 1,
                            motion);
    mechanism_.add("motion", motion);
    detail::add_hinges(swimmer, mechanism_);
    detail::add_masses(swimmer, mechanism_);
  }

  Eigen::Index output_size() const { return packed_size(twist_size(motion_) + Dim); }
  Fingerprint fingerprint() const  ///< of the map, the motion, hinges and masses
    requires Fingerprinted<Map>
  {
    return Fingerprint(mechanism_).add("map", map_.fingerprint());
  }
  FunctionTraits traits() const { return detail::traits_of(map_); }
  /// Planar or spatial: the size of the base's twist.
  Motion motion() const { return motion_; }
  /// Of the added mass.
  const Map& map() const { return map_; }

  /// It will be asked at these joint angles (Dim x M).
  void hint(const Eigen::MatrixXd& angles) const
    requires Hintable<Map>
  {
    map_.hint(angles);
  }

  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y) const {
    const detail::WorkspaceLease<Workspace> lease;
    Workspace& w = *lease;
    const Answer answer = map_.evaluate(q, w.added);
    std::visit([&](const auto& assembly) { assembly(q, w.added, y); }, assembly_);
    return answer.without_error();
  }
  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    const detail::WorkspaceLease<Workspace> lease;
    Workspace& w = *lease;
    const Answer answer = map_.evaluate(q, w.added, w.dadded);
    std::visit([&](const auto& assembly) { assembly(q, w.added, w.dadded, y, J); }, assembly_);
    return answer.without_error();
  }
  Answer try_evaluate(const Point<Dim>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
    const detail::WorkspaceLease<Workspace> lease;
    Workspace& w = *lease;
    const Answer answer = quoin::try_evaluate<Dim>(map_, q, w.added, w.dadded);
    if (!answer.has_value()) return answer;
    std::visit([&](const auto& assembly) { assembly(q, w.added, w.dadded, y, J); }, assembly_);
    return answer.without_error();
  }
  /// With the second derivatives, where the map has them: see TwiceDifferentiableMap.
  Answer evaluate(const Point<Dim>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const
    requires TwiceDifferentiableMap<Map, Dim>
  {
    return with_second(q, y, J, H, [&](Workspace& w) { return map_.evaluate(q, w.added, w.dadded, w.d2added); });
  }
  Answer try_evaluate(const Point<Dim>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H) const
    requires TwiceDifferentiableMap<Map, Dim>
  {
    return with_second(q, y, J, H, [&](Workspace& w) { return map_.try_evaluate(q, w.added, w.dadded, w.d2added); });
  }

 private:
  struct Workspace {
    Eigen::VectorXd added;
    Eigen::MatrixXd dadded, d2added;
  };

  template <class Ask>
  Answer with_second(const Point<Dim>& q, Eigen::VectorXd& y, Eigen::MatrixXd& J, Eigen::MatrixXd& H,
                     const Ask& ask) const {
    const detail::WorkspaceLease<Workspace> lease;
    Workspace& w = *lease;
    const Answer answer = ask(w);
    if (!answer.has_value()) return answer;
    const auto assemble = [&](const auto& assembly) {
      assembly(q, w.added, w.dadded, y, J);
      assembly.second(q, w.added, w.dadded, w.d2added, H);
    };
    std::visit(assemble, assembly_);
    return answer.without_error();
  }

  Map map_;
  Motion motion_;
  Fingerprint mechanism_;
  detail::AnyMassAssembly<Dim> assembly_;
};

}  // namespace quoin::swimmer
