// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/batch_newton_euler.hpp"
#include "quoin/robots/models/rigid_body/detail/sines_cosines.hpp"
#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "testing/robots/random_tree.hpp"

#include <catch2/catch.hpp>

namespace quoin::rigid_body {

TEST_CASE("a batch of any size answers as one state at a time does") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const RigidBodyTree tree(random_links(9, seed));
    const int n = tree.joints();
    const DynamicsOptions options{.friction = Friction::viscous_and_coulomb, .friction_velocity = seed % 2 ? 0.0 : 0.3};
    NewtonEuler<> one(tree, options);
    BatchNewtonEuler batch(tree, options);
    for (const int states : {0, 1, 5, 8, 19}) {
      const Eigen::MatrixXd q = 3 * Eigen::MatrixXd::Random(n, states), qd = Eigen::MatrixXd::Random(n, states),
                            qdd = Eigen::MatrixXd::Random(n, states), w = Eigen::MatrixXd::Random(n, states);
      const Parameters parameters = tree.parameters() + 0.1 * Parameters::Random(13, n);
      Eigen::MatrixXd tau(n, states), with_others(n, states);
      Parameters gradient = Parameters::Zero(13, n), reference = Parameters::Zero(13, n);
      batch.inverse_dynamics(q, qd, qdd, tau);
      batch.inverse_dynamics(q, qd, qdd, parameters, with_others);
      batch.add_parameter_gradient(q, qd, qdd, w, gradient);
      Eigen::VectorXd expected(n);
      for (int s = 0; s < states; ++s) {
        one.inverse_dynamics(q.col(s), qd.col(s), qdd.col(s), expected);
        CHECK((tau.col(s) - expected).norm() < 1e-12 * (1 + expected.norm()));
        one.inverse_dynamics(q.col(s), qd.col(s), qdd.col(s), parameters, expected);
        CHECK((with_others.col(s) - expected).norm() < 1e-12 * (1 + expected.norm()));
        one.add_parameter_gradient(q.col(s), qd.col(s), qdd.col(s), w.col(s), reference);
      }
      CHECK((gradient - reference).norm() <= 1e-12 * (1 + reference.norm()));
    }
  }
}

TEST_CASE("the answer of a state does not depend, to the bit, on the states around it") {
  const RigidBodyTree tree(random_links(7, 3));
  const int n = tree.joints();
  BatchNewtonEuler batch(tree);
  const Eigen::MatrixXd q = 3 * Eigen::MatrixXd::Random(n, 13), qd = Eigen::MatrixXd::Random(n, 13);
  Eigen::MatrixXd together(n, 13), alone(n, 1), far = q;
  batch.inverse_dynamics(q, qd, qd, together);
  for (int s = 0; s < 13; ++s) {
    batch.inverse_dynamics(q.col(s), qd.col(s), qd.col(s), alone);
    CHECK(alone == together.col(s));
  }
  far.col(3).setConstant(1e9);  // beyond the range of the vector code for angles
  Eigen::MatrixXd beside(n, 13);
  batch.inverse_dynamics(far, qd, qd, beside);
  CHECK(beside.leftCols(3) == together.leftCols(3));
  CHECK(beside.rightCols(9) == together.rightCols(9));
}

TEST_CASE("a batch refuses another shape, and copies stand alone") {
  const RigidBodyTree tree(random_links(5, 2));
  const int n = tree.joints();
  BatchNewtonEuler batch(tree);
  Eigen::MatrixXd q = Eigen::MatrixXd::Random(n, 4), short_one(n, 3), tau(n, 4), again(n, 4);
  CHECK_THROWS_WITH(batch.inverse_dynamics(q, short_one, q, tau),
                    Catch::Contains("qd is " + std::to_string(n) + " x 3"));
  CHECK_THROWS_AS(batch.inverse_dynamics(q, q, q, Parameters::Zero(13, n + 1), tau), std::invalid_argument);
  BatchNewtonEuler copy(batch);
  batch.inverse_dynamics(q, q, q, tau);
  copy.inverse_dynamics(q, q, q, again);
  CHECK(tau == again);
  batch = copy;
  batch.inverse_dynamics(q, q, q, again);
  CHECK(tau == again);
}

TEST_CASE("sines and cosines in vector code are right to 3e-16, and far angles are those of the standard library") {
  constexpr int count = 100003;
  Eigen::VectorXd angle(count), sine(count), cosine(count);
  RandomNumbers random(5);
  for (int i = 0; i < count; ++i) angle[i] = random.between(-1, 1) * std::pow(10.0, random.between(-9, 5));
  for (int i = 0; i < 100; ++i) angle[i] = (i - 50) * M_PI_4;  // near the rounding points of the range reduction
  angle[100] = 1e12;
  angle[101] = -0.0;
  detail::sines_cosines(angle.data(), sine.data(), cosine.data(), count);
  double worst = 0;
  for (int i = 0; i < count; ++i)
    worst = std::max({worst, std::abs(sine[i] - std::sin(angle[i])), std::abs(cosine[i] - std::cos(angle[i]))});
  CHECK(worst <= 3e-16);
  CHECK(sine[100] == std::sin(1e12));
  angle[0] = std::numeric_limits<double>::quiet_NaN();
  detail::sines_cosines(angle.data(), sine.data(), cosine.data(), 2);
  CHECK(std::isnan(sine[0]));
  CHECK(std::isnan(cosine[0]));
}

}  // namespace quoin::rigid_body
