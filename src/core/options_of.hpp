// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/core/to_text.hpp"

#include <stdexcept>
#include <string>

namespace quoin {

/// Refuses options that mean nothing, NaN among them, by name and value.
struct OptionsOf {
  const char* solver;

  void need(bool holds, const char* name, double value, const char* what) const {
    if (holds) return;
    throw std::invalid_argument(std::string(solver) + ": " + name + " = " + to_text(value) + " must be " + what);
  }
  void not_negative(const char* name, double value) const { need(value >= 0, name, value, "at least 0"); }
  void positive(const char* name, double value) const { need(value > 0, name, value, "positive"); }
  void one_or_more(const char* name, double value) const { need(value >= 1, name, value, "at least 1"); }
};

}  // namespace quoin
