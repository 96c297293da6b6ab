// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "examples/studies/identify_iiwa/arm_runs.hpp"
#include "examples/studies/program/library.hpp"
#include "quoin/robots/identification/fit.hpp"
#include "quoin/robots/identification/force_regression.hpp"
#include "quoin/robots/models/rigid_body/rigid_body_tree.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

namespace studies::iiwa {

/// The source of a controller's torques, in the order of the paper's tables.
enum class ModelKind { given, mlp, standardized_mlp, delan, nostr, symm, spd, tri, cov, least_squares };
inline constexpr std::array learned_kinds = {ModelKind::mlp,          ModelKind::standardized_mlp,
                                             ModelKind::delan,        ModelKind::nostr,
                                             ModelKind::symm,         ModelKind::spd,
                                             ModelKind::tri,          ModelKind::cov,
                                             ModelKind::least_squares};

const char* to_string(ModelKind kind);
/// The form of inertias that it learns; none for networks.
std::optional<identification::InertiaForm> form_of(ModelKind kind);
/// Whether this build can learn it: networks need libtorch.
bool can_learn(ModelKind kind);
/// Whether it learns by Adam, batch after batch; linear least squares take all data at once.
bool learns_in_steps(ModelKind kind);

/// The first numbers of inertias.
enum class Start {
  bodies,            ///< possible bodies, the same in every form (RobotEstimate::random)
  published,         ///< as the authors' settings draw them (published_start), centres described; without friction
  published_small,   ///< the same with NoStr's inertias as small as those of Symm
  published_moments  ///< as published, with first moments drawn by the authors' class for it
};
const char* to_string(Start start);

struct LearningChoice {
  int epochs = 150;        ///< at most
  double target = 0;       ///< normalized error of every joint at which learning ends
  double improvement = 0;  ///< learning ends with the epoch that lowers the mean error by less than this share
  Start start = Start::bodies;
  bool shuffled = true;
  bool weighted = true;        ///< the loss divides every joint's squared error by its variance; else in N m
  bool friction = false;       ///< viscous, learned with DeLaN and the inertias
  double inertia_rate = 1e-2;  ///< Adam's rate, of the inertias
  double network_rate = 1e-3;  ///< of the networks
};

struct LearnedModel {
  ModelKind kind = ModelKind::given;
  std::uint64_t seed = 0;
  identification::FitCourse course = {};
  double seconds = 0;
  ForceModel forces = {};
  /// Forces at all instants of a motion, n x T.
  std::function<Eigen::MatrixXd(const identification::RobotMotion&)> predict = {};
  std::optional<identification::Identifiability> known = {};  ///< what least squares could determine

  int epochs() const { return static_cast<int>(course.errors.cols()) - 1; }
};

/// A tree's own dynamics without friction: the ground truth, or a robot's default description.
LearnedModel given(const rigid_body::RigidBodyTree& tree);

/// Learns from a motion. observe(update, predict) is called after every step with the model's current predictions.
using Observe = std::function<void(const identification::FitUpdate&,
                                   const std::function<Eigen::MatrixXd(const identification::RobotMotion&)>&)>;
LearnedModel learn(ModelKind kind, const rigid_body::RigidBodyTree& tree, const identification::RobotMotion& motion,
                   std::uint64_t seed, const LearningChoice& choice, const Observe& observe = {});

}  // namespace studies::iiwa
