// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <stdexcept>
#include <string>

/// A file for what is read from files only: in memory where the system has a place for that. It stays when libFuzzer
/// ends the program, some kilobytes.
class ScratchFile {
 public:
  ScratchFile() {
    const std::filesystem::path memory = "/dev/shm";
    const auto in = access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
    std::string name = (in / "quoin_fuzz_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::logic_error("no temporary folder");
    folder_ = name;
  }
  ~ScratchFile() { std::filesystem::remove_all(folder_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  std::filesystem::path path() const { return folder_ / "input"; }
  void write(const std::string& bytes) const {
    for (const char* beside : {"-wal", "-shm", "-journal"}) std::filesystem::remove(path().string() + beside);
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << bytes;
  }

 private:
  std::filesystem::path folder_;
};
