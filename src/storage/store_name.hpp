// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "store_lock.hpp"

#include <filesystem>
#include <string>

namespace quoin::storage {

/// The file that the name means now, whatever the process's folder is later. Throws std::invalid_argument for an empty
/// name, and for one with a NUL.
std::string fixed_name(const std::filesystem::path& path);

/// The path, if a file of samples can have it. Throws std::invalid_argument, to write, for a name that SQLite gives to
/// what it makes, and deletes, beside another file, and std::runtime_error for one that is too long, or if a database
/// of its own lies where SQLite would take it for what belongs to this file. Links are followed.
const std::string& require_usable_name(const std::string& path, Access access);

}  // namespace quoin::storage
