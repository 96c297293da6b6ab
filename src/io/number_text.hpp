// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sstream>
#include <string>
#include <string_view>

namespace quoin::io::detail {

/// A text that is written piece by piece, with numbers as they are whatever the locale: 2503, not 2.503.
std::ostringstream plain_text();

/// The text with the five characters that XML reserves replaced, and control characters dropped.
std::string escape_xml(std::string_view text);

}  // namespace quoin::io::detail
