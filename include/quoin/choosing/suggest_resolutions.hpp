// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/multi_index.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/weighted_norm.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace quoin {

/// A jet order and the spacing of level 0 at which it is expected to meet a tolerance.
template <int Dim>
struct Resolution {
  int order = 1;               ///< K
  Point<Dim> spacing;          ///< edges of the cells
  double relative_cost = 1;    ///< of all evaluations together, relative to the cheapest order's
  double predicted_error = 0;  ///< of the value: the tolerance, or less where the spacing is limited
};

/// Where a run will query the grid, which decides how the number of cells grows as they get smaller.
enum class Coverage {
  path,  ///< along curves much longer than the cells: as 1/h
  box    ///< everywhere in a box: as 1/h^Dim
};

/// What is known of f's cost and of where a run goes.
struct ResolutionOptions {
  /// N weights of the norm in which the tolerance is given; empty: 1/sqrt(N), the root mean square.
  Eigen::VectorXd output_weights = {};
  /// Costs of a jet of order 1, 2, ..., relative to each other; one to three of them. The default is that of the soft
  /// arm's solver, rounded up.
  std::vector<double> costs = {1, 1.1, 1.5};
  Coverage coverage = Coverage::path;  ///< where the run will query
  /// Dim lengths that give the proportions of the edges; empty: such that h_i^2 |d_i^2 f| is the same along all axes,
  /// none more than 10 times the shortest.
  Eigen::VectorXd proportions = {};
};

/// Chooses the jet order K and the spacing before a run, from jets of order 3 at a few points of the region that the
/// run will visit; the cheapest first.
///
///   Eigen::MatrixXd jet(statics.output_size(), jet_size(4, 3));
///   statics.evaluate_jet(3, alpha, jet);
///   const auto best = suggest_resolutions<4>({jet}, 2e-6).front();
///   options.spacing = best.spacing;                                // of a grid over jets of order best.order
///
/// The error of I_K is largest at a cell's centre, and there to leading order the mean over the cell's corners of the
/// term of degree 2K + 2 of f's Taylor series about the centre (docs/notes/grid.md, the leading remainder: the mean
/// leaves the even orders). Terms of degree 2 and 3 are known, t_2 and t_3; further ones are extrapolated as those of a
/// function whose derivatives grow geometrically, t_{k+1} / t_k = q / (k + 1). q is the middle one of 3 t_3 / t_2,
/// sqrt(6 t_3 / t_1), and the latter with t_1 less its mean over the points. So
///
///     error_K(h) = t_3 q^(2K - 1) 3!/(2K + 2)!,     h_K = h (tolerance / error_K(h))^(1/(2K + 2)),
///
/// with h_K limited to q <= 3, beyond which the known terms themselves grow. This is an estimate, not a bound: it
/// knows f only at the given points. Spacings suggested from four points, over those that meet the tolerance, were 0.72
/// to 1.11 for six waves; for a single output 0.70 to 1.15 if it is one wave, 0.62 to 1.69 if a sum of waves, 0.54 to
/// 2.9 if a linear trend hides its waves (docs/notes/choosing.md has the draws and seeds). Do not rely on a single
/// point: from one they were 0.12 to 51 for single outputs. Where f has poles close by and the jets are from elsewhere,
/// spacings are several times too long: give jets from where f is hardest.
///
/// jets: one or more, each N x C(Dim + 3, 3), plain derivatives in graded lexicographic order. tolerance: absolute.
/// Throws std::invalid_argument, also if all second or all third derivatives are zero: then they show no scale. Costs
/// 2^(Dim-1) sweeps over each jet.
template <int Dim>
std::vector<Resolution<Dim>> suggest_resolutions(const std::vector<Eigen::MatrixXd>& jets, double tolerance,
                                                 const ResolutionOptions& options = {});

