// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/hintable.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/robots/dynamics/answer_memory.hpp"
#include "quoin/robots/dynamics/detail/differenced_columns.hpp"
#include "quoin/robots/dynamics/detail/natural_newton.hpp"
#include "quoin/robots/dynamics/discrete.hpp"
#include "quoin/robots/dynamics/inertial_outputs.hpp"
#include "quoin/robots/dynamics/reduced_dynamics.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>
#include <Eigen/LU>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// The dynamics of a body that moves among its static shapes, bent by its own inertia: x = f(alpha) + W(alpha) q.
/// Beside ReducedDynamics (Jia, Pan, Manocha 2019, Eq. 8), which is stiffer than the body that it stands for, it has
/// the body's first frequencies and the damping of its lines' tension; docs/notes/soft_arm_dynamics.md derives it.
///
///     InertialDynamics<4, GridView<4>, GridView<4>> arm(shapes, inertia, basis.size(), T, {.force_scale = F0});
///     Eigen::VectorXd x = arm.rest_state(u0), next;                // [z_i; z_{i-1}], z = [alpha; q]
///     if (arm.step(x, u, next, dnext_dx, dnext_du) != StepStatus::ok) ...
///
/// `shapes` answers [s (`coordinates`); l (Lines); further rows, ignored], as for ReducedDynamics; `inertia` answers
/// InertialOutputs in the same coordinates. W = K^-1 M J T - J P, P = C^-1 J^T M J T, is the static response to the
/// inertia of moving along `directions` T (Lines x modes, 1/s^2), less its part in the static manifold; T is scaled so
/// that q has the size of alpha. With X = ds/dz, b = beta / dt, w = u - alpha_i, d = alpha - alpha_i, e = q - q_i and
/// a = (s - 2 s_i + s_{i-1}) / dt^2 + a_M (s - s_i) / dt, a step solves
///
///     X_alpha^T a - C (u - alpha) + 1/2 q^T Kq' q + b (C d + S1 d + S2 e + C P_i q_i - J^T J_i T q_i) = 0
///     X_q^T a + Kq q + b (Kq e + S2^T d) = 0,      S1 = sum_l (w + P_i q_i)_l T1_l,   S2 = sum_l w_l T2_l
///
/// by the same Newton's method as ReducedDynamics, from the same prediction, and with the same options; derivatives by
/// the implicit function theorem, of which `gauss_newton` drops second derivatives of the maps and `exact` takes them
/// from differences of the residual along alpha and alpha_i.
///
/// State: 2 (Lines + modes), control: Lines. |q| says how far the body is from the shapes that the model was made of:
/// its error grows as |q|^2. Threads, queries and errors are as with ReducedDynamics.
template <int Lines, class Shapes, class Inertia>
  requires DifferentiableMap<Shapes, Lines> && DifferentiableMap<Inertia, Lines>
class InertialDynamics {
 public:
  /// Of the step.
  using Options = ReducedDynamicsOptions;
  /// The directions T: Lines x modes.
  using Directions = Eigen::Matrix<double, Lines, Eigen::Dynamic, 0, Lines, Lines>;

  /// Keeps copies of the maps. Throws std::invalid_argument for sizes that do not belong together, and for options out
  /// of range.
  InertialDynamics(Shapes shapes, Inertia inertia, Eigen::Index coordinates, const Directions& directions,
                   const Options& options = {})
      : shapes_(std::move(shapes)),
        inertia_(std::move(inertia)),
        outputs_{coordinates, Lines, static_cast<int>(directions.cols())},
        directions_(directions),
        options_(options) {
    check_reduced_dynamics("InertialDynamics", options, coordinates, Lines, shapes_.output_size());
    if (directions.cols() < 1 || !directions.allFinite())
      throw std::invalid_argument("InertialDynamics: directions are " + shape_text(directions) +
                                  ", and must be finite, one column or more");
    if (inertia_.output_size() < outputs_.size())
      throw std::invalid_argument("InertialDynamics: " + to_text(outputs_.size()) + " outputs needed for " +
                                  to_text(coordinates) + " coordinates and " + to_text(modes()) +
                                  " modes, the map of inertia has " + to_text(inertia_.output_size()));
  }

