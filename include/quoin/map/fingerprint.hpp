// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace quoin {

/// 64 bits of a sequence of words: another value if any one of them is another, and by chance once in 2^64 otherwise.
class Hash64 {
 public:
  /// One word.
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15u;  // odd: a bijection of the state, and of the word
    state_ ^= state_ >> 32;
  }
  /// The length, then the characters, eight to a word.
  void add(std::string_view text) {
    add(std::uint64_t{text.size()});
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      word = word << 8 | static_cast<unsigned char>(text[i]);
      if (i % 8 == 7 || i + 1 == text.size()) add(std::exchange(word, 0));
    }
  }
  /// The bits of the number: 0 and -0 differ.
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  /// The bits of each number, without their count.
  void add(std::span<const double> numbers) {
    for (const double number : numbers) add(number);
  }
  /// Of all words so far, in their order.
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x51ed270b7f4a7c15u;
};

namespace detail {

/// Numbers to 30 binary digits each, but not finer than 40 digits of the largest. Those that are not finite stay.
inline Eigen::MatrixXd without_last_bits(Eigen::MatrixXd numbers) {
  if (numbers.size() == 0 || !numbers.allFinite()) return numbers;
  const auto to_multiple = [](double x, int exponent) {
    const double unit = std::ldexp(1.0, std::max(exponent, -1074));
    return std::round(x / unit) * unit + 0.0;  // -0 becomes 0
  };
  const auto exponent = [](double x) { return std::ilogb(x == 0 ? std::numeric_limits<double>::min() : x); };
  const double largest = numbers.cwiseAbs().maxCoeff();
  // Rounded first: a number just below a power of two counts as that power.
  const int finest = exponent(to_multiple(largest, exponent(largest) - 29)) - 39;
  return numbers.unaryExpr([&](double x) { return to_multiple(x, std::max(exponent(x) - 29, finest)); });
}

}  // namespace detail

/// What tells one function from another where samples of it are stored: its name and whatever its answers depend on
/// (mesh, materials, options).
///
///   Fingerprint("my arm").add("young", 1e5).add("vertices", mesh.vertices).text();  // "my arm 3f2a..."
///
/// Models give their own, to which callers may add: statics.fingerprint().add("solver", 2).text().
class Fingerprint {
 public:
  /// The name need not be unique: what is added tells apart functions of one name.
  explicit Fingerprint(std::string name) : name_(std::move(name)) { hash_.add(std::string_view(name_)); }

  /// A name and its value: a number, text, another fingerprint, a dense matrix of either kind of number, or a range of
  /// any of these. Every bit counts.
  template <class Value>
  Fingerprint& add(std::string_view name, const Value& value) {
    hash_.add(name);
    add_value(value);
    return *this;
  }

  /// Numbers that were computed (vertices, rotations), in a dense matrix, a vector or alone. Their last bits may differ
  /// with the processor for which the program was compiled, and do not count: each counts to 30 binary digits, those
  /// below a thousandth of the largest to a fixed fraction of it, 1e-12.
  template <class Value>
  Fingerprint& add_rounded(std::string_view name, const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>)
      return add(name, detail::without_last_bits(Eigen::MatrixXd::Constant(1, 1, static_cast<double>(value))));
    else if constexpr (requires { value.rows(); })
      return add(name, detail::without_last_bits(value));
    else
      return add_rounded(name, Eigen::Map<const Eigen::VectorXd>(value.data(), std::ssize(value)));
  }

  /// The name, and 16 hexadecimal digits of what was added.
  std::string text() const {
    constexpr char digits[] = "0123456789abcdef";
    std::string text = name_ + ' ';
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[hash_.value() >> shift & 15];
    return text;
  }

 private:
  template <class Value>
  void add_value(const Value& value) {
    if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
      hash_.add(std::string_view(value));
    } else if constexpr (std::is_same_v<Value, Fingerprint>) {
      hash_.add(std::string_view(value.text()));
    } else if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>) {
      hash_.add(static_cast<double>(value));
    } else if constexpr (requires { value.rows(); }) {
      hash_.add(static_cast<double>(value.rows()));
      hash_.add(static_cast<double>(value.cols()));
      for (Eigen::Index j = 0; j < value.cols(); ++j)
        for (Eigen::Index i = 0; i < value.rows(); ++i) hash_.add(static_cast<double>(value(i, j)));
    } else {
      hash_.add(static_cast<double>(std::size(value)));
      for (const auto& one : value) add_value(one);
    }
  }

  std::string name_;
  Hash64 hash_;
};

/// Tells what its answers depend on.
template <class F>
concept Fingerprinted = requires(const F& f) {
  { f.fingerprint() } -> std::same_as<Fingerprint>;
};

}  // namespace quoin
