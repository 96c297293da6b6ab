// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/hintable.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/robots/dynamics/answer_memory.hpp"
#include "quoin/robots/dynamics/detail/differenced_columns.hpp"
#include "quoin/robots/dynamics/detail/natural_newton.hpp"
#include "quoin/robots/dynamics/discrete.hpp"
#include "quoin/robots/dynamics/step_derivative.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace quoin {

/// Options of ReducedDynamics.
struct ReducedDynamicsOptions {
  double time_step = 0.02;        ///< dt, seconds
  double force_scale = 1;         ///< F0, newtons: line k pulls with F0 u_k
  double stiffness_damping = 0;   ///< beta, seconds: damping force beta C (alpha - alpha_i) / dt
  double mass_damping = 0;        ///< a, 1/seconds: damping force a J^T M (f - f_i) / dt
  double tolerance = 1e-10;       ///< accept when the next Newton correction of alpha is less than this (largest entry)
  double stall_tolerance = 1e-4;  ///< accept a step that cannot be improved below this: the map's gradient may jump
  int max_iterations = 50;        ///< Newton iterations in a step
  double mass_tolerance = 1e-13;  ///< `singular` if the reduced mass is singular to this relative pivot; 0: no check
  StepDerivative derivative = StepDerivative::gauss_newton;  ///< what dr/dalpha keeps
  double difference_step = 1e-5;  ///< change of alpha for second derivatives that the map does not give
};

/// Throws std::invalid_argument for options out of range, and for a map whose outputs do not hold the coordinates and
/// the lengths of the lines.
inline void check_reduced_dynamics(const char* who, const ReducedDynamicsOptions& options, Eigen::Index coordinates,
                                   int lines, Eigen::Index outputs) {
  if (coordinates < 1 || coordinates + lines > outputs)
    throw std::invalid_argument(std::string(who) + ": " + to_text(coordinates) + " coordinates and " + to_text(lines) +
                                " lengths do not fit into the map's " + to_text(outputs) + " outputs");
  const OptionsOf of{who};
  of.positive_and_finite("time_step", options.time_step);
  of.positive_and_finite("force_scale", options.force_scale);
  of.not_negative_and_finite("stiffness_damping", options.stiffness_damping);
  of.not_negative_and_finite("mass_damping", options.mass_damping);
  of.positive("tolerance", options.tolerance);
  of.not_negative("stall_tolerance", options.stall_tolerance);
  of.not_negative("max_iterations", options.max_iterations);
  of.not_negative("mass_tolerance", options.mass_tolerance);
  of.positive_and_finite("difference_step", options.difference_step);
}

/// Cost of one step.
struct ReducedStepReport {
  StepStatus status = StepStatus::ok;  ///< whether the step was found
  int iterations = 0;                  ///< Newton iterations
  int queries = 0;                     ///< queries of the map, each with its Jacobian
  double correction = 0;               ///< Newton correction of alpha (largest entry) where the step stopped
};

namespace detail {
inline std::uint64_t new_dynamics_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}
}  // namespace detail

