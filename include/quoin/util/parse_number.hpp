// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <charconv>
#include <concepts>
#include <string_view>
#include <system_error>

namespace quoin {

/// Reads the whole text as a number, whatever the locale: the output of to_text, a leading plus, nan, inf, and
/// hexadecimal digits after 0x as printf's %a writes them. Returns false for any other text and for numbers out of the
/// range of a double.
inline bool parse_number(std::string_view text, double& number) {
  const bool plus = text.starts_with('+'), minus = text.starts_with('-');
  if (plus || minus) text.remove_prefix(1);
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  const char* const last = text.data() + text.size();
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), last, value, hexadecimal ? std::chars_format::hex : std::chars_format::general);
  if (error != std::errc() || end != last || text.starts_with('-')) return false;
  number = minus ? -value : value;
  return true;
}

/// The same for an integer, without a plus.
template <std::integral Integer>
bool parse_number(std::string_view text, Integer& number) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  number = value;
  return true;
}

}  // namespace quoin
