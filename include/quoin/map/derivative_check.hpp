// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/map/differentiable_map.hpp"
#include "quoin/map/point.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace quoin {

/// The directions and steps along which check_derivatives looks.
struct DerivativeCheckOptions {
  double largest_step = 0.1;  ///< length of the first step, in sizes of the inputs
  int halvings = 12;          ///< further steps, each half as long
  int directions = 4;         ///< random directions
  unsigned seed = 1;          ///< of the directions
};

/// What check_derivatives can say.
enum class DerivativeVerdict {
  right,   ///< every row agrees with differences, which resolve it to a thousandth or better
  wrong,   ///< some row misses differences that agree among each other
  unclear  ///< none is wrong, but differences of some row do not agree: other steps may tell; or it has a kink there
};

/// What check_derivatives found.
struct DerivativeCheck {
  bool passed = false;                                      ///< the verdict is `right`
  double slope = std::numeric_limits<double>::quiet_NaN();  ///< worst order of the remainder; NaN if it is all rounding
  /// Largest |J w - central difference| of a row, at the step whose differences agree best, relative to the row's
  /// sum |J_i w_i|.
  double relative_error = 0;
  std::string message;  ///< the result in words
  DerivativeVerdict verdict = DerivativeVerdict::unclear;
  Eigen::Index row = -1;  ///< the row that is wrong, or of which nothing can be said; -1: none
};

/// "right", "wrong" or "unclear".
constexpr const char* to_string(DerivativeVerdict verdict) {
  switch (verdict) {
    case DerivativeVerdict::right: return "right";
    case DerivativeVerdict::wrong: return "wrong";
    case DerivativeVerdict::unclear: return "unclear";
  }
  return "?";
}

namespace detail {

/// Central differences of one row along one direction, at steps each half of the one before.
class RowDifferences {
 public:
  /// wanted: the row's J w; size: its sum |J_i w_i|.
  RowDifferences(double wanted, double size, double value) : wanted_(wanted), size_(size), value_(std::abs(value)) {}

  /// apart: of the one-sided differences, forward less backward.
  void add(double difference, double apart, double step) {
    differences_.push_back(difference);
    folds_.push_back(apart);
    steps_.push_back(step);
  }

  /// After the last step, of three at least: chooses the step whose differences agree best with those before.
  void choose() {
    const auto apart = [&](std::size_t k) { return std::abs(differences_[k] - differences_[k - 1]); };
    const std::size_t last = differences_.size() - 1;
    // Differences of a smooth function approach each other by a factor of four. In the shortest steps those of noise,
    // which is of one size at all steps, do not.
    const double rounding = 8 * std::numeric_limits<double>::epsilon();
    double noise = rounding * value_;
    for (std::size_t k = last; k >= 2 && k + 5 > last; --k)
      if (apart(k) > apart(k - 1) / 2) noise = std::max(noise, 2 * apart(k) * steps_[k]);
    for (std::size_t k = 2; k <= last; ++k) {
      double spread = std::max({apart(k), apart(k - 1) / 4, noise / steps_[k], rounding * size_});
      // Long steps may agree among each other and not with shorter ones, which see what is narrower than they are.
      for (std::size_t shorter = k + 1; shorter <= last; ++shorter)
        spread = std::max(spread, std::abs(differences_[shorter] - differences_[k]) - 2 * noise / steps_[shorter]);
      if (!(spread < spread_)) continue;
      spread_ = spread;
      best_ = k;
    }
    find_kink(noise);
  }

  double error() const {
    const double miss = missed(best_);
    return miss == 0 ? 0 : miss / std::max(size_, std::numeric_limits<double>::min());
  }
  double spread() const { return spread_ / size_; }
  double size() const { return size_; }
  /// Of J w and all differences.
  bool finite() const {
    return std::isfinite(wanted_) && std::all_of(differences_.begin(), differences_.end(),
                                                 [](double difference) { return std::isfinite(difference); });
  }

