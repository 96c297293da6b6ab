// SPDX-License-Identifier: BSD-3-Clause
// How many sequences of events a test draws, and from which seed on: as the environment's QUOIN_DRAWS and QUOIN_SEED
// say, or as the test has it.
#pragma once

#include <cstdlib>
#include <string>

namespace quoin::test {

inline int number_in_environment(const char* name, int otherwise) {
  const char* const number = std::getenv(name);
  return number ? std::stoi(number) : otherwise;
}
inline int draws_wanted(int otherwise) { return number_in_environment("QUOIN_DRAWS", otherwise); }
inline unsigned seed_wanted() { return static_cast<unsigned>(number_in_environment("QUOIN_SEED", 1)); }

}  // namespace quoin::test
