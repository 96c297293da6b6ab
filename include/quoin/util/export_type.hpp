// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

/// Behind the word class: of this type there is one in a process, though several libraries compile it. Its static and
/// thread_local variables are theirs together, and what one throws another catches, also when one is compiled with
/// -fvisibility=hidden, as modules of Python are.
#ifdef __GNUC__
#define QUOIN_EXPORT_TYPE __attribute__((visibility("default")))
#else
#define QUOIN_EXPORT_TYPE
#endif
