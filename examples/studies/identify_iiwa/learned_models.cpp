// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/identify_iiwa/learned_models.hpp"

#include "examples/studies/identify_iiwa/published_start.hpp"
#include "examples/studies/program/stopwatch.hpp"
#include "quoin/robots/identification/force_networks/fit_networks.hpp"
#include "quoin/robots/models/rigid_body/batch_newton_euler.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace studies::iiwa {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using identification::FitOptions;
using identification::FitUpdate;
using identification::InertiaForm;
using identification::RobotEstimate;
using identification::RobotMotion;
using identification::RobotParameters;

const char* to_string(ModelKind kind) {
  switch (kind) {
    case ModelKind::given: return "given";
    case ModelKind::mlp: return "MLP";
    case ModelKind::standardized_mlp: return "MLP, standardized";
    case ModelKind::delan: return "DeLaN";
    case ModelKind::least_squares: return "least squares";
    default: return identification::to_string(*form_of(kind));
  }
}

std::optional<InertiaForm> form_of(ModelKind kind) {
  switch (kind) {
    case ModelKind::nostr: return InertiaForm::unstructured;
    case ModelKind::symm: return InertiaForm::symmetric;
    case ModelKind::spd: return InertiaForm::positive_definite;
    case ModelKind::tri: return InertiaForm::triangular;
    case ModelKind::cov: return InertiaForm::covariance;
    default: return std::nullopt;
  }
}

const char* to_string(Start start) {
  switch (start) {
    case Start::bodies: return "possible bodies";
    case Start::published: return "as published";
    case Start::published_small: return "as published, I_C small";
    case Start::published_moments: return "as published, h drawn";
  }
  return "unknown";
}

bool can_learn(ModelKind kind) {
#ifdef QUOIN_HAS_TORCH
  return kind != ModelKind::given;
#else
  return kind == ModelKind::least_squares || form_of(kind).has_value();
#endif
}

bool learns_in_steps(ModelKind kind) { return kind != ModelKind::given && kind != ModelKind::least_squares; }