/// The dynamics of a body that moves among its static shapes under pulls alpha, as a soft arm does (Jia, Pan, Manocha
/// 2019, Eq. 8), over any map from alpha to the shape, exact or surrogate.
///
///     auto coordinates = grid.linear_output(C);                        // [q; l], as of a ShapeBasis
///     ReducedDynamics<4, decltype(coordinates)> arm(coordinates, basis.size(), {.force_scale = F0});
///     Eigen::VectorXd x = arm.rest_state(u0), next;                     // [alpha_i; alpha_{i-1}]
///     Eigen::MatrixXd dnext_dx, dnext_du;                               // 2 Lines x 2 Lines, 2 Lines x Lines
///     if (arm.step(x, u, next, dnext_dx, dnext_du) != StepStatus::ok) ...
///
/// The map's outputs are [q (`coordinates`); l (Lines); further rows, ignored]: q are coordinates of the shape in which
/// the mass matrix is the identity, l the lengths of the lines. The left side of Eq. 8 is
/// J^T M (f - 2 f_i + f_{i-1}) / dt^2 = (dq/dalpha)^T (q - 2 q_i + q_{i-1}) / dt^2. On the right side, f(alpha) is in
/// equilibrium with the controls alpha, so that J^T (p + c) = C (u - alpha), C = -F0 dl/dalpha (symmetrised), without
/// assembling a force. A step solves
///
///     r = dq^T ((q - 2 q_i + q_{i-1}) / dt^2 + a (q - q_i) / dt) + beta C (alpha - alpha_i) / dt - C (u - alpha) = 0
///
/// for alpha = alpha_{i+1} by Newton's method from the prediction 2 alpha_i - alpha_{i-1}, with the matrix dq^T dq
/// (1/dt^2 + a/dt) + C (1 + beta/dt), corrected from iterate to iterate by Broyden's formula. Steps are shortened until
/// the natural monotonicity test holds (Deuflhard 2004, 3.3), also where the map has no answer. Convergence is measured
/// in alpha, which has no unit and is of order 1.
///
/// Derivatives follow from the implicit function theorem. `gauss_newton` drops (d2q)^T (q - 2 q_i + q_{i-1}) / dt^2 and
/// dC (beta (alpha - alpha_i) / dt - (u - alpha)) from dr/dalpha; `exact` keeps them: one further query of a
/// TwiceDifferentiableMap, as over a grid, or 2 Lines of any other map, by differences.
///
/// State: 2 Lines, control: Lines. A step costs 1 query of the map and one for each iteration, typically 2 or
/// 3, where it follows the previous step on the same thread, else 2 more; and none where the thread took the
/// same step a short while ago, as the derivatives of a motion that was rolled out do. For that each thread
/// keeps answers of the map (4 MiB at most), which must not change. Const, and safe to call from many threads
/// if the map is. Throws only std::invalid_argument, for sizes that do not fit.
template <int Lines, class Map>
  requires DifferentiableMap<Map, Lines>
class ReducedDynamics {
 public:
  /// Of the step.
  using Options = ReducedDynamicsOptions;

  /// Keeps a copy of the map (views and functionals of a grid are small handles).
  ReducedDynamics(Map map, Eigen::Index coordinates, const Options& options = {})
      : map_(std::move(map)), coordinates_(coordinates), options_(options) {
    check_reduced_dynamics("ReducedDynamics", options, coordinates, Lines, map_.output_size());
  }

  Eigen::Index state_size() const { return 2 * Lines; }
  Eigen::Index control_size() const { return Lines; }
  /// The one that it was made with.
  const Map& map() const { return map_; }
  /// How many of its outputs are coordinates of the shape; lengths follow.
  Eigen::Index coordinates() const { return coordinates_; }
  /// As they were given.
  const Options& options() const { return options_; }

  /// The state of the arm at rest under the constant control u: [u; u].
  Eigen::VectorXd rest_state(const Point<Lines>& u) const { return u.template replicate<2, 1>(); }

