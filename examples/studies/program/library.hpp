// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// The papers' experiments: programs that use the library; no part of it.
namespace quoin {}
namespace studies {
using namespace quoin;
}
