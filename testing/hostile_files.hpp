// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <catch2/catch.hpp>

#include <cstddef>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/resource.h>

/// Requires that a reader either reads the text or throws std::runtime_error. True if it was read.
template <class Read>
bool reads_or_refuses(const std::string& text, Read&& read) {
  try {
    read(text);
    return true;
  } catch (const std::runtime_error& error) {
    if (std::string(error.what()).empty()) FAIL_CHECK("refused without a word");
  } catch (const std::exception& error) {
    FAIL_CHECK("neither read nor refused, but '" << error.what() << "' of\n" << text.substr(0, 2000));
  }
  return false;
}

/// Mutilated copies of a good file: cut after each byte, and `count` times with bytes changed, a word replaced by a
/// hostile number, or a piece doubled or left out. The same at every run.
template <class Read>
void survives_mutilation(const std::string& good, Read&& read, int count = 3000) {
  REQUIRE(reads_or_refuses(good, read));
  for (std::size_t length = 0; length < good.size(); ++length) reads_or_refuses(good.substr(0, length), read);
  const std::vector<std::string> numbers = {"-1",    "0",      "2147483648", "-2147483648", "-9223372036854775808",
                                            "1e999", "nan",    "-inf",       "4294967295",  "9223372036854775807",
                                            "1e308", "1e-400", "",           "999999999",   "99999999999999999999"};
  std::mt19937 random(1);
  const auto below = [&](std::size_t end) { return end == 0 ? 0 : random() % end; };
  for (int k = 0; k < count; ++k) {
    std::string text = good;
    if (k % 3 == 0) {
      for (std::size_t changes = 1 + below(4); changes > 0; --changes)
        text[below(text.size())] = static_cast<char>(below(4) > 0 ? " \n\"'<>/-.0123456789"[below(19)] : below(256));
    } else if (k % 3 == 1) {
      const std::size_t start = text.find_first_of("0123456789", below(text.size()));
      if (start != std::string::npos)
        text.replace(start, text.find_first_not_of("0123456789.e", start) - start, numbers[below(numbers.size())]);
    } else {
      const std::size_t start = below(text.size()), length = below(text.size() - start);
      k % 2 == 0 ? text.erase(start, length) : text.insert(start, text.substr(start, length));
    }
    reads_or_refuses(text, read);
  }
}

/// The peak memory of this process so far, in MB.
inline double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}
