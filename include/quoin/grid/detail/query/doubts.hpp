// SPDX-License-Identifier: BSD-3-Clause
// What the cells of a grid say together of its function: whether its values are smooth, and its Jacobians theirs.
#pragma once

#include "quoin/grid/detail/query/centre_lines.hpp"
#include "quoin/grid/grid_statistics.hpp"
#include "quoin/map/weighted_norm.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace quoin::grid_detail {

/// Sizes seen on some levels, and how they change from one to the next.
class LevelTrend {
 public:
  void add(int level, double size) {
    const double log = std::log2(size);
    ++count_;
    seen_ |= std::uint64_t{1} << level;
    levels_ += level;
    squares_ += static_cast<double>(level) * level;
    logs_ += log;
    products_ += level * log;
  }
  double count() const { return count_; }
  int levels() const { return std::popcount(seen_); }
  /// Geometric.
  double mean() const { return std::exp2(logs_ / count_); }
  /// Of the logarithm to base 2; NaN on one level.
  double slope() const {
    const double variance = count_ * squares_ - levels_ * levels_;
    return variance > 0 ? (count_ * products_ - levels_ * logs_) / variance : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  double count_ = 0, levels_ = 0, squares_ = 0, logs_ = 0, products_ = 0;
  std::uint64_t seen_ = 0;
};

/// Counts, output by output, what the lines of each cell say (CentreLines): that J is not the derivative of the values,
/// that the values are not smooth, that something like a jump or a kink lies there, or that all agrees to so much.
///
/// J is called wrong where cells of two levels say so, or many of one, those that agree better than the others disagree
/// are few, and the disagreement falls as the cells' size does: that of a jump stays, that of what is not resolved
/// falls faster than the function's changes. Values are called rough where cells say so whose disagreement stays the
/// same over levels.
template <int Dim>
class Doubts {
 public:
  using Sums = typename CentreLines<Dim>::Sums;

  explicit Doubts(Eigen::Index rows) : rows_(rows), each_((rows + most_rows - 1) / most_rows) {}

  /// Outputs of which a cell tells: all, or about a thousand of more.
  std::vector<Sums> sums(const CentreLines<Dim>& lines) const {
    std::vector<Sums> sums;
    sums.reserve(static_cast<std::size_t>((rows_ + each_ - 1) / each_));
    for (Eigen::Index row = 0; row < rows_; row += each_) sums.push_back(lines.of(row));
    return sums;
  }

  /// Counts what a cell says. relevant: values that scatter by less, in the norm, are smooth. True: there are doubts.
  bool count(int level, const std::vector<Sums>& sums, const WeightedNorm& norm, double relevant) {
    outputs_.resize(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double weight = norm.weights()[row_of(i)];
      count(level, i, sums[i], weight > 0 ? relevant / weight : std::numeric_limits<double>::infinity());
    }
    return std::any_of(suspicions_.begin(), suspicions_.end(), [this](const auto& of) {
      return is_wrong(outputs_[of.first], of.second) || is_rough(outputs_[of.first], of.second);
    });
  }

  /// The same in words. who: before "J" and "values".
  FunctionDoubts found(const WeightedNorm& norm, const std::string& who) const {
    FunctionDoubts found;
    std::string wrong, rough;
    double worst = 0, roughest = 0;
    std::size_t entries = 0;
    for (const auto& [i, suspicion] : suspicions_) {
      const Eigen::Index row = row_of(i);
      if (is_wrong(outputs_[i], suspicion)) {
        const double largest = *std::max_element(suspicion.shares.begin(), suspicion.shares.end());
        for (std::size_t j = 0; j < Dim; ++j) {
          if (!(suspicion.shares[j] > 0.3 * largest)) continue;
          if (++entries <= most_named)
            wrong += (wrong.empty() ? "" : ", ") + who + "J(" + to_text(row) + ", " + to_text(j) + ")" +
                     in_words(suspicion.factor(j));
          const double agreed = suspicion.of_change.mean() * suspicion.shares[j];
          if (!(agreed > worst)) continue;
          worst = agreed;
          found.output = row;
          found.axis = static_cast<int>(j);
          found.factor = suspicion.factor(j);
        }
      } else if (is_rough(outputs_[i], suspicion)) {
        const double size = 2 * suspicion.rough.mean();
        if (rough.empty() || norm.weights()[row] * size > roughest) {
          roughest = norm.weights()[row] * size;
          found.rough_output = row;
          found.rough_below = size;
          rough = who + "output " + to_text(row) + " below about " + about(size);
        }
      }
    }
    if (entries > most_named) wrong += " and " + to_text(entries - most_named) + " more";
    if (entries > 0)
      found.message = "values and Jacobian of f disagree in " + wrong +
                      ": it is not their derivative (check_derivatives tells), or f waves faster than cells are long";
    if (!rough.empty())
      found.message += (found.message.empty() ? "" : "; ") + ("the values of f are not smooth in " + rough) +
                       ": cells that are refined for a tolerance near that, or below, are in vain";
    return found;
  }

 private:
  static constexpr Eigen::Index most_rows = 1024;
  static constexpr std::size_t most_named = 4;
  // Chosen by measurement (docs/notes/accuracy.md).
  static constexpr double enough = Dim <= 2 ? 8 : 4, enough_of_one_level = 5, enough_rough = 6;
  static constexpr double smallest_part = 0.004;  // of a change, that J leaves out

  struct Suspicion {
    LevelTrend wrong, of_change, rough;
    std::array<double, std::size_t{Dim}> shares{}, products{}, said{}, unsaid{};

