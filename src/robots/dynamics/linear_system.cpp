// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/dynamics/linear_system.hpp"

#include "quoin/util/to_text.hpp"

#include <unsupported/Eigen/MatrixFunctions>

#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// [Phi, Gamma, Gamma_1]: x(h) = Phi x + Gamma u(0) + Gamma_1 (u(h) - u(0)) for an input linear in time.
MatrixXd responses(const LinearSystem& s, double h) {
  const Index n = s.states(), m = s.inputs();
  MatrixXd block = MatrixXd::Zero(n + 2 * m, n + 2 * m);
  block.topLeftCorner(n, n) = h * s.A;
  block.block(0, n, n, m) = h * s.B;
  block.block(n, n + m, m, m).setIdentity();
  return block.exp().topRows(n);
}

void check_step(double h, const char* who) {
  if (!(h > 0)) throw std::invalid_argument(std::string(who) + ": the time step is " + to_text(h));
}

}  // namespace

void check(const LinearSystem& s, bool discrete, const char* who) {
  const Index n = s.A.rows(), m = s.B.cols(), p = s.C.rows();
  if (s.A.cols() != n || s.B.rows() != n || s.C.cols() != n || s.D.rows() != p || s.D.cols() != m || n == 0) {
    throw std::invalid_argument(std::string(who) + ": A, B, C, D are " + shape_text(s.A) + ", " + shape_text(s.B) +
                                ", " + shape_text(s.C) + ", " + shape_text(s.D));
  }
  if ((s.time_step > 0) != discrete) {
    throw std::invalid_argument(std::string(who) + ": the system must be " + (discrete ? "discrete" : "continuous") +
                                ", its time step is " + to_text(s.time_step));
  }
}

LinearSystem discretized(const LinearSystem& continuous, double time_step, Hold hold) {
  check(continuous, false, "discretized");
  check_step(time_step, "discretized");
  const Index n = continuous.states(), m = continuous.inputs();
  const MatrixXd all = responses(continuous, time_step);
  const auto held = all.middleCols(n, m), ramp = all.rightCols(m);
  LinearSystem sampled{all.leftCols(n), held, continuous.C, continuous.D, time_step};
  if (hold == Hold::first_order) {
    // x' = Phi x + (Gamma - Gamma_1) u + Gamma_1 u'; in terms of z = x - Gamma_1 u the next input cancels.
    sampled.B += sampled.A * ramp - ramp;
    sampled.D += sampled.C * ramp;
  }
  return sampled;
}

MatrixXd held_state_shift(const LinearSystem& continuous, double time_step) {
  check(continuous, false, "held_state_shift");
  check_step(time_step, "held_state_shift");
  return responses(continuous, time_step).rightCols(continuous.inputs());
}

MatrixXd simulate(const LinearSystem& discrete, const Eigen::Ref<const MatrixXd>& inputs,
                  const Eigen::VectorXd& initial_state) {
  check(discrete, true, "simulate");
  if (inputs.rows() != discrete.inputs() || (initial_state.size() != 0 && initial_state.size() != discrete.states())) {
    throw std::invalid_argument("simulate: inputs are " + shape_text(inputs) + ", the initial state has " +
                                to_text(initial_state.size()) + " entries, the system has " +
                                to_text(discrete.inputs()) + " inputs and " + to_text(discrete.states()) + " states");
  }
  Eigen::VectorXd x = initial_state, next;
  if (x.size() == 0) x.setZero(discrete.states());
  MatrixXd y(discrete.outputs(), inputs.cols());
  for (Index k = 0; k < inputs.cols(); ++k) {
    y.col(k).noalias() = discrete.C * x;
    y.col(k).noalias() += discrete.D * inputs.col(k);
    next.noalias() = discrete.A * x;
    next.noalias() += discrete.B * inputs.col(k);
    x.swap(next);
  }
  return y;
}

}  // namespace quoin
