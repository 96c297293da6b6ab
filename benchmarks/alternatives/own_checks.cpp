// SPDX-License-Identifier: BSD-3-Clause
#include "benchmarks/alternatives/own_checks.hpp"

#include "benchmarks/alternatives/chebyshev_interpolant.hpp"
#include "benchmarks/alternatives/gradient_kriging.hpp"
#include "benchmarks/alternatives/gradient_polynomial.hpp"
#include "benchmarks/alternatives/leja_sparse_grid.hpp"
#include "benchmarks/alternatives/sampled_models.hpp"
#include "examples/studies/figures/json_results.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace benchmarks {

std::vector<Check> own_checks(const Workload& w, const std::vector<Curve>& curves,
                              const std::vector<std::string>& converging) {
  std::vector<Check> checks;
  double least_accurate = 0;
  std::string name;
  for (const Curve& curve : curves) {
    if (std::ranges::find(converging, curve.method) == converging.end()) continue;
    double best = std::numeric_limits<double>::infinity();
    for (const Member& member : curve.members)
      best = std::min(best, std::max(member.value_error, member.jacobian_error));
    if (best > least_accurate) {
      least_accurate = best;
      name = curve.method;
    }
  }
  checks.push_back({"every grid and method of a box converges to 1e-5 in value and Jacobian on " + w.name + ", d = " +
                        to_text(w.f.dim) + "; least: " + name + ", " + studies::figures::format_number(least_accurate),
                    least_accurate <= 1e-5});

  double off_samples = 0, off_derivative = 0;
  const auto derivative = [&](const Answering& answer) {
    Eigen::VectorXd y, above, below;
    Eigen::MatrixXd J, unused;
    const double h = 1e-5;
    for (Eigen::Index m = 0; m < std::min<Eigen::Index>(20, w.tests.cols()); ++m)
      for (int i = 0; i < w.f.dim; ++i) {
        Eigen::VectorXd x = w.tests.col(m);
        answer(x, y, J);
        x[i] += h;
        answer(x, above, unused);
        x[i] -= 2 * h;
        answer(x, below, unused);
        off_derivative = std::max(off_derivative, ((above - below) / (2 * h) - J.col(i)).norm() / (1 + J.norm()));
      }
  };
  const auto interpolates = [&](const Answering& answer, const Eigen::VectorXd& x) {
    Eigen::VectorXd y;
    Eigen::MatrixXd J, exact(w.f.outputs, 1);
    w.f.sample(x, 0, exact);
    answer(x, y, J);
    off_samples = std::max(off_samples, (y - exact).norm() / exact.norm());
  };
  const auto answering = [](const auto& map) {
    return [&map](const Eigen::VectorXd& x, Eigen::VectorXd& y, Eigen::MatrixXd& J) { map.evaluate(x, y, J); };
  };
  const ChebyshevInterpolant dense(w.f, w.box, 5);
  interpolates(answering(dense), w.box.lower);
  interpolates(answering(dense), 0.5 * (w.box.lower + w.box.upper));
  derivative(answering(dense));
  LejaSparseGrid sparse(w.f, w.box);
  sparse.refine(60);
  for (Eigen::Index m = 0; m < sparse.evaluations(); ++m) interpolates(answering(sparse), sparse.point(m));
  derivative(answering(sparse));
  for (const bool gradients : {false, true}) {
    GradientKriging model(w.f, halton_points(w.box, 100), 0.4, gradients);
    model.refine(12);
    model.tune();
    model.fit();
    for (Eigen::Index m = 0; m < model.samples(); ++m) interpolates(answering(model), model.points().col(m));
    derivative(answering(model));
  }
  const Eigen::MatrixXd samples = halton_points(w.box, 30);
  const NearestNeighbour nearest(w.f, samples);
  for (const auto sample : samples.colwise()) interpolates(answering(nearest), sample);
  derivative(answering(GradientPolynomial(w.f, w.box, 5)));
  checks.push_back({"the interpolants pass through their samples within 1e-6; furthest: " +
                        studies::figures::format_number(off_samples),
                    off_samples <= 1e-6});
  checks.push_back({"their Jacobians are the derivatives of their values within 1e-5; furthest: " +
                        studies::figures::format_number(off_derivative),
                    off_derivative <= 1e-5});
  return checks;
}

}  // namespace benchmarks