  /// Whether this is a small output that larger quantities leave, or one that should not change: its differences do not
  /// agree, or are zero, and are no more than rounding beside `largest`, of all outputs and their sums |J_i w_i|.
  bool is_rounding(double largest) const {
    const double rounding = 1e3 * std::numeric_limits<double>::epsilon() * largest / steps_[best_];
    return (value_ + size_ < 1e-3 * largest || size_ < 1e-14 * largest) && (!agree() || differences_[best_] == 0) &&
           std::max(missed(best_), spread_) <= rounding;
  }
  /// Whether forward and backward differences stay apart as steps shrink.
  bool has_kink() const { return kink_ > 0; }
  /// What is missed counts as nothing below a millionth of the row, or where it is rounding beside `largest`, which a
  /// small output may be made of, and less than 1e-4 of the row.
  DerivativeVerdict verdict(double largest) const {
    const double rounding = 8 * std::numeric_limits<double>::epsilon() * largest / steps_[best_];
    const double miss = missed(best_), negligible = 1e-6 * size_;
    if (has_kink() && miss <= 0.5 * kink_ + negligible) return DerivativeVerdict::unclear;  // between the two slopes
    if (miss > 30 * spread_ && miss > negligible && stays_missed()) return DerivativeVerdict::wrong;
    return agree() && miss <= std::max({5 * spread_, negligible, std::min(rounding, 1e-4 * size_)})
               ? DerivativeVerdict::right
               : DerivativeVerdict::unclear;
  }

 private:
  bool agree() const { return spread_ <= 1e-3 * (size_ > 0 ? size_ : value_); }
  double missed(std::size_t k) const { return std::abs(differences_[k] - wanted_); }
  // What noise makes of a difference changes with the step, what a wrong entry makes of it does not.
  bool stays_missed() const {
    const double miss = missed(best_);
    return std::abs(missed(best_ - 1) - miss) < miss / 3 && std::abs(missed(best_ - 2) - miss) < miss / 3 &&
           !shrinks_at_last(miss);
  }
  // The shortest steps come closer from one to the next: what they begin to see is narrower than the others.
  bool shrinks_at_last(double miss) const {
    const std::size_t last = differences_.size() - 1;
    return missed(last) < 0.9 * miss && missed(last) < missed(last - 1) && missed(last - 1) < missed(last - 2);
  }

  // One-sided differences of a smooth function approach each other as steps do: of a step and its half, twice the
  // latter less the former falls eightfold from step to step, and at a kink it stays. That it is the same to a tenth at
  // three steps running, and far above noise, makes a kink.
  void find_kink(double noise) {
    const auto at_end = [&](std::size_t k) { return 2 * folds_[k] - folds_[k - 1]; };
    double least = 0.1;
    for (std::size_t k = 3; k < folds_.size(); ++k) {
      const double kink = std::abs(at_end(k));
      const double changed = std::max(std::abs(at_end(k) - at_end(k - 1)), std::abs(at_end(k) - at_end(k - 2)));
      if (!(kink > 30 * noise / steps_[k] && kink > 1e-5 * size_ && changed < least * kink)) continue;
      least = changed / kink;
      kink_ = kink * (1 + least);
    }
  }

  double wanted_, size_, value_;
  double kink_ = 0;  // how far the slopes of the two sides are apart
  std::vector<double> differences_, folds_, steps_;
  double spread_ = std::numeric_limits<double>::infinity();
  std::size_t best_ = 2;
};

/// What the directions say of one row.
struct RowFindings {
  int wrong = 0, kinks = 0;
  bool unclear = false, wrong_along_axis = false;
  double spread = 0, size = 0;  ///< the largest

  void add(const RowDifferences& row, bool along_axis, double largest) {
    const DerivativeVerdict verdict = row.verdict(largest);
    wrong += verdict == DerivativeVerdict::wrong;
    wrong_along_axis |= along_axis && verdict == DerivativeVerdict::wrong;
    unclear |= verdict == DerivativeVerdict::unclear;
    kinks += row.has_kink();
    spread = std::fmax(spread, row.spread());
    size = std::max(size, row.size());
  }

