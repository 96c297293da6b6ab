// SPDX-License-Identifier: BSD-3-Clause
// Dynamics of any kind, as Python holds them.
#pragma once

#include "quoin/map/hintable.hpp"
#include "quoin/robots/dynamics/inverse.hpp"
#include "quoin/robots/dynamics/step_status.hpp"
#include "quoin/util/request.hpp"

#include <pybind11/pybind11.h>

#include <Eigen/Core>

#include <memory>
#include <utility>

namespace quoin::python {

namespace py = pybind11;

/// A DiscreteDynamics behind an interface. Called without the GIL.
class Dynamics {
 public:
  virtual ~Dynamics() = default;

  virtual Eigen::Index state_size() const = 0;
  virtual Eigen::Index control_size() const = 0;
  virtual StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const = 0;
  virtual StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next,
                          Eigen::MatrixXd& dnext_dx, Eigen::MatrixXd& dnext_du) const = 0;
  virtual void hint(const Eigen::MatrixXd& states) const = 0;
};

/// An InverseDynamics behind an interface. Called without the GIL.
class Inverse {
 public:
  virtual ~Inverse() = default;

  virtual Eigen::Index coordinates() const = 0;
  virtual Eigen::MatrixXd actuation() const = 0;
  virtual StepStatus inverse_dynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                                      Eigen::VectorXd& forces) const = 0;
  virtual StepStatus inverse_dynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                                      Eigen::VectorXd& forces, Eigen::MatrixXd& dq, Eigen::MatrixXd& dv,
                                      Eigen::MatrixXd& da) const = 0;
  virtual void hint(const Eigen::MatrixXd& states) const = 0;
};

/// A ContinuousDynamics behind an interface. Called without the GIL.
class Rates {
 public:
  virtual ~Rates() = default;

  virtual Eigen::Index state_size() const = 0;
  virtual Eigen::Index control_size() const = 0;
  virtual StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate) const = 0;
  virtual StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate,
                          Eigen::MatrixXd& df_dx, Eigen::MatrixXd& df_du) const = 0;
  virtual void hint(const Eigen::MatrixXd& states) const = 0;
  /// The same dynamics in their inverse form, if they have one.
  virtual std::shared_ptr<const Inverse> inverse() const { return nullptr; }
};

/// Whether to stop: asked at each step, since what solvers do between two of their iterations may take long.
inline void look() {
  if (const Watch* watch = Watch::current()) watch->throw_if_stopped();
}

template <class D>
class DynamicsFrom final : public Dynamics {
 public:
  explicit DynamicsFrom(D dynamics) : dynamics_(std::move(dynamics)) {}

  Eigen::Index state_size() const override { return dynamics_.state_size(); }
  Eigen::Index control_size() const override { return dynamics_.control_size(); }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const override {
    look();
    return dynamics_.step(x, u, next);
  }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dnext_dx,
                  Eigen::MatrixXd& dnext_du) const override {
    look();
    return dynamics_.step(x, u, next, dnext_dx, dnext_du);
  }
  void hint(const Eigen::MatrixXd& states) const override {
    if constexpr (Hintable<D>) dynamics_.hint(states);
  }

 private:
  D dynamics_;
};

template <class D>
class InverseFrom final : public Inverse {
 public:
  explicit InverseFrom(D dynamics) : dynamics_(std::move(dynamics)) {}

  Eigen::Index coordinates() const override { return dynamics_.coordinates(); }
  Eigen::MatrixXd actuation() const override { return dynamics_.actuation(); }
  StepStatus inverse_dynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                              Eigen::VectorXd& forces) const override {
    look();
    return dynamics_.inverse_dynamics(q, v, a, forces);
  }
  StepStatus inverse_dynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                              Eigen::VectorXd& forces, Eigen::MatrixXd& dq, Eigen::MatrixXd& dv,
                              Eigen::MatrixXd& da) const override {
    look();
    return dynamics_.inverse_dynamics(q, v, a, forces, dq, dv, da);
  }
  void hint(const Eigen::MatrixXd& states) const override {
    if constexpr (Hintable<D>) dynamics_.hint(states);
  }

 private:
  D dynamics_;
};

template <class D>
class RatesFrom final : public Rates {
 public:
  explicit RatesFrom(D dynamics) : dynamics_(std::move(dynamics)) {}

  Eigen::Index state_size() const override { return dynamics_.state_size(); }
  Eigen::Index control_size() const override { return dynamics_.control_size(); }
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate) const override {
    look();
    return dynamics_.rate(x, u, rate);
  }
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate, Eigen::MatrixXd& df_dx,
                  Eigen::MatrixXd& df_du) const override {
    look();
    return dynamics_.rate(x, u, rate, df_dx, df_du);
  }
  void hint(const Eigen::MatrixXd& states) const override {
    if constexpr (Hintable<D>) dynamics_.hint(states);
  }
  std::shared_ptr<const Inverse> inverse() const override {
    if constexpr (InverseDynamics<D>) return std::make_shared<InverseFrom<D>>(dynamics_);
    return nullptr;
  }

 private:
  D dynamics_;
};

template <class D>
std::shared_ptr<Dynamics> dynamics_from(D dynamics) {
  return std::make_shared<DynamicsFrom<D>>(std::move(dynamics));
}

template <class D>
std::shared_ptr<Rates> rates_from(D dynamics) {
  return std::make_shared<RatesFrom<D>>(std::move(dynamics));
}

/// The interface as the library's templates take dynamics: by value.
struct DynamicsOf {
  std::shared_ptr<const Dynamics> of;

  Eigen::Index state_size() const { return of->state_size(); }
  Eigen::Index control_size() const { return of->control_size(); }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    return of->step(x, u, next);
  }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dnext_dx,
                  Eigen::MatrixXd& dnext_du) const {
    return of->step(x, u, next, dnext_dx, dnext_du);
  }
  void hint(const Eigen::MatrixXd& states) const { of->hint(states); }
};

struct RatesOf {
  std::shared_ptr<const Rates> of;

  Eigen::Index state_size() const { return of->state_size(); }
  Eigen::Index control_size() const { return of->control_size(); }
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate) const {
    return of->rate(x, u, rate);
  }
  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate, Eigen::MatrixXd& df_dx,
                  Eigen::MatrixXd& df_du) const {
    return of->rate(x, u, rate, df_dx, df_du);
  }
  void hint(const Eigen::MatrixXd& states) const { of->hint(states); }
};

}  // namespace quoin::python
