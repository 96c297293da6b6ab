// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "quoin/robots/models/rigid_body/urdf.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <map>
#include <sstream>

namespace quoin::rigid_body {
namespace {

using State = std::map<std::string, Eigen::VectorXd>;

std::vector<State> reference_states() {
  std::ifstream in(QUOIN_IIWA7_STATES);
  std::vector<State> states;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string what;
    words >> what;
    std::vector<double> numbers;
    for (double x; words >> x;) numbers.push_back(x);
    if (what == "q") states.emplace_back();
    states.back()[what] = Eigen::Map<Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
  }
  return states;
}

Eigen::MatrixXd matrix(const Eigen::VectorXd& rows, Eigen::Index n) {
  return Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(rows.data(), n, n);
}

double distance(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) { return (a - b).cwiseAbs().maxCoeff(); }

}  // namespace

#ifdef QUOIN_HAS_URDF
TEST_CASE("the KUKA iiwa 7 has the forces, derivatives and poses of two other programs to 1e-10") {
  const RigidBodyTree tree(read_urdf(QUOIN_IIWA7_URDF));
  REQUIRE(tree.joints() == 7);
  NewtonEuler<> dynamics(tree);
  const Frame end = tree.frame("iiwa_link_ee");
  const auto states = reference_states();
  REQUIRE(states.size() == 25);
  for (const State& s : states) {
    const Eigen::VectorXd &q = s.at("q"), &qd = s.at("qd"), &qdd = s.at("qdd");
    CAPTURE(q.transpose());
    Eigen::VectorXd tau(7);
    dynamics.inverse_dynamics(q, qd, qdd, tau);
    CHECK(distance(tau, s.at("tau")) < 1e-10);
    dynamics.inverse_dynamics(q, qd, Eigen::VectorXd::Zero(7), tau);
    CHECK(distance(tau, s.at("nle")) < 1e-10);
    dynamics.gravity(q, tau);
    CHECK(distance(tau, s.at("g")) < 1e-10);
    Eigen::MatrixXd M(7, 7);
    dynamics.mass_matrix(q, M);
    CHECK(distance(M, matrix(s.at("M"), 7)) < 1e-10);
    InverseDynamicsDerivatives<double> d;
    dynamics.inverse_dynamics_derivatives(q, qd, qdd, d);
    CHECK(distance(d.tau(), s.at("tau")) < 1e-10);
    CHECK(distance(d.mass_matrix(), matrix(s.at("M"), 7)) < 1e-10);
    CHECK(distance(d.dtau_dq(), matrix(s.at("dtau_dq"), 7)) < 1e-10);
    CHECK(distance(d.dtau_dqd(), matrix(s.at("dtau_dqd"), 7)) < 1e-10);
    const Eigen::Isometry3d pose = dynamics.pose(q, end);
    CHECK(distance(pose.translation(), s.at("ee_p")) < 1e-10);
    CHECK(distance(pose.linear(), matrix(s.at("ee_R"), 3)) < 1e-10);
    Eigen::VectorXd back(7);
    REQUIRE(dynamics.forward_dynamics(q, qd, s.at("tau"), back) == ForwardStatus::ok);
    CHECK(distance(back, qdd) < 1e-10);
  }
}
#endif

}  // namespace quoin::rigid_body