namespace choosing_detail {

inline constexpr double longest_jet_edge = 10;   // relative to the shortest
inline constexpr double largest_jet_growth = 3;  // q

[[noreturn]] inline void refuse_resolution(const std::string& why) {
  throw std::invalid_argument("suggest_resolutions: " + why);
}

template <int Dim>
void check_resolution_input(const std::vector<Eigen::MatrixXd>& jets, double tolerance,
                            const ResolutionOptions& options) {
  if (!(tolerance > 0) || !std::isfinite(tolerance))
    refuse_resolution("tolerance " + to_text(tolerance) + " is not positive and finite");
  if (jets.empty()) refuse_resolution("0 jets");
  for (std::size_t p = 0; p < jets.size(); ++p) {
    const Eigen::MatrixXd& jet = jets[p];
    if (jet.rows() < 1 || jet.rows() != jets[0].rows() || jet.cols() != jet_size(Dim, 3))
      refuse_resolution("jet " + to_text(p) + " is " + shape_text(jet) + ", of order 3 it is " +
                        to_text(jets[0].rows()) + " x " + to_text(jet_size(Dim, 3)));
    if (!jet.allFinite()) refuse_resolution("jet " + to_text(p) + " is not finite");
  }
  if (options.costs.empty() || options.costs.size() > 3)
    refuse_resolution(to_text(options.costs.size()) + " costs, for orders 1 to 3 there are one to three");
  for (const double cost : options.costs)
    if (!(cost > 0) || !std::isfinite(cost)) refuse_resolution("cost " + to_text(cost) + " is not positive and finite");
  if (options.proportions.size() != 0 && options.proportions.size() != Dim)
    refuse_resolution(to_text(options.proportions.size()) + " proportions for " + to_text(Dim) + " axes");
  for (const double edge : options.proportions)
    if (!(edge > 0) || !std::isfinite(edge))
      refuse_resolution("proportion " + to_text(edge) + " is not positive and finite");
}

/// Edges with the mean |d_i^2 f| h_i^2 the same along all axes; the shortest is 1.
template <int Dim>
Point<Dim> even_proportions(const std::vector<Eigen::MatrixXd>& jets, const WeightedNorm& norm) {
  static const auto indices = graded_multi_indices<Dim>(3);
  Point<Dim> bend = Point<Dim>::Zero();
  for (std::size_t a = 0; a < indices.size(); ++a)
    for (unsigned i = 0; i < Dim; ++i) {
      MultiIndex<Dim> pure{};
      pure[i] = 2;
      if (indices[a] != pure) continue;
      for (const Eigen::MatrixXd& jet : jets)
        bend[i] = std::hypot(bend[i], norm(jet.col(static_cast<Eigen::Index>(a))));
    }
  if (!(bend.maxCoeff() > 0)) return Point<Dim>::Ones();
  return (bend.maxCoeff() / bend.array()).sqrt().min(longest_jet_edge).matrix();
}

/// Degrees 1 to 3 of the Taylor series of one jet, at a corner of the cell with these edges about the point.
template <int Dim>
struct JetTerms {
  Eigen::VectorXd first;
  double second, third;  // norms

