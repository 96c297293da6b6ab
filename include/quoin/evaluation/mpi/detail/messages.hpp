// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/grid/evaluator.hpp"
#include "quoin/util/to_text.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// What the ranks of an MPI job say to each other: bytes, as all of them run the same program. A rank says first what it
// serves, or that it never will; rank 0 asks with a point, and an empty message is its last.
namespace quoin::mpi_detail {

/// A message that grows.
class Writer {
 public:
  std::vector<std::byte> bytes;

  template <class Value>
    requires std::is_trivially_copyable_v<Value>
  void put(const Value& value) {
    put_bytes(&value, sizeof value);
  }
  template <int Dim>
  void put(const Eigen::Matrix<double, Dim, 1>& point) {
    put_bytes(point.data(), sizeof(double) * Dim);
  }
  void put(const Eigen::MatrixXd& jet) { put_bytes(jet.data(), sizeof(double) * static_cast<std::size_t>(jet.size())); }
  /// To the end of the message.
  void put(std::string_view text) {
    constexpr std::size_t enough = 1 << 20;
    put_bytes(text.data(), std::min(text.size(), enough));
  }

 private:
  void put_bytes(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), first, first + size);
  }
};

/// A message that is read from its beginning. Throws std::runtime_error where it is too short.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  template <class Value>
  Value get() {
    Value value;
    if constexpr (requires { value.data(); })
      get_bytes(value.data(), sizeof(double) * static_cast<std::size_t>(value.size()));
    else
      get_bytes(&value, sizeof value);
    return value;
  }
  void get(Eigen::MatrixXd& jet, Eigen::Index rows, Eigen::Index cols) {
    jet.resize(rows, cols);
    get_bytes(jet.data(), sizeof(double) * static_cast<std::size_t>(jet.size()));
  }
  std::string text() const { return {reinterpret_cast<const char*>(rest_.data()), rest_.size()}; }

 private:
  void get_bytes(void* data, std::size_t size) {
    if (size > rest_.size())
      throw std::runtime_error("MpiRanks: a message is " + to_text(size - rest_.size()) + " bytes too short");
    std::memcpy(data, rest_.data(), size);
    rest_ = rest_.subspan(size);
  }
  std::span<const std::byte> rest_;
};

/// What must be the same of the functions of all ranks, as far as it can be told.
struct Served {
  std::array<long long, 3> shape{};  ///< dim, outputs, derivatives
  std::string identity;              ///< a name, or what the function says of itself

  /// The function, called `name` or, if that is empty, what it says of itself.
  template <int Dim>
  static Served of(const CornerFunction<Dim>& f, const std::string& name) {
    return {{Dim, f.output_size(), f.derivatives()}, name.empty() ? f.identity().text : "'" + name + "'"};
  }
  bool operator==(const Served&) const = default;
  std::string text() const {
    constexpr std::size_t enough = 300;  // of a type's name
    return to_text(shape[0]) + " variables, " + to_text(shape[1]) + " outputs and " + to_text(shape[2]) +
           " derivatives, " + identity.substr(0, enough);
  }
};

/// How an evaluation ended, or the rank.
enum class Outcome : int { jet, failed, retry, interrupted, left };

/// Throws std::invalid_argument, with the numbers, for a function whose answers no message can hold.
template <int Dim>
void require_short_answers(const CornerFunction<Dim>& f) {
  constexpr Eigen::Index longest = (Eigen::Index{INT_MAX} - 4096) / Eigen::Index{sizeof(double)};  // MPI counts in int
  if (f.output_size() > longest / f.derivatives())
    throw std::invalid_argument("MpiRanks: " + to_text(f.output_size()) + " outputs with " + to_text(f.derivatives()) +
                                " derivatives each, a message of MPI takes " + to_text(longest) + " numbers");
}

template <int Dim>
std::vector<std::byte> question(const CornerSample<Dim>& sample) {
  Writer message;
  message.put(sample.x);
  message.put(sample.start != nullptr);
  if (sample.start) {
    message.put(sample.start->x);
    message.put(sample.start->branch);
    message.put(sample.start->jet);
  }
  return std::move(message.bytes);
}

/// The sample that was asked for.
template <int Dim>
CornerSample<Dim> asked(std::span<const std::byte> message, const CornerFunction<Dim>& f) {
  Reader question(message);
  CornerSample<Dim> sample{.x = question.get<Point<Dim>>(), .jet = {}, .reason = {}};
  if (question.get<bool>()) {
    auto start = std::make_shared<SolvedCorner<Dim>>();
    start->x = question.get<Point<Dim>>();
    start->branch = question.get<int>();
    question.get(start->jet, f.output_size(), f.derivatives());
    sample.start = std::move(start);
  }
  return sample;
}

template <int Dim>
std::vector<std::byte> answer(CornerSample<Dim>& sample, const CornerFunction<Dim>& f) {
  Writer message;
  try {
    f.evaluate(sample);
    message.put(sample.reason.empty() ? Outcome::jet : sample.retry ? Outcome::retry : Outcome::failed);
  } catch (const Interrupted& interruption) {
    message.put(Outcome::interrupted);
    sample.reason = interruption.what();
  }
  message.put(sample.branch);
  message.put(sample.seconds);
  if (sample.reason.empty())
    message.put(sample.jet);
  else
    message.put(std::string_view(sample.reason));
  return std::move(message.bytes);
}

/// Fills in the sample. Throws Interrupted where f was, and std::runtime_error if the rank is gone.
template <int Dim>
void take_in(std::span<const std::byte> message, const CornerFunction<Dim>& f, CornerSample<Dim>& sample) {
  Reader answer(message);
  const auto outcome = answer.get<Outcome>();
  if (outcome == Outcome::left) throw std::runtime_error(answer.text());
  sample.branch = answer.get<int>();
  sample.seconds = answer.get<double>();
  if (outcome == Outcome::interrupted) throw Interrupted(answer.text());
  if (outcome == Outcome::jet) {
    answer.get(sample.jet, f.output_size(), f.derivatives());
  } else {
    sample.reason = answer.text();
    sample.retry = outcome == Outcome::retry;
  }
  sample.tell();
}

}  // namespace quoin::mpi_detail
