// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/policy_gradient/learner.hpp"
#include "quoin/util/files.hpp"
#include "quoin/util/parse_number.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

namespace quoin::planning {
namespace {

namespace fs = std::filesystem;
using Eigen::VectorXd;

constexpr std::string_view policy_header = "quoin policy 1";
constexpr std::string_view learner_header = "quoin learner 1";

class Writer {
 public:
  void line(std::string_view text) { (text_ += text) += '\n'; }
  void numbers(const std::string& name, const VectorXd& values) {
    line(name + ' ' + to_text(values.size()));
    for (const double value : values) line(to_text(value));
  }
  void network(const std::string& name, const SoftplusNetwork& network) {
    line(name + ' ' + to_text(network.inputs) + ' ' + to_text(network.hidden) + ' ' + to_text(network.outputs));
    numbers("weights", network.weights);
  }
  void policy(const GaussianPolicy& policy) {
    network("policy", policy.network);
    numbers("log_deviation", policy.log_deviation);
    numbers("scale_mean", policy.scale.mean);
    numbers("scale_variance", policy.scale.variance);
    numbers("scale_count", VectorXd::Constant(1, policy.scale.count));
  }
  void finish(const fs::path& file) {
    line("end");
    write_file(file, text_);
  }

 private:
  std::string text_;
};

class Reader {
 public:
  explicit Reader(const fs::path& file) : file_(file), text_(read_file(file)) {}

  std::string_view line() {
    const std::size_t end = text_.find('\n');
    if (end == std::string::npos) fail("ends early");
    at_ = end + 1;
    return std::string_view(text_).substr(0, end);
  }
  void expect(std::string_view word) {
    if (const std::string_view found = next(); found != word)
      fail("has '" + std::string(found) + "' where '" + std::string(word) + "' was expected");
  }
  template <class Integer>
  Integer integer(Integer least) {
    Integer value = 0;
    const std::string_view word = next();
    if (!parse_number(word, value) || value < least)
      fail("has '" + std::string(word) + "' where an integer of at least " + to_text(least) + " was expected");
    return value;
  }
  VectorXd numbers(const std::string& name, Eigen::Index wanted) {
    expect(name);
    if (const auto count = integer<Eigen::Index>(0); count != wanted)
      fail("has " + to_text(count) + " numbers of " + name + ", wanted " + to_text(wanted));
    // A number takes at least a digit and a blank: nothing is reserved for more numbers than can be there.
    const std::size_t left = text_.size() - at_;
    if (static_cast<std::size_t>(wanted) > left / 2)
      fail("announces " + to_text(wanted) + " numbers of " + name + ", but only " + to_text(left) + " bytes are left");
    VectorXd values(wanted);
    for (double& value : values)
      if (const std::string_view word = next(); !parse_number(word, value))
        fail("has '" + std::string(word) + "' among the numbers of " + name);
    return values;
  }
  SoftplusNetwork network(const std::string& name) {
    expect(name);
    SoftplusNetwork network;
    for (Eigen::Index* size : {&network.inputs, &network.hidden, &network.outputs}) {
      *size = integer<Eigen::Index>(1);
      if (*size > 1'000'000) fail("has a network with a layer of " + to_text(*size) + " units");
    }
    network.weights = numbers("weights", network.size());
    return network;
  }
  GaussianPolicy policy() {
    GaussianPolicy policy;
    policy.network = network("policy");
    policy.log_deviation = numbers("log_deviation", policy.action_size());
    policy.scale.mean = numbers("scale_mean", policy.observation_size());
    policy.scale.variance = numbers("scale_variance", policy.observation_size());
    policy.scale.count = numbers("scale_count", 1)[0];
    return policy;
  }
  [[noreturn]] void fail(const std::string& why) const { throw std::runtime_error("'" + file_.string() + "' " + why); }

 private:
  std::string_view next() {
    constexpr const char* blanks = " \t\r\n";
    at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size());
    const std::size_t start = at_;
    at_ = std::min(text_.find_first_of(blanks, at_), text_.size());
    return std::string_view(text_).substr(start, at_ - start);
  }

  fs::path file_;
  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

void save_learner(const Learner& learner, const fs::path& file) {
  Writer writer;
  writer.line(learner_header);
  writer.policy(learner.policy);
  writer.network("value", learner.value);
  writer.numbers("first_moment", learner.adam.first_moment);
  writer.numbers("second_moment", learner.adam.second_moment);
  writer.line("updates " + to_text(learner.adam.updates));
  writer.line("iterations " + to_text(learner.iterations));
  writer.line("seed " + to_text(learner.seed));
  writer.finish(file);
}

Learner load_learner(const fs::path& file) {
  Reader reader(file);
  if (reader.line() != learner_header)
    reader.fail("is not the file of a learner: it does not begin with '" + std::string(learner_header) + "'");
  Learner learner;
  learner.policy = reader.policy();
  learner.value = reader.network("value");
  if (learner.value.inputs != learner.policy.observation_size() || learner.value.outputs != 1)
    reader.fail("has a value of " + to_text(learner.value.inputs) + " inputs and " + to_text(learner.value.outputs) +
                " outputs for a policy of " + to_text(learner.policy.observation_size()) + " observations");
  const Eigen::Index size = learner.parameters().size();
  learner.adam.first_moment = reader.numbers("first_moment", size);
  learner.adam.second_moment = reader.numbers("second_moment", size);
  reader.expect("updates");
  learner.adam.updates = reader.integer(0L);
  reader.expect("iterations");
  learner.iterations = reader.integer(0L);
  reader.expect("seed");
  learner.seed = reader.integer(std::uint64_t{0});
  reader.expect("end");
  return learner;
}

void save_policy(const GaussianPolicy& policy, const fs::path& file) {
  Writer writer;
  writer.line(policy_header);
  writer.policy(policy);
  writer.finish(file);
}

GaussianPolicy load_policy(const fs::path& file) {
  Reader reader(file);
  const std::string_view header = reader.line();
  if (header == learner_header) return load_learner(file).policy;
  if (header != policy_header)
    reader.fail("is not the file of a policy: it does not begin with '" + std::string(policy_header) + "'");
  GaussianPolicy policy = reader.policy();
  reader.expect("end");
  return policy;
}

}  // namespace quoin::planning
