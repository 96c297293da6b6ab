// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/planning/policy_gradient/learner.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

using namespace quoin::planning;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() { fs::create_directories(path_); }
  ~Folder() { fs::remove_all(path_); }
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_ = fs::temp_directory_path() / "quoin_learner_file_test";
};

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

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a learner comes back from its file to the bit, and its policy alone from both kinds of file") {
  const Folder folder;
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
  CHECK_FALSE(fs::exists(folder / "policy.new"));
}

TEST_CASE("a file that is not a learner, or not a whole one, is refused by name") {
  const Folder folder;
  const auto refused = [&](const std::string& text, const std::string& why) {
    std::ofstream(folder / "bad") << text;
    CHECK_THROWS_WITH(load_learner(folder / "bad"), Catch::Contains("bad'") && Catch::Contains(why));
  };
  CHECK_THROWS_WITH(load_learner(folder / "missing"), Catch::Contains("missing"));
  CHECK_THROWS_WITH(save_learner(some_learner(), folder / "no/such/folder"), Catch::Contains("folder"));
  save_learner(some_learner(), folder / "good");
  const std::string good = text_of(folder / "good");
  refused("", "ends early");
  refused("something else\n", "does not begin with 'quoin learner 1'");
  refused(good.substr(0, good.size() / 2), "");
  refused(good.substr(0, good.size() - 4), "'end'");
  std::string other = good;
  other[other.find("weights 58") + 9] = '7';
  refused(other, "57 numbers of weights, wanted 58");
  other = good;
  other[other.find("0x")] = 'z';
  refused(other, "zx");
  save_policy(some_learner().policy, folder / "policy");
  CHECK_THROWS_WITH(load_learner(folder / "policy"), Catch::Contains("does not begin with 'quoin learner 1'"));
}
