// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/soft_arm/statics.hpp"

#include "equilibrium_jet.hpp"
#include "equilibrium_search.hpp"
#include "quoin/map/multi_index.hpp"
#include "quoin/map/newton_correction.hpp"
#include "quoin/map/point.hpp"
#include "quoin/robots/models/soft_arm/tile_cholesky.hpp"
#include "quoin/util/at_fork.hpp"
#include "quoin/util/options_of.hpp"
#include "quoin/util/to_text.hpp"
#include "solution_memory.hpp"
#include "util/workspace_pool.hpp"

#include <chrono>
#include <cmath>
#include <mutex>
#include <utility>

namespace quoin::soft_arm {

template <int D>
struct Statics<D>::Shared {
  using Search = EquilibriumSearch<D>;

  Shared(SoftArm<D> given_arm, StaticsOptions given_options)
      : arm(std::move(given_arm)),
        options(given_options),
        search(arm, options),
        analysed(arm.hessian_pattern()),
        memory(options.remembered, options.remembered_jets) {}

  const SoftArm<D> arm;
  const StaticsOptions options;
  const Search search;
  const TileCholesky analysed;
  SolutionMemory<D> memory;

  WorkspacePool<SearchWorkspace> workspaces;

  struct Work {
    long solves = 0, newton_iterations = 0;
    double seconds = 0;
  };
  ForkSafeMutex mutex;
  Work done;  // guarded by the mutex
  Work work() {
    const std::lock_guard lock(mutex);
    return done;
  }

  auto workspace() { return workspaces.lease(analysed, arm.hessian_pattern()); }

  // Counts the work done during its lifetime.
  class Count {
   public:
    Count(Shared& shared, const StaticsResult& result, bool solve) : shared_(shared), result_(result), solve_(solve) {}
    ~Count() {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
      const std::lock_guard lock(shared_.mutex);
      shared_.done.solves += solve_;
      shared_.done.newton_iterations += result_.iterations;
      shared_.done.seconds += spent.count();
    }
    Count(const Count&) = delete;
    Count& operator=(const Count&) = delete;

   private:
    Shared& shared_;
    const StaticsResult& result_;
    const bool solve_;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  };

