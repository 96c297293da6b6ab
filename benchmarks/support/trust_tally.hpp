// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "benchmarks/support/drawn_functions.hpp"
#include "benchmarks/support/library.hpp"
#include "quoin/map/answer.hpp"
#include "quoin/map/exact_function.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace benchmarks {

/// What answers said of themselves against what they were.
struct TrustTally {
  std::int64_t answers = 0;
  std::int64_t over_tolerance = 0;
  std::int64_t estimates = 0;  ///< answers with the word `estimated`
  std::int64_t over_estimate = 0, jacobian_over_estimate = 0;
  double worst_over_tolerance = 0;  ///< largest error / tolerance
  double worst_over_estimate = 0, worst_jacobian_over_estimate = 0;
  std::int64_t evaluations = 0;
  std::int64_t discontinuous = 0;             ///< answers with that word
  std::int64_t over_tolerance_estimated = 0;  ///< answers with the word `estimated` that are over the tolerance

  /// Takes in one answer with the true errors of its value and of its Jacobian's largest column.
  void add(const Answer& answer, double error, double jacobian_error, double tolerance) {
    ++answers;
    over_tolerance += error > tolerance;
    worst_over_tolerance = std::max(worst_over_tolerance, error / tolerance);
    discontinuous += answer.trust == Trust::discontinuous;
    if (answer.trust != Trust::estimated) return;
    ++estimates;
    over_tolerance_estimated += error > tolerance;
    if (error > answer.error) {
      ++over_estimate;
      worst_over_estimate = std::max(worst_over_estimate, error / answer.error);
    }
    if (jacobian_error > answer.jacobian_error) {
      ++jacobian_over_estimate;
      worst_jacobian_over_estimate = std::max(worst_jacobian_over_estimate, jacobian_error / answer.jacobian_error);
    }
  }

  TrustTally& operator+=(const TrustTally& other) {
    answers += other.answers;
    over_tolerance += other.over_tolerance;
    estimates += other.estimates;
    over_estimate += other.over_estimate;
    jacobian_over_estimate += other.jacobian_over_estimate;
    worst_over_tolerance = std::max(worst_over_tolerance, other.worst_over_tolerance);
    worst_over_estimate = std::max(worst_over_estimate, other.worst_over_estimate);
    worst_jacobian_over_estimate = std::max(worst_jacobian_over_estimate, other.worst_jacobian_over_estimate);
    evaluations += other.evaluations;
    discontinuous += other.discontinuous;
    over_tolerance_estimated += other.over_tolerance_estimated;
    return *this;
  }

  static double percent(std::int64_t part, std::int64_t of) {
    return of == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(of);
  }
};

/// What is drawn: functions of these families, with lengths from narrowest to widest, of so many outputs.
struct Families {
  std::vector<std::string> names;
  double narrowest, widest;
  int outputs;
};

/// For every seed and family: three random closed curves with a random tolerance each, from 1e-6 to 0.1. make(f,
/// tolerance) returns a map of f, which gives jets of order K; its answers along the curve are compared with f. Errors
/// are root mean squares over the outputs, the default norm of grids.
template <int Dim, int K, class Make>
TrustTally tally_along_curves(const Families& families, std::uint64_t first_seed, int seeds, int points, Make&& make) {
  TrustTally tally;
  const DrawnFunctions<Dim> drawn(families.narrowest, families.widest);
  const auto rms = [](const Eigen::VectorXd& v) { return v.norm() / std::sqrt(static_cast<double>(v.size())); };
  Eigen::VectorXd y;
  Eigen::MatrixXd J, exact(families.outputs, 1 + Dim);
  for (int seed = 0; seed < seeds; ++seed)
    for (std::size_t family = 0; family < families.names.size(); ++family) {
      Draw random(first_seed + static_cast<std::uint64_t>(seed), family, Dim);
      const auto functions = drawn.draw(families.names[family], families.outputs, random);
      for (int curve = 0; curve < 3; ++curve) {
        const auto along = random.closed_curve<Dim>(points);
        const double tolerance = random.log_uniform(1e-6, 0.1);
        const auto map = make(exact_jet<Dim, K>(families.outputs,
                                                [&](const Point<Dim>& x, Eigen::Ref<Eigen::MatrixXd> jet) {
                                                  ++tally.evaluations;
                                                  fill_jets<Dim>(functions, x, K, jet);
                                                }),
                              tolerance);
        for (const Point<Dim>& x : along) {
          const Answer answer = map.evaluate(x, y, J);
          fill_jets<Dim>(functions, x, 1, exact);
          double jacobian_error = 0;
          for (int j = 0; j < Dim; ++j) jacobian_error = std::max(jacobian_error, rms(J.col(j) - exact.col(1 + j)));
          tally.add(answer, rms(y - exact.col(0)), jacobian_error, tolerance);
        }
      }
    }
  return tally;
}

}  // namespace benchmarks
