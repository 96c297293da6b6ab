// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/svg_view.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace studies::figures::detail {
namespace {

/// factor 10^exponent, the factor 1, 2 or 5.
struct Step {
  int factor;
  int exponent;

  double length() const { return factor * std::pow(10.0, exponent); }
  std::string written(double count) const;
};

Step at_least(double least) {
  const int exponent = static_cast<int>(std::floor(std::log10(least)));
  for (const int factor : {1, 2, 5})
    if (factor * std::pow(10.0, exponent) >= least * (1 - 1e-9)) return {factor, exponent};
  return {1, exponent + 1};
}

std::string Step::written(double count) const {
  const std::string size = exponent >= -4 && exponent < 6
                               ? quoin::to_fixed(std::abs(count) * length(), std::max(-exponent, 0))
                               : quoin::to_fixed(std::abs(count) * factor, 0) + (count == 0 ? "" : "e") +
                                     (count == 0 ? "" : quoin::to_text(exponent));
  return (count < 0 ? "\u2212" : "") + size;
}

}  // namespace

SvgView::SvgView(const SvgBox& shown, const Eigen::Vector2d& low, const Eigen::Vector2d& high)
    : middle(low + (high - low) / 2), area(shown) {
  const Eigen::Vector2d extent = high - low;
  pixels_per_unit = std::min(area.width / extent.x(), area.height / extent.y());
}

Eigen::Matrix2Xd SvgView::to_pixels(const Eigen::Matrix2Xd& points) const {
  Eigen::Matrix2Xd mapped = pixels_per_unit * (points.colwise() - middle);
  mapped.row(0).array() += area.x + area.width / 2;
  mapped.row(1) = (area.y + area.height / 2 - mapped.row(1).array()).matrix();
  return mapped;
}

std::vector<Tick> ticks(double low, double high, double length, double spacing) {
  const double least = (high - low) * spacing / std::max(length, spacing);
  const auto count = [&](const Step& step) {
    return std::floor(high / step.length()) - std::ceil(low / step.length()) + 1;
  };
  Step step = at_least(least);
  for (const double closer : {0.8, 0.65, 0.5})
    if (count(step) < 3) step = at_least(closer * least);
  std::vector<Tick> found;
  if (step.length() < 1e-12 * std::max(std::abs(low), std::abs(high))) return found;  // they would read the same
  const double slack = 1e-6 * step.length();
  for (double k = std::ceil((low - slack) / step.length()); k * step.length() <= high + slack; ++k)
    found.push_back({k * step.length(), step.written(k)});
  return found;
}

double text_width(const std::string& text, double font_size) {
  double em = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) continue;  // later bytes of a character already counted
    if (std::string_view("iljf.,:;|'!()[]I /").find(c) != std::string_view::npos) {
      em += 0.35;
    } else if (std::string_view("mwMW@%<>+=").find(c) != std::string_view::npos) {
      em += 0.89;
    } else if ((c >= 'A' && c <= 'Z') || c == '&') {
      em += 0.72;
    } else {
      em += c == 'r' || c == '-' || c == 't' ? 0.41 : 0.62;
    }
  }
  return em * font_size;
}

}  // namespace studies::figures::detail
