// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/aico/gaussian_chain.hpp"
#include "testing/robots/dense_map.hpp"

#include <algorithm>
#include <cmath>

namespace quoin::planning::test {

/// The largest errors of means and covariances, relative to the largest entry (or 1), of messages against the dense
/// solution; and of the states to which the control laws lead.
struct Errors {
  double mean = 0, covariance = 0, law = 0;
};

inline Errors errors_of(const LinearChain& chain) {
  const DenseMap dense = dense_map(chain);
  const int T = chain.horizon();
  GaussianChain messages(chain.mean.size(), chain.H, T);
  messages.start(chain.mean, chain.start_root.size() ? chain.covariance() : Matrix());
  for (int t = 0; t < T; ++t) messages.forward(t, chain.steps[t], chain.tasks[t]);
  messages.finish();
  for (int t = T - 1; t >= 0; --t) messages.backward(t, chain.steps[t], chain.tasks[t + 1]);
  Errors errors;
  Gaussian marginal;
  Matrix states(chain.mean.size(), T + 1);
  Vector x = messages.belief(0, chain.tasks[0]);
  for (int t = 0; t <= T; ++t) {
    messages.belief(t, chain.tasks[t], marginal);
    states.col(t) = marginal.mean;
    errors.covariance = std::max(errors.covariance, relative(marginal.covariance, dense.covariances[t]));
    errors.law = std::max(errors.law, relative(x, dense.states.col(t)));
    if (t < T) {
      x = chain.steps[t].A * x + chain.steps[t].a + chain.steps[t].B * (messages.law(t).K * x + messages.law(t).k);
    }
  }
  errors.mean = relative(states, dense.states);
  return errors;
}

/// Second-order motion of three coordinates, 50 steps of 0.1, whose accelerations cost that, with a task of precision
/// 1e3 every 5 steps.
inline LinearChain followed_motion(double cost) {
  const int d = 3, T = 50;
  LinearChain chain{.H = cost * Matrix::Identity(d, d), .mean = Vector::LinSpaced(2 * d, -1, 1)};
  chain.steps.assign(T, second_order_step(d, 0.1));
  chain.tasks.resize(T + 1);
  for (int t = 0; t <= T; ++t) {
    chain.tasks[t].set_zero(2 * d);
    if (t % 5 == 0)
      chain.tasks[t].add(std::sqrt(1e3) * Vector::LinSpaced(d, -t, t) / T, std::sqrt(1e3) * Matrix::Identity(d, d),
                         Vector::Zero(2 * d));
  }
  return chain;
}

}  // namespace quoin::planning::test