  // Looks up or solves, with derivatives up to order (1 to 3) at least.
  KnownEquilibrium<D> equilibrium(SearchWorkspace& w, const Controls& alpha, int order, StaticsResult& result);
};

template <int D>
auto Statics<D>::Shared::equilibrium(SearchWorkspace& w, const Controls& alpha, int order, StaticsResult& result)
    -> KnownEquilibrium<D> {
  KnownEquilibrium<D> near = memory.nearest(alpha);
  const bool same = near.equilibrium && near.equilibrium->alpha == alpha;
  if (same && (order < 2 || (near.taylor && near.taylor->order >= order))) {
    result = {.status = StaticsStatus::ok, .residual = near.equilibrium->residual};
    return near;
  }
  const Count count(*this, result, !same);
  if (same) {
    result = {.status = StaticsStatus::ok, .residual = near.equilibrium->residual};
    w.x = near.equilibrium->y.head(arm.size());
    if (!search.factorize(w, alpha, result)) {
      result.status = StaticsStatus::unstable;
      return {};
    }
    w.tangent.setZero(arm.free_size(), padded_to_eight(lines));
    w.tangent.leftCols(lines) = near.equilibrium->jacobian(arm.free_dofs(), Eigen::all);
  } else {
    typename Search::SolutionPtr solution;
    if (const auto known = memory.polynomials(alpha, options.taylor_step); known.first.equilibrium)
      solution = search.jump(w, predict_branch(arm, known.first, known.second, alpha), alpha, result);
    if (!solution && near.equilibrium) solution = search.walk(w, near, alpha, result);
    // A neighbour may lie on the other side of a fold that the straight path from rest avoids.
    if (!solution) solution = search.walk(w, {}, alpha, result);
    if (!solution) return {};
    near = {solution, nullptr};
  }
  if (order > 1) near.taylor = branch_taylor<D>(arm, w, alpha, order);
  memory.remember(near);
  return near;
}

namespace {

template <int Lines>
void require_finite(const Point<Lines>& alpha, const char* who) {
  for (int k = 0; k < Lines; ++k)
    if (!std::isfinite(alpha[k]))
      throw std::invalid_argument(std::string("Statics::") + who + ": alpha " + to_text(k) + " = " + to_text(alpha[k]) +
                                  " is not finite");
}

template <int Lines>
StaticsFailure failure(const StaticsResult& result, const Point<Lines>& alpha) {
  return {result.status, "Statics: " + std::string(to_string(result.status)) + " at alpha = " + to_text(alpha) +
                             ", |dE/dx| / F0 = " + to_text(result.residual) + " after " + to_text(result.iterations) +
                             " Newton iterations"};
}

}  // namespace

template <int D>
Statics<D>::Statics(SoftArm<D> arm, StaticsOptions options) {
  const OptionsOf of{"Statics"};
  of.positive("tolerance", options.tolerance);
  of.positive("continuation_step", options.continuation_step);
  of.not_negative("taylor_step", options.taylor_step);
  of.one_or_more("iterations", options.iterations);
  of.not_negative("remembered", options.remembered);
  of.not_negative("remembered_jets", options.remembered_jets);
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
Fingerprint Statics<D>::fingerprint() const {
  const SoftArm<D>& arm = shared_->arm;
  const ArmMesh<D>& mesh = arm.mesh();
  const StaticsOptions& options = shared_->options;
  const Eigen::VectorXd& load = arm.options().dead_load;
  Fingerprint fingerprint("soft_arm::Statics<" + to_text(D) + ">");
  fingerprint.add_rounded("vertices", mesh.vertices)
      .add("elements", mesh.elements)
      .add("free", arm.free_dofs())
      .add("lines", mesh.lines)
      .add_rounded("young", mesh.young)
      .add_rounded("poisson", mesh.poisson)
      .add_rounded("thickness", D == 2 ? mesh.thickness : 1)
      .add_rounded("line_force", mesh.line_force)
      .add_rounded("weight", mesh.density * arm.options().gravity)
      .add_rounded("dead_load", load.size() == 0 ? Eigen::VectorXd::Zero(arm.size()) : load)
      .add("tolerance", options.tolerance)
      .add("continuation_step", options.continuation_step)
      .add("taylor_step", options.taylor_step)
      .add("iterations", options.iterations);
  return fingerprint;
}

template <int D>
StaticsResult Statics<D>::solve(const Controls& alpha, Eigen::VectorXd& y, Eigen::MatrixXd* J) const {
  require_finite<lines>(alpha, "solve");
  StaticsResult result;
  const auto workspace = shared_->workspace();
  if (const auto solution = shared_->equilibrium(*workspace, alpha, 1, result).equilibrium) {
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
    throw std::invalid_argument("Statics::solve_from: a start of " + to_text(start.size()) + " coordinates given, " +
                                to_text(shared_->arm.size()) + " needed");
  StaticsResult result;
  const auto workspace = shared_->workspace();
  SearchWorkspace& w = *workspace;
  w.x = start;
  for (int vertex : shared_->arm.mesh().clamped)
    w.x.template segment<D>(D * vertex) = shared_->arm.rest().template segment<D>(D * vertex);
  const typename Shared::Count count(*shared_, result, true);
  if (const auto solution = shared_->search.finish(w, alpha, Shared::Search::Start::free, result)) {
    y = solution->y;
    if (J) *J = solution->jacobian;
  }
  return result;
}

template <int D>
bool Statics<D>::correction(const Controls& alpha, const Eigen::VectorXd& guess, const ErrorNorm& norm,
                            Eigen::VectorXd& dy) const {
  require_finite<lines>(alpha, "correction");
  if (guess.size() != output_size())
    throw std::invalid_argument("Statics::correction: a guess of " + to_text(guess.size()) + " outputs given, " +
                                to_text(output_size()) + " needed");
  if (!guess.allFinite()) return false;
  const SoftArm<D>& arm = shared_->arm;
  const auto workspace = shared_->workspace();
  SearchWorkspace& w = *workspace;
  w.x = guess.head(arm.size());
  for (int vertex : arm.mesh().clamped)
    w.x.template segment<D>(D * vertex) = arm.rest().template segment<D>(D * vertex);
  StaticsResult unreported;
  if (!shared_->search.factorize(w, alpha, unreported)) return false;
  w.trial = w.x;  // the shape as it is corrected, always the guess and all steps
  const auto step_from = [&](const Eigen::VectorXd& total, Eigen::VectorXd& step) {
    arm.gradient(w.trial, alpha, w.step);
    w.step = -w.step;
    w.cholesky.solve(w.step);
    arm.add_free(1, w.step, w.trial);
    step.resize(guess.size());
    step << w.trial, arm.lengths(w.trial);
    step -= guess + total;
  };
  return newton_correction(step_from, guess, norm, dy);
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
void Statics<D>::evaluate_jet(int order, const Controls& alpha, Eigen::Ref<Eigen::MatrixXd> jet) const {
  require_finite<lines>(alpha, "evaluate_jet");
  if (order < 1 || order > 3)
    throw std::invalid_argument("Statics::evaluate_jet: order " + to_text(order) + " given, 1 to 3 needed");
  const int columns = jet_size(lines, order);
  if (jet.rows() != output_size() || jet.cols() != columns)
    throw std::invalid_argument("Statics::evaluate_jet: a jet of " + shape_text(jet) + " given, " +
                                to_text(output_size()) + " x " + to_text(columns) + " needed");
  StaticsResult result;
  const auto workspace = shared_->workspace();
  const auto found = shared_->equilibrium(*workspace, alpha, order, result);
  if (!found.equilibrium) throw failure<lines>(result, alpha);
  jet.col(0) = found.equilibrium->y;
  jet.middleCols(1, lines) = found.equilibrium->jacobian;
  if (order > 1) higher_derivatives<D>(shared_->arm, *found.taylor, jet.rightCols(columns - jet_size(lines, 1)));
}

template <int D>
long Statics<D>::solves() const {
  return shared_->work().solves;
}
template <int D>
long Statics<D>::newton_iterations() const {
  return shared_->work().newton_iterations;
}
template <int D>
double Statics<D>::seconds() const {
  return shared_->work().seconds;
}
template <int D>
void Statics<D>::forget() const {
  shared_->memory.forget();
}

template class Statics<2>;
template class Statics<3>;

}  // namespace quoin::soft_arm
