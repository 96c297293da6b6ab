// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/planning/aico/linear_step.hpp"
#include "quoin/robots/planning/aico/local_task.hpp"
#include "testing/robots/random_matrix.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace quoin::planning::test {

/// A linear-quadratic problem with different steps and tasks at each time.
struct LinearChain {
  Matrix H = {};
  Vector mean = {};
  Matrix start_root = {};  // F of x_0 ~ N(mean, F F^T); empty: known
  std::vector<LinearStep> steps = {};
  std::vector<LocalTask> tasks = {};  // T+1
  int horizon() const { return static_cast<int>(steps.size()); }
  Matrix covariance() const { return start_root * start_root.transpose(); }
};

/// n states, m controls; tasks of 1 to n rows with precisions of 1 to `max_precision`, none at some times.
inline LinearChain random_chain(unsigned seed, int n, int m, int horizon, double max_precision, double min_cost) {
  std::mt19937 generator(seed);
  LinearChain chain;
  const Matrix root = random_matrix(generator, m, m);
  chain.H = min_cost * (root * root.transpose() + 0.3 * Matrix::Identity(m, m));
  chain.mean = random_matrix(generator, n, 1);
  for (int t = 0; t < horizon; ++t) {
    chain.steps.push_back({Matrix::Identity(n, n) + 0.3 * random_matrix(generator, n, n),
                           0.2 * random_matrix(generator, n, 1), random_matrix(generator, n, m)});
  }
  for (int t = 0; t <= horizon; ++t) {
    LocalTask task;
    task.set_zero(n);
    if (t % 3 != 1) {
      const double weight = std::sqrt(std::pow(max_precision, (t % 4) / 3.0));
      const Matrix J = weight * random_matrix(generator, 1 + t % n, t % 2 ? n : (n + 1) / 2);
      task.add(J * Vector::Ones(J.cols()) - weight * random_matrix(generator, J.rows(), 1), J, Vector::Ones(n));
    }
    chain.tasks.push_back(task);
  }
  return chain;
}

/// Means (n x (T+1)) and covariances of all states as one Gaussian over the start and the controls, in long double,
/// without any recursion: x = F z + f with z = (the start's normal variables, controls), and the normal equations of z.
struct DenseMap {
  Matrix states, controls;
  std::vector<Matrix> covariances;
  double cost = 0;  // of tasks (as their messages say, without constants), controls and start
};

inline DenseMap dense_map(const LinearChain& chain) {
  using Real = long double;
  using Big = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Long = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  const Eigen::Index n = chain.mean.size(), m = chain.H.rows(), T = chain.horizon();
  const Eigen::Index start = chain.start_root.cols(), size = start + T * m;
  std::vector<Big> F{Big::Zero(n, size)};
  std::vector<Long> f{chain.mean.cast<Real>()};
  if (start) F[0].leftCols(start) = chain.start_root.cast<Real>();
  for (Eigen::Index t = 0; t < T; ++t) {
    F.push_back(chain.steps[t].A.cast<Real>() * F[t]);
    F[t + 1].middleCols(start + t * m, m) += chain.steps[t].B.cast<Real>();
    f.push_back(chain.steps[t].A.cast<Real>() * f[t] + chain.steps[t].a.cast<Real>());
  }
  Big N = Big::Zero(size, size);
  Long g = Long::Zero(size);
  N.topLeftCorner(start, start).setIdentity();
  for (Eigen::Index t = 0; t < T; ++t) N.block(start + t * m, start + t * m, m, m) = chain.H.cast<Real>();
  for (Eigen::Index t = 0; t <= T; ++t) {
    const Big R = chain.tasks[t].R.cast<Real>();
    N += F[t].transpose() * R * F[t];
    g += F[t].transpose() * (chain.tasks[t].r.cast<Real>() - R * f[t]);
  }
  const Eigen::LLT<Big> llt(N);
  const Long z = llt.solve(g);
  const Big covariance = llt.solve(Big::Identity(size, size));
  DenseMap map{Matrix(n, T + 1), Matrix(m, T), {}, 0};
  Real cost = 0;
  for (Eigen::Index t = 0; t <= T; ++t) {
    const Long x = f[t] + F[t] * z;
    map.states.col(t) = x.cast<double>();
    map.covariances.push_back(Big(F[t] * covariance * F[t].transpose()).cast<double>());
    cost += Real(0.5) * x.dot(chain.tasks[t].R.cast<Real>() * x) - chain.tasks[t].r.cast<Real>().dot(x);
    if (t < T) {
      const Long u = z.segment(start + t * m, m);
      map.controls.col(t) = u.cast<double>();
      cost += Real(0.5) * u.dot(chain.H.cast<Real>() * u);
    }
  }
  cost += Real(0.5) * z.head(start).squaredNorm();
  map.cost = static_cast<double>(cost);
  return map;
}

inline double relative(const Matrix& a, const Matrix& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

}  // namespace quoin::planning::test
