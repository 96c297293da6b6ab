// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/identification/bretschneider_wave.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace quoin::identification;

TEST_CASE("the spectrum peaks at its peak frequency and holds a sixteenth of the height squared",
          "[bretschneider_wave]") {
  constexpr double peak = 5, height = 3;
  double integral = 0, partial = 0, highest = 0, at = 0;
  constexpr double d = 1e-3;
  for (double w = d / 2; w < 400; w += d) {
    const double s = bretschneider_spectrum(w, peak, height);
    if (s > highest) highest = s, at = w;
    integral += s * d;
    if (w < 7) partial += s * d;
  }
  CHECK(at == Approx(peak).margin(2e-3));
  CHECK(integral == Approx(height * height / 16).epsilon(1e-5));
  CHECK(partial == Approx(height * height / 16 * std::exp(-1.25 * std::pow(peak / 7, 4))).epsilon(1e-5));
  CHECK(bretschneider_spectrum(0, peak, height) == 0);
}

TEST_CASE("significant height is four deviations: in the amplitudes, and in what a long recording shows",
          "[bretschneider_wave]") {
  constexpr double height = 0.8, expected = height * height / 16;
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const BretschneiderWave wave({.significant_height = height, .seed = seed});
    CHECK(wave.variance() == Approx(0.995 * expected).epsilon(0.15));  // 0.5 % lies outside of the band
    mean += wave.variance() / 40;
  }
  CHECK(mean == Approx(0.995 * expected).epsilon(0.015));

  const BretschneiderWave wave({.significant_height = height, .seed = 3});
  double squares = 0, beyond = 0;
  constexpr int samples = 40000;
  for (int i = 0; i < samples; ++i) {
    const double u = wave.at(0.05 * i);
    squares += u * u;
    beyond += std::abs(u) > height / 2;
  }
  CHECK(squares / samples == Approx(wave.variance()).epsilon(0.01));
  CHECK(beyond / samples > 0.03);
  CHECK(beyond / samples < 0.06);
}

TEST_CASE("each wave has the amplitude of the spectrum at its own frequency, in its own part of the band",
          "[bretschneider_wave]") {
  const BretschneiderWave wave(
      {.waves = 20, .peak_frequency = 4, .significant_height = 2, .lowest = 0.5, .highest = 3});
  constexpr double width = 4 * 2.5 / 20;
  for (int w = 0; w < 20; ++w) {
    CHECK(wave.frequencies()[w] >= 2 + w * width);
    CHECK(wave.frequencies()[w] < 2 + (w + 1) * width);
    const double s = bretschneider_spectrum(wave.frequencies()[w], 4, 2);
    CHECK(wave.amplitudes()[w] == Approx(std::sqrt(2 * s * width)));
    CHECK(wave.phases()[w] >= 0);
    CHECK(wave.phases()[w] < 6.2832);
  }
}

TEST_CASE("the rate is the derivative, to the order of the difference", "[bretschneider_wave]") {
  const BretschneiderWave wave;
  const auto error = [&](double h) { return std::abs((wave.at(3 + h) - wave.at(3 - h)) / (2 * h) - wave.rate(3)); };
  const double order = std::log2(error(2e-3) / error(1e-3));
  CHECK(order > 1.95);
  CHECK(order < 2.05);
}

TEST_CASE("a seed is a wave, on every platform the same one", "[bretschneider_wave]") {
  const BretschneiderWave one({.seed = 7}), same({.seed = 7}), other({.seed = 8});
  CHECK(one.at(1.3) == same.at(1.3));
  CHECK(one.at(1.3) != other.at(1.3));
  // The first number of the standard's 64-bit Mersenne twister with its default seed is 14514284786278117030.
  const BretschneiderWave standard({.waves = 1, .peak_frequency = 1, .lowest = 1, .highest = 2, .seed = 5489});
  CHECK(standard.frequencies()[0] == Approx(1 + 14514284786278117030. / 18446744073709551616.).epsilon(1e-14));
}

TEST_CASE("waves that cannot be are refused", "[bretschneider_wave]") {
  CHECK_THROWS_AS(BretschneiderWave({.waves = 0}), std::invalid_argument);
  CHECK_THROWS_AS(BretschneiderWave({.peak_frequency = 0}), std::invalid_argument);
  CHECK_THROWS_AS(BretschneiderWave({.significant_height = -1}), std::invalid_argument);
  CHECK_THROWS_AS(BretschneiderWave({.lowest = 2, .highest = 2}), std::invalid_argument);
}
