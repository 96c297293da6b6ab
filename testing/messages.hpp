// SPDX-License-Identifier: BSD-3-Clause
// Reads messages of workers as the pool does: std::runtime_error is a refusal, and a message that says what it cannot
// say a std::logic_error. What has not come whole reads as nothing.
#pragma once

#include "evaluation/worker_protocol.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>

namespace hostile {

template <class Read>
auto hear(const std::string& text, const Read& read) {
  std::size_t used = 0;
  try {
    const auto message = read(text, used);
    if (message && (used == 0 || used > text.size())) throw std::logic_error("more was used than there was");
    if (!message && used > text.size() + 1000) throw std::logic_error("what has not come was used");
    return message;
  } catch (const quoin::evaluation_detail::Nonsense& nonsense) {
    throw std::runtime_error(nonsense.reason);
  }
}

inline void hear_greeting(const std::string& text) {
  const auto function = hear(text, quoin::evaluation_detail::read_greeting);
  if (function && (function->output_size < 1 || function->output_size > 2'147'483'647 || function->jet_order < 0 ||
                   function->jet_order > 3))
    throw std::logic_error("it was believed");
}

/// Of a function of 2 variables, 2 outputs and 3 derivatives.
inline void hear_answer(const std::string& text) {
  const auto said = hear(text, [](const std::string& what, std::size_t& used) {
    return quoin::evaluation_detail::read_answer(what, {.variables = 2, .outputs = 2, .derivatives = 3}, used);
  });
  if (said && said->answer.reason.empty() && (said->answer.jet.rows() != 2 || said->answer.jet.cols() != 3))
    throw std::logic_error("it was believed");
}

}  // namespace hostile
