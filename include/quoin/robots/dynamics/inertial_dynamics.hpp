// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/hintable.hpp"
#include "quoin/robots/dynamics/answer_memory.hpp"
#include "quoin/robots/dynamics/detail/differenced_columns.hpp"
#include "quoin/robots/dynamics/detail/inertial_equation.hpp"
#include "quoin/robots/dynamics/detail/natural_newton.hpp"
#include "quoin/robots/dynamics/discrete.hpp"
#include "quoin/robots/dynamics/inertial_outputs.hpp"
#include "quoin/robots/dynamics/reduced_dynamics.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

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
  using Directions = typename detail::InertialEquation<Lines>::Directions;

  /// Keeps copies of the maps. Throws std::invalid_argument for sizes that do not belong together, and for options out
  /// of range.
  InertialDynamics(Shapes shapes, Inertia inertia, Eigen::Index coordinates, const Directions& directions,
                   const Options& options = {})
      : shapes_(std::move(shapes)), inertia_(std::move(inertia)), equation_(coordinates, directions, options) {
    check_reduced_dynamics("InertialDynamics", options, coordinates, Lines, shapes_.output_size());
    if (directions.cols() < 1 || !directions.allFinite())
      throw std::invalid_argument("InertialDynamics: directions are " + shape_text(directions) +
                                  ", and must be finite, one column or more");
    if (const Eigen::Index needed = equation_.outputs().size(); inertia_.output_size() < needed)
      throw std::invalid_argument("InertialDynamics: " + to_text(needed) + " outputs needed for " +
                                  to_text(coordinates) + " coordinates and " + to_text(modes()) +
                                  " modes, the map of inertia has " + to_text(inertia_.output_size()));
  }

  Eigen::Index state_size() const { return 2 * size(); }
  Eigen::Index control_size() const { return Lines; }
  /// m, the columns of T.
  Eigen::Index modes() const { return equation_.modes(); }
  /// z = [alpha; q].
  Eigen::Index size() const { return equation_.size(); }
  /// T, as it was given.
  const Directions& directions() const { return equation_.directions(); }
  /// As they were given.
  const Options& options() const { return equation_.options(); }

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
  using Equation = detail::InertialEquation<Lines>;
  using Vector = typename Equation::Vector;
  using Matrix = typename Equation::Matrix;
  using Sample = typename Equation::Sample;
  using Alpha = Point<Lines>;
  using Answers = typename AnswerMemory<Lines>::Sample;

  struct Workspace {
    Sample now, before, next, trial;
    typename Equation::Before given, moved;
    typename Equation::At next_at, trial_at;
    typename Equation::Derivatives derivatives;
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

  StepStatus differentiate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, const Eigen::VectorXd& next,
                           Eigen::MatrixXd& dnext_dx, Eigen::MatrixXd& dnext_du) const;
  // The columns of dr/dz, or dr/dz_i, for alpha. evaluate(point): r there into w.trial_at, with the maps in w.trial.
  template <class Evaluate>
  StepStatus difference_along_alpha(const Vector& z, Workspace& w, double scale, const Evaluate& evaluate,
                                    Matrix& columns) const {
    return detail::differenced_columns(
        z, w.next_at.r, Lines, options().difference_step, scale,
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
  Equation equation_;
  std::uint64_t id_ = detail::new_dynamics_id();
};

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
  equation_.begin(w.now, now, w.before, before, u, w.given);
  Vector z = 2 * now - before;
  if (before == now || query(z, w.next, report.queries) != StepStatus::ok) {
    z = now;
    w.next = w.now;
  }
  equation_.residual(w.given, w.next, z, w.next_at);
  Vector r = w.next_at.r;
  const auto newton = detail::natural_newton(
      z, r, equation_.newton_matrix(w.next_at),
      {options().tolerance, options().stall_tolerance, options().max_iterations},
      [&](const Vector& trial, Vector& trial_r) {
        const StepStatus status = query(trial, w.trial, report.queries);
        if (status != StepStatus::ok) return status;
        equation_.residual(w.given, w.trial, trial, w.trial_at);
        trial_r = w.trial_at.r;
        return status;
      },
      [&] {
        std::swap(w.next, w.trial);
        std::swap(w.next_at, w.trial_at);
        return equation_.newton_matrix(w.next_at);
      });
  report.status = newton.status;
  report.iterations = newton.iterations;
  report.correction = newton.correction;
  if (report.status != StepStatus::ok) return report;
  if (options().mass_tolerance > 0) {
    linear_algebra::PivotedLu lu;
    lu.compute(w.next_at.X.transpose() * w.next_at.X);
    if (!lu.is_invertible(options().mass_tolerance)) {
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
  const Eigen::Index n = size();
  const Vector z = next.head(n), now = x.head(n), before = x.tail(n);
  auto& [by_now, by_before, by_control, X_now, X_before] = w.derivatives;
  Matrix jacobian = equation_.newton_matrix(w.next_at);
  const double scale = jacobian.template lpNorm<Eigen::Infinity>();
  equation_.differentiate(w.given, w.now, w.before, before, w.next, z, w.next_at, w.derivatives);
  if (options().derivative == StepDerivative::exact) {
    StepStatus status = difference_along_alpha(
        z, w, scale, [&](const Vector& point) { equation_.residual(w.given, w.trial, point, w.trial_at); }, jacobian);
    if (status != StepStatus::ok) return status;
    status = difference_along_alpha(
        now, w, scale,
        [&](const Vector& point) {
          equation_.begin(w.trial, point, w.before, before, u, w.moved);
          equation_.residual(w.moved, w.next, z, w.trial_at);
        },
        by_now);
    if (status != StepStatus::ok) return status;
  }
  linear_algebra::PivotedLu lu;
  lu.compute(jacobian);
  if (!lu.is_invertible()) return StepStatus::singular;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 2 * Lines, 5 * Lines> dr(n, 2 * n + Lines);
  dr.leftCols(n) = by_now;
  dr.middleCols(n, n) = by_before;
  dr.template rightCols<Lines>() = by_control;
  lu.solve_in_place(dr);
  dnext_dx.setZero(2 * n, 2 * n);
  dnext_dx.topRows(n) = -dr.leftCols(2 * n);
  dnext_dx.bottomLeftCorner(n, n).setIdentity();
  dnext_du.setZero(2 * n, Lines);
  dnext_du.topRows(n) = -dr.template rightCols<Lines>();
  return StepStatus::ok;
}

}  // namespace quoin
