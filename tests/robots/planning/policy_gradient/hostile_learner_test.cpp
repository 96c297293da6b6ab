// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/policy_gradient/learner.hpp"

#include "testing/files.hpp"
#include "testing/hostile_files.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <string>

using namespace quoin::planning;

TEST_CASE("a file that announces more than it holds is refused before anything is reserved for it") {
  const ScratchFolder folder("learner");
  std::ofstream(folder / "huge") << "quoin learner 1\npolicy 1000000 1000000 1\nweights 1000002000001\n0.5\n";
  const double before = peak_megabytes();
  CHECK_THROWS_WITH(load_learner(folder / "huge"),
                    Catch::Contains("huge' announces 1000002000001 numbers of weights, but only 5 bytes are left"));
  CHECK(peak_megabytes() - before < 20);
}

TEST_CASE("mutilated learners are read or refused") {
  const ScratchFolder folder("learner");
  Learner small = Learner::random(1, 1, {.hidden = 2, .seed = 7});
  save_learner(small, folder / "small");
  survives_mutilation(
      read_all(folder / "small"),
      [&](const std::string& text) {
        std::ofstream(folder / "bad") << text;
        const Learner read = load_learner(folder / "bad");
        Eigen::MatrixXd values;
        read.value.evaluate(Eigen::MatrixXd::Zero(read.policy.observation_size(), 1), values);
      },
      600);
}
