// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/requirements.hpp"

#include <type_traits>

// Passing structures through memory in a call costs more than the work of these functions.
#define QUOIN_INLINE [[gnu::always_inline]] inline

/// Three-vectors and 3 x 3 matrices of any scalar, flat and without expression templates, for the recursions.
namespace quoin::rigid_body::detail {

/// The scalar of a product: constants of a tree are double, states may be of any type that multiplies with double.
template <class A, class B>
using Product = std::conditional_t<std::is_same_v<A, double>, B, A>;

template <class T>
struct Vector3 {
  T x, y, z;
};

template <class T>
QUOIN_INLINE Vector3<T> zero_vector() {
  return {T(0.0), T(0.0), T(0.0)};
}

template <class A, class B>
QUOIN_INLINE Vector3<Product<A, B>> operator+(const Vector3<A>& a, const Vector3<B>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A, class B>
QUOIN_INLINE Vector3<Product<A, B>> operator-(const Vector3<A>& a, const Vector3<B>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class A, class B>
QUOIN_INLINE Vector3<Product<A, B>> operator*(const A& s, const Vector3<B>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class A, class B>
QUOIN_INLINE Vector3<A>& operator+=(Vector3<A>& a, const Vector3<B>& b) {
  a.x += b.x;
  a.y += b.y;
  a.z += b.z;
  return a;
}
template <class A, class B>
QUOIN_INLINE Product<A, B> dot(const Vector3<A>& a, const Vector3<B>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class A, class B>
QUOIN_INLINE Vector3<Product<A, B>> cross(const Vector3<A>& a, const Vector3<B>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Stored by columns.
template <class T>
struct Matrix3 {
  Vector3<T> x, y, z;
};

template <class A, class B>
QUOIN_INLINE Vector3<Product<A, B>> operator*(const Matrix3<A>& m, const Vector3<B>& v) {
  return {m.x.x * v.x + m.y.x * v.y + m.z.x * v.z, m.x.y * v.x + m.y.y * v.y + m.z.y * v.z,
          m.x.z * v.x + m.y.z * v.y + m.z.z * v.z};
}
/// m^T v
template <class A, class B>
QUOIN_INLINE Vector3<Product<A, B>> transpose_times(const Matrix3<A>& m, const Vector3<B>& v) {
  return {dot(m.x, v), dot(m.y, v), dot(m.z, v)};
}
template <class A, class B>
QUOIN_INLINE Matrix3<Product<A, B>> operator*(const Matrix3<A>& a, const Matrix3<B>& b) {
  return {a * b.x, a * b.y, a * b.z};
}
template <class A, class B>
QUOIN_INLINE Matrix3<A>& operator+=(Matrix3<A>& a, const Matrix3<B>& b) {
  a.x += b.x;
  a.y += b.y;
  a.z += b.z;
  return a;
}
template <class T>
QUOIN_INLINE Matrix3<T> transpose(const Matrix3<T>& m) {
  return {{m.x.x, m.y.x, m.z.x}, {m.x.y, m.y.y, m.z.y}, {m.x.z, m.y.z, m.z.z}};
}
template <class T>
QUOIN_INLINE Matrix3<T> zero_matrix() {
  return {zero_vector<T>(), zero_vector<T>(), zero_vector<T>()};
}
/// a b^T
template <class A, class B>
QUOIN_INLINE Matrix3<Product<A, B>> outer(const Vector3<A>& a, const Vector3<B>& b) {
  return {b.x * a, b.y * a, b.z * a};
}
/// Adds s to the diagonal.
template <class T>
QUOIN_INLINE void add_diagonal(Matrix3<T>& m, const T& s) {
  m.x.x += s;
  m.y.y += s;
  m.z.z += s;
}

/// Mass properties of a body: mass, h = m c, and the inertia about a given point, not necessarily symmetric.
template <class T>
struct Body {
  T mass;
  Vector3<T> h;
  Matrix3<T> inertia;
};

}  // namespace quoin::rigid_body::detail
