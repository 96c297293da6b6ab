// SPDX-License-Identifier: BSD-3-Clause
// How a Surrogate comes to be, step by step.
#pragma once

#include "quoin/choosing/detail/spread_points.hpp"
#include "quoin/choosing/surrogate_report.hpp"
#include "quoin/grid/adaptive_grid.hpp"
#include "quoin/kernel/detail/sigma_forecast.hpp"
#include "quoin/kernel/kernel_interpolant.hpp"
#include "quoin/map/point.hpp"
#include "quoin/map/samples.hpp"
#include "quoin/map/weighted_norm.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace quoin::choosing_detail {

/// Of a surrogate's grid, along each axis, from which a tolerance starts: what lies between the corners of one cell
/// that holds all is not seen.
constexpr int first_cells(int dim) { return dim <= 2 ? 8 : dim == 3 ? 4 : 2; }

/// Throws std::invalid_argument, with the numbers, for a box that is none and for options that mean nothing.
template <int Dim>
void check_surrogate(const Point<Dim>& lower, const Point<Dim>& upper, const SurrogateOptions& options) {
  const auto refuse = [](const std::string& why) {
    throw std::invalid_argument("Surrogate<" + to_text(Dim) + ">: " + why);
  };
  for (int i = 0; i < Dim; ++i)
    if (!(lower[i] < upper[i]) || !std::isfinite(lower[i]) || !std::isfinite(upper[i]))
      refuse("lower[" + to_text(i) + "] = " + to_text(lower[i]) + " is not below upper[" + to_text(i) +
             "] = " + to_text(upper[i]) + ", or one is not finite");
  if (!(options.error > 0) || !std::isfinite(options.error))
    refuse("error = " + to_text(options.error) + " is not positive and finite");
  if (options.most_samples < 8 || options.held_out < 1)
    refuse("most_samples = " + to_text(options.most_samples) + " and held_out = " + to_text(options.held_out) +
           ": expected at least 8 and 1");
}

/// Takes samples of a grid's function in the grid's box where least is known, until a kernel of them predicted the next
/// ones to the error; then says what the kernel errs at points that chance chose. Where that does not come about, the
/// grid answers.
template <int Dim>
class SurrogateMaking {
 public:
  /// grid: lives as long. itself: f may answer, where it is fast. Throws std::invalid_argument with the numbers.
  SurrogateMaking(const AdaptiveGrid<Dim>& grid, const SurrogateOptions& options, bool itself)
      : grid_(grid), options_(options), itself_(itself), lower_(grid.options().lower), upper_(grid.options().upper) {
    check_surrogate<Dim>(lower_, upper_, options);
    const auto refuse = [](const std::string& why) {
      throw std::invalid_argument("Surrogate<" + to_text(Dim) + ">: " + why);
    };
    const Eigen::VectorXd &given = options.output_weights, &weights = grid.options().output_weights;
    if (given.size() > 0 && (given.size() != weights.size() || given != weights))
      refuse(to_text(given.size()) + " output_weights are given, which are not those of its grid");
    for (std::size_t i = 0; i < Dim; ++i)
      if (grid.options().periodic[i])
        refuse("its grid has a period along axis " + to_text(i) + ", which kernels do not know");
    const auto start = std::chrono::steady_clock::now();
    choose();
    report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report_.message = message();
  }

  const SurrogateReport& report() const { return report_; }
  /// Of kind kernel.
  const std::optional<KernelInterpolant<Dim>>& kernel() const { return kernel_; }

 private:
  static constexpr int candidates = 1000;    // among which samples are chosen
  static constexpr double at_once = 5e-6;    // seconds; a call of f that takes no longer needs no surrogate
  static constexpr int first = 2 * Dim + 4;  // samples

  void choose() {
    std::mt19937_64 random;  // always the same, so that a store answers when it is done again
    const GridView<Dim> finest = grid_.at_level(grid_.options().deepest_level);
    Eigen::MatrixXd points = spread_points<Dim>(random, candidates, first);
    for (auto x : points.colwise()) x = finest.nearest_corner(in_box(x));
    Eigen::MatrixXd held_out(Dim, options_.held_out);
    for (auto x : held_out.colwise())
      x = in_box(Point<Dim>::NullaryExpr([&](Eigen::Index) { return unit_number(random); }));
    const Samples<Dim> begun = sample(points.leftCols(first));
    if (itself_ && begun.jet_order >= 1 && report_.failed == 0 && median(begun.seconds) < at_once) {
      report_.kind = SurrogateKind::function;
      return;
    }
    if (!fits_kernel(begun, points, held_out)) take_grid(held_out);
  }

  Point<Dim> in_box(const Point<Dim>& unit) const {
    return (lower_ + unit.cwiseProduct(upper_ - lower_)).cwiseMin(upper_);
  }

  static double median(std::vector<double> numbers) {
    const auto middle = numbers.begin() + std::ssize(numbers) / 2;
    std::nth_element(numbers.begin(), middle, numbers.end());
    return *middle;
  }

  Samples<Dim> sample(const Eigen::Ref<const Eigen::MatrixXd>& X) {
    Samples<Dim> samples = grid_.sample(X);
    for (Eigen::Index m = 0; m < samples.size(); ++m) {
      if (!samples.failed(m)) continue;
      if (report_.failed++ == 0) report_.reason = samples.reasons[static_cast<std::size_t>(m)];
    }
    return samples;
  }

