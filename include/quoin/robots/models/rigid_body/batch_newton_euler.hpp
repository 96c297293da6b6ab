// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/dynamics_options.hpp"
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"

#include <Eigen/Core>

#include <memory>

namespace quoin::rigid_body {

/// Inverse dynamics of many states, several at once in the SIMD lanes of the processor that the library was compiled
/// for: for learning from data.
///
///     BatchNewtonEuler batch(tree);
///     Eigen::MatrixXd tau(n, states);
///     batch.inverse_dynamics(q, qd, qdd, parameters, tau);              // q, qd, qdd: n x states
///     Parameters gradient = Parameters::Zero(13, n);
///     batch.add_parameter_gradient(q, qd, qdd, tau - measured, gradient);  // of 1/2 |tau - measured|^2
///
/// The results agree with those of NewtonEuler to rounding and do not depend on how states are grouped. Use one object
/// per thread; it allocates nothing after construction. Throws std::invalid_argument for arguments of another shape.
class BatchNewtonEuler {
 public:
  /// a matrix, or columns of one.
  using In = Eigen::Ref<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  /// Likewise; its size is right already.
  using Out = Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  /// 13 x n.
  using InParameters = Eigen::Ref<const Parameters>;
  /// 13 x n.
  using OutParameters = Eigen::Ref<Parameters>;

  /// Works for this tree, with memory of its own.
  explicit BatchNewtonEuler(RigidBodyTree tree, const DynamicsOptions& options = {});
  /// Shares nothing with the other.
  BatchNewtonEuler(const BatchNewtonEuler& other);
  /// The other is good for nothing but to be assigned to.
  BatchNewtonEuler(BatchNewtonEuler&&) noexcept;
  /// As copy and move.
  BatchNewtonEuler& operator=(BatchNewtonEuler other) noexcept;
  ~BatchNewtonEuler();

  /// As it was given.
  const RigidBodyTree& tree() const;

  /// tau: n x states, a column for each column of q, qd, qdd.
  void inverse_dynamics(const In& q, const In& qd, const In& qdd, Out tau);
  /// With parameters (13 x n) other than the tree's.
  void inverse_dynamics(const In& q, const In& qd, const In& qdd, const InParameters& parameters, Out tau);

  /// gradient += sum over states of Y^T w, 13 x n, with NewtonEuler::regressor's Y: the derivative of sum w . tau.
  void add_parameter_gradient(const In& q, const In& qd, const In& qdd, const In& w, OutParameters gradient);

  static int lanes();  ///< states computed at once

 private:
  struct Lanes;
  std::unique_ptr<Lanes> lanes_;
};

using BatchDynamics [[deprecated("BatchNewtonEuler")]] = BatchNewtonEuler;

}  // namespace quoin::rigid_body
