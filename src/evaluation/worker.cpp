// SPDX-License-Identifier: BSD-3-Clause
#include "evaluation/worker.hpp"

#include "quoin/map/multi_index.hpp"
#include "quoin/util/to_text.hpp"

#include <atomic>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace quoin::evaluation_detail {

namespace {
// Of the process, so that no worker answers the question of another; and none guesses the first.
std::atomic<std::uint64_t> last_number{std::random_device()()};
std::uint64_t next_number() { return ++last_number; }

std::string described(const WorkerFunction& function) {
  return to_text(function.output_size) + " outputs, order " + to_text(function.jet_order) + ", '" +
         function.fingerprint + "'";
}
}  // namespace

// Before memory is taken for answers of a size that nobody has seen yet.
void Worker::require_small(const WorkerFunction& function) const {
  constexpr Eigen::Index most = Eigen::Index{1} << 27;  // a gigabyte
  const Eigen::Index derivatives = jet_size(variables_, function.jet_order);
  if (function.output_size > most / derivatives)
    throw Nonsense{"it says that it has " + to_text(function.output_size) + " outputs of " + to_text(derivatives) +
                   " derivatives each, and an answer has at most " + to_text(most) + " numbers"};
}

void Worker::start() {
  if (process_) return;
  auto process = std::make_unique<WorkerProcess>(options_, number_);
  process_ = std::move(process);
  greeted_ = false;
  asked_ = dropped_ = 0;
  found_stopped_ = stopped_by_ = 0;
  since_ = heard_ = Clock::now();
  process_->send(greeting(variables_));
}

void Worker::ask(const Eigen::Ref<const Eigen::VectorXd>& x) {
  number_of_question_ = next_number();
  question_ = question(number_of_question_, x);
  if (greeted_) send_question();
}

void Worker::send_question() {
  since_ = heard_ = Clock::now();
  ++asked_;
  process_->send(question_);  // where nobody takes it, nobody answers either
}

std::optional<WorkerAnswer> Worker::read(std::optional<WorkerFunction>& function) {
  const Clock::time_point now = Clock::now();
  const bool due = is_due(now);
  heard_ = now;
  const bool has_ended =
      due && process_->has_ended(std::chrono::milliseconds(0));  // what it said before is still there
  bool more_may_come = true;
  std::size_t used = 0;
  if (!greeted_) {
    more_may_come = process_->receive(longest_greeting + 1);
    if (const auto greeting = read_greeting(process_->received(), used)) {
      process_->take(used);
      require_small(*greeting);
      if (!function) function = *greeting;
      if (*function != *greeting)
        throw std::invalid_argument(who() + " evaluates another function than the first: " + described(*greeting) +
                                    " instead of " + described(*function));
      greeted_ = true;
      if (!question_.empty()) send_question();
      return std::nullopt;
    }
  } else {
    const MessageSizes sizes{variables_, function->output_size,
                             static_cast<Eigen::Index>(jet_size(variables_, function->jet_order))};
    more_may_come = process_->receive(longest_answer(sizes) + 1);
    while (auto said = read_answer(process_->received(), sizes, used)) {
      const bool asked = is_asked(*said);
      process_->take(used);
      if (!asked) continue;
      question_.clear();
      said->answer.seconds = seconds_between(since_, now);
      return std::move(said->answer);
    }
  }
  if (has_ended || !more_may_come) {
    if (!has_ended && !process_->has_ended(std::chrono::milliseconds(500)))
      throw Nonsense{"it has closed its descriptor 4"};
    throw Nonsense{""};
  }
  if (seconds_left(now) <= 0) throw Nonsense{"no answer within " + to_text(options_.time_limit) + " s (time_limit)"};
  if (due) notice_stop();
  return std::nullopt;
}

// False for an answer that comes twice or late. A worker may err so once a question; then it is ended.
bool Worker::is_asked(const NumberedAnswer& said) {
  const std::string_view asked = point_in(question_);
  if (!question_.empty() && said.number == number_of_question_) {
    if (said.point == asked) return true;
    throw Nonsense{"it answers question " + to_text(said.number) + " for the point " + printable(said.point) +
                   ", asked for " + std::string(asked)};
  }
  if (said.number > number_of_question_ || ++dropped_ > asked_)
    throw Nonsense{"it answers question " + to_text(said.number) + ", asked question " + to_text(number_of_question_) +
                   ": each is answered once"};
  return false;
}

// By the times that it was seen, so that a job that is halted as a whole, and goes on, does not count.
void Worker::notice_stop() {
  stopped_by_ = process_->stopped_by();
  found_stopped_ = stopped_by_ == 0 ? 0 : found_stopped_ + 1;
  if (found_stopped_ > patience_with_stopped)
    throw Nonsense{"it has been stopped by signal " + to_text(stopped_by_) + " (" + sigdescr_np(stopped_by_) +
                   ") for a minute"};
}

std::string Worker::silence() const {
  if (!process_ || (greeted_ && question_.empty())) return {};
  if (stopped_by_ != 0) return who() + " is stopped by signal " + to_text(stopped_by_);
  const double minutes = std::floor(seconds_between(since_, Clock::now()) / long_silence);
  return minutes < 1 ? std::string() : who() + " has been silent for " + to_text(long_silence * minutes) + " s";
}

std::string Worker::end(const std::string& reason) {
  process_->kill();
  std::string what = who() + ": " + (reason.empty() ? process_->state() : reason);
  if (reason.empty() && !greeted_)
    what +=
        " before it greeted: what it wrote to its standard error says why; if it is a worker that was built with the "
        "helper of an earlier version, build it anew";
  forget();
  return what;
}

void Worker::forget() {
  process_.reset();
  question_.clear();
  greeted_ = false;
}

void Worker::leave_to_parent() noexcept {
  if (WorkerProcess* const of_parent = process_.release())
    of_parent->leave_to_parent();  // not destroyed: another thread may have been within it
  question_.clear();
  greeted_ = false;
}

std::string Worker::who() const { return "worker " + to_text(number_) + " ('" + options_.command.front() + "')"; }

}  // namespace quoin::evaluation_detail
