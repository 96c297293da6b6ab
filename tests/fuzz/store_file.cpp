// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a file of samples.
#include "fuzz.hpp"
#include "read_store.hpp"
#include "scratch_file.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ScratchFile file;
  return reads_or_refuses(data, size, [](const std::string& bytes) {
    file.write(bytes);
    read_store(file.path());
  });
}
