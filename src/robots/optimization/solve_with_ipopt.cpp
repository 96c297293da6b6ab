// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/optimization/nonlinear_program.hpp"

#include "quoin/util/to_text.hpp"

#include "quoin/util/options_of.hpp"

#include <IpIpoptApplication.hpp>
#include <IpIpoptCalculatedQuantities.hpp>
#include <IpIpoptData.hpp>
#include <IpOrigIpoptNLP.hpp>
#include <IpTNLP.hpp>
#include <IpTNLPAdapter.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>

namespace quoin::optimization {
namespace {

using Ipopt::Number;
using ConstMap = Eigen::Map<const Eigen::VectorXd>;
using Map = Eigen::Map<Eigen::VectorXd>;

/// The program as Ipopt calls it. Exceptions must not pass through Ipopt's code: they are kept and rethrown when
/// it has returned.
class Adapter : public Ipopt::TNLP {
 public:
  using Index = Ipopt::Index;

  Adapter(const NonlinearProgram& program, const IpoptOptions& options)
      : program_(program), options_(options), begin_(std::chrono::steady_clock::now()) {
    entries_.resize(std::max(program.jacobian.rows.size(), program.hessian.rows.size()));
  }

  NlpResult result;
  std::exception_ptr error;
  bool out_of_time = false;
  bool stopped = false;

  bool get_nlp_info(Index& n, Index& m, Index& jacobian_entries, Index& hessian_entries,
                    IndexStyleEnum& style) override {
    n = static_cast<Index>(program_.start.size());
    m = static_cast<Index>(program_.constraint_lower.size());
    jacobian_entries = static_cast<Index>(program_.jacobian.rows.size());
    hessian_entries = static_cast<Index>(program_.hessian.rows.size());
    style = C_STYLE;
    return true;
  }

  bool get_bounds_info(Index n, Number* lower, Number* upper, Index m, Number* c_lower, Number* c_upper) override {
    Map(lower, n) = program_.lower;
    Map(upper, n) = program_.upper;
    Map(c_lower, m) = program_.constraint_lower;
    Map(c_upper, m) = program_.constraint_upper;
    return true;
  }

  bool get_starting_point(Index n, bool init_x, Number* x, bool init_z, Number* z_lower, Number* z_upper, Index m,
                          bool init_lambda, Number* lambda) override {
    if (init_x) Map(x, n) = program_.start;
    if (init_z) {
      Map(z_lower, n) = options_.multipliers.lower;
      Map(z_upper, n) = options_.multipliers.upper;
    }
    if (init_lambda) Map(lambda, m) = options_.multipliers.constraints;
    return true;
  }

  bool eval_f(Index n, const Number* x, bool, Number& f) override {
    return guarded([&] { return program_.objective(at(x, n), f); });
  }

  bool eval_grad_f(Index n, const Number* x, bool, Number* gradient) override {
    return guarded([&] {
      gradient_.resize(n);
      if (!program_.objective_gradient(at(x, n), gradient_)) return false;
      Map(gradient, n) = gradient_;
      return true;
    });
  }

  bool eval_g(Index n, const Number* x, bool, Index m, Number* c) override {
    return guarded([&] {
      constraints_.resize(m);
      if (!program_.constraints(at(x, n), constraints_)) return false;
      Map(c, m) = constraints_;
      return true;
    });
  }

  bool eval_jac_g(Index n, const Number* x, bool, Index, Index count, Index* rows, Index* columns,
                  Number* values) override {
    if (values == nullptr) return give(program_.jacobian, rows, columns);
    return guarded([&] {
      entries_.resize(count);
      if (!program_.constraint_jacobian(at(x, n), entries_)) return false;
      Map(values, count) = entries_;
      return true;
    });
  }

  bool eval_h(Index n, const Number* x, bool, Number weight, Index m, const Number* lambda, bool, Index count,
              Index* rows, Index* columns, Number* values) override {
    if (values == nullptr) return give(program_.hessian, rows, columns);
    return guarded([&] {
      entries_.resize(count);
      multipliers_ = ConstMap(lambda, m);
      if (!program_.lagrangian_hessian(at(x, n), weight, multipliers_, entries_)) return false;
      Map(values, count) = entries_;
      return true;
    });
  }

