// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/models/soft_arm/statics.hpp"

#include "quoin/models/soft_arm/tile_cholesky.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <sstream>
#include <utility>
#include <vector>

namespace quoin::soft_arm {
namespace {

constexpr double loose_tolerance = 1e-2;    // of the solutions between two ends of a continuation
constexpr double tangent_suffices = 0.1;    // change of alpha below which a parabola is not worth a factorization
constexpr double stale_contraction = 0.3;   // of the squared Newton decrement, that an old factorization must reach
constexpr double smallest_part = 1.0 / 64;  // of a continuation step, before it is given up

// What one solve needs; never shared between threads.
struct Workspace {
  explicit Workspace(const TileCholesky& analysed, const Eigen::SparseMatrix<double>& pattern)
      : cholesky(analysed), hessian(pattern) {}

  TileCholesky cholesky;
  Eigen::SparseMatrix<double> hessian;
  Eigen::VectorXd x, trial, gradient, trial_gradient, step;
  Eigen::MatrixXd length_gradients;
  bool factor_is_current = false;  // of the Hessian at x, without a shift
};

}  // namespace

template <int D>
struct Statics<D>::Shared {
  // An equilibrium and its tangent.
  struct Solution {
    Controls alpha;
    Eigen::VectorXd y;         // [x; l]
    Eigen::MatrixXd jacobian;  // (N + lines) x lines
    double residual;
  };
  using SolutionPtr = std::shared_ptr<const Solution>;

  Shared(SoftArm<D> given_arm, StaticsOptions given_options)
      : arm(std::move(given_arm)), options(given_options), analysed(arm.hessian_pattern()) {}

  const SoftArm<D> arm;
  const StaticsOptions options;
  const TileCholesky analysed;

  mutable std::mutex mutex;  // guards everything below
  std::vector<std::unique_ptr<Workspace>> idle;
  std::vector<SolutionPtr> remembered;  // a ring
  std::size_t next = 0;
  long solves = 0, newton_iterations = 0;
  double seconds = 0;

  // A workspace of this call's own, handed back at its end.
  class Loan {
   public:
    explicit Loan(Shared& shared) : shared_(shared) {
      const std::lock_guard lock(shared.mutex);
      if (!shared.idle.empty()) {
        workspace_ = std::move(shared.idle.back());
        shared.idle.pop_back();
      }
    }
    ~Loan() {
      if (!workspace_) return;
      const std::lock_guard lock(shared_.mutex);
      shared_.idle.push_back(std::move(workspace_));
    }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Workspace& operator*() {
      if (!workspace_) workspace_ = std::make_unique<Workspace>(shared_.analysed, shared_.arm.hessian_pattern());
      return *workspace_;
    }

   private:
    Shared& shared_;
    std::unique_ptr<Workspace> workspace_;
  };

  // The remembered solution nearest to alpha; null if there is none.
  SolutionPtr nearest(const Controls& alpha) const {
    const std::lock_guard lock(mutex);
    SolutionPtr best;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& solution : remembered)
      if (const double distance = (solution->alpha - alpha).squaredNorm(); distance < least) {
        least = distance;
        best = solution;
      }
    return best;
  }

  void remember(SolutionPtr solution) {
    const std::lock_guard lock(mutex);
    if (options.remembered <= 0) return;
    if (remembered.size() < static_cast<std::size_t>(options.remembered)) {
      remembered.push_back(std::move(solution));
    } else {
      remembered[next] = std::move(solution);
      next = (next + 1) % remembered.size();
    }
  }

  double scaled(const Eigen::VectorXd& gradient) const {
    return gradient.template lpNorm<Eigen::Infinity>() / arm.line_force();
  }

