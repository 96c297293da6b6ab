// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/figures/output_folder.hpp"

#include "quoin/util/files.hpp"

#include <stdexcept>
#include <system_error>
#include <utility>

namespace studies::figures {
namespace {

std::runtime_error refusal(const std::filesystem::path& path, const std::string& reason) {
  return std::runtime_error("cannot write to '" + path.string() + "': " + reason +
                            "; choose another folder with --out");
}

}  // namespace

OutputFolder::OutputFolder(std::filesystem::path path) : path_(std::move(path)) {
  if (path_.empty()) {
    throw refusal(path_, "the name is empty");
  }
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) {
    throw refusal(path_, error.message());
  }
  if (!std::filesystem::is_directory(path_, error)) {
    throw refusal(path_, error ? error.message() : "it is a file, not a folder");
  }
  // Permission bits do not show read-only mounts, quotas and other users' rules: try to write.
  try {
    quoin::detail::put_text(quoin::detail::TemporaryFile(path_).stream, "quoin\n");
  } catch (const std::system_error& failed) {
    throw refusal(path_, failed.code().message());
  }
}

}  // namespace studies::figures
