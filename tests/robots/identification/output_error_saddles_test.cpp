// SPDX-License-Identifier: BSD-3-Clause
// Fits that begin where a model's parts cannot be told apart.
#include "quoin/robots/identification/output_error.hpp"
#include "testing/drawn.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace quoin::identification;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST_CASE("of drawn fits that begin where two parts are alike none that converged is a saddle, in any units",
          "[output_error]") {
  const unsigned first = quoin::test::seed_wanted();
  const int draws = quoin::test::draws_wanted(100);
  int converged = 0, alike = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(draws); ++seed) {
    std::mt19937 generator(seed * 7919 + 13);
    const auto between = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator); };
    // Two decays, apart, of which one coordinate is seen.
    const VectorXd unit = VectorXd::NullaryExpr(4, [&] { return std::pow(10, between(-6, 6)); });
    const VectorXd truth{{between(0.5, 2), between(0.2, 0.6), between(0.5, 2), between(1, 4)}};
    const OutputPrediction decays = [unit](const VectorXd& p, MatrixXd& Y, MatrixXd* J) {
      const VectorXd z = p.cwiseQuotient(unit);
      Y.resize(1, 30);
      if (J != nullptr) J->resize(30, 4);
      for (Eigen::Index i = 0; i < 30; ++i) {
        const double t = 0.15 * static_cast<double>(i), a = std::exp(-z[1] * t), b = std::exp(-z[3] * t);
        Y(0, i) = z[0] * a + z[2] * b;
        if (J != nullptr) J->row(i) << a / unit[0], -z[0] * t * a / unit[1], b / unit[2], -z[2] * t * b / unit[3];
      }
      return true;
    };
    MatrixXd measured;
    REQUIRE(decays(truth.cwiseProduct(unit), measured, nullptr));
    for (double& value : measured.reshaped()) value += between(-1e-3, 1e-3);
    const double amount = between(0.5, 1.5), rate = between(0.5, 2);
    std::vector<OutputErrorParameter> parameters;
    for (int j = 0; j < 4; ++j)
      parameters.push_back({.name = "p" + std::to_string(j),
                            .initial = (j % 2 ? rate : amount) * unit[j],
                            .lower = -std::numeric_limits<double>::infinity(),
                            .upper = std::numeric_limits<double>::infinity(),
                            .scale = unit[j]});
    OutputErrorOptions options{.criterion = OutputErrorCriterion::least_squares};
    options.block_size = 1;
    options.max_iterations = 500;
    const auto fit = fit_output_error(parameters, decays, measured, options);
    if (!fit.converged()) continue;
    ++converged;
    alike += std::abs(fit.p[1] / unit[1] - fit.p[3] / unit[3]) < 1e-3;  // while the truth's rates are 0.4 apart or more
  }
  INFO(converged << " of " << draws << " converged, " << alike << " where both parts are alike");
  CHECK(alike == 0);
  CHECK(converged >= 0.9 * draws);
}
