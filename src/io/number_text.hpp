// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace quoin::io::detail {

/// The fewest digits that read back to the same bits; nan, inf, -inf.
std::string shortest(double value);

/// Fixed notation with so many decimals; never "-0".
std::string fixed(double value, int decimals);

/// Reads all of the text as a double (also nan and inf); false if it is something else.
bool parse_double(std::string_view text, double& value);

/// The text with the five characters that XML reserves replaced, and control characters dropped.
std::string escape_xml(std::string_view text);

}  // namespace quoin::io::detail