  bool intermediate_callback(Ipopt::AlgorithmMode mode, Index iteration, Number objective, Number primal, Number dual,
                             Number barrier, Number, Number regularization, Number, Number step, Index,
                             const Ipopt::IpoptData* data, Ipopt::IpoptCalculatedQuantities* quantities) override {
    result.iterations = iteration;
    result.in_restoration = mode == Ipopt::RestorationPhaseMode;
    if (error || overdue()) return false;
    if (!options_.observer) return true;
    const NlpIteration seen{.iteration = iteration,
                            .objective = objective,
                            .primal_infeasibility = primal,
                            .dual_infeasibility = dual,
                            .barrier = barrier,
                            .step = step,
                            .regularization = regularization,
                            .restoration = mode == Ipopt::RestorationPhaseMode};
    iterate_.resize(0);
    if (!seen.restoration) {
      // The documented access to the iterate is through the adapter that Ipopt wraps around this program.
      auto* original = dynamic_cast<Ipopt::OrigIpoptNLP*>(GetRawPtr(quantities->GetIpoptNLP()));
      auto* adapter = original ? dynamic_cast<Ipopt::TNLPAdapter*>(GetRawPtr(original->nlp())) : nullptr;
      if (adapter) {
        iterate_.resize(program_.start.size());
        adapter->ResortX(*data->curr()->x(), iterate_.data());
      }
    }
    return guarded([&] {
      stopped = !options_.observer(seen, iterate_);
      return !stopped;
    });
  }

  void finalize_solution(Ipopt::SolverReturn, Index n, const Number* x, const Number* z_lower, const Number* z_upper,
                         Index m, const Number*, const Number* lambda, Number objective, const Ipopt::IpoptData*,
                         Ipopt::IpoptCalculatedQuantities*) override {
    result.z = ConstMap(x, n).cwiseMax(program_.lower).cwiseMin(program_.upper);
    result.objective = objective;
    result.multipliers = {ConstMap(lambda, m), ConstMap(z_lower, n), ConstMap(z_upper, n)};
  }

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  bool overdue() {
    out_of_time = out_of_time || seconds() > options_.max_seconds;
    return out_of_time;
  }

  static bool give(const SparsityPattern& pattern, Index* rows, Index* columns) {
    std::copy(pattern.rows.begin(), pattern.rows.end(), rows);
    std::copy(pattern.columns.begin(), pattern.columns.end(), columns);
    return true;
  }

  const Eigen::VectorXd& at(const Number* x, Index n) {
    z_ = ConstMap(x, n);
    return z_;
  }

  template <class Function>
  bool guarded(const Function& function) {
    // Once there is a reason to end, all evaluations fail: the shortest way out of line searches and restorations.
    if (error || overdue()) return false;
    try {
      return function();
    } catch (...) {
      error = std::current_exception();
      return false;
    }
  }

