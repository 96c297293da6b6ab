// SPDX-License-Identifier: BSD-3-Clause
// What a worker says is not trusted: every message is read as it stands or refused.
#include "evaluation/worker_protocol.hpp"
#include "support/hostile_files.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>

using namespace quoin;
using namespace quoin::evaluation_detail;

namespace {

// Reads as the pool does; what has not come whole reads as nothing.
template <class Read>
auto refusing(const Read& read) {
  return [read](const std::string& text) {
    std::size_t used = 0;
    try {
      const auto message = read(text, used);
      if (message && (used == 0 || used > text.size())) FAIL_CHECK("it used " << used << " of " << text.size());
      if (!message && used > text.size() + 1000) FAIL_CHECK("it used " << used << " of nothing");
    } catch (const Nonsense& nonsense) {
      throw std::runtime_error(nonsense.reason);
    }
  };
}

}  // namespace

TEST_CASE("greetings and answers are read as they stand or refused, whatever their bytes") {
  const auto greeting = refusing([](const std::string& text, std::size_t& used) {
    const auto function = read_greeting(text, used);
    if (function && (function->output_size < 1 || function->jet_order < 0 || function->jet_order > 3))
      FAIL_CHECK("it believed " << text);
    return function;
  });
  survives_mutilation("quoin 1 outputs 3 order 1 fingerprint my rod 12\n", greeting, 20000);
  const auto answer = refusing([](const std::string& text, std::size_t& used) {
    const auto read = read_answer(text, 2, 3, used);
    if (read && read->reason.empty() && (read->jet.rows() != 2 || read->jet.cols() != 3))
      FAIL_CHECK("it believed " << text);
    return read;
  });
  survives_mutilation("branch -2 jet 1 -2.5 3e-7 4 5 6\n", answer, 20000);
  survives_mutilation("failed the mesh is inverted\n", answer);
  survives_mutilation("retry no licence\n", answer);
  survives_mutilation("jet binary 48\n" + std::string(48, '\0') + "\n", answer, 20000);
}
