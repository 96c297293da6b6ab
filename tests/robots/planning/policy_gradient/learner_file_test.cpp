// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/policy_gradient/learner.hpp"

#include "testing/files.hpp"
#include "testing/hostile_system.hpp"

#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>

using namespace quoin::planning;
namespace fs = std::filesystem;

namespace {

Learner some_learner() {
  Learner learner = Learner::random(4, 2, {.hidden = 8, .seed = 0xfedcba9876543210u});
  learner.adam.first_moment.setRandom();
  learner.adam.second_moment.setConstant(1.0 / 3);
  learner.adam.second_moment[0] = std::numeric_limits<double>::denorm_min();
  learner.policy.scale.mean.setRandom();
  learner.policy.scale.count = 16384;
  learner.adam.updates = 320;
  learner.iterations = 2;
  return learner;
}

}  // namespace

TEST_CASE("a learner comes back from its file to the bit, and its policy alone from both kinds of file") {
  const ScratchFolder folder("learner");
  const Learner saved = some_learner();
  save_learner(saved, folder / "learner");
  const Learner read = load_learner(folder / "learner");
  CHECK(read.parameters() == saved.parameters());
  CHECK(read.adam.first_moment == saved.adam.first_moment);
  CHECK(read.adam.second_moment == saved.adam.second_moment);
  CHECK(read.policy.scale.mean == saved.policy.scale.mean);
  CHECK(read.policy.scale.variance == saved.policy.scale.variance);
  CHECK(read.policy.scale.count == saved.policy.scale.count);
  CHECK(read.adam.updates == saved.adam.updates);
  CHECK(read.iterations == saved.iterations);
  CHECK(read.seed == saved.seed);

  save_policy(saved.policy, folder / "policy");
  const Eigen::MatrixXd seen = Eigen::MatrixXd::Random(4, 7);
  for (const char* name : {"policy", "learner"})
    CHECK(load_policy(folder / name).mean(seen) == saved.policy.mean(seen));
  const auto files = std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
  CHECK(files == 2);
}

TEST_CASE("a file that is not a learner, or not a whole one, is refused by name") {
  const ScratchFolder folder("learner");
  const auto refused = [&](const std::string& text, const std::string& why) {
    std::ofstream(folder / "bad") << text;
    CHECK_THROWS_WITH(load_learner(folder / "bad"), Catch::Contains("bad'") && Catch::Contains(why));
  };
  CHECK_THROWS_WITH(load_learner(folder / "missing"), Catch::Contains("missing': No such file or directory"));
  CHECK_THROWS_WITH(save_learner(some_learner(), folder / "no/such/folder"),
                    Catch::Contains("folder': No such file or directory"));
  save_learner(some_learner(), folder / "good");
  const std::string good = read_all(folder / "good");
  refused("", "ends early");
  refused("something else\n", "does not begin with 'quoin learner 1'");
  refused(good.substr(0, good.size() / 2), "");
  refused(good.substr(0, good.size() - 4), "'end'");
  std::string other = good;
  other[other.find("weights 58") + 9] = '7';
  refused(other, "57 numbers of weights, wanted 58");
  other = good;
  other[other.find('\n', other.find("weights 58")) + 1] = 'z';
  refused(other, "has 'z");
  other = good;
  other.replace(other.find("value 4 8 1"), 11, "value 3 8 1");
  refused(other, "49 numbers of weights, wanted 41");
  save_policy(some_learner().policy, folder / "policy");
  CHECK_THROWS_WITH(load_learner(folder / "policy"), Catch::Contains("does not begin with 'quoin learner 1'"));
}

TEST_CASE("the files of learners do not depend on the locale, and those of before are read") {
  const ScratchFolder folder("learner");
  const Learner saved = some_learner();
  save_learner(saved, folder / "plain");
  std::istringstream lines(read_all(folder / "plain"));
  std::ofstream before(folder / "before");  // 0.1 was 0x1.999999999999ap-4
  for (std::string line; std::getline(lines, line);) {
    char* end = nullptr;
    const double number = std::strtod(line.c_str(), &end);
    char text[40];
    std::snprintf(text, sizeof text, "%a", number);
    before << (*end == '\0' ? text : line.c_str()) << '\n';
  }
  before.close();
  CHECK_FALSE(read_all(folder / "before") == read_all(folder / "plain"));
  const GermanNumbers german;
  save_learner(saved, folder / "german");
  CHECK(read_all(folder / "german") == read_all(folder / "plain"));
  for (const char* name : {"german", "before"}) {
    const Learner read = load_learner(folder / name);
    CHECK(read.parameters() == saved.parameters());
    CHECK(read.adam.second_moment == saved.adam.second_moment);
    CHECK(read.seed == saved.seed);
  }
}

TEST_CASE("on a full disk the learner of before stays") {
  const ScratchFolder folder("learner");
  save_learner(some_learner(), folder / "learner");
  const std::string old = read_all(folder / "learner");
  Learner later = some_learner();
  later.iterations = 3;
  {
    const FullDisk disk(1000);
    CHECK_THROWS_WITH(save_learner(later, folder / "learner"), Catch::Contains("learner': File too large"));
  }
  CHECK(read_all(folder / "learner") == old);
}
