// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/dynamics/answer_memory.hpp"
#include "quoin/robots/dynamics/inertial_outputs.hpp"
#include "quoin/robots/dynamics/reduced_dynamics.hpp"
#include "quoin/robots/linear_algebra/pivoted_lu.hpp"
#include "quoin/util/abi_check.hpp"

#include <Eigen/Core>

namespace quoin::detail {

/// The equation of a step of InertialDynamics, r(z; z_i, z_{i-1}, u) = 0, and its derivatives, of what the maps
/// answered. Symbols are those of InertialDynamics.
template <int Lines>
class InertialEquation {
 public:
  /// T: Lines x modes.
  using Directions = Eigen::Matrix<double, Lines, Eigen::Dynamic, 0, Lines, Lines>;

  template <int Rows, int Columns>
  using Small = Eigen::Matrix<double, Rows, Columns, 0, Rows == Eigen::Dynamic ? 2 * Lines : Rows,
                              Columns == Eigen::Dynamic ? 2 * Lines : Columns>;
  using Vector = Small<Eigen::Dynamic, 1>;               // of z
  using Matrix = Small<Eigen::Dynamic, Eigen::Dynamic>;  // z x z
  using Alpha = Point<Lines>;
  using Square = Small<Lines, Lines>;
  using Wide = Small<Lines, Eigen::Dynamic>;  // Lines x modes
  using Triangle = Eigen::Matrix<double, second_derivative_count(Lines), 1>;
  using Answers = typename AnswerMemory<Lines>::Sample;
  using Tangent = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic>;  // r x z

  /// What both maps answer at one alpha.
  struct Sample {
    Answers shape, inertia;
  };

  /// What z_i, z_{i-1} and u contribute.
  struct Before {
    Vector z;
    Eigen::VectorXd twice;  // 2 s_i - s_{i-1}
    Eigen::VectorXd s;      // s_i
    Alpha w, lag;           // u - alpha_i, P_i q_i
    Wide P;
    Eigen::MatrixXd moving;  // J_i T
    Eigen::VectorXd moved;   // J_i T q_i
  };
  /// What is computed at a z.
  struct At {
    Tangent X;
    Eigen::VectorXd a;
    Square C, S1;
    Matrix Kq;
    Wide S2, curvature;  // curvature: column j is d r_alpha / d q_j without the mass, [s_Wj'^T a + Kq' q]
    Vector r;
  };
  /// The derivatives of r by z_i, z_{i-1} and u.
  struct Derivatives {
    Matrix by_now, by_before;
    Small<Eigen::Dynamic, Lines> by_control;
    Tangent X_now, X_before;  // X at these, on the way
  };

  InertialEquation(Eigen::Index coordinates, const Directions& directions, const ReducedDynamicsOptions& options)
      : outputs_{coordinates, Lines, static_cast<int>(directions.cols())}, directions_(directions), options_(options) {}

  const InertialOutputs& outputs() const { return outputs_; }
  const Directions& directions() const { return directions_; }
  const ReducedDynamicsOptions& options() const { return options_; }
  Eigen::Index modes() const { return directions_.cols(); }  ///< m
  Eigen::Index size() const { return Lines + modes(); }      ///< of z

  void begin(const Sample& at_now, const Vector& now, const Sample& at_before, const Vector& before, const Alpha& u,
             Before& given) const;
  void residual(const Before& given, const Sample& at, const Vector& z, At& result) const;
  /// dr/dz without second derivatives of the maps.
  Matrix newton_matrix(const At& at) const;
  /// at: of z, by residual. Leaves out how J_i and P_i change with alpha_i.
  void differentiate(const Before& given, const Sample& at_now, const Sample& at_before, const Vector& before,
                     const Sample& at_next, const Vector& z, const At& at, Derivatives& derivatives) const;