  Eigen::Index state_size() const { return 2 * size(); }
  Eigen::Index control_size() const { return Lines; }
  /// m, the columns of T.
  Eigen::Index modes() const { return directions_.cols(); }
  /// z = [alpha; q].
  Eigen::Index size() const { return Lines + modes(); }
  /// T, as it was given.
  const Directions& directions() const { return directions_; }
  /// As they were given.
  const Options& options() const { return options_; }

  /// The state of the body at rest under the constant control u: alpha = u, q = 0.
  Eigen::VectorXd rest_state(const Point<Lines>& u) const {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(state_size());
    x.template head<Lines>() = x.template segment<Lines>(size()) = u;
    return x;
  }

  /// Steps will be asked at these states, state_size() x M.
  void hint(const Eigen::MatrixXd& states) const
    requires Hintable<Shapes>
  {
    shapes_.hint(states.topRows<Lines>());
    if constexpr (Hintable<Inertia>) inertia_.hint(states.topRows<Lines>());
  }

  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const {
    return solve(x, u, next).status;
  }
  StepStatus step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next, Eigen::MatrixXd& dnext_dx,
                  Eigen::MatrixXd& dnext_du) const {
    const StepStatus status = solve(x, u, next).status;
    return status == StepStatus::ok ? differentiate(x, u, next, dnext_dx, dnext_du) : status;
  }

  /// One step, and its cost.
  ReducedStepReport solve(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) const;

 private:
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

  // Both maps at one alpha.
  struct Sample {
    Answers shape, inertia;
  };

  // Of the equation of a step: what z_i, z_{i-1} and u contribute, and what is computed at a z.
  struct Before {
    Vector z;
    Eigen::VectorXd twice;  // 2 s_i - s_{i-1}
    Eigen::VectorXd s;      // s_i
    Alpha w, lag;           // u - alpha_i, P_i q_i
    Wide P;
    Eigen::MatrixXd moving;  // J_i T
    Eigen::VectorXd moved;   // J_i T q_i
  };
  struct At {
    Tangent X;
    Eigen::VectorXd a;
    Square C, S1;
    Matrix Kq;
    Wide S2, curvature;  // curvature: column j is d r_alpha / d q_j without the mass, [s_Wj'^T a + Kq' q]
    Vector r;
  };
  struct Workspace {
    Sample now, before, next, trial;
    Before given;
    At next_at, trial_at;
    Tangent X_now, X_before;
    AnswerMemory<Lines> shapes, inertia;
  };
  static Workspace& workspace() {
    static thread_local Workspace w;
    return w;
  }

  template <class Map>
  StepStatus query(const Map& map, AnswerMemory<Lines>& memory, const Alpha& alpha, Answers& answers,
                   int& queries) const {
    if (const Answers* known = memory.find(id_, alpha)) {
      answers = *known;
      return StepStatus::ok;
    }
    ++queries;
    const StepStatus status = status_of(quoin::try_evaluate<Lines>(map, alpha, answers.y, answers.J));
    if (status == StepStatus::ok && !(answers.y.allFinite() && answers.J.allFinite())) return StepStatus::map_failed;
    if (status == StepStatus::ok) memory.keep(id_, alpha, answers);
    return status;
  }
  StepStatus query(const Vector& z, Sample& sample, int& queries) const {
    Workspace& w = workspace();
    const Alpha alpha = z.template head<Lines>();
    const StepStatus status = query(shapes_, w.shapes, alpha, sample.shape, queries);
    return status == StepStatus::ok ? query(inertia_, w.inertia, alpha, sample.inertia, queries) : status;
  }

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

  void begin(const Sample& at_now, const Vector& now, const Sample& at_before, const Vector& before, const Alpha& u,
             Before& given) const;
  void residual(const Before& given, const Sample& at, const Vector& z, At& result) const;
  Matrix newton_matrix(const At& at) const;
  StepStatus differentiate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, const Eigen::VectorXd& next,
                           Eigen::MatrixXd& dnext_dx, Eigen::MatrixXd& dnext_du) const;
  // The columns of dr/dz, or dr/dz_i, for alpha. evaluate(point): r there into w.trial_at, with the maps in w.trial.
  template <class Evaluate>
  StepStatus difference_along_alpha(const Vector& z, Workspace& w, double scale, const Evaluate& evaluate,
                                    Matrix& columns) const {
    return detail::differenced_columns(
        z, w.next_at.r, Lines, options_.difference_step, scale,
        [&](const Vector& point, Vector& r) {
          int queries = 0;
          const StepStatus status = query(point, w.trial, queries);
          if (status != StepStatus::ok) return status;
          evaluate(point);
          r = w.trial_at.r;
          return status;
        },
        columns);
  }

  Shapes shapes_;
  Inertia inertia_;
  InertialOutputs outputs_;
  Directions directions_;
  Options options_;
  std::uint64_t id_ = detail::new_dynamics_id();
};

