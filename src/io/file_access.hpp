// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <fstream>

namespace quoin::io::detail {

/// Opens a file to be written anew; throws std::runtime_error "cannot write 'X': Permission denied".
std::ofstream open_for_writing(const std::filesystem::path& file);

/// Opens a file to be read; throws std::runtime_error "cannot read 'X': No such file or directory".
std::ifstream open_for_reading(const std::filesystem::path& file);

/// Flushes and throws std::runtime_error if anything since opening was not written (a full disk).
void check_written(std::ostream& out, const std::filesystem::path& file);

}  // namespace quoin::io::detail