 private:
  auto s(const Sample& at) const { return at.shape.y.head(outputs_.coordinates); }
  auto ds(const Sample& at) const { return at.shape.J.template leftCols<Lines>().topRows(outputs_.coordinates); }
  auto W(const Sample& at, Eigen::Index j) const {
    return at.inertia.y.segment(j * outputs_.coordinates, outputs_.coordinates);
  }
  auto dW(const Sample& at, Eigen::Index j) const {
    return at.inertia.J.template leftCols<Lines>().middleRows(j * outputs_.coordinates, outputs_.coordinates);
  }
  Square compliance(const Sample& at) const {
    const Square dl = at.shape.J.template block<Lines, Lines>(outputs_.coordinates, 0);
    return -0.5 * options_.force_scale * (dl + dl.transpose());
  }
  // A symmetric matrix of its upper triangle.
  template <class Packed, class Full>
  static void unpack(const Packed& packed, Full& full) {
    const int n = static_cast<int>(full.rows());
    for (int j = 0; j < n; ++j)
      for (int k = j; k < n; ++k) full(j, k) = full(k, j) = packed[second_derivative_index(n, j, k)];
  }
  auto along(const Sample& at) const {  // T1, a column a line
    return Eigen::Map<const Eigen::Matrix<double, second_derivative_count(Lines), Lines>>(at.inertia.y.data() +
                                                                                          outputs_.along());
  }
  auto across(const Sample& at) const {  // T2, a column a line
    return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Lines>>(at.inertia.y.data() + outputs_.across(),
                                                                          Lines * modes(), Lines);
  }

  void shape_of(const Sample& at, const Vector& z, Eigen::VectorXd& shape) const {
    shape = s(at);
    for (Eigen::Index j = 0; j < modes(); ++j) shape += z[Lines + j] * W(at, j);
  }
  void tangent_of(const Sample& at, const Vector& z, Tangent& X) const {
    X.resize(outputs_.coordinates, size());
    X.template leftCols<Lines>() = ds(at);
    for (Eigen::Index j = 0; j < modes(); ++j) {
      X.template leftCols<Lines>() += z[Lines + j] * dW(at, j);
      X.col(Lines + j) = W(at, j);
    }
  }

  double mass_factor() const {
    return 1 / (options_.time_step * options_.time_step) + options_.mass_damping / options_.time_step;
  }
  double damping() const { return options_.stiffness_damping / options_.time_step; }