  // Newton's method from w.x at fixed alpha; leaves the solution and its gradient in w. On the way from one solution to
  // the next an indefinite Hessian means that the branch has lost its stability, or that the step was too long; from
  // elsewhere (a free start) it is regularized.
  enum class Start { on_branch, free };
  bool newton(Workspace& w, const Controls& alpha, double tolerance, Start start, StaticsResult& result) const;
  // Factorizes the Hessian at w.x; false if it is not positive definite.
  bool factorize(Workspace& w, const Controls& alpha, StaticsResult& result) const;
  // Newton steps with the factorization at hand, as long as they help.
  void polish(Workspace& w, const Controls& alpha, int steps) const;
  // Newton, then everything that makes a solution: stability, polish, tangent, no inverted element.
  SolutionPtr finish(Workspace& w, const Controls& alpha, Start start, StaticsResult& result) const;
  // Solutions from `from` (null: the rest shape) to alpha.
  SolutionPtr walk(Workspace& w, SolutionPtr from, const Controls& alpha, StaticsResult& result) const;
  // Moves w.x along its tangent, for a large change along the parabola.
  void predict(Workspace& w, const Controls& at, const Eigen::VectorXd& first, const Controls& change,
               StaticsResult& result) const;
  // Looks up or solves; the Hessian at the solution is factorized in w if asked for.
  SolutionPtr equilibrium(Workspace& w, const Controls& alpha, StaticsResult& result);
  // dx/dalpha of the free coordinates from the factorization at w.x.
  void tangent(Workspace& w, Eigen::MatrixXd& free_jacobian) const;
};

template <int D>
bool Statics<D>::Shared::factorize(Workspace& w, const Controls& alpha, StaticsResult& result) const {
  arm.hessian(w.x, alpha, w.hessian);
  ++result.iterations;
  w.factor_is_current = w.cholesky.factorize(w.hessian);
  return w.factor_is_current;
}

template <int D>
bool Statics<D>::Shared::newton(Workspace& w, const Controls& alpha, double tolerance, Start start,
                                StaticsResult& result) const {
  result.status = StaticsStatus::not_converged;
  double energy = arm.gradient(w.x, alpha, w.gradient);
  w.factor_is_current = false;
  // A factorization costs ten times what a further step with the old one does: it is used as long as it contracts.
  double decrement = std::numeric_limits<double>::infinity();
  bool factorized = false;
  for (int step = 0, factorizations = 0;; ++step) {
    result.residual = scaled(w.gradient);
    if (result.residual < tolerance) return true;
    if (!std::isfinite(result.residual)) return false;
    w.step = -w.gradient;
    double slope = 0;
    if (factorized) {
      w.cholesky.solve(w.step);
      slope = w.step.dot(w.gradient);
      factorized = -slope < stale_contraction * decrement;
    }
    if (!factorized) {
      if (factorizations++ == options.iterations) return false;
      factorized = factorize(w, alpha, result);
      if (!factorized) {
        if (start == Start::on_branch) {
          result.status = StaticsStatus::unstable;
          return false;
        }
        double shift = 1e-6;
        while (shift < 1e3 && !w.cholesky.factorize(w.hessian, shift)) shift *= 10;
        if (!(shift < 1e3)) return false;
      }
      w.step = -w.gradient;
      w.cholesky.solve(w.step);
      slope = w.step.dot(w.gradient);
    }
    decrement = -slope;
    const double noise = arm.energy_rounding(w.x, alpha);
    double fraction = 1;
    bool accepted = false;
    for (int halving = 0; halving < 30 && !accepted; ++halving, fraction *= 0.5) {
      w.trial = w.x;
      arm.add_free(fraction, w.step, w.trial);
      const double trial_energy = arm.gradient(w.trial, alpha, w.trial_gradient);
      accepted = trial_energy <= energy + 1e-4 * fraction * slope + noise;
      if (accepted) energy = trial_energy;
    }
    if (!accepted) return false;
    std::swap(w.x, w.trial);
    std::swap(w.gradient, w.trial_gradient);
    w.factor_is_current = false;
  }
}

template <int D>
void Statics<D>::Shared::tangent(Workspace& w, Eigen::MatrixXd& free_jacobian) const {
  arm.length_gradients(w.x, w.length_gradients);
  free_jacobian = -arm.line_force() * w.length_gradients;
  w.cholesky.solve(free_jacobian);
}

template <int D>
void Statics<D>::Shared::polish(Workspace& w, const Controls& alpha, int steps) const {
  // By the length of the steps: the gradient of an old factorization's steps rises and falls on its way down.
  double previous = std::numeric_limits<double>::infinity();
  for (int step = 0; step < steps; ++step) {
    w.step = -w.gradient;
    w.cholesky.solve(w.step);
    const double length = w.step.norm();
    if (!(length < previous)) return;
    previous = length;
    arm.add_free(1, w.step, w.x);
    arm.gradient(w.x, alpha, w.gradient);
    if (length < 1e-14 * w.x.norm()) return;
  }
}

