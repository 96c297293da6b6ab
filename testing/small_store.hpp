// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/storage/sample_file.hpp"
#include "storage/database.hpp"
#include "testing/storage_faults.hpp"

#include <filesystem>

/// The same as fill(path, 0, samples) in pages of 512 bytes, the smallest: few bytes of the file say nothing.
inline void fill_small(const std::filesystem::path& path, int samples) {
  fill(path, 0, samples);
  quoin::storage::Database database(path, quoin::storage::Database::Access::write);
  for (const char* command : {"PRAGMA journal_mode = DELETE", "PRAGMA page_size = 512", "VACUUM"})
    database.execute(command);
  database.write_ahead();
}
