// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace quoin::io::detail {

/// Base64 with padding (RFC 4648, section 4).
std::string base64(const unsigned char* data, std::size_t size);

}  // namespace quoin::io::detail
