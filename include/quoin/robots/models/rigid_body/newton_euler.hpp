// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/models/rigid_body/detail/sines_cosines.hpp"
#include "quoin/robots/models/rigid_body/detail/workspace.hpp"
#include "quoin/robots/models/rigid_body/dynamics_options.hpp"
#include "quoin/robots/models/rigid_body/forward_dynamics_derivatives.hpp"
#include "quoin/robots/models/rigid_body/inverse_dynamics_derivatives.hpp"
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <vector>

namespace quoin::rigid_body {

/// Of all bodies together.
template <class Scalar>
struct Energy {
  Scalar kinetic, potential;  ///< J; potential is 0 for masses at the origin of the world
};

/// The algorithms of a RigidBodyTree, kinematics and dynamics: M(q) qdd + C(q, qd) qd + g(q) + friction = tau. As a
/// planner takes them they are TreeDynamics.
///
///     NewtonEuler<> dynamics(tree, {.friction = Friction::viscous});
///     Eigen::VectorXd tau(n), qdd(n);
///     dynamics.inverse_dynamics(q, qd, wanted, tau);           // recursive Newton-Euler
///     dynamics.forward_dynamics(q, qd, tau, qdd);              // articulated bodies: qdd = wanted
///     InverseDynamicsDerivatives<double> d;
///     dynamics.inverse_dynamics_derivatives(q, qd, qdd, d);    // d.dtau_dq(), d.dtau_dqd(), d.mass_matrix()
///     ForwardDynamicsDerivatives<double> a;
///     dynamics.forward_dynamics_derivatives(q, qd, tau, a);    // a.qdd(), a.dqdd_dq(), a.dqdd_dqd(), a.dqdd_dtau()
///     Eigen::MatrixXd Y(n, 13 * n);
///     dynamics.regressor(q, qd, qdd, Y);                       // tau = Y * parameters, friction apart
///
/// q, qd, qdd, tau: n = tree.joints() entries, rad or m and their rates, N m or N. Outputs must already have their
/// shape. Use one object per thread: it holds its scratch memory and allocates nothing after construction (except in a
/// new object of derivatives). For many states at once see BatchNewtonEuler.
/// Scalar: double, which is compiled once, or any type that multiplies with double and has sin, cos and abs (and tanh,
/// for smooth friction), such as std::complex<double> for complex steps. Inertias need not be symmetric; M is not
/// symmetric then. O(n) each; derivatives and regressor are O(n^2) in the depth. Throws std::invalid_argument for
/// arguments of another size.
template <class Scalar = double>
class NewtonEuler {
 public:
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  /// Of any size.
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  /// Of a point in space.
  using Vector3 = Eigen::Matrix<Scalar, 3, 1>;
  /// Linear above angular.
  using Vector6 = Eigen::Matrix<Scalar, 6, 1>;
  /// Of a frame in the world.
  using Pose = Eigen::Transform<Scalar, 3, Eigen::Isometry>;
  using In = Eigen::Ref<const Vector>;
  /// n; its size is right already.
  using Out = Eigen::Ref<Vector>;
  /// Its shape is right already.
  using OutMatrix = Eigen::Ref<Matrix, 0, Eigen::OuterStride<>>;
  /// 13 x n.
  using InParameters = Eigen::Ref<const ParametersOf<Scalar>>;
  /// 13 x n.
  using OutParameters = Eigen::Ref<ParametersOf<Scalar>>;

  /// Works for this tree, with memory of its own.
  explicit NewtonEuler(RigidBodyTree tree, const DynamicsOptions& options = {});

  const RigidBodyTree& tree() const { return tree_; }
  /// As they were given.
  const DynamicsOptions& options() const { return options_; }

  /// tau that causes qdd.
  void inverse_dynamics(const In& q, const In& qd, const In& qdd, Out tau);
  /// With parameters (13 x n) other than the tree's.
  void inverse_dynamics(const In& q, const In& qd, const In& qdd, const InParameters& parameters, Out tau);

  /// Tau, its derivatives by q and qd, and M, at once: see InverseDynamicsDerivatives.
  void inverse_dynamics_derivatives(const In& q, const In& qd, const In& qdd, InverseDynamicsDerivatives<Scalar>& out);

