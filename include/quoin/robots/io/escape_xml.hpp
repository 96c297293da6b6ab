// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/abi_check.hpp"
#include "quoin/util/requirements.hpp"

#include <string>
#include <string_view>

namespace quoin::io {

/// The text with the five characters that XML reserves replaced, and control characters dropped.
std::string escape_xml(std::string_view text);

}  // namespace quoin::io
