// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <catch2/catch.hpp>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace quoin::test {

/// A folder that is gone with it.
struct Folder {
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "quoin_workers_XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
  std::string read(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(path / name).rdbuf();
    return text.str();
  }
  std::filesystem::path path;
};

}  // namespace quoin::test
