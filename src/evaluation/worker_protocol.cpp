// SPDX-License-Identifier: BSD-3-Clause
#include "evaluation/worker_protocol.hpp"

#include "quoin/util/parse_number.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace quoin::evaluation_detail {

namespace {

// So that a worker which prints on descriptor 4 without end does not fill the memory. An answer repeats its question.
constexpr std::size_t longest_reason = 1 << 17, longest_number = 64;
constexpr std::size_t kept_of_reason = 1 << 16;
// So that the numbers of an answer can be counted.
constexpr Eigen::Index most_outputs = 2'147'483'647;

[[noreturn]] void refuse(const std::string& expected, std::string_view line) {
  constexpr std::size_t shown = 80;
  throw Nonsense{"expected " + expected + ", came '" + printable(line.substr(0, shown)) +
                 (line.size() > shown ? "...'" : "'")};
}

// The words of a line, one by one.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {
    while (!rest_.empty() && is_blank(rest_.back())) rest_.remove_suffix(1);
    skip_blanks();
  }
  std::string_view next() {
    std::size_t length = 0;
    while (length < rest_.size() && !is_blank(rest_[length])) ++length;
    return take(length);
  }
  // So many, as they stand.
  std::string_view next(int count) {
    const std::string_view before = rest_;
    const char* end = before.data();
    for (int i = 0; i < count; ++i) {
      const std::string_view word = next();
      end = word.data() + word.size();
    }
    return before.substr(0, static_cast<std::size_t>(end - before.data()));
  }
  bool next_is(std::string_view word) {
    if (!rest_.starts_with(word) || (rest_.size() > word.size() && !is_blank(rest_[word.size()]))) return false;
    take(word.size());
    return true;
  }
  template <class Number>
  bool next_number(Number& number) {
    return parse_number(next(), number);
  }
  // What is left, without the blanks around it.
  std::string_view rest() const { return rest_; }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    std::size_t blanks = 0;
    while (blanks < rest_.size() && is_blank(rest_[blanks])) ++blanks;
    rest_.remove_prefix(blanks);
  }
  std::string_view take(std::size_t length) {
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    skip_blanks();
    return word;
  }

  std::string_view rest_;  // begins and ends with a word
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
  return "quoin 2 variables " + to_text(variables) +
         (std::endian::native == std::endian::little ? " binary little-endian\n" : "\n");
}

std::string question(std::uint64_t number, const Eigen::Ref<const Eigen::VectorXd>& x) {
  std::string line = "evaluate " + to_text(number);
  for (const double coordinate : x) line += ' ' + to_text(coordinate);
  return line + '\n';
}

std::string_view point_in(std::string_view question) {
  Words words(question.substr(0, question.find('\n')));
  words.next();
  words.next();
  return words.rest();
}

std::size_t longest_answer(const MessageSizes& sizes) { return longest_reason + sizes.numbers() * longest_number; }

std::optional<WorkerFunction> read_greeting(std::string_view text, std::size_t& used) {
  const std::string expected = "'quoin 2 outputs N order K fingerprint ...'";
  const auto line = first_line(text, longest_greeting, expected);
  if (!line) return std::nullopt;
  WorkerFunction function;
  Words words(*line);
  const bool greets = words.next_is("quoin");
  if (greets && words.next_is("1"))
    throw Nonsense{
        "it speaks version 1 of the protocol, whose answers do not say to which question they belong. Take the helper "
        "of share/quoin/workers that comes with this library, or let it greet with 'quoin 2 ...' and begin each answer "
        "with 'answer' and all that stands behind 'evaluate' (docs/evaluators.md)"};
  if (!greets || !words.next_is("2") || !words.next_is("outputs") || !words.next_number(function.output_size) ||
      !words.next_is("order") || !words.next_number(function.jet_order) || !words.next_is("fingerprint") ||
      function.output_size < 1 || function.output_size > most_outputs || function.jet_order < 0 ||
      function.jet_order > 3)
    refuse(expected + ", N 1 to " + to_text(most_outputs) + ", K 0 to 3", *line);
  function.fingerprint = printable(words.rest());
  used = line->size() + 1;
  return function;
}

std::optional<NumberedAnswer> read_answer(std::string_view text, const MessageSizes& sizes, std::size_t& used) {
  const std::size_t numbers = sizes.numbers();
  const std::string expected = "'jet' and " + to_text(numbers) + " numbers, 'failed ...' or 'retry ...'";
  const auto line = first_line(text, longest_answer(sizes), expected);
  if (!line) return std::nullopt;
  Words words(*line);
  NumberedAnswer numbered;
  if (!words.next_is("answer") || !words.next_number(numbered.number))
    refuse("'answer' and what stood behind 'evaluate'", *line);
  numbered.point = words.next(sizes.variables);
  WorkerAnswer& answer = numbered.answer;
  if (words.next_is("branch") && !words.next_number(answer.branch)) refuse("'branch' and an integer", *line);
  used = line->size() + 1;
  if (words.next_is("failed") || (answer.retry = words.next_is("retry"))) {
    answer.reason = printable(words.rest().substr(0, kept_of_reason));
    if (answer.reason.empty()) answer.reason = "a failure without words";
    return numbered;
  }
  if (!words.next_is("jet")) refuse(expected, *line);
  if (words.next_is("binary")) {
    const std::size_t bytes = numbers * sizeof(double);
    std::size_t announced = 0;
    if (!words.next_number(announced) || announced != bytes || std::endian::native != std::endian::little)
      refuse("'jet binary " + to_text(bytes) + "'", *line);
    if (text.size() < used + bytes) return std::nullopt;
    answer.jet.resize(sizes.outputs, sizes.derivatives);
    std::memcpy(answer.jet.data(), text.data() + used, bytes);
    used += bytes;
    return numbered;
  }
  if (words.rest().size() < numbers) refuse(expected, *line);  // before anything is reserved for them
  answer.jet.resize(sizes.outputs, sizes.derivatives);
  for (double& number : answer.jet.reshaped())
    if (!words.next_number(number)) refuse(expected, *line);
  if (!words.rest().empty()) refuse(expected, *line);
  return numbered;
}

std::string printable(std::string_view text) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    // What follows a first byte, and the least code point that needs so many (others are no UTF-8).
    const std::size_t more = first < 0x80 ? 0 : first >> 5 == 6 ? 1 : first >> 4 == 14 ? 2 : first >> 3 == 30 ? 3 : 9;
    std::uint32_t point = more == 0 ? first : first & (0x3Fu >> std::min<std::size_t>(more, 5));
    std::size_t read = 1;
    for (; read <= more && i + read < text.size() && (static_cast<unsigned char>(text[i + read]) & 0xC0) == 0x80;
         ++read)
      point = point << 6 | (static_cast<unsigned char>(text[i + read]) & 0x3Fu);
    constexpr std::array<std::uint32_t, 4> least = {0, 0x80, 0x800, 0x10000};
    const bool whole = more < least.size() && read == more + 1 && point >= least[more] && point <= 0x10FFFF &&
                       (point < 0xD800 || point > 0xDFFF);
    const bool control = point < ' ' || (point >= 0x7F && point < 0xA0);
    shown += first == '\t' ? " " : whole && !control ? text.substr(i, read) : replacement;
    i += whole ? read : 1;
  }
  return shown;
}

}  // namespace quoin::evaluation_detail