  /// A wrong entry shows in every direction of several inputs, noise that looks like one in hardly two.
  DerivativeVerdict verdict(int directions) const {
    if (wrong_along_axis || wrong >= std::min(2, directions)) return DerivativeVerdict::wrong;
    return wrong > 0 || unclear ? DerivativeVerdict::unclear : DerivativeVerdict::right;
  }
};

/// The order in which remainders of steps, each half of the one before, fall while they are above rounding: the less of
/// that over all steps and that of the last, where lower orders show. NaN if fewer than two are above.
inline double order_of_remainders(const std::vector<double>& remainders, double rounding) {
  std::size_t last = 0;
  while (last < remainders.size() && remainders[last] > rounding) ++last;
  if (last < 2) return std::numeric_limits<double>::quiet_NaN();
  const double over_all = std::log2(remainders[0] / remainders[last - 1]) / static_cast<double>(last - 1);
  return std::min(over_all, std::log2(remainders[last - 2] / remainders[last - 1]));
}

/// Whether an entry, times its input's size, is more than rounding beside the output and the rest of its row.
inline bool shows(double entry, double value, double row) { return entry > 1e-9 * (std::abs(value) + row); }

/// Random directions whose components are of the inputs' sizes; and the axes whose entries in some row are so small,
/// with these sizes, that no such direction shows them.
template <int Dim>
std::vector<Point<Dim>> checked_directions(const Point<Dim>& x, const Eigen::VectorXd& y, const Eigen::MatrixXd& J,
                                           const DerivativeCheckOptions& options) {
  Point<Dim> size;
  for (int i = 0; i < Dim; ++i) size[i] = std::abs(x[i]) > 1e-12 ? std::abs(x[i]) : 1;
  std::mt19937 random(options.seed);
  std::normal_distribution<double> normal;
  std::vector<Point<Dim>> directions;
  for (int d = 0; d < options.directions; ++d) {
    Point<Dim> w;
    for (double& component : w) component = normal(random);
    w.normalize();
    directions.push_back(w.cwiseProduct(size));
  }
  const Eigen::MatrixXd scaled = J.cwiseAbs() * size.asDiagonal();
  for (int i = 0; i < Dim; ++i) {
    bool hidden = false;
    for (Eigen::Index k = 0; k < J.rows(); ++k)
      hidden |= scaled(k, i) < 1e-4 * scaled.row(k).maxCoeff() && shows(scaled(k, i), y[k], scaled.row(k).sum());
    if (hidden) directions.push_back(size[i] * Point<Dim>::Unit(i));
  }
  return directions;
}

/// The values of a map with its type erased: a check is compiled once for all maps.
template <int Dim>
struct ValuesOf {
  const void* map;
  void (*evaluate)(const void* map, const Point<Dim>& x, Eigen::VectorXd& y);
};

/// The check of y and J at x.
template <int Dim>
DerivativeCheck compare_with_differences(const ValuesOf<Dim>& map, const Point<Dim>& x, const Eigen::VectorXd& y,
                                         const Eigen::MatrixXd& J, const DerivativeCheckOptions& options) {
  Eigen::VectorXd ahead, behind;
  DerivativeCheck check;
  std::vector<RowFindings> found(static_cast<std::size_t>(y.size()));
  bool finite = true;
  int looked = 0;
  for (const Point<Dim>& w : checked_directions<Dim>(x, y, J, options)) {
    const bool along_axis = looked++ >= options.directions;
    const Eigen::VectorXd slope = J * w, size = J.cwiseAbs() * w.cwiseAbs();
    // Outputs of any units count alike.
    const Eigen::VectorXd unit = y.cwiseAbs() + options.largest_step * size;
    std::vector<RowDifferences> rows;
    for (Eigen::Index k = 0; k < y.size(); ++k) rows.emplace_back(slope[k], size[k], y[k]);
    std::vector<double> remainders;
    double h = options.largest_step;
    for (int i = 0; i <= options.halvings; ++i, h /= 2) {
      map.evaluate(map.map, x + h * w, ahead);
      map.evaluate(map.map, x - h * w, behind);
      double sum = 0;
      for (Eigen::Index k = 0; k < y.size(); ++k) {
        rows[static_cast<std::size_t>(k)].add((ahead[k] - behind[k]) / (2 * h),
                                              ((ahead[k] - y[k]) + (behind[k] - y[k])) / h, h);
        const double remainder = ahead[k] - y[k] - h * slope[k];
        if (remainder != 0) sum += std::pow(remainder / std::max(unit[k], std::numeric_limits<double>::min()), 2);
      }
      remainders.push_back(std::sqrt(sum));
    }
    const double rounding = 1e3 * std::numeric_limits<double>::epsilon() * std::sqrt(static_cast<double>(y.size()));
    check.slope = std::fmin(check.slope, order_of_remainders(remainders, rounding));
    for (Eigen::Index k = 0; k < y.size(); ++k) {
      if (along_axis && !shows(size[k], y[k], found[static_cast<std::size_t>(k)].size)) continue;
      RowDifferences& row = rows[static_cast<std::size_t>(k)];
      finite = finite && row.finite();
      if (!finite) break;
      row.choose();
      if (row.is_rounding(unit.maxCoeff())) continue;
      found[static_cast<std::size_t>(k)].add(row, along_axis, unit.maxCoeff());
      check.relative_error = std::max(check.relative_error, row.error());
    }
  }
  if (!finite) {
    check.verdict = y.allFinite() && J.allFinite() ? DerivativeVerdict::unclear : DerivativeVerdict::wrong;
    check.relative_error = std::numeric_limits<double>::infinity();
    check.message = "the map or its Jacobian is not finite at the point or on the steps around it";
    return check;
  }
  check.verdict = DerivativeVerdict::right;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const DerivativeVerdict verdict = found[k].verdict(options.directions);
    if (verdict == DerivativeVerdict::right || check.verdict == DerivativeVerdict::wrong || verdict == check.verdict)
      continue;
    check.verdict = verdict;
    check.row = static_cast<Eigen::Index>(k);
  }
  check.passed = check.verdict == DerivativeVerdict::right;
  check.message = "Taylor remainder of order " + (std::isnan(check.slope) ? "(rounding only)" : to_text(check.slope)) +
                  ", relative error of J w against central differences " + to_text(check.relative_error);
  if (check.verdict == DerivativeVerdict::right) check.message += ": the Jacobian is right";
  if (check.verdict == DerivativeVerdict::wrong)
    check.message += ": the Jacobian is wrong in row " + to_text(check.row);
  if (check.verdict == DerivativeVerdict::unclear && found[static_cast<std::size_t>(check.row)].kinks > 0)
    check.message +=
        ": the values of row " + to_text(check.row) +
        " have a kink at the point, forward and backward differences stay apart: no Jacobian is right there";
  else if (check.verdict == DerivativeVerdict::unclear)
    check.message += ": whether row " + to_text(check.row) +
                     " of the Jacobian is right is unclear, its differences agree to a relative " +
                     to_text(found[static_cast<std::size_t>(check.row)].spread) +
                     " only: try another largest_step than " + to_text(options.largest_step);
  return check;
}

}  // namespace detail

