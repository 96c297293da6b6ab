// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/requirements.hpp"

#include <stdexcept>

namespace quoin {

/// A query lies outside the domain that the caller declared. The message names the coordinate and the bound.
class DomainError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A corner that the answer needs could not be evaluated. The message names the corner and the reason.
class CornerFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throw from a function under a grid when the failure may pass (a licence server, a full disk): the corner is
/// kept as failed, but the next query that needs it calls the function again. Any other exception is permanent.
class RetryableFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace quoin
