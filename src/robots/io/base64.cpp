// SPDX-License-Identifier: BSD-3-Clause
#include "base64.hpp"

#include <cstdint>

namespace quoin::io::detail {

std::string base64(const unsigned char* data, std::size_t size) {
  static constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((size + 2) / 3 * 4);
  for (std::size_t i = 0; i < size; i += 3) {
    const std::size_t bytes = size - i < 3 ? size - i : 3;
    std::uint32_t group = std::uint32_t{data[i]} << 16;
    if (bytes > 1) {
      group |= std::uint32_t{data[i + 1]} << 8;
    }
    if (bytes > 2) {
      group |= std::uint32_t{data[i + 2]};
    }
    text += alphabet[group >> 18];
    text += alphabet[group >> 12 & 63];
    text += bytes > 1 ? alphabet[group >> 6 & 63] : '=';
    text += bytes > 2 ? alphabet[group & 63] : '=';
  }
  return text;
}

}  // namespace quoin::io::detail
