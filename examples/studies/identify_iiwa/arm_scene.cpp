// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/arm_scene.hpp"

#include "examples/studies/arm7/iiwa7.hpp"
#include "quoin/robots/identification/smoothed_motion.hpp"

#include <random>
#include <vector>

namespace studies::iiwa {
namespace {

using rigid_body::RigidBodyTree;

identification::SineExcitation excitation_of(const RigidBodyTree& tree) {
  identification::SineExcitation sines{.amplitudes = Eigen::VectorXd(7), .periods = Eigen::VectorXd(7)};
  sines.periods << 23, 19, 17, 13, 11, 7, 5;
  sines.amplitudes << 0.7, 0.5, 0.5, 0.5, 0.65, 0.65, 0.7;
  for (int i = 0; i < 7; ++i) sines.amplitudes[i] *= tree.joint(i).upper;
  return sines;
}

ArmScene scene_of(const RigidBodyTree& described, const RigidBodyTree& real, double seconds, double feedback) {
  const identification::SineExcitation excitation = excitation_of(described);
  return {.described = described,
          .real = real,
          .hand = described.frame("iiwa_link_ee"),
          .excitation = excitation,
          .seconds = seconds,
          .gains = gains_for(described, excitation, seconds, feedback)};
}

}  // namespace

ArmScene ArmScene::with_feedback(double frequency) const {
  ArmScene scene = *this;
  scene.gains = gains_for(described, excitation, seconds, frequency);
  return scene;
}

identification::RobotMotion ArmScene::recorded() const {
  RobotPlant robot = make_plant(1);
  JointRun run = follow(robot, given(described).forces, excitation, gains, seconds);
  if (half_window == 0) return std::move(run.exact);
  return identification::smoothed_motion(run.logged_q, run.logged_tau, plant.control_period, half_window);
}

ArmScene clean_scene(double seconds, double feedback) {
  const RigidBodyTree tree(iiwa7_links());
  return scene_of(tree, tree, seconds, feedback);
}

ArmScene harder_scene(double seconds, double feedback) {
  std::vector<rigid_body::Link> links = iiwa7_links();
  const RigidBodyTree described(links);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  const double coulomb[] = {2, 2, 1, 1, 0.6, 0.4, 0.2};  // N m
  std::size_t joint = 0;
  for (rigid_body::Link& link : links) {
    if (link.joint.type == rigid_body::JointType::fixed) continue;
    const double heavier = 1 + 0.2 * unit(random), larger = 1 + 0.2 * unit(random);
    link.inertia.mass *= heavier;
    link.inertia.about_centre *= heavier * larger;  // the same shape, denser and larger: still that of a body
    for (double& coordinate : link.inertia.centre) coordinate += 0.01 * unit(random);
    link.joint.damping *= 1 + 0.5 * unit(random);
    link.joint.friction = coulomb[joint++];
  }
  ArmScene scene = scene_of(described, RigidBodyTree(links), seconds, feedback);
  scene.plant = {.friction = rigid_body::Friction::viscous_and_coulomb,
                 .substeps = 8,
                 .delay = 1,
                 .position_noise = 2e-5,
                 .velocity_noise = 5e-3,
                 .torque_noise = 0.05};
  scene.described_is_true = false;
  scene.half_window = 12;
  return scene;
}

}  // namespace studies::iiwa
