// SPDX-License-Identifier: BSD-3-Clause
#include "file_access.hpp"

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace quoin::io::detail {
namespace {

std::runtime_error failure(const char* what, const std::filesystem::path& file, int error) {
  std::string reason = error == 0 ? "unknown reason" : std::generic_category().message(error);
  return std::runtime_error(std::string(what) + " '" + file.string() + "': " + reason);
}

}  // namespace

std::ofstream open_for_writing(const std::filesystem::path& file) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (!out) {
    throw failure("cannot write", file, errno);
  }
  return out;
}

std::ifstream open_for_reading(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw failure("cannot read", file, EISDIR);
  }
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw failure("cannot read", file, errno);
  }
  return in;
}

void check_written(std::ostream& out, const std::filesystem::path& file) {
  errno = 0;
  out.flush();
  if (!out) {
    throw failure("cannot write", file, errno);
  }
}

}  // namespace quoin::io::detail
