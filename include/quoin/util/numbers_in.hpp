// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <Eigen/Core>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace quoin {

/// The numbers in an object of a caller's type, as far as it can be looked into: those of numbers, of Eigen's arrays,
/// of ranges, optionals, pairs and tuples of these, and of a type with a member
///
///     bool all_finite() const;
///
/// What else an object holds is not seen, and counts as finite. Specialize it for types that are not yours.
template <class T>
struct NumbersIn {
  /// No number that is seen is NaN or infinite.
  static bool all_finite(const T& x);
  /// How many numbers a number, an array or a range of numbers has; 0 for all else.
  static std::size_t count(const T& x);
};

namespace detail {

template <class T>
concept LooksIntoItself = requires(const T& x) {
  { x.all_finite() } -> std::convertible_to<bool>;
};
template <class T>
concept EigenArray = std::derived_from<T, Eigen::DenseBase<T>>;
template <class T>
using ElementOf = std::remove_cvref_t<decltype(*std::begin(std::declval<const T&>()))>;
// A path is a range of paths.
template <class T>
concept RangeOfOthers = requires(const T& x) { std::begin(x) != std::end(x); } && !std::same_as<ElementOf<T>, T>;
template <class T>
concept TupleLike = requires { std::tuple_size<T>::value; };
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

}  // namespace detail

template <class T>
bool NumbersIn<T>::all_finite(const T& x) {
  if constexpr (detail::LooksIntoItself<T>) {
    return x.all_finite();
  } else if constexpr (detail::EigenArray<T>) {
    return x.allFinite();
  } else if constexpr (std::floating_point<T>) {
    return std::isfinite(x);
  } else if constexpr (detail::is_optional<T>) {
    return !x || NumbersIn<typename T::value_type>::all_finite(*x);
  } else if constexpr (detail::RangeOfOthers<T>) {
    for (const auto& element : x)
      if (!NumbersIn<detail::ElementOf<T>>::all_finite(element)) return false;
    return true;
  } else if constexpr (detail::TupleLike<T>) {
    return std::apply(
        [](const auto&... parts) {
          return (NumbersIn<std::remove_cvref_t<decltype(parts)>>::all_finite(parts) && ...);
        },
        x);
  } else {
    return true;
  }
}

template <class T>
std::size_t NumbersIn<T>::count(const T& x) {
  if constexpr (detail::EigenArray<T>) {
    return static_cast<std::size_t>(x.size());
  } else if constexpr (std::is_arithmetic_v<T>) {
    return 1;
  } else if constexpr (detail::RangeOfOthers<T> && requires { std::size(x); }) {
    return std::is_arithmetic_v<detail::ElementOf<T>> ? static_cast<std::size_t>(std::size(x)) : 0;
  } else {
    return 0;
  }
}

}  // namespace quoin