namespace {

void use(LearnedModel& learned, const rigid_body::RigidBodyTree& tree, const RobotParameters& parameters,
         const VectorXd& damping) {
  const auto dynamics = std::make_shared<rigid_body::NewtonEuler<>>(tree);
  const auto batch = std::make_shared<rigid_body::BatchNewtonEuler>(tree);
  learned.forces = [=](const VectorXd& q, const VectorXd& qd, const VectorXd& qdd, VectorXd& tau) {
    dynamics->inverse_dynamics(q, qd, qdd, parameters, tau);
    tau += damping.cwiseProduct(qd);
  };
  learned.predict = [=](const RobotMotion& all) {
    MatrixXd tau(all.joints(), all.instants());
    batch->inverse_dynamics(all.q, all.qd, all.qdd, parameters, tau);
    tau += damping.asDiagonal() * all.qd;
    return tau;
  };
}

FitOptions fit_options(const LearningChoice& choice, double rate, const RobotMotion& motion, std::uint64_t seed) {
  return {.epochs = choice.epochs,
          .learning_rate = rate,
          .target = choice.target,
          .improvement = choice.improvement,
          .weights = choice.weighted ? identification::normalizing_weights(motion) : VectorXd(),
          .shuffled = choice.shuffled,
          .seed = seed};
}

#ifdef QUOIN_HAS_TORCH
template <class Network>
void learn_network(LearnedModel& learned, Network network, const RobotMotion& motion, const LearningChoice& choice,
                   const Observe& observe) {
  const auto predict_with = [](const Network& net, const RobotMotion& all) {
    MatrixXd tau(all.joints(), all.instants());
    net.inverse_dynamics(all.q, all.qd, all.qdd, tau);
    return tau;
  };
  std::function<bool(const FitUpdate&, const Network&)> watch;
  if (observe)
    watch = [&](const FitUpdate& update, const Network& net) {
      observe(update, [&](const RobotMotion& all) { return predict_with(net, all); });
      return true;
    };
  learned.course = identification::fit_forces(network, motion,
                                              fit_options(choice, choice.network_rate, motion, learned.seed), watch);
  const auto shared = std::make_shared<const Network>(std::move(network));
  learned.predict = [=](const RobotMotion& all) { return predict_with(*shared, all); };
  learned.forces = [shared](const VectorXd& q, const VectorXd& qd, const VectorXd& qdd, VectorXd& tau) {
    shared->inverse_dynamics(q, qd, qdd, tau);
  };
}
#endif

void learn_inertias(LearnedModel& learned, InertiaForm form, const rigid_body::RigidBodyTree& tree,
                    const RobotMotion& motion, const LearningChoice& choice, const Observe& observe) {
  const auto batch = std::make_shared<rigid_body::BatchNewtonEuler>(tree);
  const RobotEstimate start = choice.start == Start::bodies
                                  ? RobotEstimate::random(form, tree.joints(), learned.seed, choice.friction)
                                  : published_start(form, tree.parameters(), learned.seed, choice.start);
  auto fit = identification::fit_forces(
      *batch, motion, start, fit_options(choice, choice.inertia_rate, motion, learned.seed),
      [&](const FitUpdate& update, const RobotEstimate& estimate) {
        if (observe)
          observe(update,
                  [&](const RobotMotion& all) { return identification::predicted_forces(*batch, estimate, all); });
        return true;
      });
  learned.course = fit;
  use(learned, tree, fit.estimate.parameters(), fit.estimate.damping());
}

/// Solves for the parameters nearest to the forms' initial bodies.
void solve_least_squares(LearnedModel& learned, const rigid_body::RigidBodyTree& tree, const RobotMotion& motion,
                         const LearningChoice& choice) {
  const RobotEstimate prior =
      RobotEstimate::random(InertiaForm::covariance, tree.joints(), learned.seed, choice.friction);
  const VectorXd weights =
      choice.weighted ? VectorXd(identification::normalizing_weights(motion).cwiseSqrt()) : VectorXd();
  identification::ForceRegression regression(tree.joints(), {.damping = choice.friction, .weights = weights});
  rigid_body::NewtonEuler<> dynamics(tree);
  regression.add(dynamics, motion);
  const auto solution = regression.solve(regression.columns_of(prior.parameters(), prior.damping()));
  use(learned, tree, solution.parameters, solution.damping);
  learned.known = regression.identifiability();
}

}  // namespace

LearnedModel given(const rigid_body::RigidBodyTree& tree) {
  LearnedModel model;
  use(model, tree, tree.parameters(), VectorXd::Zero(tree.joints()));
  return model;
}

LearnedModel learn(ModelKind kind, const rigid_body::RigidBodyTree& tree, const RobotMotion& motion, std::uint64_t seed,
                   const LearningChoice& choice, const Observe& observe) {
  if (!can_learn(kind))
    throw std::invalid_argument(std::string("learn: ") + to_string(kind) + " cannot be learned in this build");
  LearnedModel learned{.kind = kind, .seed = seed};
  const studies::Stopwatch watch;
  if (kind == ModelKind::least_squares) solve_least_squares(learned, tree, motion, choice);
  if (const auto form = form_of(kind)) learn_inertias(learned, *form, tree, motion, choice, observe);
#ifdef QUOIN_HAS_TORCH
  if (kind == ModelKind::mlp)
    learn_network(learned, identification::ForceMlp::random(tree.joints(), seed), motion, choice, observe);
  if (kind == ModelKind::standardized_mlp)
    learn_network(learned, identification::ForceMlp::random(motion, seed), motion, choice, observe);
  if (kind == ModelKind::delan)
    learn_network(learned, identification::LagrangianNetwork::random(motion, seed, {32, 64, 32}, choice.friction),
                  motion, choice, observe);
#endif
  learned.seconds = watch.seconds();
  return learned;
}

}  // namespace studies::iiwa
