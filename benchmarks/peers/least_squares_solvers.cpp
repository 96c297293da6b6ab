// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/peers/least_squares.hpp"

#ifdef QUOIN_HAS_CERES
#include <ceres/ceres.h>
#endif
#ifdef QUOIN_HAS_GSL
#include <gsl/gsl_multifit_nlinear.h>
#include <memory>
#endif

#include <cmath>

namespace benchmarks {

using Eigen::Map;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

LeastSquaresSolution by_quoin(const LeastSquaresProblem& problem) {
  const optimization::LeastSquaresResult found = optimization::box_least_squares(
      problem.residual, problem.jacobian, problem.start, problem.lower, problem.upper,
      {.relative_tolerance = least_squares_tolerance, .check_curvature = false});  // as peers do
  return {found.x, found.cost, found.iterations, found.converged()};
}

#ifdef QUOIN_HAS_CERES
namespace {

class CeresResiduals : public ceres::CostFunction {
 public:
  explicit CeresResiduals(const LeastSquaresProblem& problem) : problem_(problem) {
    set_num_residuals(static_cast<int>(problem.rows));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(problem.start.size()));
  }
  bool Evaluate(const double* const* parameters, double* residuals, double** jacobians) const override {
    x_ = Map<const VectorXd>(parameters[0], problem_.start.size());
    const bool derivatives = jacobians != nullptr && jacobians[0] != nullptr;
    if (!(derivatives ? problem_.jacobian(x_, r_, J_) : problem_.residual(x_, r_))) return false;
    Map<VectorXd>(residuals, problem_.rows) = r_;
    if (derivatives) Map<RowMajor>(jacobians[0], problem_.rows, x_.size()) = J_;
    return true;
  }

 private:
  const LeastSquaresProblem& problem_;
  mutable VectorXd x_, r_;
  mutable MatrixXd J_;
};

}  // namespace

LeastSquaresSolution by_ceres(const LeastSquaresProblem& problem) {
  LeastSquaresSolution solution{.x = problem.start};
  ceres::Problem stated;
  stated.AddResidualBlock(new CeresResiduals(problem), nullptr, solution.x.data());
  for (int i = 0; i < solution.x.size(); ++i) {
    if (std::isfinite(problem.lower[i])) stated.SetParameterLowerBound(solution.x.data(), i, problem.lower[i]);
    if (std::isfinite(problem.upper[i])) stated.SetParameterUpperBound(solution.x.data(), i, problem.upper[i]);
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = 100;
  options.function_tolerance = least_squares_tolerance;
  options.gradient_tolerance = options.parameter_tolerance = 1e-12;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &stated, &summary);
  solution.cost = summary.final_cost;
  solution.iterations = static_cast<int>(summary.iterations.size()) - 1;  // the first is the start
  solution.converged = summary.termination_type == ceres::CONVERGENCE;
  return solution;
}
#endif

#ifdef QUOIN_HAS_GSL
namespace {

// What GSL's functions of C are handed.
struct GslProblem {
  const LeastSquaresProblem& problem;
  VectorXd x, r;
  MatrixXd J;
};

int gsl_residual(const gsl_vector* x, void* data, gsl_vector* r) {
  auto& of = *static_cast<GslProblem*>(data);
  of.x = Map<const VectorXd>(x->data, of.problem.start.size());
  if (!of.problem.residual(of.x, of.r)) return GSL_EDOM;
  Map<VectorXd>(r->data, of.problem.rows) = of.r;
  return GSL_SUCCESS;
}

int gsl_jacobian(const gsl_vector* x, void* data, gsl_matrix* J) {
  auto& of = *static_cast<GslProblem*>(data);
  of.x = Map<const VectorXd>(x->data, of.problem.start.size());
  if (!of.problem.jacobian(of.x, of.r, of.J)) return GSL_EDOM;
  Map<RowMajor>(J->data, of.problem.rows, of.x.size()) = of.J;
  return GSL_SUCCESS;
}

}  // namespace

LeastSquaresSolution by_gsl(const LeastSquaresProblem& problem) {
  GslProblem stated{.problem = problem, .x = {}, .r = {}, .J = {}};
  gsl_multifit_nlinear_fdf functions{};
  functions.f = gsl_residual;
  functions.df = gsl_jacobian;
  functions.n = static_cast<std::size_t>(problem.rows);
  functions.p = static_cast<std::size_t>(problem.start.size());
  functions.params = &stated;
  const gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
  const std::unique_ptr<gsl_multifit_nlinear_workspace, void (*)(gsl_multifit_nlinear_workspace*)> work(
      gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, functions.n, functions.p),
      gsl_multifit_nlinear_free);
  VectorXd start = problem.start;
  const gsl_vector_view from = gsl_vector_view_array(start.data(), functions.p);
  gsl_multifit_nlinear_init(&from.vector, &functions, work.get());
  int reason = 0;
  const int status = gsl_multifit_nlinear_driver(100, 1e-6, 1e-12, 0, nullptr, nullptr, &reason, work.get());
  LeastSquaresSolution solution;
  solution.x = Map<const VectorXd>(gsl_multifit_nlinear_position(work.get())->data, problem.start.size());
  solution.cost =
      0.5 * Map<const VectorXd>(gsl_multifit_nlinear_residual(work.get())->data, problem.rows).squaredNorm();
  solution.iterations = static_cast<int>(gsl_multifit_nlinear_niter(work.get()));
  solution.converged = status == GSL_SUCCESS;
  return solution;
}
#endif

}  // namespace benchmarks
