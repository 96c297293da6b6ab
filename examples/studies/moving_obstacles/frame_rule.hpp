// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/moving_obstacles/sphere_scene.hpp"
#include "examples/studies/program/library.hpp"
#include "quoin/robots/models/topology/interaction_mesh_map.hpp"
#include "quoin/robots/planning/aico/aico.hpp"
#include "quoin/robots/planning/aico/remapping.hpp"

#include <Eigen/Core>

#include <optional>
#include <vector>

namespace studies::spheres {

/// h of Eq. 14: the step of a rule in the absence of other terms.
enum class FrameStep {
  none,     ///< stand still: plain inverse kinematics
  planned,  ///< the plan's step, and part of the deviation from its velocity
  fed_back  ///< the step of the plan's control law from the current state
};

/// The quantities that a rule keeps frame by frame, each with its weight relative to C |q' - q - h|^2 (rad^2); 0: off.
struct FrameRuleOptions {
  FrameStep step = FrameStep::planned;
  double carry = 0;  ///< with FrameStep::planned: part of the deviation that is kept

  double mesh = 0;          ///< rows of the arm and the goal in the interaction mesh, 1/m^2
  double mesh_spheres = 0;  ///< the spheres' rows
  int landmarks = 3;        ///< on each link behind the shoulder
  double thickness = 1;     ///< edges to spheres leave out this times both radii; 0: the mesh as printed

  double tip = 0;                ///< the tip at its planned position, 1/m^2
  bool straight = false;         ///< the tip on the straight line to the goal instead, with the plan's speed
  double contact = 0;            ///< separation of pairs nearer than `contact_margin`, 1/m^2
  double contact_margin = 0.05;  ///< m

  int iterations = 1;  ///< largest number of Gauss-Newton iterations; 1: Eq. 15
};

/// Remapping by the interaction mesh of the arm's landmarks, the goal and the spheres (Zarubin et al. 2012, section
/// IV), and by the plan's other task variable for spheres, its collision term, which separates near pairs.
FrameRuleOptions remapping(double mesh = 0.1, double contact = 1);

/// Damped least squares on the tip's position and the distances of near pairs.
FrameRuleOptions inverse_kinematics(double damping = 0.3, double contact_margin = 0.03);

/// Chooses the step of each frame from the present positions of the spheres, without knowledge of their future.
///
///     FrameRule rule(scene, plan, remapping());
///     q_next = rule.next(t, q, qd, spheres_now);
///     path = follow(rule, scene, spheres);
///
/// Each step is one least-squares problem in q', solved by Remapper with phi stacked from the quantities kept:
/// remapping and inverse kinematics differ in their options only. The plan is one for the spheres at their initial
/// positions; scene and plan must outlive the rule. For one thread.
class FrameRule {
 public:
  FrameRule(const SphereScene& scene, const planning::AicoResult& plan, const FrameRuleOptions& options);

  FrameRule(const FrameRule&) = delete;
  FrameRule& operator=(const FrameRule&) = delete;

  /// q_{t+1}, within the limits of the joints; valid until the next call.
  const Eigen::VectorXd& next(int t, const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                              const Eigen::Matrix3Xd& spheres);

 private:
  void compute_targets();
  void see(const Eigen::Matrix3Xd& spheres);
  void compute_step(int t, const Eigen::VectorXd& q, const Eigen::VectorXd& qd);
  bool phi(const Eigen::VectorXd& q, Eigen::VectorXd& y, Eigen::MatrixXd* J);

  const SphereScene* scene_;
  const planning::AicoResult* plan_;
  FrameRuleOptions options_;
  std::optional<topology::InteractionMeshMap<rigid_body::TreePoints>> mesh_;
  rigid_body::TreePoints tip_, points_;
  Eigen::VectorXd lower_, upper_;
  std::optional<planning::Remapper> remapper_;
  planning::Remapper::Function function_;
  Eigen::MatrixXd targets_;     // of phi, a column for each time of the plan
  Eigen::Matrix3Xd landmarks_;  // of the environment: the goal, the spheres
  Obstacles world_;
  Eigen::VectorXd state_, target_, h_, next_, part_;
  Eigen::MatrixXd part_J_, moved_;
  Eigen::Matrix3Xd places_;
};

/// The path (7 x (T+1)) of a rule among moving spheres. Throws std::invalid_argument for an invalid push.
Eigen::MatrixXd follow(FrameRule& rule, const SphereScene& scene, const SpheresAt& spheres, const Push& push = {});

}  // namespace studies::spheres