  const NonlinearProgram& program_;
  const IpoptOptions& options_;
  std::chrono::steady_clock::time_point begin_;
  Eigen::VectorXd z_, gradient_, constraints_, entries_, multipliers_, iterate_;
};

Stop stop_of(Ipopt::ApplicationReturnStatus status) {
  switch (status) {
    case Ipopt::Solve_Succeeded:
    case Ipopt::Feasible_Point_Found: return Stop::converged;
    case Ipopt::Solved_To_Acceptable_Level: return Stop::acceptable;
    case Ipopt::Infeasible_Problem_Detected: return Stop::infeasible;
    case Ipopt::Maximum_Iterations_Exceeded: return Stop::iteration_limit;
    case Ipopt::Maximum_CpuTime_Exceeded: return Stop::time_limit;
    case Ipopt::User_Requested_Stop: return Stop::stopped_by_observer;
    case Ipopt::Invalid_Number_Detected: return Stop::evaluation_failed;
    case Ipopt::Search_Direction_Becomes_Too_Small:
    case Ipopt::Diverging_Iterates:
    case Ipopt::Restoration_Failed:
    case Ipopt::Error_In_Step_Computation: return Stop::stalled;
    default: return Stop::solver_error;
  }
}

void check(const NonlinearProgram& program, const IpoptOptions& options) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("solve_with_ipopt: " + what); };
  const auto size = program.start.size();
  if (program.lower.size() != size || program.upper.size() != size) {
    refuse("start has " + to_text(size) + " entries, the bounds have " + to_text(program.lower.size()) + " and " +
           to_text(program.upper.size()));
  }
  if (program.constraint_lower.size() != program.constraint_upper.size()) {
    refuse("constraint bounds have " + to_text(program.constraint_lower.size()) + " and " +
           to_text(program.constraint_upper.size()) + " entries");
  }
  const OptionsOf of{"solve_with_ipopt"};
  of.positive("tolerance", options.tolerance);
  of.positive("constraint_tolerance", options.constraint_tolerance);
  of.not_negative("max_iterations", options.max_iterations);
  of.not_negative("max_seconds", options.max_seconds);
  const NlpMultipliers& warm = options.multipliers;
  if (warm.constraints.size() > 0 && (warm.constraints.size() != program.constraint_lower.size() ||
                                      warm.lower.size() != size || warm.upper.size() != size)) {
    refuse("multipliers have " + to_text(warm.constraints.size()) + ", " + to_text(warm.lower.size()) + " and " +
           to_text(warm.upper.size()) + " entries, must have " + to_text(program.constraint_lower.size()) + ", " +
           to_text(size) + " and " + to_text(size));
  }
}

}  // namespace

NlpResult solve_with_ipopt(const NonlinearProgram& program, const IpoptOptions& options) {
  check(program, options);
  Ipopt::SmartPtr<Ipopt::IpoptApplication> ipopt = new Ipopt::IpoptApplication(false);
  const auto set = ipopt->Options();
  set->SetIntegerValue("print_level", 0);
  set->SetStringValue("sb", "yes");
  set->SetNumericValue("tol", options.tolerance);
  set->SetNumericValue("constr_viol_tol", options.constraint_tolerance);
  set->SetIntegerValue("max_iter", options.max_iterations);
  // A tolerance below Ipopt's acceptable level, 1e-6, is met by iterates that stay there and still get closer: only a
  // search that fails ends at that level.
  set->SetIntegerValue("acceptable_iter", 0);
  if (options.limited_memory) set->SetStringValue("hessian_approximation", "limited-memory");
  // Functions may not be computable beyond the bounds: never relax these.
  set->SetNumericValue("bound_relax_factor", 0.0);
  if (options.multipliers.constraints.size() > 0) {
    set->SetStringValue("warm_start_init_point", "yes");
    set->SetNumericValue("mu_init", 1e-5);
    for (const char* push : {"warm_start_bound_push", "warm_start_bound_frac", "warm_start_slack_bound_push",
                             "warm_start_slack_bound_frac", "warm_start_mult_bound_push"}) {
      set->SetNumericValue(push, 1e-8);
    }
  }

  Ipopt::SmartPtr<Adapter> adapter = new Adapter(program, options);
  adapter->result.z = program.start;
  Ipopt::ApplicationReturnStatus status = ipopt->Initialize("");
  if (status == Ipopt::Solve_Succeeded) {
    status = ipopt->OptimizeTNLP(Ipopt::SmartPtr<Ipopt::TNLP>(GetRawPtr(adapter)));
  }
  if (adapter->error) std::rethrow_exception(adapter->error);
  NlpResult& result = adapter->result;
  result.seconds = adapter->seconds();
  result.stop = adapter->stopped       ? Stop::stopped_by_observer
                : adapter->out_of_time ? Stop::time_limit
                                       : stop_of(status);
  return std::move(result);
}

}  // namespace quoin::optimization
