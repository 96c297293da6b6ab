// SPDX-License-Identifier: BSD-3-Clause
// What libFuzzer calls. A reader reads or throws std::runtime_error; whatever else it throws ends the program, and
// libFuzzer keeps the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// The input as text, to each of the readers.
template <class... Read>
int reads_or_refuses(const std::uint8_t* data, std::size_t size, const Read&... read) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto attempt = [&text](const auto& reader) {
    try {
      reader(text);
    } catch (const std::runtime_error&) {
    }
  };
  (attempt(read), ...);
  return 0;
}
