// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/hintable.hpp"
#include "quoin/robots/dynamics/continuous.hpp"
#include "quoin/robots/models/fluidic_arm/detail/elastic_forces.hpp"
#include "quoin/robots/models/fluidic_arm/detail/mass_factor.hpp"
#include "quoin/robots/models/fluidic_arm/mass_gravity_map.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <stdexcept>
#include <string>
#include <utility>

namespace quoin::fluidic_arm {

/// A FluidicArm whose M(q) and G(q) come from any map with the outputs of MassGravityMap: the
/// exact one, a grid, a view.
///
///     AdaptiveGrid<4> grid(MassGravityMap<4>(FluidicArm(description)), options);
///     ArmOverMap<4, GridView<4>> arm(grid.at_level(0), description);
///     arm.rate(x, torques, dx_dt);                    // x = (q, v): one query, with its Jacobian
///     arm.rate(x, torques, dx_dt, df_dx, df_du);      // 2 Dim queries more
///
/// C v uses the Christoffel symbols of the map's own dM/dq. Stiffness, damping, friction and actuators are those of the
/// description, whose masses and lengths are not used.
///
/// df_dx: everything except d(C v)/dq is in closed form in the map's answer at q. d(C v)/dq needs d2M/dq2, which no map
/// offers: it is the central difference of C v over +-difference_step along each bend angle, exact to about 1e-9 of its
/// value (one-sided, 1e-5, where the map has no answer on one side). The Jacobian of a cubic interpolant jumps across
/// the faces of its cells; a difference across a face contains the jump.
///
/// A ContinuousDynamics: state 2 Dim, control Dim less the passive segments. A map that has no answer at q gives
/// `outside_domain` or `map_failed`; a mass matrix that is not positive definite, or whose condition in its own sizes
/// is beyond 1e12, `singular`, which is not said below 1e9. Const, and safe to call from many threads if the map is.
/// Throws std::invalid_argument for sizes that do not fit.
template <int Dim, class Map>
  requires DifferentiableMap<Map, Dim>
class ArmOverMap {
  using Vector = Point<Dim>;
  using Matrix = Eigen::Matrix<double, Dim, Dim>;
  using Terms = MassGravityMap<Dim>;

 public:
  static constexpr double difference_step = 1e-5;  ///< rad

  /// Keeps the map (views of a grid are small handles).
  ArmOverMap(Map map, ArmDescription description) : map_(std::move(map)), description_(std::move(description)) {
    const auto segments = static_cast<int>(description_.segments.size());
    if (segments != Dim || map_.output_size() != Dim * (Dim + 3) / 2)
      throw std::invalid_argument("ArmOverMap: " + to_text(segments) + " segments and a map with " +
                                  to_text(map_.output_size()) + " outputs instead of " + to_text(Dim) + " and " +
                                  to_text(Dim * (Dim + 3) / 2));
    if (description_.passive_segments < 0 || description_.passive_segments > Dim)
      throw std::invalid_argument("ArmOverMap: " + to_text(description_.passive_segments) + " passive segments of " +
                                  to_text(Dim));
  }

  /// M and G come from it.
  const Map& map() const { return map_; }
  /// Masses and lengths are not used.
  const ArmDescription& description() const { return description_; }
  /// Dim.
  Eigen::Index coordinates() const { return Dim; }
  Eigen::Index state_size() const { return 2 * Dim; }
  Eigen::Index control_size() const { return Dim - description_.passive_segments; }

  /// Rates will be asked at these states.
  void hint(const Eigen::MatrixXd& states) const
    requires Hintable<Map>
  {
    map_.hint(states.topRows<Dim>());
  }

  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate) const {
    Sample at;
    return solve(x, u, rate, at);
  }

