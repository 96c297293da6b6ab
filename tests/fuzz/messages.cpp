// SPDX-License-Identifier: BSD-3-Clause
#include "testing/messages.hpp"
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return reads_or_refuses(data, size, hostile::hear_greeting, hostile::hear_answer);
}