    // How many times as much as J says the values change along an axis; NaN if that is not the same everywhere.
    double factor(std::size_t j) const {
      const bool same = said[j] > 0 && products[j] * products[j] > 0.9 * said[j] * unsaid[j];
      return same ? 1 + products[j] / said[j] : std::numeric_limits<double>::quiet_NaN();
    }
  };
  // Cells that agree, by how well: relative to the change along their lines, and absolute in steps of a quarter from
  // the size of the first.
  struct Output {
    std::array<std::uint32_t, 16> agree{};
    std::array<std::uint32_t, 32> smooth{};
    std::uint32_t features = 0;
    double size = 0, steepest = 0;
  };

  Eigen::Index row_of(std::size_t i) const { return static_cast<Eigen::Index>(i) * each_; }
  static std::size_t agreement(double part) { return static_cast<std::size_t>(std::clamp(-exponent(part), 0, 15)); }
  static std::size_t smoothness(const Output& output, double size) {
    return static_cast<std::size_t>(std::clamp((exponent(output.size) - exponent(size)) / 2, 0, 31));
  }
  static int exponent(double size) { return size > 0 ? std::ilogb(size) : std::numeric_limits<int>::min() / 4; }

  void count(int level, std::size_t i, const Sums& sums, double relevant) {
    Output& output = outputs_[i];
    const double steepness = std::ldexp(sums.change, level);
    if (!std::isfinite(sums.all) || !std::isfinite(steepness)) return;
    if (output.size == 0) output.size = std::ldexp(sums.rounding, 46);  // that of the values, about
    output.steepest = std::max(output.steepest, steepness);
    if (sums.common > std::max(1.2 * sums.bend, 2 * sums.apart) && sums.common > sums.rounding &&
        CentreLines<Dim>::explained(sums) > 0.5) {
      // Values that stay the same to the bit may be rounded ones, as may be all that is small beside other places.
      if (sums.moved == 0 || std::ldexp(sums.common, level) < 1e-4 * output.steepest) return;
      Suspicion& suspicion = suspicions_[i];
      suspicion.wrong.add(level, sums.all);
      suspicion.of_change.add(level, sums.all / sums.change);
      double total = 0;
      for (const double unsaid : sums.unsaid) total += std::abs(unsaid);
      const double weight = std::ldexp(1 / sums.change, level) / sums.change;  // smaller cells tell more
      for (std::size_t j = 0; j < Dim; ++j) {
        suspicion.shares[j] += std::abs(sums.unsaid[j]) / total;
        suspicion.products[j] += weight * sums.said[j] * sums.unsaid[j];
        suspicion.said[j] += weight * sums.said[j] * sums.said[j];
        suspicion.unsaid[j] += weight * sums.unsaid[j] * sums.unsaid[j];
      }
      return;
    }
    const double halves = 2 * CentreLines<Dim>::lines;
    if (sums.smaller > std::max(2 * sums.bend, sums.rounding) && sums.all / halves > relevant) {
      suspicions_[i].rough.add(level, sums.all / halves);
      return;
    }
    const double seen = sums.all + sums.bend + sums.rounding;
    if (sums.all > std::max(sums.bend, sums.rounding))
      ++output.features;
    else if (sums.change > sums.rounding)
      ++output.agree[agreement(seen / sums.change)];
    ++output.smooth[smoothness(output, seen / halves)];
  }

  static double count_from(auto first, auto last) {
    double sum = 0;
    for (; first < last; ++first) sum += *first;
    return sum;
  }

  static bool is_wrong(const Output& output, const Suspicion& s) {
    // Errors that change within a cell look like scatter there, but fall.
    const double others = output.features + (s.rough.slope() < -0.5 ? 0 : s.rough.count());
    if (s.wrong.count() < (s.wrong.levels() == 1 ? enough_of_one_level : enough) || s.wrong.count() < 2 * others)
      return false;
    const double part = s.of_change.mean();
    const auto better = output.agree.begin() + static_cast<std::ptrdiff_t>(agreement(part / 2));
    const double agree = count_from(better, output.agree.end());
    if (part < smallest_part || s.wrong.count() < 5 * agree) return false;
    if (s.wrong.levels() == 1) return s.wrong.count() >= 10 * (agree + others);
    return s.wrong.slope() < -0.5 && s.of_change.slope() > -0.8;
  }

  static bool is_rough(const Output& output, const Suspicion& s) {
    if (s.rough.count() < enough_rough || s.rough.levels() < 2) return false;
    if (2 * s.rough.count() < output.features + s.wrong.count()) return false;
    const auto finer = std::min<std::size_t>(smoothness(output, s.rough.mean() / 4) + 1, 32);
    if (s.rough.count() <
        2 * count_from(output.smooth.begin() + static_cast<std::ptrdiff_t>(finer), output.smooth.end()))
      return false;
    return s.rough.slope() > -0.4;
  }

  // In one digit.
  static std::string about(double size) {
    const int decade = static_cast<int>(std::floor(std::log10(size)));
    return to_fixed(size / std::pow(10., decade), 0) + "e" + to_text(decade);
  }
  static std::string in_words(double factor) {
    return std::isfinite(factor)
               ? " (they change by " + to_fixed(factor, std::abs(factor) < 9.995 ? 2 : 0) + " times what it says)"
               : "";
  }

  Eigen::Index rows_, each_;
  std::vector<Output> outputs_;
  std::map<std::size_t, Suspicion> suspicions_;
};

}  // namespace quoin::grid_detail
