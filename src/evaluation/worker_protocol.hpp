// SPDX-License-Identifier: BSD-3-Clause
// What is said on descriptors 3 and 4, version 1 (docs/evaluators.md).
#pragma once

#include "quoin/evaluation/worker_pool.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace quoin::evaluation_detail {

/// The first line to a worker.
std::string greeting(int variables);
/// The line that asks for an evaluation.
std::string question(const Eigen::Ref<const Eigen::VectorXd>& x);

/// What is not the protocol: the text says what was expected, and what came.
struct Nonsense {
  std::string reason;
};

/// Reads the worker's first line from the beginning of the text. Nothing if it has not come whole; otherwise `used`
/// becomes its length. Throws Nonsense.
std::optional<WorkerFunction> read_greeting(std::string_view text, std::size_t& used);

/// The same for an answer: rows x derivatives numbers, or a failure.
std::optional<WorkerAnswer> read_answer(std::string_view text, Eigen::Index rows, Eigen::Index derivatives,
                                        std::size_t& used);

}  // namespace quoin::evaluation_detail
