// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

namespace studies::figures {

struct ProgressOptions {
  std::optional<bool> terminal = {};     ///< redraw one line in place; unset: if the stream is std::cerr and a terminal
  double redraw_seconds = 0.1;           ///< on a terminal: least time between drawings
  double line_seconds = 10;              ///< elsewhere: time between plain lines
  std::function<double()> seconds = {};  ///< the clock; unset: the steady clock
};

/// Shows the progress of work and the time left.
///
///     Progress progress(std::cerr, "planning, exact dynamics", iterations);
///     for (int i = 0; i < iterations; ++i) { ...; progress.update(i + 1, "cost 0.31"); }
///     progress.finish("cost 0.30");
///
/// On a terminal one line is redrawn; elsewhere (a log) a plain line appears from time to time. The time left is the
/// elapsed time scaled by the work left. Without a total (0) only count and time are shown. A Progress that is
/// destroyed unfinished ends its line, so that later messages begin on a line of their own.
class Progress {
 public:
  Progress(std::ostream& out, std::string label, long total, ProgressOptions options = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows that `done` of the total are done; the note stands at the end of the line.
  void update(long done, const std::string& note = "");
  /// The last line, always shown: label, count, time taken, note.
  void finish(const std::string& note = "");

 private:
  void draw(const std::string& line, bool last);

  std::ostream& out_;
  std::string label_;
  long total_;
  ProgressOptions options_;
  bool terminal_;
  double start_;
  double last_drawn_;
  long done_ = 0;
  std::size_t drawn_width_ = 0;
  bool finished_ = false;
};

/// A duration for people: "0.42 s", "8.1 s", "3 min 05 s", "2 h 14 min".
std::string format_seconds(double seconds);

}  // namespace studies::figures