template <int D>
auto Statics<D>::Shared::finish(Workspace& w, const Controls& alpha, Start start, StaticsResult& result) const
    -> SolutionPtr {
  if (!newton(w, alpha, options.tolerance, start, result)) return nullptr;
  // Down to rounding, so that answer and tangent do not depend on the start: first by the old factorization, then by
  // the one that the tangent needs anyway.
  if (result.iterations > 0) polish(w, alpha, 12);
  for (int round = 0; round < 2; ++round) {
    if (!factorize(w, alpha, result)) {
      result.status = StaticsStatus::unstable;
      return nullptr;
    }
    w.trial = w.x;
    polish(w, alpha, 2);
    if ((w.x - w.trial).norm() < 1e-12 * w.x.norm()) break;
  }
  result.residual = scaled(w.gradient);
  if (arm.inverted_elements(w.x) > 0) {
    result.status = StaticsStatus::inverted;
    return nullptr;
  }
  auto solution = std::make_shared<Solution>();
  solution->alpha = alpha;
  solution->residual = result.residual;
  solution->y.resize(arm.size() + lines);
  solution->y << w.x, arm.lengths(w.x);
  Eigen::MatrixXd free_jacobian;
  tangent(w, free_jacobian);
  solution->jacobian.setZero(arm.size() + lines, lines);
  const auto& free = arm.free_dofs();
  for (int k = 0; k < lines; ++k)
    for (std::size_t i = 0; i < free.size(); ++i) solution->jacobian(free[i], k) = free_jacobian(i, k);
  solution->jacobian.bottomRows(lines) = w.length_gradients.transpose() * free_jacobian;
  result.status = StaticsStatus::ok;
  return solution;
}

template <int D>
void Statics<D>::Shared::predict(Workspace& w, const Controls& at, const Eigen::VectorXd& first, const Controls& change,
                                 StaticsResult& result) const {
  if (change.norm() > tangent_suffices && (w.factor_is_current || factorize(w, at, result))) {
    Eigen::MatrixXd length_hessian;
    arm.third_derivative(w.x, at, first, first, w.step);
    arm.length_hessian_times(w.x, first, length_hessian);
    w.step = -w.step - 2 * arm.line_force() * (length_hessian * change);
    w.cholesky.solve(w.step);
    arm.add_free(0.5, w.step, w.x);
  }
  arm.add_free(1, first, w.x);
  w.factor_is_current = false;
}

template <int D>
auto Statics<D>::Shared::walk(Workspace& w, SolutionPtr from, const Controls& alpha, StaticsResult& result) const
    -> SolutionPtr {
  Controls at = Controls::Zero();
  Eigen::MatrixXd free_jacobian;
  if (from) {
    at = from->alpha;
    w.x = from->y.head(arm.size());
    free_jacobian = from->jacobian(arm.free_dofs(), Eigen::all);
    w.factor_is_current = false;
  } else {
    w.x = arm.rest();
    if (alpha.isZero(0)) return finish(w, alpha, Start::free, result);
    if (!newton(w, at, loose_tolerance, Start::free, result)) return nullptr;
    if (!factorize(w, at, result)) {
      result.status = StaticsStatus::unstable;
      return nullptr;
    }
    tangent(w, free_jacobian);
  }

  double part = 1;  // of the largest step
  while (true) {
    const Controls remaining = alpha - at;
    const double steps = remaining.template lpNorm<Eigen::Infinity>() / (options.continuation_step * part);
    const bool last = steps <= 1 + 1e-9;
    const Controls change = last ? remaining : Controls(remaining / std::ceil(steps));
    const Controls target = last ? alpha : Controls(at + change);
    const Eigen::VectorXd previous = w.x;
    predict(w, at, free_jacobian * change, change, result);
    ++result.continuation_steps;
    if (last) {
      if (auto solution = finish(w, alpha, Start::on_branch, result)) return solution;
    } else if (newton(w, target, loose_tolerance, Start::on_branch, result)) {
      if (factorize(w, target, result)) {
        at = target;
        tangent(w, free_jacobian);
        continue;
      }
      result.status = StaticsStatus::unstable;
    }
    part *= 0.5;
    if (part < smallest_part) return nullptr;
    w.x = previous;
    w.factor_is_current = false;
  }
}

