// SPDX-License-Identifier: BSD-3-Clause
// The tables of docs/notes/aico.md: accuracy of the messages, relinearization and damping, two levels, times.
#include "parts.hpp"

namespace {
using namespace benchmarks;

Report run(bool quick) {
  Report report;
  messages(report, quick);
  scenes(report, quick);
  levels(report, quick);
  times(report, quick);
  return report;
}
}  // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "aico",
                       "Approximate inference control: messages against the dense solution, settings, levels, times.",
                       run);
}
