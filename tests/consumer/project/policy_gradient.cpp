// SPDX-License-Identifier: BSD-3-Clause
// A controller learns to hold a drifting point, and is saved and loaded, in a program that may be compiled
// for another processor.
#include <quoin/robots/planning/policy_gradient/ppo.hpp>

#include <cstdio>
#include <filesystem>

namespace {

struct Point {
  Eigen::Index state_size() const { return 1; }
  Eigen::Index control_size() const { return 1; }
  quoin::StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    next = 1.1 * x + u;
    return quoin::StepStatus::ok;
  }
  quoin::StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dx,
                         Eigen::MatrixXd& du) const {
    dx = Eigen::MatrixXd::Constant(1, 1, 1.1);
    du = Eigen::MatrixXd::Ones(1, 1);
    return step(x, u, next);
  }
};

struct Hold {
  int observation_size() const { return 1; }
  int action_size() const { return 1; }
  int episode_steps() const { return 20; }
  double reward_of_failure() const { return -10; }
  Eigen::VectorXd start(std::mt19937_64& random) const {
    return Eigen::VectorXd::Constant(1, std::uniform_real_distribution<double>(-1, 1)(random));
  }
  void observe(const Eigen::VectorXd& x, Eigen::Ref<Eigen::VectorXd> observation) const { observation = x; }
  void control(const Eigen::VectorXd& action, Eigen::VectorXd& u) const { u = action; }
  double reward(const Eigen::VectorXd&, const Eigen::VectorXd&, const Eigen::VectorXd& next) const {
    return -next.squaredNorm();
  }
  bool failed(const Eigen::VectorXd& x) const { return x.norm() > 4; }
};

}  // namespace

int main() {
  using namespace quoin::planning;
  Learner learner = Learner::random(1, 1, {.hidden = 8});
#ifdef QUOIN_HAS_TORCH
  const PpoResult result =
      ppo(Point{}, Hold{}, learner,
          {.iterations = 30, .experience = {.actors = 16, .steps = 20}, .minibatch = 80, .learning_rate = 3e-3});
  std::printf("return %g, then %g\n", result.log.front().mean_return, result.log.back().mean_return);
  if (!(result.log.back().mean_return > 0.5 * result.log.front().mean_return)) return 1;
  learner = result.learner;
#endif
  const std::filesystem::path file = "hold.learner";
  save_learner(learner, file);
  const Eigen::VectorXd start = Eigen::VectorXd::Ones(1);
  const bool same = replay(Point{}, Hold{}, load_policy(file), start, 20).states ==
                    replay(Point{}, Hold{}, learner.policy, start, 20).states;
  std::filesystem::remove(file);
  return same ? 0 : 1;
}