template <int D>
auto Statics<D>::Shared::equilibrium(Workspace& w, const Controls& alpha, StaticsResult& result) -> SolutionPtr {
  const SolutionPtr near = nearest(alpha);
  if (near && near->alpha == alpha) {
    result = {.status = StaticsStatus::ok, .residual = near->residual};
    return near;
  }
  const auto begin = std::chrono::steady_clock::now();
  SolutionPtr solution;
  if (near) solution = walk(w, near, alpha, result);
  // A neighbour may lie on the other side of a fold that the straight way from rest avoids.
  if (!solution) solution = walk(w, nullptr, alpha, result);
  if (solution) remember(solution);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  const std::lock_guard lock(mutex);
  ++solves;
  newton_iterations += result.iterations;
  seconds += spent.count();
  return solution;
}

namespace {

template <int Lines>
void require_finite(const Point<Lines>& alpha, const char* who) {
  for (int k = 0; k < Lines; ++k)
    if (!std::isfinite(alpha[k]))
      throw std::invalid_argument(std::string("Statics::") + who + ": alpha " + std::to_string(k) + " = " +
                                  std::to_string(alpha[k]) + " is not finite");
}

template <int Lines>
StaticsFailure failure(const StaticsResult& result, const Point<Lines>& alpha) {
  std::ostringstream message;
  message << "Statics: " << to_string(result.status) << " at alpha = (";
  for (int k = 0; k < Lines; ++k) message << (k > 0 ? ", " : "") << alpha[k];
  message << "), |dE/dx| / F0 = " << result.residual << " after " << result.iterations << " Newton iterations";
  return {result.status, message.str()};
}

}  // namespace

template <int D>
Statics<D>::Statics(SoftArm<D> arm, StaticsOptions options) {
  if (!(options.tolerance > 0) || !(options.continuation_step > 0) || options.iterations < 1)
    throw std::invalid_argument("Statics: tolerance " + std::to_string(options.tolerance) + ", continuation_step " +
                                std::to_string(options.continuation_step) + " and iterations " +
                                std::to_string(options.iterations) + " must be positive");
  shared_ = std::make_shared<Shared>(std::move(arm), options);
}

template <int D>
const SoftArm<D>& Statics<D>::arm() const {
  return shared_->arm;
}
template <int D>
const StaticsOptions& Statics<D>::options() const {
  return shared_->options;
}
template <int D>
Eigen::Index Statics<D>::output_size() const {
  return shared_->arm.size() + lines;
}

template <int D>
StaticsResult Statics<D>::solve(const Controls& alpha, Eigen::VectorXd& y, Eigen::MatrixXd* J) const {
  require_finite<lines>(alpha, "solve");
  StaticsResult result;
  typename Shared::Loan loan(*shared_);
  if (const auto solution = shared_->equilibrium(*loan, alpha, result)) {
    y = solution->y;
    if (J) *J = solution->jacobian;
  }
  return result;
}

