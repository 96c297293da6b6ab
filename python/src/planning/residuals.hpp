// SPDX-License-Identifier: BSD-3-Clause
// The terms of a plan's cost: 1/2 |r_i(x_i, u_i)|^2 each.
#pragma once

#include "../held_function.hpp"
#include "../map.hpp"

#include <Eigen/Core>

#include <memory>
#include <vector>

namespace quoin::python {

/// Where in a motion: at a stage of discrete dynamics, or at a time of continuous ones.
struct Moment {
  int stage = 0;
  double time = 0;
  bool continuous = false;
};

/// Called without the GIL, with u of size 0 at the last state. False: cannot be computed here. drdx and drdu may be
/// null together.
class Residuals {
 public:
  virtual ~Residuals() = default;
  virtual bool add(const Moment& at, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r,
                   Eigen::MatrixXd* dr_dx, Eigen::MatrixXd* dr_du) const = 0;
};

/// A function of Python's. call(i or t, x, u) answers None, or (r, dr_dx, dr_du), checked by quoin.planning.
class CalledResiduals final : public Residuals {
 public:
  explicit CalledResiduals(py::object call) : call_(std::move(call)) {}
  bool add(const Moment& at, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r,
           Eigen::MatrixXd* dr_dx, Eigen::MatrixXd* dr_du) const override;

 private:
  HeldFunction call_;
};

/// S_i (x - target_i) and T (u - control_target_i): quadratic costs by the roots of their weights.
struct QuadraticResiduals final : Residuals {
  Eigen::MatrixXd running, final, control;   ///< p x n, q x n, s x m; no rows: none
  Eigen::MatrixXd targets, control_targets;  ///< n x 1 or n x (K + 1), m x 1 or m x K

  bool add(const Moment& at, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r,
           Eigen::MatrixXd* dr_dx, Eigen::MatrixXd* dr_du) const override;
};

/// weight (y - target_i) of a map of some entries of the state, for i from first to last: without Python on the way.
struct MapResiduals final : Residuals {
  std::shared_ptr<const Map> map;
  Eigen::Index begin = 0;   ///< of the entries
  Eigen::MatrixXd weights;  ///< rows x N
  Eigen::MatrixXd targets;  ///< N x 1, or N x (last - first + 1)
  int first = 0, last = 0;

  bool add(const Moment& at, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r,
           Eigen::MatrixXd* dr_dx, Eigen::MatrixXd* dr_du) const override;
};

/// All of them, one below the other: StageResiduals, and StageConstraints.
class Stacked {
 public:
  explicit Stacked(std::vector<std::shared_ptr<const Residuals>> terms) : terms_(std::move(terms)) {}

  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r) const {
    return stack({i}, x, u, r, nullptr, nullptr);
  }
  bool residual(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r, Eigen::MatrixXd& dr_dx,
                Eigen::MatrixXd& dr_du) const {
    return stack({i}, x, u, r, &dr_dx, &dr_du);
  }
  bool constraint(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& h) const {
    return stack({i}, x, u, h, nullptr, nullptr);
  }
  bool constraint(int i, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& h, Eigen::MatrixXd& dh_dx,
                  Eigen::MatrixXd& dh_du) const {
    return stack({i}, x, u, h, &dh_dx, &dh_du);
  }
  /// At a time, for terms whose targets are always the same.
  bool at_time(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r, Eigen::MatrixXd& dr_dx,
               Eigen::MatrixXd& dr_du) const {
    return stack({.time = t, .continuous = true}, x, u, r, &dr_dx, &dr_du);
  }
  bool empty() const { return terms_.empty(); }

 private:
  bool stack(const Moment& at, const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& r,
             Eigen::MatrixXd* dr_dx, Eigen::MatrixXd* dr_du) const;

  std::vector<std::shared_ptr<const Residuals>> terms_;
};

/// From the list of tuples that quoin.planning makes: ("called", f), ("quadratic", ...), ("map", ...). n, m, horizon:
/// of the plan. Throws std::invalid_argument for sizes that do not fit.
Stacked residuals_of(const py::list& terms, Eigen::Index n, Eigen::Index m, int horizon);

}  // namespace quoin::python
