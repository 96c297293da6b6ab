// SPDX-License-Identifier: BSD-3-Clause
// A worker with one habit, for the tests: worker <habit> [<file>]. It evaluates waves.hpp.
#include "share/workers/quoin_worker.h"

#include "evaluation/waves.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

std::string habit, file;

// True for the first process that asks, of all that know the file.
bool first() {
  if (!std::ifstream(file)) return false;
  return unlink(file.c_str()) == 0;
}

void say(const std::string& text) { (void)!write(4, text.data(), text.size()); }

const char* evaluate(const double* x, double* jet) {
  const bool corner = x[0] == 1 && x[1] == 1;
  std::puts("a simulator prints");
  std::fflush(stdout);
  if (habit == "crashes once" && first()) raise(SIGKILL);
  if (habit == "crashes at (1, 1)" && corner) raise(SIGKILL);
  if (habit == "leaves at (1, 1)" && corner) std::exit(3);
  if (habit == "hangs once" && first()) sleep(1000);
  if (habit == "hangs at (1, 1)" && corner) sleep(1000);
  if (habit == "fails at (1, 1)" && corner) return "the mesh is inverted";
  if (habit == "retries at (1, 1)" && corner) return "retry no licence";
  if (habit == "chatters at (1, 1)" && corner) say("Iteration 1: residual 3.2e-4\n");
  if (habit == "has no line's end at (1, 1)" && corner) say(std::string(1 << 20, 'x'));
  if (habit == "closes at (1, 1)" && corner) {
    close(4);
    sleep(1000);
  }
  if (habit == "writes nan at (1, 1)" && corner) {
    quoin::test::waves(x, jet);
    jet[1] = 0.0 / x[0] * 0.0 + std::nan("");
    return nullptr;
  }
  if (habit == "is slow") usleep(20000);
  quoin::test::waves(x, jet);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  habit = argc > 1 ? argv[1] : "";
  file = argc > 2 ? argv[2] : "";
  if (habit == "is silent") sleep(1000);
  if (habit == "is another") {
    say("hello, world\n");
    sleep(1000);
  }
  if (habit == "becomes another") return quoin_serve(evaluate, 2, first() ? 2 : 3, 1, "waves 1");
  return quoin_serve(evaluate, 2, 3, 1, "waves 1");
}