// What the equation of a step holds of where it begins.
template <int Lines, class Shapes, class Inertia>
  requires DifferentiableMap<Shapes, Lines> && DifferentiableMap<Inertia, Lines>
void InertialDynamics<Lines, Shapes, Inertia>::begin(const Sample& at_now, const Vector& now, const Sample& at_before,
                                                     const Vector& before, const Alpha& u, Before& given) const {
  given.z = now;
  shape_of(at_now, now, given.s);
  shape_of(at_before, before, given.twice);
  given.twice = 2 * given.s - given.twice;
  given.w = u - now.template head<Lines>();
  if (options_.stiffness_damping == 0) return;
  given.moving.noalias() = ds(at_now) * directions_;
  given.P.noalias() = ds(at_now).transpose() * given.moving;
  given.P = compliance(at_now).partialPivLu().solve(given.P).eval();
  given.lag = given.P * now.tail(modes());
  given.moved = given.moving * now.tail(modes());
}

template <int Lines, class Shapes, class Inertia>
  requires DifferentiableMap<Shapes, Lines> && DifferentiableMap<Inertia, Lines>
void InertialDynamics<Lines, Shapes, Inertia>::residual(const Before& given, const Sample& at, const Vector& z,
                                                        At& result) const {
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

template <int Lines, class Shapes, class Inertia>
  requires DifferentiableMap<Shapes, Lines> && DifferentiableMap<Inertia, Lines>
auto InertialDynamics<Lines, Shapes, Inertia>::newton_matrix(const At& at) const -> Matrix {
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

template <int Lines, class Shapes, class Inertia>
  requires DifferentiableMap<Shapes, Lines> && DifferentiableMap<Inertia, Lines>
ReducedStepReport InertialDynamics<Lines, Shapes, Inertia>::solve(const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                                                  Eigen::VectorXd& next) const {
  if (x.size() != state_size() || u.size() != Lines)
    throw std::invalid_argument("InertialDynamics::step: state of size " + to_text(x.size()) + " and control of size " +
                                to_text(u.size()) + ", wanted " + to_text(state_size()) + " and " + to_text(Lines));
  ReducedStepReport report;
  Workspace& w = workspace();
  const Vector now = x.head(size()), before = x.tail(size());
  if (report.status = query(now, w.now, report.queries); report.status != StepStatus::ok) return report;
  if (report.status = query(before, w.before, report.queries); report.status != StepStatus::ok) return report;
  begin(w.now, now, w.before, before, u, w.given);
  Vector z = 2 * now - before;
  if (before == now || query(z, w.next, report.queries) != StepStatus::ok) {
    z = now;
    w.next = w.now;
  }
  residual(w.given, w.next, z, w.next_at);
  Vector r = w.next_at.r;
  const auto newton = detail::natural_newton(
      z, r, newton_matrix(w.next_at), {options_.tolerance, options_.stall_tolerance, options_.max_iterations},
      [&](const Vector& trial, Vector& trial_r) {
        const StepStatus status = query(trial, w.trial, report.queries);
        if (status != StepStatus::ok) return status;
        residual(w.given, w.trial, trial, w.trial_at);
        trial_r = w.trial_at.r;
        return status;
      },
      [&] {
        std::swap(w.next, w.trial);
        std::swap(w.next_at, w.trial_at);
        return newton_matrix(w.next_at);
      });
  report.status = newton.status;
  report.iterations = newton.iterations;
  report.correction = newton.correction;
  if (report.status != StepStatus::ok) return report;
  if (options_.mass_tolerance > 0) {
    Eigen::FullPivLU<Matrix> lu(Matrix(w.next_at.X.transpose() * w.next_at.X));
    lu.setThreshold(options_.mass_tolerance);
    if (!lu.isInvertible()) {
      report.status = StepStatus::singular;
      return report;
    }
  }
  next.resize(state_size());
  next << z, now;
  return report;
}

template <int Lines, class Shapes, class Inertia>
  requires DifferentiableMap<Shapes, Lines> && DifferentiableMap<Inertia, Lines>
StepStatus InertialDynamics<Lines, Shapes, Inertia>::differentiate(const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                                                   const Eigen::VectorXd& next,
                                                                   Eigen::MatrixXd& dnext_dx,
                                                                   Eigen::MatrixXd& dnext_du) const {
  Workspace& w = workspace();  // as left by solve
  const At& at = w.next_at;
  const double dt = options_.time_step, b = damping();
  const Eigen::Index n = size(), m = modes();
  const Vector z = next.head(n), now = x.head(n), before = x.tail(n);
  Matrix jacobian = newton_matrix(at);
  const double jacobian_scale = jacobian.template lpNorm<Eigen::Infinity>();
  if (options_.derivative == StepDerivative::exact) {
    const StepStatus status = difference_along_alpha(
        z, w, jacobian_scale, [&](const Vector& point) { residual(w.given, w.trial, point, w.trial_at); }, jacobian);
    if (status != StepStatus::ok) return status;
  }
  const Eigen::FullPivLU<Matrix> lu(jacobian);
  if (!lu.isInvertible()) return StepStatus::singular;

  tangent_of(w.now, now, w.X_now);
  tangent_of(w.before, before, w.X_before);
  Matrix by_now(n, n), by_before(n, n);
  by_now.noalias() = at.X.transpose() * w.X_now;
  by_now *= -(2 / (dt * dt) + options_.mass_damping / dt);
  by_before.noalias() = at.X.transpose() * w.X_before;
  by_before /= dt * dt;
  Small<Eigen::Dynamic, Lines> by_control = Small<Eigen::Dynamic, Lines>::Zero(n, Lines);
  by_control.template topRows<Lines>() = -at.C;
  if (b != 0) {
    const Alpha d = z.template head<Lines>() - now.template head<Lines>();
    const Vector e = z.tail(m) - now.tail(m);
    Square tension;  // column l: T1_l d
    for (int l = 0; l < Lines; ++l) {
      Square t1;
      unpack(along(w.next).col(l), t1);
      tension.col(l).noalias() = t1 * d;
    }
    Small<Eigen::Dynamic, Lines> by_w(n, Lines);
    by_w.template topRows<Lines>() = tension;
    for (int l = 0; l < Lines; ++l) {
      const Eigen::Map<const Eigen::Matrix<double, Lines, Eigen::Dynamic>> t2(across(w.next).col(l).data(), Lines, m);
      by_w.col(l).template head<Lines>() += t2 * e;
      by_w.col(l).tail(m).noalias() = t2.transpose() * d;
    }
    by_control += b * by_w;
    by_now.leftCols(Lines) -= b * by_w;
    by_now.template topLeftCorner<Lines, Lines>() -= b * (at.C + at.S1);
    by_now.bottomLeftCorner(m, Lines) -= b * at.S2.transpose();
    Wide by_q = (at.C + tension) * w.given.P - at.S2;
    by_q.noalias() -= ds(w.next).transpose() * w.given.moving;
    by_now.topRightCorner(Lines, m) += b * by_q;
    by_now.bottomRightCorner(m, m) -= b * at.Kq;
  }
  if (options_.derivative == StepDerivative::exact) {
    Before moved;
    const StepStatus status = difference_along_alpha(
        now, w, jacobian_scale,
        [&](const Vector& point) {
          begin(w.trial, point, w.before, before, u, moved);
          residual(moved, w.next, z, w.trial_at);
        },
        by_now);
    if (status != StepStatus::ok) return status;
  }
  dnext_dx.setZero(2 * n, 2 * n);
  dnext_dx.topLeftCorner(n, n) = -lu.solve(by_now);
  dnext_dx.topRightCorner(n, n) = -lu.solve(by_before);
  dnext_dx.bottomLeftCorner(n, n).setIdentity();
  dnext_du.setZero(2 * n, Lines);
  dnext_du.topRows(n) = -lu.solve(by_control);
  return StepStatus::ok;
}

}  // namespace quoin
