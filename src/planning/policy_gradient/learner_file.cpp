// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/planning/policy_gradient/learner.hpp"

#include "quoin/core/to_text.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace quoin::planning {
namespace {

namespace fs = std::filesystem;
using Eigen::VectorXd;

constexpr const char* policy_header = "quoin policy 1";
constexpr const char* learner_header = "quoin learner 1";

class Writer {
 public:
  explicit Writer(const fs::path& file) : file_(file), beside_(file.string() + ".new"), out_(beside_) {}

  void line(const std::string& text) { out_ << text << '\n'; }
  void numbers(const char* name, const VectorXd& values) {
    out_ << name << ' ' << values.size() << '\n';
    char text[40];
    for (const double value : values) {
      std::snprintf(text, sizeof text, "%a\n", value);
      out_ << text;
    }
  }
  void network(const char* name, const SoftplusNetwork& network) {
    line(std::string(name) + ' ' + to_text(network.inputs) + ' ' + to_text(network.hidden) + ' ' +
         to_text(network.outputs));
    numbers("weights", network.weights);
  }
  void policy(const GaussianPolicy& policy) {
    network("policy", policy.network);
    numbers("log_deviation", policy.log_deviation);
    numbers("scale_mean", policy.scale.mean);
    numbers("scale_variance", policy.scale.variance);
    numbers("scale_count", VectorXd::Constant(1, policy.scale.count));
  }
  void finish() {
    line("end");
    out_.close();
    std::error_code error;
    if (out_) fs::rename(beside_, file_, error);
    if (!out_ || error) throw std::runtime_error("cannot write the learner to '" + file_.string() + "'");
  }

 private:
  fs::path file_, beside_;
  std::ofstream out_;
};

class Reader {
 public:
  explicit Reader(const fs::path& file) : file_(file), in_(file) {
    if (!in_) throw std::runtime_error("cannot read '" + file.string() + "'");
  }

  std::string line() {
    std::string text;
    if (!std::getline(in_, text)) fail("ends early");
    return text;
  }
  void expect(const std::string& word) {
    std::string found;
    if (!(in_ >> found) || found != word) fail("has '" + found + "' where '" + word + "' was expected");
  }
  template <class Integer>
  Integer integer(Integer least) {
    Integer value = 0;
    if (!(in_ >> value) || value < least) fail("has no fitting integer where one was expected");
    return value;
  }
  VectorXd numbers(const std::string& name, Eigen::Index wanted) {
    expect(name);
    if (const auto count = integer<Eigen::Index>(0); count != wanted)
      fail("has " + to_text(count) + " numbers of " + name + ", wanted " + to_text(wanted));
    VectorXd values(wanted);
    std::string text;
    for (double& value : values) {
      in_ >> text;
      char* end = nullptr;
      value = std::strtod(text.c_str(), &end);
      if (!in_ || end == text.c_str() || *end != '\0') fail("has '" + text + "' among the numbers of " + name);
    }
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
  fs::path file_;
  std::ifstream in_;
};

}  // namespace

void save_learner(const Learner& learner, const fs::path& file) {
  Writer writer(file);
  writer.line(learner_header);
  writer.policy(learner.policy);
  writer.network("value", learner.value);
  writer.numbers("first_moment", learner.adam.first_moment);
  writer.numbers("second_moment", learner.adam.second_moment);
  writer.line("updates " + to_text(learner.adam.updates));
  writer.line("iterations " + to_text(learner.iterations));
  writer.line("seed " + to_text(learner.seed));
  writer.finish();
}

Learner load_learner(const fs::path& file) {
  Reader reader(file);
  if (reader.line() != learner_header)
    reader.fail(std::string("is not the file of a learner: it does not begin with '") + learner_header + "'");
  Learner learner;
  learner.policy = reader.policy();
  learner.value = reader.network("value");
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
  Writer writer(file);
  writer.line(policy_header);
  writer.policy(policy);
  writer.finish();
}

GaussianPolicy load_policy(const fs::path& file) {
  Reader reader(file);
  const std::string header = reader.line();
  if (header == learner_header) return load_learner(file).policy;
  if (header != policy_header)
    reader.fail(std::string("is not the file of a policy: it does not begin with '") + policy_header + "'");
  GaussianPolicy policy = reader.policy();
  reader.expect("end");
  return policy;
}

}  // namespace quoin::planning
