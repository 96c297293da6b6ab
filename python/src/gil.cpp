// SPDX-License-Identifier: BSD-3-Clause
#include "gil.hpp"

#include "quoin/util/request.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <system_error>
#include <thread>
#include <utility>

namespace quoin::python {

void stay_for_ever() noexcept {
  for (;;) ::pause();
}

WithGil::WithGil() {
  try {
    gil_.emplace();
  } catch (const std::exception&) {
    throw;
  } catch (...) {
    stay_for_ever();
  }
}

namespace {
std::atomic<bool> at_once = false;

// Not at once: no destructor can raise what the handler will, nor the callbacks in Python that come behind it.
void interrupt_again() {
  const auto interrupt = [] { ::kill(::getpid(), SIGINT); };
  try {
    std::thread([interrupt] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      interrupt();
    }).detach();
  } catch (const std::system_error&) {  // no thread to be had
    interrupt();
  }
}
}  // namespace

void end_at_once() { at_once = true; }

void end_without_gil(std::shared_ptr<const void> last, bool at_work, bool interrupted) {
  std::promise<void> ended;
  const auto end = ended.get_future();
  const auto held = std::make_shared<std::shared_ptr<const void>>(std::move(last));
  if (at_work) {
    try {
      std::thread([held, ended = std::move(ended)]() mutable {
        held->reset();
        ended.set_value();
      }).detach();
    } catch (const std::system_error&) {
      at_work = false;
    }
  }
  if (!at_work) {
    const WithoutGil release;
    held->reset();
  }
  // Within a call of f it may be the end of what waits for this call.
  while (at_work && Request::current() == nullptr && !at_once) {
    {
      const WithoutGil release;
      if (end.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready) return;
    }
    interrupted |= PyOS_InterruptOccurred() != 0;
    if (!interrupted) continue;
    interrupt_again();
    return;
  }
}

py::object call_with(py::handle f, const py::tuple& arguments) {
  PyObject* answer = nullptr;
  try {
    answer = PyObject_Call(f.ptr(), arguments.ptr(), nullptr);
  } catch (...) {
    stay_for_ever();
  }
  if (answer == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(answer);
}

}  // namespace quoin::python
