// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/to_text.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin {

/// Refuses options that mean nothing, NaN among them, by name and value.
struct OptionsOf {
  const char* who;  ///< whose options they are

  template <class Number>
  void need(bool holds, const std::string& name, Number value, const char* what) const {
    if (holds) return;
    throw std::invalid_argument(std::string(who) + ": " + name + " = " + to_text(value) + " must be " + what);
  }
  template <class Number>
  void not_negative(const std::string& name, Number value) const {
    need(value >= 0, name, value, "at least 0");
  }
  template <class Number>
  void positive(const std::string& name, Number value) const {
    need(value > 0, name, value, "positive");
  }
  template <class Number>
  void one_or_more(const std::string& name, Number value) const {
    need(value >= 1, name, value, "at least 1");
  }
  void finite(const std::string& name, double value) const { need(std::isfinite(value), name, value, "finite"); }
  void positive_and_finite(const std::string& name, double value) const {
    need(value > 0 && std::isfinite(value), name, value, "positive and finite");
  }
  void not_negative_and_finite(const std::string& name, double value) const {
    need(value >= 0 && std::isfinite(value), name, value, "finite and at least 0");
  }
};

}  // namespace quoin
