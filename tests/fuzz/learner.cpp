// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/planning/policy_gradient/learner.hpp"
#include "fuzz.hpp"
#include "quoin/util/files.hpp"
#include "scratch_file.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ScratchFile file;
  return reads_or_refuses(data, size, [](const std::string& text) {
    file.write(text);
    const quoin::planning::Learner read = quoin::planning::load_learner(file.path());
    Eigen::MatrixXd values;
    read.value.evaluate(Eigen::MatrixXd::Zero(read.policy.observation_size(), 1), values);
  });
}
