// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/progress.hpp"

#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace studies::figures {
namespace {

bool is_terminal(const std::ostream& out) {
#if defined(__unix__) || defined(__APPLE__)
  return (&out == &std::cerr || &out == &std::clog) && isatty(STDERR_FILENO) == 1;
#else
  static_cast<void>(out);
  return false;
#endif
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string two_digits(long value) {
  return {static_cast<char>('0' + value / 10), static_cast<char>('0' + value % 10)};
}

}  // namespace

std::string format_seconds(double seconds) {
  if (!(seconds >= 0) || std::isinf(seconds)) {
    return "unknown";
  }
  if (seconds < 0.9995e-3) {
    return quoin::to_fixed(seconds * 1e6, seconds < 0.95e-5 ? 1 : 0) + " us";
  }
  if (seconds < 0.0995) {
    return quoin::to_fixed(seconds * 1e3, seconds < 0.995e-2 ? 1 : 0) + " ms";
  }
  if (seconds < 59.95) {
    return quoin::to_fixed(seconds, seconds < 0.995 ? 2 : 1) + " s";
  }
  const long whole = std::lround(seconds);
  if (whole < 3600) {
    return quoin::to_text(whole / 60) + " min " + two_digits(whole % 60) + " s";
  }
  return quoin::to_text(whole / 3600) + " h " + two_digits(whole % 3600 / 60) + " min";
}

Progress::Progress(std::ostream& out, std::string label, long total, ProgressOptions options)
    : out_(out), label_(std::move(label)), total_(std::max(total, 0L)), options_(std::move(options)) {
  if (!options_.seconds) {
    options_.seconds = steady_seconds;
  }
  terminal_ = options_.terminal.value_or(is_terminal(out));
  start_ = options_.seconds();
  // A log gets its first line after one interval, a terminal at once.
  last_drawn_ = terminal_ ? start_ - options_.redraw_seconds : start_;
}

Progress::~Progress() {
  if (!finished_ && drawn_width_ > 0) {
    out_ << '\n' << std::flush;
  }
}

void Progress::update(long done, const std::string& note) {
  done_ = done;
  const double now = options_.seconds();
  if (finished_ || now - last_drawn_ < (terminal_ ? options_.redraw_seconds : options_.line_seconds)) {
    return;
  }
  last_drawn_ = now;
  std::string line = label_ + ": " + quoin::to_text(done);
  const double elapsed = now - start_;
  if (total_ > 0) {
    const double part = std::clamp(static_cast<double>(done) / static_cast<double>(total_), 0.0, 1.0);
    line += " of " + quoin::to_text(total_) + " (" + quoin::to_fixed(std::floor(100 * part), 0) + " %), ";
    line += done > 0 ? format_seconds(elapsed * (1 - part) / part) + " left" : format_seconds(elapsed);
  } else {
    line += ", " + format_seconds(elapsed);
  }
  if (!note.empty()) {
    line += ", " + note;
  }
  draw(line, false);
}

void Progress::finish(const std::string& note) {
  if (finished_) {
    return;
  }
  finished_ = true;
  std::string line = label_ + ": ";
  if (total_ > 0 && done_ < total_) {
    line += quoin::to_text(done_) + " of " + quoin::to_text(total_) + " in ";
  } else if (done_ > 0) {
    line += quoin::to_text(done_) + " in ";
  }
  line += format_seconds(options_.seconds() - start_);
  if (!note.empty()) {
    line += ", " + note;
  }
  draw(line, true);
}

void Progress::draw(const std::string& line, bool last) {
  if (!terminal_) {
    out_ << line << '\n' << std::flush;
    return;
  }
  // Blanks overwrite the rest of a longer line.
  const std::size_t blanks = drawn_width_ > line.size() ? drawn_width_ - line.size() : 0;
  out_ << '\r' << line << std::string(blanks, ' ');
  drawn_width_ = line.size();
  if (last) {
    out_ << '\n';
  }
  out_ << std::flush;
}

}  // namespace studies::figures
