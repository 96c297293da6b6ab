// SPDX-License-Identifier: BSD-3-Clause
// What is said on descriptors 3 and 4, version 2 (docs/evaluators.md).
#pragma once

#include "quoin/evaluation/worker_pool.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quoin::evaluation_detail {

/// The sizes of what is said.
struct MessageSizes {
  int variables = 0;
  Eigen::Index outputs = 0, derivatives = 0;
  std::size_t numbers() const { return static_cast<std::size_t>(outputs * derivatives); }
};

/// An answer, and to which question.
struct NumberedAnswer {
  std::uint64_t number = 0;
  std::string_view point;  ///< as it stands in the text that was read
  WorkerAnswer answer;
};

/// The first line to a worker.
std::string greeting(int variables);
/// The line that asks for an evaluation: "evaluate", a number that no other question of this process has, and the
/// point. A worker repeats the two before its answer.
std::string question(std::uint64_t number, const Eigen::Ref<const Eigen::VectorXd>& x);
/// The point as it stands in a question, or in an answer to it.
std::string_view point_in(std::string_view question);

/// What is not the protocol: the text says what was expected, and what came.
struct Nonsense {
  std::string reason;
};

/// Bytes, more than which no greeting and no answer has: to be read before either is asked for.
constexpr std::size_t longest_greeting = 1 << 16;
std::size_t longest_answer(const MessageSizes& sizes);

/// Reads the worker's first line from the beginning of the text. Nothing if it has not come whole; otherwise `used`
/// becomes its length. Throws Nonsense, also for a worker of version 1, whose answers could be to other questions.
std::optional<WorkerFunction> read_greeting(std::string_view text, std::size_t& used);

/// The same for an answer: outputs x derivatives numbers, or a failure.
std::optional<NumberedAnswer> read_answer(std::string_view text, const MessageSizes& sizes, std::size_t& used);

/// The text, with U+FFFD for what is not UTF-8 and for control characters.
std::string printable(std::string_view text);

}  // namespace quoin::evaluation_detail
