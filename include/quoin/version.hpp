// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <string_view>

// The number stands here alone: CMake reads these three lines. Before 1.0 a minor version may break, a patch does not.
#define QUOIN_VERSION_MAJOR 0
#define QUOIN_VERSION_MINOR 3
#define QUOIN_VERSION_PATCH 0

#define QUOIN_VERSION_WORD_(x) #x
#define QUOIN_VERSION_WORDS_(major, minor, patch) \
  QUOIN_VERSION_WORD_(major) "." QUOIN_VERSION_WORD_(minor) "." QUOIN_VERSION_WORD_(patch)
/// "<major>.<minor>.<patch>"
#define QUOIN_VERSION_STRING QUOIN_VERSION_WORDS_(QUOIN_VERSION_MAJOR, QUOIN_VERSION_MINOR, QUOIN_VERSION_PATCH)

namespace quoin {

/// Of the headers that the program is compiled with, "<major>.<minor>.<patch>".
inline constexpr std::string_view version = QUOIN_VERSION_STRING;

}  // namespace quoin
