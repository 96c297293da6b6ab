// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/request.hpp"
#include "quoin/util/to_text.hpp"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

/// What examples and studies show, on a terminal, of work that takes long.
namespace examples {

/// "12 evaluated, 4 missing, 31 s left"; minutes from two on, hours from two on. A worker that is silent is named.
inline std::string to_words(const quoin::Watch::Progress& progress) {
  std::string words = quoin::to_text(progress.evaluated) + " evaluated";
  if (!progress.waiting_for.empty()) words += ", " + progress.waiting_for;
  if (progress.missing == 0) return words;
  words += ", " + quoin::to_text(progress.missing) + " missing";
  const double left = progress.seconds_left;
  if (std::isnan(left)) return words;
  if (left < 120) return words + ", " + quoin::to_fixed(left, left < 10 ? 1 : 0) + " s left";
  if (left < 7200) return words + ", " + quoin::to_fixed(left / 60, 0) + " min left";
  return words + ", " + quoin::to_fixed(left / 3600, 1) + " h left";
}

/// While it lives, one line shows how far the evaluations are that queries of this thread lead to; the line is gone
/// when it ends. Where the standard error is no terminal nothing is written.
///
///   const TerminalProgress progress;
///   grid.prefetch(X);
class TerminalProgress {
 public:
  TerminalProgress() : watch_({}, observer()) {}
  ~TerminalProgress() {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;

  quoin::Watch::Observer observer() {
    if (isatty(STDERR_FILENO) != 1) return {};
    return [this](const quoin::Watch::Progress& progress) { draw(progress); };
  }
  void draw(const quoin::Watch::Progress& progress) {
    const auto now = Clock::now();
    if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;  // f may be fast
    last_ = now;
    drawn_ = true;
    std::fprintf(stderr, "\r%s\033[K", to_words(progress).c_str());
    std::fflush(stderr);
  }

  bool drawn_ = false;
  Clock::time_point last_ = {};
  quoin::Watch watch_;
};

}  // namespace examples
