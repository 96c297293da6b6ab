// SPDX-License-Identifier: BSD-3-Clause
#include "evaluation/worker_protocol.hpp"

#include "quoin/core/parse_number.hpp"
#include "quoin/core/to_text.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace quoin::evaluation_detail {

namespace {

// So that a worker which prints on descriptor 4 without end does not fill the memory.
constexpr std::size_t longest_reason = 1 << 16, longest_number = 64;
// So that the numbers of an answer can be counted.
constexpr Eigen::Index most_outputs = 2'147'483'647;

[[noreturn]] void refuse(const std::string& expected, std::string_view line) {
  constexpr std::size_t shown = 80;
  std::string text(line.substr(0, shown));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  throw Nonsense{"expected " + expected + ", came '" + text + (line.size() > shown ? "...'" : "'")};
}

// The words of a line, one by one.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}
  std::string_view next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(blank), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find_first_of(blank));
    rest_.remove_prefix(word.size());
    return word;
  }
  bool next_is(std::string_view word) {
    const Words before = *this;
    if (next() == word) return true;
    *this = before;
    return false;
  }
  template <class Number>
  bool next_number(Number& number) {
    return parse_number(next(), number);
  }
  // What is left, without the blanks around it.
  std::string_view rest() const {
    const std::size_t first = std::min(rest_.find_first_not_of(blank), rest_.size());
    return rest_.substr(first, rest_.find_last_not_of(blank) + 1 - first);
  }

 private:
  static constexpr std::string_view blank = " \t\r";
  std::string_view rest_;
};

// The first line of the text, without its end; nothing if it has not come.
std::optional<std::string_view> first_line(std::string_view text, std::size_t longest, const std::string& expected) {
  const std::size_t end = text.find('\n');
  if (std::min(end, text.size()) > longest) refuse(expected + " of at most " + to_text(longest) + " characters", text);
  if (end == std::string_view::npos) return std::nullopt;
  return text.substr(0, end);
}

}  // namespace

std::string greeting(int variables) {
  return "quoin 1 variables " + to_text(variables) +
         (std::endian::native == std::endian::little ? " binary little-endian\n" : "\n");
}

std::string question(const Eigen::Ref<const Eigen::VectorXd>& x) {
  std::string line = "evaluate";
  for (const double number : x) line += ' ' + to_text(number);
  return line + '\n';
}

std::optional<WorkerFunction> read_greeting(std::string_view text, std::size_t& used) {
  const std::string expected = "'quoin 1 outputs N order K fingerprint ...'";
  const auto line = first_line(text, longest_reason, expected);
  if (!line) return std::nullopt;
  WorkerFunction function;
  Words words(*line);
  if (!words.next_is("quoin") || !words.next_is("1") || !words.next_is("outputs") ||
      !words.next_number(function.output_size) || !words.next_is("order") || !words.next_number(function.jet_order) ||
      !words.next_is("fingerprint") || function.output_size < 1 || function.output_size > most_outputs ||
      function.jet_order < 0 || function.jet_order > 3)
    refuse(expected + ", N 1 to " + to_text(most_outputs) + ", K 0 to 3", *line);
  function.fingerprint = words.rest();
  used = line->size() + 1;
  return function;
}

std::optional<WorkerAnswer> read_answer(std::string_view text, Eigen::Index rows, Eigen::Index derivatives,
                                        std::size_t& used) {
  const auto numbers = static_cast<std::size_t>(rows * derivatives);
  const std::string expected = "'jet' and " + to_text(numbers) + " numbers, 'failed ...' or 'retry ...'";
  const auto line = first_line(text, longest_reason + numbers * longest_number, expected);
  if (!line) return std::nullopt;
  Words words(*line);
  WorkerAnswer answer;
  if (words.next_is("branch") && !words.next_number(answer.branch)) refuse("'branch' and an integer", *line);
  used = line->size() + 1;
  if (words.next_is("failed") || (answer.retry = words.next_is("retry"))) {
    answer.reason = words.rest();
    if (answer.reason.empty()) answer.reason = "a failure without words";
    return answer;
  }
  if (!words.next_is("jet")) refuse(expected, *line);
  if (words.next_is("binary")) {
    const std::size_t bytes = numbers * sizeof(double);
    std::size_t announced = 0;
    if (!words.next_number(announced) || announced != bytes || std::endian::native != std::endian::little)
      refuse("'jet binary " + to_text(bytes) + "'", *line);
    if (text.size() < used + bytes) return std::nullopt;
    answer.jet.resize(rows, derivatives);
    std::memcpy(answer.jet.data(), text.data() + used, bytes);
    used += bytes;
    return answer;
  }
  if (words.rest().size() < numbers) refuse(expected, *line);  // before anything is reserved for them
  answer.jet.resize(rows, derivatives);
  for (double& number : answer.jet.reshaped())
    if (!words.next_number(number)) refuse(expected, *line);
  if (!words.rest().empty()) refuse(expected, *line);
  return answer;
}

}  // namespace quoin::evaluation_detail
