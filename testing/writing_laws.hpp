// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "testing/files.hpp"
#include "testing/hostile_system.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// On a full disk write(file), of more than 4 kB, says so, leaves a file as it was, and nothing beside it.
template <class Write>
void leaves_files_as_they_were_on_a_full_disk(const std::string& name, const Write& write) {
  const ScratchFolder folder(name);
  const std::filesystem::path file = folder / "results";
  std::string message;
  {
    const FullDisk disk(4000);
    message = message_of([&] { write(file); });
  }
  CHECK(message == "cannot write '" + file.string() + "': File too large");
  CHECK(names_in(folder.path()).empty());
  write(file);
  const std::string old = read_all(file);
  CHECK(old.size() > 4000);
  {
    const FullDisk disk(4000);
    CHECK_THROWS_AS(write(file), std::runtime_error);
  }
  CHECK(read_all(file) == old);
  CHECK(names_in(folder.path()) == std::vector<std::string>{"results"});
}

/// write(folder) gives the same text, of what it wrote there, where numbers are German.
template <class Write>
void does_not_depend_on_the_locale(const Write& write) {
  const ScratchFolder folder("locale");
  const std::string plain = write(folder);
  const GermanNumbers german;
  if (!german.of_c_too()) WARN("there is no locale de_DE here: only C++ streams write German numbers");
  std::ostringstream check;
  check << 1234.5;
  REQUIRE(check.str() == "1.234,5");
  CHECK(write(folder) == plain);
}
