// SPDX-License-Identifier: BSD-3-Clause
// What solvers ask between their iterations.
#pragma once

#include "gil.hpp"
#include "held_function.hpp"
#include "python_error.hpp"

#include <tuple>

namespace quoin::python {

/// Ctrl-C ends the solver; what a function of Python's answers is passed on. Made with the GIL, called without.
class Observer {
 public:
  /// f: None, or observer(...) -> None or whether to go on.
  explicit Observer(const py::object& f = py::none()) : call_(f), asked_(!f.is_none()) {}

  /// arguments(): a std::tuple of what f is called with.
  template <class Arguments>
  bool operator()(const Arguments& arguments) const {
    const WithGil gil;
    throw_if_signalled();
    if (!asked_) return true;
    const py::object goes_on = std::apply(call_, arguments());
    return goes_on.is_none() || goes_on.cast<bool>();
  }

 private:
  HeldFunction call_;
  bool asked_;
};

}  // namespace quoin::python
