// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/svg_axis.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace studies::figures::detail {
namespace {

/// The smallest of 1, 2, 5 times a power of ten that is at least `least`.
double nice_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) {
      return factor * power;
    }
  }
  return 10 * power;
}

void linear_ticks(Axis& axis, double min_step) {
  double step = nice_step(min_step);
  // One or two ticks do not show a scale: take a few more, a little closer.
  const auto labels = [&](double width) { return std::floor(axis.high / width) - std::ceil(axis.low / width) + 1; };
  for (const double closer : {0.8, 0.65, 0.5}) {
    if (labels(step) < 3) {
      step = nice_step(closer * min_step);
    }
  }
  if (axis.integer) {
    step = std::max(step, 1.0);
  }
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
  const int magnitude = static_cast<int>(std::floor(std::log10(largest)));
  axis.exponent = magnitude >= 5 || magnitude < -2 ? magnitude : 0;
  const double scale = std::pow(10.0, axis.exponent);
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step / scale) + 1e-9)), 0, 15);
  const double slack = 1e-6 * step;
  for (double k = std::ceil((axis.low - slack) / step); k * step <= axis.high + slack; ++k) {
    axis.ticks.push_back({.position = k * step, .label = quoin::to_fixed(k * step / scale, decimals)});
  }
}

std::string plain_label(double value, int exponent) {
  return exponent >= -3 && exponent <= 4 ? quoin::to_fixed(value, std::max(-exponent, 0)) : "";
}

void logarithmic_ticks(Axis& axis, double min_step) {
  const int first = static_cast<int>(std::floor(axis.low));
  const int last = static_cast<int>(std::ceil(axis.high));
  const bool within_decades = axis.high - axis.low < 1.6;
  int stride = 1;
  while (stride < min_step) {
    ++stride;
  }
  for (int exponent = first; exponent <= last; ++exponent) {
    for (int factor = 1; factor < 10; ++factor) {
      const double position = exponent + std::log10(factor);
      if (position < axis.low - 1e-9 || position > axis.high + 1e-9) {
        continue;
      }
      Tick tick{.position = position, .label = ""};
      const bool plain = axis.low >= -3.05 && axis.high <= 4.05 && within_decades;
      if (factor == 1 && (exponent % stride + stride) % stride == 0) {
        tick.power = !plain;
        tick.exponent = exponent;
        tick.label = plain ? plain_label(std::pow(10.0, exponent), exponent) : "10";
      } else if (within_decades && (factor == 2 || factor == 5)) {
        tick.label = plain ? plain_label(factor * std::pow(10.0, exponent), exponent) : quoin::to_text(factor) + "·10";
        tick.power = !plain;
        tick.exponent = exponent;
      } else if (stride > 1) {
        continue;
      }
      axis.ticks.push_back(tick);
    }
  }
}

}  // namespace

double text_width(const std::string& text, double font_size) {
  double em = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) {
      continue;  // later bytes of a character already counted
    }
    if (std::string_view("iljf.,:;|'!()[]I /").find(c) != std::string_view::npos) {
      em += 0.35;
    } else if (std::string_view("mwMW@%<>+=").find(c) != std::string_view::npos) {
      em += 0.89;
    } else if ((c >= 'A' && c <= 'Z') || c == '&') {
      em += 0.72;
    } else if (c == 'r' || c == '-' || c == 't') {
      em += 0.41;
    } else {
      em += 0.62;
    }
  }
  return em * font_size;
}

double Tick::width(double font_size) const {
  return text_width(label, font_size) + (power ? text_width(quoin::to_text(exponent), 0.75 * font_size) : 0);
}

double Axis::position(double value) const {
  if (!std::isfinite(value) || (logarithmic && value <= 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return logarithmic ? std::log10(value) : value;
}

void Axis::set_ticks(double spacing) {
  ticks.clear();
  exponent = 0;
  const double min_step = (high - low) * spacing / std::max(std::abs(pixel_high - pixel_low), spacing);
  if (logarithmic) {
    logarithmic_ticks(*this, min_step);
  } else {
    linear_ticks(*this, min_step);
  }
}

}  // namespace studies::figures::detail
