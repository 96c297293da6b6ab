// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/peers/sections.hpp"

#ifdef QUOIN_HAS_MUJOCO
#include "benchmarks/peers/side_by_side.hpp"
#include "examples/studies/arm7/iiwa7.hpp"
#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "testing/robots/humanoid.hpp"
#include "testing/robots/mjcf.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace benchmarks {
namespace {

using namespace quoin::rigid_body;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int states = 256;
constexpr double difference = 1e-6;  // of mjd_transitionFD, as MuJoCo's documentation has it

/// A robot in random states that stay in cache.
class Robot {
 public:
  Robot(std::string name, const std::vector<Link>& links, int rounds, Report& report,
        studies::figures::JsonResults& table)
      : name_(std::move(name)), tree_(links), rounds_(rounds), report_(report), table_(table) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    for (MatrixXd* part : {&q_, &qd_, &qdd_, &tau_})
      *part = MatrixXd::NullaryExpr(tree_.joints(), states, [&] { return normal(random); });
    for (int s = 0; s < states; ++s) dynamics_.inverse_dynamics(q_.col(s), qd_.col(s), qdd_.col(s), tau_.col(s));
    for (MatrixXd* part : {&ours_, &theirs_}) part->setZero(tree_.joints(), 3 * tree_.joints());
  }

  void compare() {
    const Eigen::Index n = tree_.joints();
    const auto first = [n](MatrixXd& block) { return block.leftCols(n); };
    const auto inverse = [&](int s) { dynamics_.inverse_dynamics(q_.col(s), qd_.col(s), qdd_.col(s), ours_.col(0)); };
    row("inverse dynamics", "mj_inverse", 1e-11, inverse,
        [&](int s) { mujoco_.inverse_dynamics(q_.col(s), qd_.col(s), qdd_.col(s), theirs_.col(0)); });
    row("", "mj_rne, with the stages that it needs", 1e-11, inverse,
        [&](int s) { mujoco_.newton_euler(q_.col(s), qd_.col(s), qdd_.col(s), theirs_.col(0)); });
    row(
        "mass matrix", "mj_crb, mj_fullM", 1e-11, [&](int s) { dynamics_.mass_matrix(q_.col(s), first(ours_)); },
        [&](int s) { mujoco_.mass_matrix(q_.col(s), first(theirs_)); });
    const auto forward = [&](int s) {
      require(dynamics_.forward_dynamics(q_.col(s), qd_.col(s), tau_.col(s), ours_.col(0)));
    };
    row("forward dynamics", "mj_forward", 1e-8, forward,
        [&](int s) { mujoco_.forward_dynamics(q_.col(s), qd_.col(s), tau_.col(s), theirs_.col(0)); });
    row("", "mj_crb, mj_rne, mj_solveM, with the stages that they need", 1e-8, forward,
        [&](int s) { mujoco_.composite_bodies(q_.col(s), qd_.col(s), tau_.col(s), theirs_.col(0)); });
    ForwardDynamicsDerivatives<double> derivatives;
    row(
        "its derivatives (q, qd, tau)", "mjd_transitionFD (differences), mj_solveM", 1e-3,
        [&](int s) {
          require(dynamics_.forward_dynamics_derivatives(q_.col(s), qd_.col(s), tau_.col(s), derivatives));
          ours_ << derivatives.dqdd_dq(), derivatives.dqdd_dqd(), derivatives.dqdd_dtau();
        },
        [&](int s) {
          mujoco_.forward_dynamics_derivatives(q_.col(s), qd_.col(s), tau_.col(s), difference, first(theirs_),
                                               theirs_.middleCols(n, n), theirs_.rightCols(n));
        });
  }

 private:
  static void require(ForwardStatus status) {
    if (status != ForwardStatus::ok) throw std::runtime_error("forward dynamics of a state that has none");
  }

  // Both answers of every state first, then their times.
  template <class Ours, class Theirs>
  void row(const std::string& task, const std::string& peer, double bound, const Ours& ours, const Theirs& theirs) {
    if (!task.empty()) task_ = task;
    double worst = 0;
    ours_.setZero();
    theirs_.setZero();
    for (int s = 0; s < states; ++s) {
      ours(s);
      theirs(s);
      worst = std::max(worst, (ours_ - theirs_).cwiseAbs().maxCoeff() / ours_.cwiseAbs().maxCoeff());
    }
    check_same(report_, name_ + ", " + task_ + " and " + peer + ", relative", worst, bound);
    const auto some = [](const auto& of_state, int count) {
      return [&of_state, count] {
        for (int s = 0; s < count; ++s) of_state(s);
      };
    };
    // rounds so short that few of them meet another process's turn on this processor
    const int count = std::clamp(static_cast<int>(3e-4 / seconds_of(some(theirs, 1))), 8, states);
    studies::figures::ResultRow shown;
    shown.show("robot", name_).show("task", task_).show("peer", peer, "MuJoCo");
    const SideBySide seen = side_by_side(some(ours, count), some(theirs, count), rounds_);
    show_times(shown, seen, count, 1e-6, "us");
    shown.show("difference", worst, "answers differ by", 1);
    table_.add(shown);
    claim_faster(report_, name_ + ", " + task_, peer, seen);
  }

  std::string name_, task_;
  RigidBodyTree tree_;
  NewtonEuler<> dynamics_{tree_};
  MujocoTree mujoco_{tree_};
  int rounds_;
  Report& report_;
  studies::figures::JsonResults& table_;
  MatrixXd q_, qd_, qdd_, tau_, ours_, theirs_;
};

}  // namespace

void rigid_bodies_beside_mujoco(Report& report, bool quick) {
  studies::figures::JsonResults table;
  Robot("iiwa 7", studies::iiwa::iiwa7_links(), quick ? 50 : 2000, report, table).compare();
  Robot("humanoid 29", humanoid_links(), quick ? 20 : 1000, report, table).compare();
  report.add_table(
      "### Rigid bodies beside MuJoCo\n\n256 random states; contacts and constraints of MuJoCo are off, "
      "nothing damps. Times of one state; differences relative to the largest entry.",
      table);
}

}  // namespace benchmarks
#else
void benchmarks::rigid_bodies_beside_mujoco(Report&, bool) {}
#endif
