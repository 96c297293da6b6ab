// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace quoin::io::detail {

// Unlike <cctype>'s, these do not depend on the locale.
inline bool blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

/// Splits a text into words between blanks and counts its lines from 1.
class Words {
 public:
  /// Skips a leading byte-order mark.
  explicit Words(std::string_view text);

  /// The next word; empty at the end of the text.
  std::string_view next();
  /// The next word of the current line (the one of the last word; at first, line 1); empty at its end. A line that ends
  /// with a backslash continues on the next.
  std::string_view next_in_line();
  /// Moves past the end of the current line; false if the text ends with it.
  bool next_line();

  /// The line of the last word, or of the end of the text.
  int line() const { return line_; }

 private:
  std::string_view take();
  std::size_t continuation() const;

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace quoin::io::detail
