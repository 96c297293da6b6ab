// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/dynamics/answer_memory.hpp"

#include <catch2/catch.hpp>

#include <tuple>

using namespace quoin;

TEST_CASE("an answer is found by its owner at its point alone, until another takes its place") {
  AnswerMemory<2> memory;
  using Sample = AnswerMemory<2>::Sample;
  CHECK(memory.find(1, {0, 0}) == nullptr);
  int kept = 0;
  for (int i = 0; i < 5000; ++i) {
    const Point<2> x(0.1 * i, -0.3 * i);
    memory.keep(1, x, Sample{Eigen::VectorXd::Constant(3, i), Eigen::MatrixXd::Constant(3, 2, -i)});
    REQUIRE(memory.find(1, x) != nullptr);
    CHECK(memory.find(1, x)->y == Eigen::VectorXd::Constant(3, i));
    CHECK(memory.find(2, x) == nullptr);
    CHECK(memory.find(1, {0.1 * i, 1.0}) == nullptr);
  }
  for (int i = 0; i < 5000; ++i)
    if (const Sample* sample = memory.find(1, {0.1 * i, -0.3 * i})) {
      ++kept;
      CHECK(sample->J == Eigen::MatrixXd::Constant(3, 2, -i));
    }
  CHECK(kept <= 1024);
  CHECK(kept > 900);  // places are hit evenly
}

TEST_CASE("long answers have fewer places: 4 MiB in all, and 16 at least") {
  for (const auto& [outputs, most, least] : {std::tuple{1579, 64, 45}, std::tuple{100000, 16, 10}}) {
    AnswerMemory<4> memory;
    int kept = 0;
    for (int i = 0; i < 200; ++i)
      memory.keep(7, Point<4>(i, 0.1 * i, 2, 0.5), {Eigen::VectorXd::Zero(outputs), Eigen::MatrixXd::Zero(outputs, 4)});
    for (int i = 0; i < 200; ++i) kept += memory.find(7, Point<4>(i, 0.1 * i, 2, 0.5)) != nullptr;
    CHECK(kept <= most);
    CHECK(kept >= least);
  }
}
