// SPDX-License-Identifier: BSD-3-Clause
// What a worker says is not trusted: every message is read as it stands or refused.
#include "testing/hostile_files.hpp"
#include "testing/messages.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <stdexcept>
#include <string>

using hostile::hear_answer;
using hostile::hear_greeting;

TEST_CASE("greetings and answers are read as they stand or refused, whatever their bytes") {
  survives_mutilation("quoin 2 outputs 3 order 1 fingerprint my rod 12\n", hear_greeting, 20000);
  survives_mutilation("answer 17 0.25 -1.5 branch -2 jet 1 -2.5 3e-7 4 5 6\n", hear_answer, 20000);
  survives_mutilation("answer 17 0.25 -1.5 failed the mesh is inverted\n", hear_answer);
  survives_mutilation("answer 17 0.25 -1.5 retry no licence\n", hear_answer);
  survives_mutilation("answer 17 0.25 -1.5 jet binary 48\n" + std::string(48, '\0') + "\n", hear_answer, 20000);
}

TEST_CASE("a worker that announces what no memory holds is refused, or waited for, before anything is reserved") {
  CHECK_THROWS_WITH(hear_greeting("quoin 2 outputs 2147483648 order 3 fingerprint f\n"),
                    Catch::Contains("N 1 to 2147483647"));
  const auto hear_huge = [](const std::string& text) {
    return hostile::hear(text, [](const std::string& said, std::size_t& used) {
      return quoin::evaluation_detail::read_answer(said, {.variables = 1, .outputs = 2'147'483'647, .derivatives = 84},
                                                   used);
    });
  };
  const double before = peak_megabytes();
  CHECK_FALSE(hear_huge("answer 1 0.5 jet binary 1443109010784\n").has_value());
  CHECK_THROWS_WITH(hear_huge("answer 1 0.5 jet 1 2 3\n"), Catch::Contains("'jet' and 180388626348 numbers"));
  CHECK(peak_megabytes() - before < 20);
}

TEST_CASE("texts become UTF-8 that can be shown: what is none, or controls, is replaced, and all else stays") {
  using quoin::evaluation_detail::printable;
  const std::string put = "\xEF\xBF\xBD";
  CHECK(printable("no licence, 3 \xC2\xB5m, \xE2\x82\xAC, \xF0\x9F\xA6\xBE") ==
        "no licence, 3 \xC2\xB5m, \xE2\x82\xAC, \xF0\x9F\xA6\xBE");
  CHECK(printable("a\tb") == "a b");
  CHECK(printable(std::string("a\0b\x1b[2J\x7f", 8)) == "a" + put + "b" + put + "[2J" + put);
  CHECK(printable("\xE9t\xE9") == put + "t" + put);               // Latin 1
  CHECK(printable("\xC0\x80") == put + put);                      // longer than it must be
  CHECK(printable("\xED\xA0\x80") == put + put + put);            // half of a pair of UTF-16
  CHECK(printable("\xF4\x90\x80\x80") == put + put + put + put);  // beyond the last code point
  CHECK(printable("\xE2\x82") == put + put);                      // cut
  CHECK(printable("\xC2\x9B"
                  "1m") == put + "1m");  // a control of Latin 1
  std::mt19937 random(1);
  for (int draw = 0; draw < 20000; ++draw) {
    std::string bytes(random() % 12, ' ');
    for (char& byte : bytes) byte = static_cast<char>(random() % 2 == 0 ? 0xC0 | random() % 64 : random() % 256);
    const std::string shown = printable(bytes);
    REQUIRE(printable(shown) == shown);
  }
}
