// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/bretschneider_wave.hpp"

#include "quoin/util/to_text.hpp"

#include "uniform.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin::identification {

double bretschneider_spectrum(double frequency, double peak_frequency, double significant_height) {
  if (!(frequency > 0)) return 0;
  const double ratio = peak_frequency / frequency, fourth = ratio * ratio * ratio * ratio;
  return 1.25 / 4 * fourth / frequency * significant_height * significant_height * std::exp(-1.25 * fourth);
}

BretschneiderWave::BretschneiderWave(const BretschneiderOptions& options) {
  if (options.waves < 1 || !(options.peak_frequency > 0) || !(options.significant_height > 0) ||
      !(options.lowest >= 0) || !(options.highest > options.lowest)) {
    throw std::invalid_argument("BretschneiderWave: " + to_text(options.waves) + " waves around " +
                                to_text(options.peak_frequency) + " rad/s of height " +
                                to_text(options.significant_height) + " in a band from " + to_text(options.lowest) +
                                " to " + to_text(options.highest) + "; all must be positive, the band not empty");
  }
  const double width = (options.highest - options.lowest) * options.peak_frequency / options.waves;
  amplitudes_.resize(options.waves);
  frequencies_.resize(options.waves);
  phases_.resize(options.waves);
  std::mt19937_64 random(options.seed);
  for (int w = 0; w < options.waves; ++w) {
    frequencies_[w] = options.lowest * options.peak_frequency + (w + detail::uniform(random)) * width;
    phases_[w] = 2 * std::numbers::pi * detail::uniform(random);
    const double density = bretschneider_spectrum(frequencies_[w], options.peak_frequency, options.significant_height);
    amplitudes_[w] = std::sqrt(2 * density * width);
  }
}

double BretschneiderWave::at(double time) const { return (amplitudes_ * (frequencies_ * time + phases_).sin()).sum(); }

double BretschneiderWave::rate(double time) const {
  return (amplitudes_ * frequencies_ * (frequencies_ * time + phases_).cos()).sum();
}

}  // namespace quoin::identification
