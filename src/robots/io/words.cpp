// SPDX-License-Identifier: BSD-3-Clause
#include "words.hpp"

#include <algorithm>

namespace quoin::io::detail {
Words::Words(std::string_view text) : text_(text) {
  if (text_.starts_with("\xef\xbb\xbf")) {
    text_.remove_prefix(3);
  }
}

/// The length of a backslash with the line end after it at the current place, or 0.
std::size_t Words::continuation() const {
  const std::string_view rest = text_.substr(at_, 3);
  return rest.starts_with("\\\n") ? 2 : rest == "\\\r\n" ? 3 : 0;
}

std::string_view Words::take() {
  const std::size_t start = at_;
  while (at_ < text_.size() && !blank(text_[at_]) && continuation() == 0) {
    ++at_;
  }
  return text_.substr(start, at_ - start);
}

std::string_view Words::next() {
  while (at_ < text_.size() && blank(text_[at_])) {
    line_ += text_[at_] == '\n';
    ++at_;
  }
  return take();
}

std::string_view Words::next_in_line() {
  while (at_ < text_.size()) {
    if (const std::size_t length = continuation(); length > 0) {
      at_ += length;
      ++line_;
    } else if (blank(text_[at_]) && text_[at_] != '\n') {
      ++at_;
    } else {
      break;
    }
  }
  return take();
}

bool Words::next_line() {
  at_ = std::min(text_.find('\n', at_), text_.size());
  if (at_ == text_.size()) {
    return false;
  }
  ++at_;
  ++line_;
  return true;
}

}  // namespace quoin::io::detail