  JetTerms(const Eigen::MatrixXd& jet, const Point<Dim>& to_corner, const WeightedNorm& norm) {
    static const auto indices = graded_multi_indices<Dim>(3);
    Eigen::VectorXd sums[3];
    for (Eigen::VectorXd& sum : sums) sum.setZero(jet.rows());
    for (std::size_t a = 1; a < indices.size(); ++a) {
      double monomial = 1;
      int degree = 0;
      for (unsigned i = 0; i < Dim; ++i) {
        degree += indices[a][i];
        for (int n = 1; n <= indices[a][i]; ++n) monomial *= to_corner[i] / n;
      }
      sums[degree - 1] += monomial * jet.col(static_cast<Eigen::Index>(a));
    }
    first = sums[0];
    second = norm(sums[1]);
    third = norm(sums[2]);
  }
};

/// The growth q of derivatives, one over all directions and points. A wave may have the phase at all points at which
/// t_2 or t_3 nearly vanishes, so that 3 t_3 / t_2 alone is far off; t_1 has the phase of t_3, but a linear trend adds
/// to it, which its deviation from the mean over the points is free of. That deviation is small where points lie close
/// together. So the middle one of three estimates counts, within a factor of 4 of the first.
template <int Dim>
double jet_growth(const std::vector<std::vector<JetTerms<Dim>>>& terms, const WeightedNorm& norm) {
  double first = 0, spread = 0, second = 0, third = 0;
  const auto count = static_cast<double>(terms[0].size());
  for (const auto& at_corner : terms) {
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(at_corner[0].first.size());
    for (const JetTerms<Dim>& term : at_corner) mean += term.first / count;
    for (const JetTerms<Dim>& term : at_corner) {
      first = std::hypot(first, norm(term.first));
      spread = std::hypot(spread, norm(term.first - mean));
      second = std::hypot(second, term.second);
      third = std::hypot(third, term.third);
    }
  }
  if (!(second > 0) || !(third > 0))
    refuse_resolution("all derivatives of order " + std::string(second > 0 ? "3" : "2") + " are zero at the " +
                      to_text(terms[0].size()) + " points: give jets at others");
  spread = count > 1 ? spread * std::sqrt(count / (count - 1)) : 0;
  const double growth = 3 * third / second;
  double estimates[] = {growth, std::sqrt(6 * third / first), std::sqrt(6 * third / spread)};
  std::sort(std::begin(estimates), std::end(estimates));
  return std::clamp(estimates[1], growth / 4, growth * 4);
}

}  // namespace choosing_detail

template <int Dim>
std::vector<Resolution<Dim>> suggest_resolutions(const std::vector<Eigen::MatrixXd>& jets, double tolerance,
                                                 const ResolutionOptions& options) {
  choosing_detail::check_resolution_input<Dim>(jets, tolerance, options);
  const WeightedNorm norm(jets[0].rows(), options.output_weights, "suggest_resolutions");
  const Point<Dim> edges = options.proportions.size() == 0 ? choosing_detail::even_proportions<Dim>(jets, norm)
                                                           : Point<Dim>(options.proportions);

  // Opposite corners have the same norms: half of them suffice.
  constexpr int directions = 1 << (Dim - 1);
  std::vector<std::vector<choosing_detail::JetTerms<Dim>>> terms(directions);
  for (unsigned s = 0; s < directions; ++s) {
    Point<Dim> to_corner = edges / 2;
    for (int i = 0; i < Dim; ++i)
      if (s >> i & 1) to_corner[i] = -to_corner[i];
    for (const Eigen::MatrixXd& jet : jets) terms[s].emplace_back(jet, to_corner, norm);
  }
  const double growth = choosing_detail::jet_growth<Dim>(terms, norm);
  double amplitude = 0;  // t_3 / growth^3, at the worst point
  for (const auto& at_corner : terms) {
    double largest = 0;
    for (const auto& term : at_corner) largest = std::max({largest, term.third, term.second * growth / 3});
    amplitude += largest / directions / (growth * growth * growth);
  }

  std::vector<Resolution<Dim>> resolutions;
  double cheapest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < options.costs.size(); ++k) {
    const int order = 1 + static_cast<int>(k);
    const int degree = 2 * order + 2;
    const double unit_error = amplitude * 6 / std::tgamma(degree + 1);  // where q = 1
    const double q = std::min(choosing_detail::largest_jet_growth, std::pow(tolerance / unit_error, 1.0 / degree));
    const double evaluations = std::pow(q, options.coverage == Coverage::path ? -1 : -Dim);
    resolutions.push_back({.order = order,
                           .spacing = edges * (q / growth),
                           .relative_cost = options.costs[k] * evaluations,
                           .predicted_error = unit_error * std::pow(q, degree)});
    cheapest = std::min(cheapest, resolutions.back().relative_cost);
  }
  for (Resolution<Dim>& resolution : resolutions) resolution.relative_cost /= cheapest;
  // Not stable_sort: its buffer is not aligned as a Point may have to be.
  std::sort(resolutions.begin(), resolutions.end(), [](const auto& a, const auto& b) {
    return std::tie(a.relative_cost, a.order) < std::tie(b.relative_cost, b.order);
  });
  return resolutions;
}

}  // namespace quoin
