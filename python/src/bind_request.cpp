// SPDX-License-Identifier: BSD-3-Clause
// Requests of grids, handed to the threads that evaluate for them.
#include "bindings.hpp"
#include "gil.hpp"
#include "quoin/grid/detail/corners/wait_graph.hpp"
#include "quoin/util/request.hpp"

#include <pybind11/stl.h>
#include <signal.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
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
    grid_detail::WaitGraph& room = grid_detail::WaitGraph::of_process();
    const std::lock_guard lock(room.mutex());
    return room.awaits(one_of, request_);
  }
  void end() {
    const std::lock_guard lock(grid_detail::WaitGraph::of_process().mutex());
    request_.orphan();
  }

 private:
  Request request_;
};

/// Sees what this thread's queries evaluate, and lets the watch stop them that was there before, as Ctrl-C's.
class Progress {
 public:
  void begin() {
    if (watch_) throw std::logic_error("this progress has begun already");
    watch_.emplace(Watch::current());
    thread_ = std::this_thread::get_id();
  }
  void end() {
    if (watch_ && std::this_thread::get_id() != thread_)
      throw std::logic_error("a progress ends in the thread in which it began");
    watch_.reset();
  }
  py::tuple now() const {
    if (!watch_) throw std::logic_error("this progress has not begun");
    const Watch::Progress p = watch_->progress();
    return py::make_tuple(p.evaluated, p.missing, p.seconds, p.seconds_left, p.waiting_for);
  }

 private:
  struct Inner final : Watch {
    explicit Inner(Watch* outer) : Watch(std::stop_token()), outer_(outer) {}
    void throw_if_stopped() const override {
      if (outer_ != nullptr) outer_->throw_if_stopped();
    }
    Watch* outer_;
  };
  std::optional<Inner> watch_;
  std::thread::id thread_;
};
}  // namespace

void bind_request(py::module_& m) {
  py::class_<Errand>(m, "Errand", "What threads of an executor do for a query.")
      .def(py::init<>())
      .def("run", &Errand::run)
      .def("is_awaited_by", &Errand::is_awaited_by)
      .def("end", &Errand::end);
  py::class_<Progress>(m, "Progress", "What queries of a thread evaluate, from begin() to end().")
      .def(py::init<>())
      .def("begin", &Progress::begin)
      .def("end", &Progress::end)
      .def("now", &Progress::now);
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
