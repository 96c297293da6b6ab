// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/util/parallel_for.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <stdexcept>
#include <vector>

using quoin::parallel_for;

TEST_CASE("parallel_for does every piece of work once, on any number of threads") {
  for (const std::size_t threads : {0u, 1u, 2u, 5u, 100u}) {
    std::vector<std::atomic<int>> done(37);
    parallel_for(done.size(), threads, [&](std::size_t i) { ++done[i]; });
    for (const auto& times : done) CHECK(times == 1);
  }
  parallel_for(0, 4, [](std::size_t) { FAIL("there is nothing to do"); });
}

TEST_CASE("parallel_for throws what its work throws, when all threads have ended") {
  for (const std::size_t threads : {1u, 3u}) {
    std::atomic<int> done{0};
    CHECK_THROWS_WITH(parallel_for(10000, threads,
                                   [&](std::size_t i) {
                                     if (i == 5) throw std::runtime_error("the sixth");
                                     ++done;
                                   }),
                      "the sixth");
    CHECK(done < 10000);
  }
}