  /// Steps will be asked at these states (2 Lines x M).
  void hint(const Eigen::MatrixXd& states) const
    requires Hintable<Map>
  {
    map_.hint(states.topRows<Lines>());
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
  using Vector = Point<Lines>;
  using Matrix = Eigen::Matrix<double, Lines, Lines>;

  using Sample = typename AnswerMemory<Lines>::Sample;
  struct Workspace {
    Sample now, before, next, trial;  // at alpha_i, alpha_{i-1}, alpha_{i+1}, and at trial points
    Eigen::VectorXd acceleration;
    Eigen::MatrixXd second;  // derivatives of the map at alpha_{i+1}
    AnswerMemory<Lines> memory;
  };

  static Workspace& workspace() {
    static thread_local Workspace w;
    return w;
  }

  StepStatus query(const Vector& alpha, Sample& sample, int& queries) const {
    AnswerMemory<Lines>& memory = workspace().memory;
    if (const Sample* known = memory.find(id_, alpha)) {
      sample = *known;
      return StepStatus::ok;
    }
    ++queries;
    const StepStatus status = status_of(quoin::try_evaluate<Lines>(map_, alpha, sample.y, sample.J));
    if (status == StepStatus::ok && !(sample.y.allFinite() && sample.J.allFinite())) return StepStatus::map_failed;
    if (status == StepStatus::ok) memory.keep(id_, alpha, sample);
    return status;
  }

  auto q(const Sample& s) const { return s.y.head(coordinates_); }
  auto dq(const Sample& s) const { return s.J.template leftCols<Lines>().topRows(coordinates_); }

  Matrix compliance(const Sample& s) const {
    const Matrix dl = s.J.template block<Lines, Lines>(coordinates_, 0);
    return -0.5 * options_.force_scale * (dl + dl.transpose());
  }

  double mass_factor() const {
    return 1 / (options_.time_step * options_.time_step) + options_.mass_damping / options_.time_step;
  }
  double compliance_factor() const { return 1 + options_.stiffness_damping / options_.time_step; }

  // Acceleration: (q - 2 q_i + q_{i-1}) / dt^2 + a (q - q_i) / dt; load: beta (alpha - alpha_i) / dt - (u - alpha).
  void accelerate(Workspace& w, const Sample& s) const {
    const double dt = options_.time_step;
    w.acceleration = (q(s) - 2 * q(w.now) + q(w.before)) / (dt * dt) + options_.mass_damping / dt * (q(s) - q(w.now));
  }
  Vector load(const Vector& alpha, const Vector& alpha_i, const Vector& u) const {
    return options_.stiffness_damping / options_.time_step * (alpha - alpha_i) - (u - alpha);
  }
  Vector residual(const Workspace& w, const Sample& s, const Vector& load) const {
    return dq(s).transpose() * w.acceleration + compliance(s) * load;
  }
  Matrix newton_matrix(const Sample& s) const {
    return mass_factor() * reduced_mass(s) + compliance_factor() * compliance(s);
  }
  Matrix reduced_mass(const Sample& s) const {
    Matrix m;
    m.noalias() = dq(s).transpose() * dq(s);
    return m;
  }

  void check_sizes(const Eigen::VectorXd& x, const Eigen::VectorXd& u) const {
    if (x.size() != 2 * Lines || u.size() != Lines) {
      throw std::invalid_argument("ReducedDynamics::step: state of size " + to_text(x.size()) +
                                  " and control of size " + to_text(u.size()) + ", wanted " + to_text(2 * Lines) +
                                  " and " + to_text(Lines));
    }
  }

  StepStatus differentiate(const Eigen::VectorXd& x, const Eigen::VectorXd& u, const Eigen::VectorXd& next,
                           Eigen::MatrixXd& dnext_dx, Eigen::MatrixXd& dnext_du) const;
  StepStatus add_curvature(Workspace& w, const Vector& alpha, const Vector& load, Matrix& jacobian) const;
  bool add_second_derivatives(Workspace& w, const Vector& alpha, const Vector& load, Matrix& jacobian) const
    requires TwiceDifferentiableMap<Map, Lines>;

  Map map_;
  Eigen::Index coordinates_;
  Options options_;
  std::uint64_t id_ = detail::new_dynamics_id();
};

template <int Lines, class Map>
  requires DifferentiableMap<Map, Lines>
ReducedStepReport ReducedDynamics<Lines, Map>::solve(const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                                     Eigen::VectorXd& next) const {
  check_sizes(x, u);
  ReducedStepReport report;
  Workspace& w = workspace();
  const Vector alpha_i = x.template head<Lines>(), alpha_before = x.template tail<Lines>(), control = u;
  const auto stop = [&](StepStatus status) {
    report.status = status;
    return report;
  };

  if (const auto s = query(alpha_i, w.now, report.queries); s != StepStatus::ok) return stop(s);
  if (const auto s = query(alpha_before, w.before, report.queries); s != StepStatus::ok) return stop(s);
  Vector alpha = 2 * alpha_i - alpha_before;
  if (alpha_before == alpha_i || query(alpha, w.next, report.queries) != StepStatus::ok) {
    alpha = alpha_i;
    w.next = w.now;
  }

  accelerate(w, w.next);
  Vector r = residual(w, w.next, load(alpha, alpha_i, control));
  const auto newton = detail::natural_newton(
      alpha, r, newton_matrix(w.next), {options_.tolerance, options_.stall_tolerance, options_.max_iterations},
      [&](const Vector& trial, Vector& trial_r) {
        const StepStatus status = query(trial, w.trial, report.queries);
        if (status != StepStatus::ok) return status;
        accelerate(w, w.trial);
        trial_r = residual(w, w.trial, load(trial, alpha_i, control));
        return status;
      },
      [&] {
        std::swap(w.next, w.trial);
        return newton_matrix(w.next);
      });
  report.iterations = newton.iterations;
  report.correction = newton.correction;
  if (newton.status != StepStatus::ok) return stop(newton.status);

  if (options_.mass_tolerance > 0) {
    linear_algebra::PivotedLu lu;
    lu.compute(reduced_mass(w.next));
    if (!lu.is_invertible(options_.mass_tolerance)) return stop(StepStatus::singular);
  }
  next.resize(2 * Lines);
  next.template head<Lines>() = alpha;
  next.template tail<Lines>() = alpha_i;
  return stop(StepStatus::ok);
}

template <int Lines, class Map>
  requires DifferentiableMap<Map, Lines>
StepStatus ReducedDynamics<Lines, Map>::differentiate(const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                                                      const Eigen::VectorXd& next, Eigen::MatrixXd& dnext_dx,
                                                      Eigen::MatrixXd& dnext_du) const {
  Workspace& w = workspace();  // as left by solve
  const double dt = options_.time_step;
  const Matrix c = compliance(w.next);
  Matrix jacobian = newton_matrix(w.next);
  if (options_.derivative == StepDerivative::exact) {
    const Vector alpha = next.template head<Lines>(), alpha_i = x.template head<Lines>(), control = u;
    accelerate(w, w.next);
    if (const auto s = add_curvature(w, alpha, load(alpha, alpha_i, control), jacobian); s != StepStatus::ok) return s;
  }
  linear_algebra::PivotedLu lu;
  lu.compute(jacobian);
  if (!lu.is_invertible()) return StepStatus::singular;

  Matrix now, before;
  now.noalias() = dq(w.next).transpose() * dq(w.now);
  before.noalias() = dq(w.next).transpose() * dq(w.before);
  Eigen::Matrix<double, Lines, 3 * Lines> dr;  // by alpha_i, alpha_{i-1} and u
  dr.template leftCols<Lines>() =
      -(2 / (dt * dt) + options_.mass_damping / dt) * now - options_.stiffness_damping / dt * c;
  dr.template middleCols<Lines>(Lines) = before / (dt * dt);
  dr.template rightCols<Lines>() = -c;
  lu.solve_in_place(dr);
  dnext_dx.setZero(2 * Lines, 2 * Lines);
  dnext_dx.template topRows<Lines>() = -dr.template leftCols<2 * Lines>();
  dnext_dx.template block<Lines, Lines>(Lines, 0).setIdentity();
  dnext_du.setZero(2 * Lines, Lines);
  dnext_du.template topRows<Lines>() = -dr.template rightCols<Lines>();
  return StepStatus::ok;
}

template <int Lines, class Map>
  requires DifferentiableMap<Map, Lines>
StepStatus ReducedDynamics<Lines, Map>::add_curvature(Workspace& w, const Vector& alpha, const Vector& load,
                                                      Matrix& jacobian) const {
  if constexpr (TwiceDifferentiableMap<Map, Lines>)
    if (add_second_derivatives(w, alpha, load, jacobian)) return StepStatus::ok;
  const Vector here = residual(w, w.next, load);
  Matrix curvature;
  const StepStatus status = detail::differenced_columns(
      alpha, here, Lines, options_.difference_step, jacobian.template lpNorm<Eigen::Infinity>(),
      [&](const Vector& point, Vector& r) {
        int queries = 0;
        const StepStatus answered = query(point, w.trial, queries);
        if (answered != StepStatus::ok) return answered;
        r = residual(w, w.trial, load);
        return answered;
      },
      curvature);
  if (status == StepStatus::ok) jacobian += curvature;
  return status;
}

// The same from the map's own second derivatives. False if it has none here: then they are differenced.
template <int Lines, class Map>
  requires DifferentiableMap<Map, Lines>
bool ReducedDynamics<Lines, Map>::add_second_derivatives(Workspace& w, const Vector& alpha, const Vector& load,
                                                         Matrix& jacobian) const
  requires TwiceDifferentiableMap<Map, Lines>
{
  constexpr int pairs = second_derivative_count(Lines);
  if (!map_.try_evaluate(alpha, w.trial.y, w.trial.J, w.second).has_value() || !w.second.allFinite()) return false;
  const auto of_lengths = w.second.template middleRows<Lines>(coordinates_);
  const double half_force = 0.5 * options_.force_scale;
  Eigen::Matrix<double, 1, pairs> weighted;
  weighted.noalias() = w.acceleration.transpose() * w.second.topRows(coordinates_);
  weighted -= half_force * (load.transpose() * of_lengths);
  for (int j = 0; j < Lines; ++j)
    for (int k = 0; k < Lines; ++k) {
      jacobian(j, k) += weighted[second_derivative_index(Lines, j, k)];
      for (int i = 0; i < Lines; ++i)
        jacobian(j, k) -= half_force * load[i] * of_lengths(j, second_derivative_index(Lines, i, k));
    }
  return true;
}

}  // namespace quoin
