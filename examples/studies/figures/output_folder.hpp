// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <filesystem>
#include <string>

namespace studies::figures {

/// A folder for a program's results, created with its parents if missing, and checked to be writable before the work
/// begins rather than after it.
///
///     OutputFolder out("out/soft_arm_laser");
///     csv_path = out / "path.csv";
///
/// Throws std::runtime_error: "cannot write to 'X': Permission denied; choose another folder with --out".
class OutputFolder {
 public:
  explicit OutputFolder(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace studies::figures
