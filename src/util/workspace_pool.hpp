// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/at_fork.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace quoin {

/// Workspaces that calls borrow, one each: it grows to the largest number of concurrent calls.
///
///     const auto workspace = pool.lease(size);   // an idle one, else a new Workspace{size}
///     workspace->matrix.setZero();               // of this call alone, until `workspace` is destroyed
template <class Workspace>
class WorkspacePool {
 public:
  class Lease {
   public:
    Lease(WorkspacePool& pool, std::unique_ptr<Workspace> own) : pool_(pool), own_(std::move(own)) {}
    ~Lease() {
      try {
        const std::lock_guard lock(pool_.mutex_);
        pool_.idle_.push_back(std::move(own_));
      } catch (...) {  // out of memory: the workspace is dropped
      }
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    Workspace& operator*() const { return *own_; }
    Workspace* operator->() const { return own_.get(); }

   private:
    WorkspacePool& pool_;
    std::unique_ptr<Workspace> own_;
  };

  template <class... Arguments>
  Lease lease(const Arguments&... arguments) {
    std::unique_ptr<Workspace> own = take_idle();
    if (!own) own.reset(new Workspace{arguments...});
    return {*this, std::move(own)};
  }

 private:
  std::unique_ptr<Workspace> take_idle() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<Workspace> own = std::move(idle_.back());
    idle_.pop_back();
    return own;
  }

  ForkSafeMutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

}  // namespace quoin
