// SPDX-License-Identifier: BSD-3-Clause
// Children of fork that say how they have ended.
#pragma once

#include "quoin/util/to_text.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

namespace quoin::test {

/// The thread sanitizer ends a child that starts threads; the address sanitizer's memory stays locked in a child if
/// another thread was taking some.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool can_fork_among_threads = false;
#else
constexpr bool can_fork_among_threads = true;
#endif

/// Calls wrong(), which returns a number of errors, in a child, where it may take so many seconds.
template <class Wrong>
pid_t forked(unsigned seconds, Wrong&& wrong) {
  const pid_t child = fork();
  if (child != 0) return child;
  std::signal(SIGALRM, SIG_DFL);
  alarm(seconds);
  int errors = 99;
  try {
    errors = wrong();
  } catch (...) {
  }
  _exit(errors < 99 ? errors : 99);
}

/// "" for a child that has ended without an error, or what has become of it.
inline std::string told_by(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return "no child";
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGALRM ? "hangs" : "killed by " + to_text(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : to_text(WEXITSTATUS(status)) + " errors";
}

}  // namespace quoin::test
