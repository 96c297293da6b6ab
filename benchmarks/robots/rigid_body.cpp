// SPDX-License-Identifier: BSD-3-Clause
// What the dynamics of a 7-joint arm and of a humanoid of 29 joints cost in inverse dynamics of the same robot, and
// many states at once against one at a time. Beside other libraries: benchmarks/peers.
#include "benchmarks/support/timed_task.hpp"
#include "examples/studies/arm7/iiwa7.hpp"
#include "quoin/robots/models/rigid_body/batch_newton_euler.hpp"
#include "quoin/robots/models/rigid_body/newton_euler.hpp"
#include "quoin/util/to_text.hpp"
#include "testing/robots/humanoid.hpp"

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {
using namespace benchmarks;
using namespace quoin::rigid_body;

constexpr int states = 256;

/// Random states that stay in cache, and what is asked of them.
class Robot {
 public:
  Robot(std::string name, const std::vector<Link>& links)
      : name_(std::move(name)), tree_(links), dynamics_(tree_), batch_(tree_) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    for (Eigen::MatrixXd* part : {&q_, &qd_, &qdd_})
      *part = Eigen::MatrixXd::NullaryExpr(n_, states, [&] { return normal(random); });
    for (Eigen::MatrixXd* part : {&tau_, &batch_tau_, &back_}) part->resize(n_, states);
    M_.resize(n_, n_);
    Y_.resize(n_, 13 * n_);
    gradient_ = batch_gradient_ = Parameters::Zero(13, n_);
  }

  /// What planners ask, each for all states.
  void add_dynamics() {
    add("inverse dynamics",
        [&](int s) { dynamics_.inverse_dynamics(q_.col(s), qd_.col(s), qdd_.col(s), tau_.col(s)); });
    add("its derivatives (q, qd, qdd)", [&](int s) {
      dynamics_.inverse_dynamics_derivatives(q_.col(s), qd_.col(s), qdd_.col(s), inverse_);
      sum_ += inverse_.dtau_dq()(0, 1);
    });
    add("forward dynamics", [&](int s) {
      if (dynamics_.forward_dynamics(q_.col(s), qd_.col(s), tau_.col(s), back_.col(s)) != ForwardStatus::ok) sum_ = NAN;
    });
    add("its derivatives (q, qd, tau)", [&](int s) {
      if (dynamics_.forward_dynamics_derivatives(q_.col(s), qd_.col(s), tau_.col(s), forward_) != ForwardStatus::ok)
        sum_ = NAN;
    });
    add("mass matrix", [&](int s) {
      dynamics_.mass_matrix(q_.col(s), M_);
      sum_ += M_(0, 1);
    });
  }

  /// What identification asks.
  void add_identification() {
    tasks_.push_back({"inverse dynamics, batch", [&] { batch_.inverse_dynamics(q_, qd_, qdd_, batch_tau_); }});
    add("regressor", [&](int s) {
      dynamics_.regressor(q_.col(s), qd_.col(s), qdd_.col(s), Y_);
      sum_ += Y_(0, 1);
    });
    add("gradient by parameters",
        [&](int s) { dynamics_.add_parameter_gradient(q_.col(s), qd_.col(s), qdd_.col(s), tau_.col(s), gradient_); });
    tasks_.push_back({"gradient by parameters, batch",
                      [&] { batch_.add_parameter_gradient(q_, qd_, qdd_, tau_, batch_gradient_); }});
  }

  void measure(int rounds, Report& report) {
    time_in_turns(tasks_, std::function(tasks_.front().work), rounds);
    for (const TimedTask& task : tasks_)
      report.results.add(studies::figures::ResultRow()
                             .set("robot", name_)
                             .set("task", task.name)
                             .set("us", 1e6 * median(task.seconds) / states)
                             .set("ratio", median(task.ratios))
                             .set("ratio_10", studies::quantile(task.ratios, 0.1))
                             .set("ratio_90", studies::quantile(task.ratios, 0.9)));
    if (!std::isfinite(sum_)) report.checks.push_back({name_ + ": every answer is finite", false});
    check(report, "forward dynamics inverts, largest difference", largest(back_ - qdd_), 1e-8);
    const int last = states - 1;
    dynamics_.inverse_dynamics_derivatives(q_.col(last), qd_.col(last), back_.col(last), inverse_);
    const Eigen::MatrixXd left = inverse_.mass_matrix() * forward_.dqdd_dq() + inverse_.dtau_dq();
    check(report, "M dqdd/dq = -dtau/dq, relative", left.norm() / inverse_.dtau_dq().norm(), 1e-9);
  }

  void check_batch(Report& report) {
    check(report, "the batch agrees, relative", largest(tau_ - batch_tau_) / largest(tau_), 1e-12);
  }
  void check_ratio(Report& report, const std::string& task, double bound) {
    for (const TimedTask& t : tasks_)
      if (t.name == task) check(report, task + ", in inverse dynamics", median(t.ratios), bound, false);
  }

 private:
  void add(const std::string& name, std::function<void(int)> of_state) {
    tasks_.push_back({name, [work = std::move(of_state)] {
                        for (int s = 0; s < states; ++s) work(s);
                      }});
  }
  static double largest(const Eigen::MatrixXd& m) { return m.cwiseAbs().maxCoeff(); }
  void check(Report& report, const std::string& claim, double value, double bound, bool binding = true) {
    report.checks.push_back({name_ + ": " + claim + ": " + studies::figures::format_number(value) + ", at most " +
                                 studies::figures::format_number(bound),
                             value <= bound, binding});
  }

  std::string name_;
  RigidBodyTree tree_;
  NewtonEuler<> dynamics_;
  BatchNewtonEuler batch_;
  int n_ = tree_.joints();
  Eigen::MatrixXd q_, qd_, qdd_, tau_, batch_tau_, back_, M_, Y_;
  Parameters gradient_, batch_gradient_;
  InverseDynamicsDerivatives<double> inverse_;
  ForwardDynamicsDerivatives<double> forward_;
  double sum_ = 0;
  std::vector<TimedTask> tasks_;
};

Report run(bool quick) {
  Report report;
  const int rounds = quick ? 100 : 1000;
  Robot arm("iiwa 7", studies::iiwa::iiwa7_links());
  arm.add_dynamics();
  arm.add_identification();
  arm.measure(rounds, report);
  arm.check_batch(report);
  Robot humanoid("humanoid 29", humanoid_links());
  humanoid.add_dynamics();
  humanoid.measure(rounds / 4, report);
  arm.check_ratio(report, "its derivatives (q, qd, qdd)", 4);
  arm.check_ratio(report, "inverse dynamics, batch", 0.5);
  humanoid.check_ratio(report, "its derivatives (q, qd, tau)", 10);
  report.columns = {
      {"robot"},           {"task"}, {"us", "per state [us]"}, {"ratio", "/ inverse dynamics"}, {"ratio_10", "10 %"},
      {"ratio_90", "90 %"}};
  report.notes =
      "256 random states, one thread; medians, and medians of ratios to one inverse dynamics of the same robot "
      "measured "
      "just before, with their spread. Lanes of the batch: " +
      to_text(BatchNewtonEuler::lanes()) + ". Compiler: " __VERSION__ ".\n";
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "rigid_body", "What the dynamics of an arm and of a humanoid cost.", run);
}
