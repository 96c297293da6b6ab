// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "full_dynamics_body.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <semaphore>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace quoin::soft_arm {

/// The steps of a motion of Eq. 2, linearized from the last to the first: threads beyond the caller's make the next
/// ones ready while adjoints pass through one.
/// Body: FullDynamics<2>::Body or FullDynamics<3>::Body.
template <class Body>
class StepsAhead {
 public:
  /// The step from x_k to x_{k+1}, whatever the rows are that pass through it.
  struct Step {
    explicit Step(const Body& body) : workspace(body.lease()), hessian(body.arm.hessian_pattern()) {}
    decltype(std::declval<const Body&>().lease()) workspace;  // the step's matrix dR/dx_{k+1}, factorized
    Eigen::SparseMatrix<double> hessian;                      // d2E/dx2 at x_k, if there is damping
    Eigen::MatrixXd du;                                       // -dR/du_k
    bool definite = false;

   private:
    friend class StepsAhead;
    std::exception_ptr failure;
    std::counting_semaphore<> ready{0}, taken{1};
  };

  /// last: of the steps that are asked for.
  StepsAhead(const Body& body, const FullTrajectory& motion, int last, int threads)
      : body_(body), motion_(motion), last_(last), others_count_(std::min(threads - 1, last)) {
    for (int slot = 0; slot < std::max(1, 2 * others_count_); ++slot) slots_.push_back(std::make_unique<Step>(body));
    for (int other = 0; other < others_count_; ++other) others_.emplace_back([this, other] { work(other); });
  }
  StepsAhead(const StepsAhead&) = delete;
  StepsAhead& operator=(const StepsAhead&) = delete;

  /// Waits for step k; `last` first, then down by one. It is the caller's until give_back(k).
  Step& take(int k) {
    Step& step = slot_of(k);
    if (others_count_ > 0)
      step.ready.acquire();
    else
      prepare(k, step);
    if (step.failure) std::rethrow_exception(step.failure);
    return step;
  }
  void give_back(int k) { slot_of(k).taken.release(); }

 private:
  Step& slot_of(int k) { return *slots_[static_cast<std::size_t>(last_ - k) % slots_.size()]; }

  void work(int other) {
    for (int k = last_ - other; k >= 0; k -= others_count_) {
      Step& step = slot_of(k);
      step.taken.acquire();
      if (stop_) return;
      try {
        prepare(k, step);
      } catch (...) {
        step.failure = std::current_exception();
      }
      step.ready.release();
    }
  }

  void prepare(int k, Step& step) const {
    const auto& arm = body_.arm;
    const Eigen::Vector<double, std::remove_cvref_t<decltype(arm)>::lines> u = motion_.controls.col(k);
    body_.assemble(motion_.position(k + 1), u, *step.workspace);
    step.definite = step.workspace->cholesky.factorize(step.workspace->hessian);
    if (!step.definite) return;
    arm.length_gradients(motion_.position(k + 1), step.du);
    step.du *= -arm.line_force() * body_.elastic_factor;
    if (body_.damping_factor > 0) {
      Eigen::MatrixXd du_now;
      arm.length_gradients(motion_.position(k), du_now);
      step.du += arm.line_force() * body_.damping_factor * du_now;
      arm.hessian(motion_.position(k), u, step.hessian);
    }
  }

  const Body& body_;
  const FullTrajectory& motion_;
  int last_, others_count_;
  std::vector<std::unique_ptr<Step>> slots_;
  std::atomic<bool> stop_ = false;
  std::vector<std::jthread> others_;
  struct Release {  // what the others wait for, before they are joined
    ~Release() {
      all.stop_ = true;
      for (const auto& step : all.slots_) step->taken.release();
    }
    StepsAhead& all;
  } release_{*this};
};

}  // namespace quoin::soft_arm
