// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/planning/collocation/collocation.hpp"

#include "quoin/core/options_of.hpp"

#include "program.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace quoin::planning {
namespace {

using optimization::NlpResult;
using optimization::NlpStop;

constexpr int most_saddles = 5;  // that one call leaves

/// Solves of one program within the limits of one.
class Solves {
 public:
  Solves(optimization::NonlinearProgram nlp, const optimization::IpoptOptions& options)
      : nlp_(std::move(nlp)), options_(options), begin_(std::chrono::steady_clock::now()) {}

  NlpResult run(const Eigen::VectorXd& start, const optimization::NlpMultipliers& multipliers) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    optimization::IpoptOptions options = options_;
    options.multipliers = multipliers;
    options.max_iterations -= std::min(iterations_, options.max_iterations);
    options.max_seconds = std::max(0., options.max_seconds - spent.count());
    nlp_.start = start.cwiseMax(nlp_.lower).cwiseMin(nlp_.upper);
    NlpResult solved = optimization::solve_with_ipopt(nlp_, options);
    iterations_ += solved.iterations;
    return solved;
  }

  enum class Left { yes, no, returned };

  /// Begins again on either side of a saddle, further off and closer. Yes: `solved` has become a lower end. Returned:
  /// all of these solves came back, as they do to a minimum.
  Left leave(const Eigen::VectorXd& direction, NlpResult& solved) {
    bool returned = true;
    for (const double length : {0.3, 0.03, 1.}) {  // in scaled variables
      for (const double way : {length, -length}) {
        NlpResult other = run(solved.z + way * direction, {});
        if (other.stop == NlpStop::stopped_by_observer || other.stop == NlpStop::time_limit ||
            other.stop == NlpStop::iteration_limit) {
          if (other.stop == NlpStop::stopped_by_observer) solved.stop = other.stop;
          return Left::no;
        }
        const double lower = solved.objective - 1e-6 * std::abs(solved.objective);
        if (other.stop == NlpStop::converged && other.objective < lower) {
          solved = std::move(other);
          return Left::yes;
        }
        const double distance = (other.z - solved.z).cwiseAbs().maxCoeff();  // the direction's is 1
        returned = returned && other.stop == NlpStop::converged && distance < 1e-3 * std::abs(way);
      }
    }
    return returned ? Left::returned : Left::no;
  }

  const optimization::NonlinearProgram& program() const { return nlp_; }
  int iterations() const { return iterations_; }

 private:
  optimization::NonlinearProgram nlp_;
  const optimization::IpoptOptions& options_;
  std::chrono::steady_clock::time_point begin_;
  int iterations_ = 0;
};

}  // namespace

CollocationPlan collocation(const CollocationProblem& problem, const CollocationPlan& guess,
                            const CollocationOptions& options) {
  OptionsOf{"collocation"}.not_negative("curvature_tolerance", options.curvature_tolerance);
  const auto program = std::make_shared<CollocationProgram>(problem, guess, options);
  Solves solves(CollocationProgram::program(program), options.ipopt);
  const Eigen::VectorXd start = solves.program().start;
  NlpResult solved = solves.run(start, program->start_multipliers());
  for (int saddle = 0; options.check_curvature && solved.stop == NlpStop::converged; ++saddle) {
    const optimization::NegativeCurvature bends =
        optimization::negative_curvature(solves.program(), solved, options.curvature_tolerance);
    if (!bends.computed) solved.stop = NlpStop::evaluation_failed;
    if (bends.direction.size() == 0) break;
    const Solves::Left left = saddle < most_saddles ? solves.leave(bends.direction, solved) : Solves::Left::no;
    if (left == Solves::Left::returned) break;
    if (left == Solves::Left::no && solved.stop == NlpStop::converged) solved.stop = NlpStop::saddle;
  }
  solved.iterations = solves.iterations();
  return program->plan(solved);
}

}  // namespace quoin::planning
