// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "store_lock.hpp"

#include <cstdint>
#include <string>

namespace quoin::storage {

/// An open database with its log, which SQLite counts by its index alone: what others cut off, it takes for zeros.
struct OpenLog {
  int file = -1;            ///< a descriptor of the database
  int index = -1;           ///< a descriptor of the log's index, or -1 for none
  std::string log;          ///< its path
  FileIdentity identity;    ///< of the log; another in its place is none of it
  std::uint32_t first = 0;  ///< the first frame to be looked at, from 1; 0: the last alone
};

/// The frames of the log that hold something.
std::uint32_t frames_in_log(int index);

/// False if the log has less than its index says, or if the database has fewer bytes than SQLite and who looked last
/// know of: `bytes`, which becomes what it has. True where that cannot be found out.
bool is_whole(const OpenLog& log, std::uintmax_t& bytes);

}  // namespace quoin::storage