  InertialOutputs outputs_;
  Directions directions_;
  ReducedDynamicsOptions options_;
};

// What the equation of a step holds of where it begins.
template <int Lines>
void InertialEquation<Lines>::begin(const Sample& at_now, const Vector& now, const Sample& at_before,
                                    const Vector& before, const Alpha& u, Before& given) const {
  given.z = now;
  shape_of(at_now, now, given.s);
  shape_of(at_before, before, given.twice);
  given.twice = 2 * given.s - given.twice;
  given.w = u - now.template head<Lines>();
  if (options_.stiffness_damping == 0) return;
  given.moving.noalias() = ds(at_now) * directions_;
  given.P.noalias() = ds(at_now).transpose() * given.moving;
  linear_algebra::PivotedLu compliance_factors;
  compliance_factors.compute(compliance(at_now));
  compliance_factors.solve_in_place(given.P);
  given.lag = given.P * now.tail(modes());
  given.moved = given.moving * now.tail(modes());
}

template <int Lines>
void InertialEquation<Lines>::residual(const Before& given, const Sample& at, const Vector& z, At& result) const {
  const double dt = options_.time_step, b = damping();
  const Eigen::Index m = modes();
  const auto q = z.tail(m);
  const Alpha d = z.template head<Lines>() - given.z.template head<Lines>();
  tangent_of(at, z, result.X);
  shape_of(at, z, result.a);
  if (options_.mass_damping > 0)
    result.a = (result.a - given.twice) / (dt * dt) + options_.mass_damping / dt * (result.a - given.s);
  else
    result.a = (result.a - given.twice) / (dt * dt);
  result.C = compliance(at);
  result.Kq.resize(m, m);
  unpack(at.inertia.y.segment(outputs_.stiffness(), second_derivative_count(static_cast<int>(m))), result.Kq);
  result.curvature.resize(Lines, m);
  Matrix by_alpha(m, m);
  for (int k = 0; k < Lines; ++k) {
    unpack(at.inertia.J.col(k).segment(outputs_.stiffness(), second_derivative_count(static_cast<int>(m))), by_alpha);
    result.curvature.row(k).noalias() = (by_alpha * q).transpose();
  }
  result.r.resize(size());
  result.r.noalias() = result.X.transpose() * result.a;
  auto r_alpha = result.r.template head<Lines>();
  auto r_q = result.r.tail(m);
  r_alpha += result.C * (b * d - (given.w - d)) + 0.5 * (result.curvature * q);
  r_q += result.Kq * q;
  for (Eigen::Index j = 0; j < m; ++j) result.curvature.col(j).noalias() += dW(at, j).transpose() * result.a;
  if (b == 0) return;
  const Vector e = q - given.z.tail(m);
  const Triangle s1 = along(at) * (given.w + given.lag);
  unpack(s1, result.S1);
  const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, Lines * Lines, 1> s2 = across(at) * given.w;
  result.S2 = Eigen::Map<const Eigen::Matrix<double, Lines, Eigen::Dynamic>>(s2.data(), Lines, m);
  r_alpha += b * (result.S1 * d + result.S2 * e + result.C * given.lag);
  r_alpha -= b * (ds(at).transpose() * given.moved);
  r_q += b * (result.Kq * e + result.S2.transpose() * d);
}

template <int Lines>
auto InertialEquation<Lines>::newton_matrix(const At& at) const -> Matrix {
  const double b = damping();
  const Eigen::Index m = modes();
  Matrix matrix(size(), size());
  matrix.noalias() = mass_factor() * (at.X.transpose() * at.X);
  matrix.template topLeftCorner<Lines, Lines>() += (1 + b) * at.C;
  matrix.bottomRightCorner(m, m) += (1 + b) * at.Kq;
  matrix.topRightCorner(Lines, m) += at.curvature;
  matrix.bottomLeftCorner(m, Lines) += at.curvature.transpose();
  if (b == 0) return matrix;
  matrix.template topLeftCorner<Lines, Lines>() += b * at.S1;
  matrix.topRightCorner(Lines, m) += b * at.S2;
  matrix.bottomLeftCorner(m, Lines) += b * at.S2.transpose();
  return matrix;
}

template <int Lines>
void InertialEquation<Lines>::differentiate(const Before& given, const Sample& at_now, const Sample& at_before,
                                            const Vector& before, const Sample& at_next, const Vector& z, const At& at,
                                            Derivatives& derivatives) const {
  const double dt = options_.time_step, b = damping();
  const Eigen::Index n = size(), m = modes();
  const Vector& now = given.z;
  auto& [by_now, by_before, by_control, X_now, X_before] = derivatives;
  tangent_of(at_now, now, X_now);
  tangent_of(at_before, before, X_before);
  by_now.noalias() = at.X.transpose() * X_now;
  by_now *= -(2 / (dt * dt) + options_.mass_damping / dt);
  by_before.noalias() = at.X.transpose() * X_before;
  by_before /= dt * dt;
  by_control.setZero(n, Lines);
  by_control.template topRows<Lines>() = -at.C;
  if (b != 0) {
    const Alpha d = z.template head<Lines>() - now.template head<Lines>();
    const Vector e = z.tail(m) - now.tail(m);
    Square tension;  // column l: T1_l d
    for (int l = 0; l < Lines; ++l) {
      Square t1;
      unpack(along(at_next).col(l), t1);
      tension.col(l).noalias() = t1 * d;
    }
    Small<Eigen::Dynamic, Lines> by_w(n, Lines);
    by_w.template topRows<Lines>() = tension;
    for (int l = 0; l < Lines; ++l) {
      const Eigen::Map<const Eigen::Matrix<double, Lines, Eigen::Dynamic>> t2(across(at_next).col(l).data(), Lines, m);
      by_w.col(l).template head<Lines>() += t2 * e;
      by_w.col(l).tail(m).noalias() = t2.transpose() * d;
    }
    by_control += b * by_w;
    by_now.leftCols(Lines) -= b * by_w;
    by_now.template topLeftCorner<Lines, Lines>() -= b * (at.C + at.S1);
    by_now.bottomLeftCorner(m, Lines) -= b * at.S2.transpose();
    Wide by_q = (at.C + tension) * given.P - at.S2;
    by_q.noalias() -= ds(at_next).transpose() * given.moving;
    by_now.topRightCorner(Lines, m) += b * by_q;
    by_now.bottomRightCorner(m, m) -= b * at.Kq;
  }
}

// Compiled in the library for arms in the plane and in space.
extern template class InertialEquation<2>;
extern template class InertialEquation<4>;

}  // namespace quoin::detail
