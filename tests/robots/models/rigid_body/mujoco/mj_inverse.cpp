// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "testing/robots/mjcf.hpp"
#include "testing/robots/random_tree.hpp"

#include <catch2/catch.hpp>

namespace quoin::rigid_body {

TEST_CASE("random branching trees need the forces that MuJoCo's mj_inverse finds") {
  double worst = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const RigidBodyTree tree(random_links(1 + static_cast<int>(seed % 13), seed));
    const int n = tree.joints();
    if (n == 0) continue;
    NewtonEuler<> dynamics(tree);
    MujocoTree other(tree);
    RandomNumbers random(1000 + seed);
    for (int k = 0; k < 5; ++k) {
      const Eigen::VectorXd q = random.vector(n, 3), qd = random.vector(n, 2), qdd = random.vector(n, 5);
      Eigen::VectorXd tau(n), reference(n);
      dynamics.inverse_dynamics(q, qd, qdd, tau);
      other.inverse_dynamics(q, qd, qdd, reference);
      worst = std::max(worst, (tau - reference).cwiseAbs().maxCoeff() / (1 + reference.cwiseAbs().maxCoeff()));
    }
  }
  CAPTURE(worst);
  CHECK(worst < 1e-11);
}

}  // namespace quoin::rigid_body
