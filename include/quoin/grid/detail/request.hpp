// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/requirements.hpp"

namespace quoin {

/// One thread's request for corners. What f asks of a grid while it is called for a request is a child of that request:
/// so grids find out when a function waits, directly or through others, for itself.
///
/// The thread on which f is called runs on behalf of a request already. A function that is not concurrent and asks its
/// grid from a thread of its own must hand the request on. Nothing else tells the grid that the two belong together:
/// the thread would wait for f to end, and f for the thread.
///
///   [&](const Point<2>& x, auto y, auto J) {
///     const Request* request = Request::current();
///     std::jthread helper([&] { Request::Scope scope(request); grid.evaluate(elsewhere, z); });
///     ...
///   }
class Request {
 public:
  Request() : parent_(current()) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  /// While it lives, what this thread asks for is asked on behalf of the request, which must outlive it.
  class Scope {
   public:
    explicit Scope(const Request* request) : outer_(current()) { own() = request; }
    ~Scope() { own() = outer_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const Request* outer_;
  };

  /// The request on whose behalf this thread runs, or nullptr.
  static const Request* current() { return own(); }

  bool descends_from(const Request* ancestor) const {
    for (const Request* request = this; request != nullptr; request = request->parent_)
      if (request == ancestor) return true;
    return false;
  }

 private:
  static const Request*& own() {
    thread_local const Request* request = nullptr;
    return request;
  }

  const Request* parent_;
};

}  // namespace quoin