  /// Y: n x 13 n, d tau / d parameters; columns 13 i to 13 i + 12 belong to joint i. Friction is not included.
  /// Multiplied on the right, block by block, by symmetric_embedding(), it is the regressor of the ten
  /// parameters of a symmetric inertia.
  void regressor(const In& q, const In& qd, const In& qdd, OutMatrix Y);
  /// gradient += Y^T w, 13 x n, in O(n) and without Y: d (w . tau) / d parameters.
  void add_parameter_gradient(const In& q, const In& qd, const In& qdd, const In& w, OutParameters gradient);

  void mass_matrix(const In& q, OutMatrix M);  ///< n x n
  void gravity(const In& q, Out tau);          ///< g(q): the forces that hold the tree at rest
  /// C(q, qd), n x n, from Christoffel symbols, so that dM/dt - 2 C is skew-symmetric. C = 1/2 d (C qd) / d qd.
  void coriolis_matrix(const In& q, const In& qd, OutMatrix C);

  /// qdd under the forces tau, less friction. Unless `ok` is returned, qdd is unspecified. What is `singular` goes by
  /// the sizes of what each joint carries (docs/robots/rigid_body.md): a light gripper on a heavy arm is not, in any
  /// units.
  [[nodiscard]] ForwardStatus forward_dynamics(const In& q, const In& qd, const In& tau, Out qdd);
  /// The same with its derivatives by q, qd and tau, at once: see ForwardDynamicsDerivatives. Exact, also with friction
  /// (whose jump at rest counts as flat) and where M is not symmetric. By articulated bodies
  /// (docs/robots/rigid_body.md, after Featherstone 2008, section 7.3); neither M nor derivatives of tau are formed.
  /// Unless `ok` is returned, `out` is unspecified.
  [[nodiscard]] ForwardStatus forward_dynamics_derivatives(const In& q, const In& qd, const In& tau,
                                                           ForwardDynamicsDerivatives<Scalar>& out);

  /// Pose of a frame in the world.
  Pose pose(const In& q, const Frame& frame);
  /// J: 6 x n. The velocity of a point of the frame (rows 0 to 2) and the angular velocity (rows 3 to 5), in world
  /// axes, are J qd. The point is given in the frame's coordinates.
  void jacobian(const In& q, const Frame& frame, const Eigen::Vector3d& point, OutMatrix J);
  /// dJ/dt qd: acceleration of the point and angular acceleration when qdd = 0.
  Vector6 bias_acceleration(const In& q, const In& qd, const Frame& frame, const Eigen::Vector3d& point);

  /// At q, moving with qd.
  Energy<Scalar> energy(const In& q, const In& qd);
  /// Linear momentum, and angular momentum about the origin of the world.
  Vector6 momentum(const In& q, const In& qd);

 private:
  void check(const char* function, const char* what, Eigen::Index size, Eigen::Index wanted) const;
  void turn(const In& q) { detail::sines_cosines(q.data(), work_.sine.data(), work_.cosine.data(), tree_.joints()); }
  void add_friction(const In& qd, Out tau) const;
  bool accelerate(const In& q, const In& qd, const In& tau, Scalar* qdd, const detail::EffectsOfVelocity<Scalar>& also);
  Scalar friction_slope(int joint, const Scalar& rate) const;
  void place(const In& q);
  void move(const In& q, const In& qd);  // places, screws and velocities
  template <class Bodies>
  void solve(const Bodies& bodies, const In& q, const In& qd, const In& qdd, Out tau);

  RigidBodyTree tree_;
  DynamicsOptions options_;
  std::vector<detail::Body<double>> bodies_;
  std::vector<detail::BodyPack> packed_bodies_;
  detail::Workspace<Scalar> work_;
  Vector zero_, forces_;
  InverseDynamicsDerivatives<Scalar> derivatives_;
};

}  // namespace quoin::rigid_body

#include "quoin/robots/models/rigid_body/detail/newton_euler_impl.hpp"

namespace quoin::rigid_body {
extern template class NewtonEuler<double>;
template <class Scalar = double>
using Dynamics [[deprecated("NewtonEuler")]] = NewtonEuler<Scalar>;
}  // namespace quoin::rigid_body