  bool fits_kernel(Samples<Dim> samples, const Eigen::MatrixXd& points, const Eigen::MatrixXd& held_out) {
    const WeightedNorm norm(samples.output_size(), grid_.options().output_weights, "Surrogate");
    const KernelOptions<Dim> options{.localize_above = static_cast<int>(points.cols()),
                                     .output_weights = norm.weights(),
                                     .lower = lower_,
                                     .upper = upper_};
    KernelInterpolant<Dim> kernel(samples.output_size(), samples.jet_order, options);
    std::optional<Samples<Dim>> fresh;
    const auto one_branch = [branch = samples.branches.front()](const Samples<Dim>& some) {
      return std::ranges::all_of(some.branches, [&](int other) { return other == branch; });
    };
    for (;;) {
      if (report_.failed > 0 || !one_branch(samples)) return false;
      kernel.insert(samples);
      const int more = std::max(4, kernel.size() / 4);
      if (kernel.size() + more > options_.most_samples) return false;
      kernel_detail::SigmaForecast<Dim> forecast(kernel.view().samples(), points);
      std::vector<Eigen::Index> next;
      while (std::ssize(next) < more)
        if (const auto worst = forecast.take_worst())
          next.push_back(*worst);
        else
          break;
      if (next.empty()) return false;
      samples = sample(points(Eigen::all, next));
      report_.rounds.push_back({.samples = kernel.size(), .error = largest(kernel, samples, norm)});
      if (report_.rounds.back().error <= options_.error) {
        if (!fresh) fresh = sample(held_out);
        report_.error = largest(kernel, *fresh, norm);
        report_.held_out = options_.held_out;
        if (!one_branch(samples) || !one_branch(*fresh)) return false;
        if (report_.error <= options_.error) {
          kernel_ = std::move(kernel);
          return true;
        }
      }
      if (!converges()) return false;
    }
  }

  /// Infinite where f failed. The last corner along an axis may lie above the bound, by rounding.
  double largest(const KernelInterpolant<Dim>& kernel, const Samples<Dim>& samples, const WeightedNorm& norm) const {
    double most = 0;
    Eigen::VectorXd y;
    for (Eigen::Index m = 0; m < samples.size(); ++m) {
      if (samples.failed(m)) return std::numeric_limits<double>::infinity();
      kernel.evaluate(samples.point(m).cwiseMax(lower_).cwiseMin(upper_), y);
      most = std::max(most, norm(y - samples.jet(m).col(0)));
    }
    return most;
  }

  /// Whether the errors of the last rounds fall so that the samples allowed will do: as a power of their number, half
  /// as steep again, since those of smooth functions fall ever faster.
  bool converges() const {
    const int last = report_.rounds.back().samples;
    if (last < 40 * Dim) return true;
    std::vector<Eigen::Vector2d> falling;  // logarithms, of the samples over the last ones' and of the error
    for (const SurrogateRound& round : report_.rounds)
      if (3 * round.samples >= last && 0 < round.error && std::isfinite(round.error))
        falling.emplace_back(std::log(static_cast<double>(round.samples) / last), std::log(round.error));
    if (falling.size() < 3) return 2 * last < options_.most_samples;
    Eigen::Vector2d mean = Eigen::Vector2d::Zero();
    for (const Eigen::Vector2d& point : falling) mean += point / static_cast<double>(falling.size());
    double square = 0, product = 0;
    for (const Eigen::Vector2d& point : falling) {
      square += std::pow(point[0] - mean[0], 2);
      product += (point[0] - mean[0]) * (point[1] - mean[1]);
    }
    const double slope = product / square, level = mean[1] - slope * mean[0];
    return level <= std::log(options_.error) -
                        1.5 * std::min(slope, 0.0) * std::log(options_.most_samples / static_cast<double>(last));
  }

  void take_grid(const Eigen::MatrixXd& held_out) {
    const GridView<Dim> view = grid_.at_tolerance(options_.error);
    view.prefetch(held_out);
    const ErrorCheck check = view.check(held_out, options_.held_out);
    report_.kind = SurrogateKind::grid_tolerance;
    report_.error = check.largest;
    report_.held_out = static_cast<int>(check.errors.size());
  }

  static std::string digits(double number, int count) {
    char text[64];
    return {text, std::to_chars(text, text + sizeof text, number, std::chars_format::general, count).ptr};
  }

  std::string message() const {
    std::string said = to_text(Dim) + " -> " + to_text(grid_.output_size());
    if (kernel_) {
      said += ", kernel of " + to_text(kernel_->size());
      said += kernel_->jet_order() == 0 ? " values" : " jets of order " + to_text(kernel_->jet_order());
    } else if (report_.kind == SurrogateKind::function) {
      said += ", f itself";
    } else {
      said += ", grid to " + digits(options_.error, 3);
    }
    if (report_.held_out > 0)
      said += ", held-out error " + digits(report_.error, 2) + " at " + to_text(report_.held_out) + " points";
    const bool short_time = report_.seconds < 1;
    said += ", " + digits(short_time ? 1e3 * report_.seconds : report_.seconds, 3) + (short_time ? " ms" : " s");
    if (report_.failed > 0) said += ", f failed at " + to_text(report_.failed) + " points: " + report_.reason;
    return said;
  }

  const AdaptiveGrid<Dim>& grid_;
  SurrogateOptions options_;
  bool itself_;
  Point<Dim> lower_, upper_;
  SurrogateReport report_;
  std::optional<KernelInterpolant<Dim>> kernel_;
};

}  // namespace quoin::choosing_detail