/// Compares a Jacobian with central differences, row by row: each output on its own scale, each input in steps of its
/// own size |x_i| (1 where x_i is 0). A row is wrong if it misses differences that agree among each other over three
/// steps, however small the others' outputs are; right if these agree to a thousandth and so does the row; and
/// `unclear` if they do not agree: where f jumps or swings within the steps, or noise and rounding cover the row; if
/// the last steps come ever closer to the row, because f changes within less than their length; or if forward and
/// backward differences stay apart and the row lies between them: f has a kink at x. With the default steps an error of
/// 1e-5 of a row of a smooth f is detected; what is below 1e-6 of a row counts as rounding, and a row whose derivatives
/// are below 1e-14 of the outputs as constant. No tolerance has to be guessed.
///
///   auto check = check_derivatives<4>(map, x);
///   if (!check.passed) std::cerr << check.message;
///
/// Costs 1 + directions * 2 (1 + halvings) evaluations, and 2 (1 + halvings) for every input whose derivative of some
/// output is less than 1e-4 of the other inputs'. Throws what the map throws, and std::invalid_argument unless
/// largest_step is positive and there are at least two halvings and one direction.
template <int Dim, class Map>
  requires DifferentiableMap<Map, Dim>
DerivativeCheck check_derivatives(const Map& map, const Point<Dim>& x, const DerivativeCheckOptions& options = {}) {
  if (!(options.largest_step > 0) || !std::isfinite(options.largest_step) || options.halvings < 2 ||
      options.directions < 1)
    throw std::invalid_argument("check_derivatives: largest_step " + to_text(options.largest_step) + ", " +
                                to_text(options.halvings) + " halvings and " + to_text(options.directions) +
                                " directions; expected a positive step, at least 2 and 1");
  Eigen::VectorXd y;
  Eigen::MatrixXd J;
  map.evaluate(x, y, J);
  const detail::ValuesOf<Dim> values{&map, [](const void* self, const Point<Dim>& at, Eigen::VectorXd& value) {
                                       static_cast<const Map*>(self)->evaluate(at, value);
                                     }};
  return detail::compare_with_differences(values, x, y, J, options);
}

}  // namespace quoin
