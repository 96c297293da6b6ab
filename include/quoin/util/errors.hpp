// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/export_type.hpp"

#include <stdexcept>
#include <string>

namespace quoin {

/// A query lies outside the domain that the caller declared. The message names the coordinate and the bound.
class QUOIN_EXPORT_TYPE DomainError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A corner that the answer needs could not be evaluated. The message names the corner and the reason.
class QUOIN_EXPORT_TYPE CornerFailure : public std::runtime_error {
 public:
  /// what: the corner and the reason; may_pass: whether the next query is to try again.
  explicit CornerFailure(const std::string& what, bool may_pass = false)
      : std::runtime_error(what), may_pass_(may_pass) {}

  /// True if the next query that needs the corner tries again; see RetryableFailure.
  bool may_pass() const noexcept { return may_pass_; }

 private:
  bool may_pass_;
};

/// To be thrown by a function under a grid when the failure may pass (a licence server, a full disk): the corner is
/// kept as failed, but the next query that needs it calls the function again. std::bad_alloc is such a failure too; any
/// other exception but Interrupted is permanent.
class QUOIN_EXPORT_TYPE RetryableFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// To be thrown by a function under a grid, or by an evaluator, to abort the query that called it (the user pressed a
/// key, a deadline has passed): the query rethrows it, and this call leaves no record. Corners that were finished
/// before are kept.
class QUOIN_EXPORT_TYPE Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace quoin
