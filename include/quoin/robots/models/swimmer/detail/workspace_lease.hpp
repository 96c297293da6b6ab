// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <memory>
#include <utility>

namespace quoin::swimmer::detail {

// Buffers of the calling thread for the lifetime of the lease. A nested call (a map whose function asks another map of
// the same type) gets buffers of its own. Allocates only for nested calls, and the first time.
template <class Workspace>
class WorkspaceLease {
 public:
  WorkspaceLease() : own_(idle() ? std::move(idle()) : std::make_unique<Workspace>()) {}
  ~WorkspaceLease() { idle() = std::move(own_); }
  WorkspaceLease(const WorkspaceLease&) = delete;
  WorkspaceLease& operator=(const WorkspaceLease&) = delete;

  Workspace& operator*() const { return *own_; }

 private:
  static std::unique_ptr<Workspace>& idle() {
    static thread_local std::unique_ptr<Workspace> workspace;
    return workspace;
  }

  std::unique_ptr<Workspace> own_;
};

}  // namespace quoin::swimmer::detail
