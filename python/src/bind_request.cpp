// SPDX-License-Identifier: BSD-3-Clause
// Requests of grids, handed to the threads that evaluate for them.
#include "bindings.hpp"
#include "gil.hpp"
#include "quoin/core/request.hpp"
#include "quoin/grid/detail/turns.hpp"

#include <pybind11/stl.h>
#include <signal.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace quoin::python {

namespace py = pybind11;

namespace {
/// Stands between a query and what other threads ask on its behalf: they may go on when the query was interrupted.
class Errand {
 public:
  Errand() : request_(Request::current()) {}

  py::object run(const py::function& f, const py::args& args) const {
    const Request::Scope scope(&request_);
    return call_with(f, args);
  }
  /// Whether a thread of Python's of these, by its ident, waits for the query.
  bool is_awaited_by(const std::vector<std::uintptr_t>& idents) const {
    const auto one_of = [&](std::thread::id thread) {
      static_assert(sizeof thread == sizeof(pthread_t));  // as GNU's library has it: the ident of Python is a pthread_t
      return std::find(idents.begin(), idents.end(), std::bit_cast<std::uintptr_t>(thread)) != idents.end();
    };
    grid_detail::WaitingRoom& room = grid_detail::WaitingRoom::of_process();
    const std::lock_guard lock(room.mutex());
    return room.awaits(one_of, request_);
  }
  void end() {
    const std::lock_guard lock(grid_detail::WaitingRoom::of_process().mutex());
    request_.orphan();
  }

 private:
  Request request_;
};
}  // namespace

void bind_request(py::module_& m) {
  py::class_<Errand>(m, "Errand", "What threads of an executor do for a query.")
      .def(py::init<>())
      .def("run", &Errand::run)
      .def("is_awaited_by", &Errand::is_awaited_by)
      .def("end", &Errand::end);
  m.def("throw_if_stopped", [] {
    if (const Watch* watch = Watch::current()) watch->throw_if_stopped();
  });
  m.def(
      "restarts_calls",
      [](int signal) {
        struct sigaction action {};
        return ::sigaction(signal, nullptr, &action) == 0 && (action.sa_flags & SA_RESTART) != 0;
      },
      "Whether system calls go on behind the signal, which Python can set (signal.siginterrupt) and not read.");
}

}  // namespace quoin::python
