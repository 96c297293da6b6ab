// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/dynamics/status_of_call.hpp"
#include "quoin/robots/dynamics/step_status.hpp"
#include "quoin/util/resize_strong.hpp"

#include <Eigen/Core>

#include <utility>

namespace quoin {

/// A function f(x, u, next) as steps without derivatives; where there is none it throws DomainError or CornerFailure.
template <class F>
class StepFunction {
 public:
  StepFunction(Eigen::Index state_size, Eigen::Index control_size, F f)
      : state_size_(state_size), control_size_(control_size), f_(std::move(f)) {}

  Eigen::Index state_size() const { return state_size_; }
  Eigen::Index control_size() const { return control_size_; }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    resize_strong(next, state_size_);
    return status_of_call([&] { f_(x, u, next); });
  }

 private:
  Eigen::Index state_size_, control_size_;

 protected:
  F f_;
};

}  // namespace quoin
