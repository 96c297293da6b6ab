// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/optimization/nonlinear_program.hpp"
#include "quoin/util/options_of.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace quoin::optimization {
namespace {

constexpr int most_saddles = 5;  // that one call leaves

/// How far z is from zero along a direction, as a multiple of it, or 1.
double size_along(const Eigen::VectorXd& direction, const Eigen::VectorXd& z) {
  return std::max(1., z.cwiseProduct(direction).lpNorm<1>() / direction.squaredNorm());
}

/// Solves of one program within the limits of one.
class Solves {
 public:
  Solves(const NonlinearProgram& program, const IpoptOptions& options, int iterations, double seconds)
      : program_(program), options_(options), iterations_(iterations), seconds_(seconds) {}

  enum class Left { yes, no, returned };

  /// Begins again on either side of a saddle, further off and closer. Yes: `solved` has become the lower of two ends.
  /// Returned: all of these solves came back, as they do to a minimum.
  Left leave(const NegativeCurvature& bends, NlpResult& solved) {
    bool returned = true;
    double whole = std::sqrt(2 * std::abs(solved.objective) / -bends.curvature);  // promises all of the objective
    const double size = size_along(bends.direction, solved.z);
    if (whole < 1e-3 * size) whole = size;  // as where that is zero
    for (const double promised : {0.1, 0.001, 1.}) {
      const double length = std::sqrt(promised) * whole;
      NlpResult lowest;
      lowest.objective = solved.objective - 1e-6 * std::abs(solved.objective);
      for (const double way : {length, -length}) {
        NlpResult other = run(solved.z + way * bends.direction);
        if (other.stop == Stop::stopped_by_observer) solved.stop = other.stop;
        if (other.stop == Stop::stopped_by_observer || is_limit(other.stop)) return Left::no;
        const double distance = (other.z - solved.z).cwiseAbs().maxCoeff();  // the direction's is 1
        returned = returned && other.stop == Stop::converged && distance < 1e-3 * length;
        if (other.stop == Stop::converged && other.objective < lowest.objective) lowest = std::move(other);
      }
      if (lowest.stop != Stop::converged) continue;
      solved = std::move(lowest);
      return Left::yes;
    }
    return returned ? Left::returned : Left::no;
  }

  int iterations() const { return iterations_; }
  double seconds() const { return seconds_; }

 private:
  static bool is_limit(Stop stop) { return stop == Stop::time_limit || stop == Stop::iteration_limit; }

  NlpResult run(const Eigen::VectorXd& start) {
    IpoptOptions options = options_;
    options.multipliers = {};
    options.max_iterations -= std::min(iterations_, options.max_iterations);
    options.max_seconds = std::max(0., options.max_seconds - seconds_);
    program_.start = start.cwiseMax(program_.lower).cwiseMin(program_.upper);
    NlpResult solved = solve_with_ipopt(program_, options);
    iterations_ += solved.iterations;
    seconds_ += solved.seconds;
    return solved;
  }

  NonlinearProgram program_;
  const IpoptOptions& options_;
  int iterations_;
  double seconds_;
};

}  // namespace

NlpResult leave_saddles(const NonlinearProgram& program, NlpResult solved, const IpoptOptions& options,
                        double curvature_tolerance) {
  OptionsOf{"leave_saddles"}.not_negative("curvature_tolerance", curvature_tolerance);
  Solves solves(program, options, solved.iterations, solved.seconds);
  for (int saddle = 0; solved.stop == Stop::converged; ++saddle) {
    const NegativeCurvature bends = negative_curvature(program, solved, curvature_tolerance);
    if (!bends.computed) solved.stop = Stop::evaluation_failed;
    if (bends.direction.size() == 0) break;
    // At a cost of zero the Hessian is one of rounding, if the slope stays within the tolerance all along.
    if (std::max(std::abs(solved.objective), -bends.curvature * size_along(bends.direction, solved.z)) <=
        options.tolerance)
      break;
    const Solves::Left left = saddle < most_saddles ? solves.leave(bends, solved) : Solves::Left::no;
    if (left == Solves::Left::returned) break;
    if (left == Solves::Left::no && solved.stop == Stop::converged) solved.stop = Stop::saddle;
  }
  solved.iterations = solves.iterations();
  solved.seconds = solves.seconds();
  return solved;
}

}  // namespace quoin::optimization