template <int D>
StaticsResult Statics<D>::solve_from(const Eigen::VectorXd& start, const Controls& alpha, Eigen::VectorXd& y,
                                     Eigen::MatrixXd* J) const {
  require_finite<lines>(alpha, "solve_from");
  if (start.size() != shared_->arm.size())
    throw std::invalid_argument("Statics::solve_from: a start of " + std::to_string(start.size()) +
                                " coordinates given, " + std::to_string(shared_->arm.size()) + " needed");
  StaticsResult result;
  typename Shared::Loan loan(*shared_);
  Workspace& w = *loan;
  w.x = start;
  for (int vertex : shared_->arm.mesh().clamped)
    w.x.template segment<D>(D * vertex) = shared_->arm.rest().template segment<D>(D * vertex);
  const auto begin = std::chrono::steady_clock::now();
  if (const auto solution = shared_->finish(w, alpha, Shared::Start::free, result)) {
    y = solution->y;
    if (J) *J = solution->jacobian;
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  const std::lock_guard lock(shared_->mutex);
  ++shared_->solves;
  shared_->newton_iterations += result.iterations;
  shared_->seconds += spent.count();
  return result;
}

template <int D>
Answer Statics<D>::evaluate(const Controls& alpha, Eigen::VectorXd& y) const {
  const StaticsResult result = solve(alpha, y);
  if (result.status != StaticsStatus::ok) throw failure<lines>(result, alpha);
  return {.trust = Trust::exact, .level = 0, .error = 0};
}

template <int D>
Answer Statics<D>::evaluate(const Controls& alpha, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
  const StaticsResult result = solve(alpha, y, &J);
  if (result.status != StaticsStatus::ok) throw failure<lines>(result, alpha);
  return {.trust = Trust::exact, .level = 0, .error = 0};
}

template <int D>
Answer Statics<D>::try_evaluate(const Controls& alpha, Eigen::VectorXd& y, Eigen::MatrixXd& J) const {
  if (!alpha.allFinite() || solve(alpha, y, &J).status != StaticsStatus::ok) return {.trust = Trust::failed};
  return {.trust = Trust::exact, .level = 0, .error = 0};
}

template <int D>
void Statics<D>::evaluate_jet2(const Controls& alpha, Eigen::Ref<Eigen::MatrixXd> jet) const {
  require_finite<lines>(alpha, "evaluate_jet2");
  constexpr int second = 1 + lines;
  constexpr int columns = second + lines * (lines + 1) / 2;
  const SoftArm<D>& arm = shared_->arm;
  if (jet.rows() != output_size() || jet.cols() != columns)
    throw std::invalid_argument("Statics::evaluate_jet2: a jet of " + std::to_string(jet.rows()) + " x " +
                                std::to_string(jet.cols()) + " given, " + std::to_string(output_size()) + " x " +
                                std::to_string(columns) + " needed");
  StaticsResult result;
  typename Shared::Loan loan(*shared_);
  Workspace& w = *loan;
  w.factor_is_current = false;
  const auto solution = shared_->equilibrium(w, alpha, result);
  if (!solution) throw failure<lines>(result, alpha);
  jet.col(0) = solution->y;
  jet.middleCols(1, lines) = solution->jacobian;
  if (result.continuation_steps == 0 || !w.factor_is_current) {
    w.x = solution->y.head(arm.size());
    if (!shared_->factorize(w, alpha, result)) throw failure<lines>(result, alpha);
    arm.length_gradients(w.x, w.length_gradients);
  }

  const Eigen::MatrixXd first = solution->jacobian(arm.free_dofs(), Eigen::all);
  std::vector<Eigen::MatrixXd> length_hessian(lines);  // column k of entry i: d2 l_k x_i
  for (int i = 0; i < lines; ++i) arm.length_hessian_times(w.x, first.col(i), length_hessian[i]);
  Eigen::MatrixXd right(arm.free_size(), columns - second);
  Eigen::VectorXd third;
  for (int i = 0, at = 0; i < lines; ++i)
    for (int j = i; j < lines; ++j, ++at) {
      arm.third_derivative(w.x, alpha, first.col(i), first.col(j), third);
      right.col(at) = -third - arm.line_force() * (length_hessian[j].col(i) + length_hessian[i].col(j));
    }
  w.cholesky.solve(right);
  const auto& free = arm.free_dofs();
  for (int i = 0, at = 0; i < lines; ++i)
    for (int j = i; j < lines; ++j, ++at) {
      auto column = jet.col(second + at);
      column.setZero();
      for (std::size_t row = 0; row < free.size(); ++row) column[free[row]] = right(row, at);
      column.tail(lines) =
          w.length_gradients.transpose() * right.col(at) + length_hessian[j].transpose() * first.col(i);
    }
}

template <int D>
long Statics<D>::solves() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->solves;
}
template <int D>
long Statics<D>::newton_iterations() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->newton_iterations;
}
template <int D>
double Statics<D>::seconds() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->seconds;
}
template <int D>
void Statics<D>::forget() const {
  const std::lock_guard lock(shared_->mutex);
  shared_->remembered.clear();
  shared_->next = 0;
}

template class Statics<2>;
template class Statics<3>;

}  // namespace quoin::soft_arm