  StepStatus rate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate, Eigen::MatrixXd& df_dx,
                  Eigen::MatrixXd& df_du) const {
    Sample at;
    if (const StepStatus status = solve(x, u, rate, at); status != StepStatus::ok) return status;
    const Vector q = x.template head<Dim>(), v = x.template tail<Dim>(), a = rate.template tail<Dim>();
    Matrix dq = at.J.template block<Dim, Dim>(Terms::gravity(0), 0);  // derivative of G
    Matrix dv = 2 * at.coriolis(v);                                   // C v is quadratic in v
    for (int k = 0; k < Dim; ++k) {
      Vector slope;
      if (const StepStatus status = coriolis_slope(q, v, k, at, slope); status != StepStatus::ok) return status;
      dq.col(k) += at.mass_slope(k) * a + slope;
    }
    detail::add_elastic_derivatives(description_, v, dq, dv);
    df_dx.setZero(2 * Dim, 2 * Dim);
    df_dx.template topRightCorner<Dim, Dim>().setIdentity();
    df_dx.template bottomLeftCorner<Dim, Dim>() = -at.factor.solve(dq);
    df_dx.template bottomRightCorner<Dim, Dim>() = -at.factor.solve(dv);
    df_du.setZero(2 * Dim, control_size());
    df_du.template bottomRows<Dim>() = at.factor.solve(Matrix(Matrix::Identity())).rightCols(control_size());
    return StepStatus::ok;
  }

 private:
  /// The map's answer at one q.
  struct Sample {
    Eigen::VectorXd y;
    Eigen::MatrixXd J;
    detail::MassFactor factor;

    static Eigen::Index index(int i, int j) { return i > j ? Terms::mass(i, j) : Terms::mass(j, i); }
    Matrix mass_matrix() const {
      return Matrix::NullaryExpr(
          [this](Eigen::Index i, Eigen::Index j) { return y[index(static_cast<int>(i), static_cast<int>(j))]; });
    }
    Matrix mass_slope(int k) const {
      return Matrix::NullaryExpr(
          [this, k](Eigen::Index i, Eigen::Index j) { return J(index(static_cast<int>(i), static_cast<int>(j)), k); });
    }
    /// C(q, v): C_ij = sum over k of (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) v_k / 2.
    Matrix coriolis(const Vector& v) const {
      Matrix rate = Matrix::Zero(), turned;  // dM/dt; column j: dM/dq_j v
      for (int k = 0; k < Dim; ++k) {
        const Matrix slope = mass_slope(k);
        rate += slope * v[k];
        turned.col(k) = slope * v;
      }
      return (rate + turned - turned.transpose()) / 2;
    }
  };

  StepStatus sample(const Vector& q, Sample& at) const {
    return status_of(quoin::try_evaluate<Dim>(map_, q, at.y, at.J));
  }

  StepStatus solve(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& rate, Sample& at) const {
    if (x.size() != state_size() || u.size() != control_size())
      throw std::invalid_argument("ArmOverMap::rate: a state of " + to_text(x.size()) + " numbers and " +
                                  to_text(u.size()) + " torques instead of " + to_text(state_size()) + " and " +
                                  to_text(control_size()));
    const Vector q = x.template head<Dim>(), v = x.template tail<Dim>();
    if (!x.allFinite()) return StepStatus::not_converged;
    if (const StepStatus status = sample(q, at); status != StepStatus::ok) return status;
    Vector bias = at.y.template segment<Dim>(Terms::gravity(0)) + at.coriolis(v) * v;
    detail::add_elastic(description_, q, v, bias);
    for (Eigen::Index i = 0; i < u.size(); ++i) bias[description_.passive_segments + i] -= u[i];
    if (!at.factor.compute(at.mass_matrix())) return StepStatus::singular;
    rate.resize(2 * Dim);
    rate.template head<Dim>() = v;
    rate.template tail<Dim>() = -at.factor.solve(bias);
    return rate.allFinite() ? StepStatus::ok : StepStatus::not_converged;
  }

  /// d(C v)/dq_k.
  StepStatus coriolis_slope(const Vector& q, const Vector& v, int k, const Sample& at, Vector& slope) const {
    Sample beside;
    Vector force[2];
    double reach = 0;
    StepStatus status = StepStatus::ok;
    for (const int side : {0, 1}) {
      const double step = side == 0 ? -difference_step : difference_step;
      const StepStatus there = sample(q + step * Vector::Unit(k), beside);
      if (there == StepStatus::ok)
        reach += difference_step;
      else
        status = there;
      force[side] = there == StepStatus::ok ? Vector(beside.coriolis(v) * v) : Vector(at.coriolis(v) * v);
    }
    if (reach == 0) return status;
    slope = (force[1] - force[0]) / reach;
    return StepStatus::ok;
  }

  Map map_;
  ArmDescription description_;
};

static_assert(ContinuousDynamics<ArmOverMap<4, MassGravityMap<4>>>);

}  // namespace quoin::fluidic_arm
