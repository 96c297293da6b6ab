// SPDX-License-Identifier: BSD-3-Clause
// Forces of the compiled component, for one state and for a batch, called from a program that may be compiled for
// another processor; and its templates, compiled here.
#include <quoin/robots/models/rigid_body/batch_newton_euler.hpp>
#include <quoin/robots/models/rigid_body/newton_euler.hpp>
#include <quoin/robots/models/rigid_body/urdf.hpp>

#include <cmath>
#include <complex>
#include <cstdio>

int main() {
  using namespace quoin::rigid_body;
  Inertia rod{.mass = 2, .centre = {0, 0, -0.5}};
  rod.about_centre.diagonal() << 0.2, 0.2, 0.01;
  std::vector<Link> links(2);
  links[0] = {.name = "upper",
              .joint = {.name = "shoulder", .type = JointType::revolute, .axis = Eigen::Vector3d::UnitY()},
              .inertia = rod};
  links[1] = links[0];
  links[1].name = "lower";
  links[1].parent = "upper";
  links[1].joint.name = "elbow";
  links[1].placement.translation() << 0, 0, -1;
  const RigidBodyTree tree(links);
  NewtonEuler<> dynamics(tree);
  BatchNewtonEuler batch(tree);

  const Eigen::MatrixXd q = Eigen::MatrixXd::Random(2, 11), qd = Eigen::MatrixXd::Random(2, 11);
  Eigen::MatrixXd tau(2, 11);
  batch.inverse_dynamics(q, qd, qd, tau);
  double error = 0;
  for (int s = 0; s < 11; ++s) {
    Eigen::VectorXd one(2), back(2);
    dynamics.inverse_dynamics(q.col(s), qd.col(s), qd.col(s), one);
    if (dynamics.forward_dynamics(q.col(s), qd.col(s), one, back) != ForwardStatus::ok) error = 1;
    error = std::max({error, (one - tau.col(s)).norm(), (back - qd.col(s)).norm()});
  }
  // two hanging rods: m g (L/2 + L + L/2) sin q at the shoulder
  Eigen::VectorXd g(2);
  dynamics.gravity(Eigen::Vector2d(0.3, 0), g);
  error = std::max(error, std::abs(g[0] - 2 * 9.81 * 2 * std::sin(0.3)));

  InverseDynamicsDerivatives<double> d;
  dynamics.inverse_dynamics_derivatives(q.col(0), qd.col(0), qd.col(0), d);
  Dynamics<std::complex<double>> complex_dynamics(tree);
  Eigen::VectorXcd stepped = q.col(0), rate = qd.col(0), force(2);
  stepped[1] += std::complex<double>(0, 1e-100);
  complex_dynamics.inverse_dynamics(stepped, rate, rate, force);
  error = std::max(error, (force.imag() / 1e-100 - d.dtau_dq().col(1)).norm());
#ifdef QUOIN_HAS_URDF
  if (parse_urdf("<robot name='stone'><link name='stone'/></robot>").size() != 1) error = 1;
#endif
  if (!(error < 1e-12)) std::printf("FAILED: dynamics of two rods, error %g\n", error);
  return !(error < 1e-12);
}
