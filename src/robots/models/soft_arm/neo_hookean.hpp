// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pack.hpp"

#include <type_traits>

namespace quoin::soft_arm {

/// The stable neo-Hookean solid on linear simplices (Smith, de Goes, Kim 2018, Eq. 14 without the barrier term),
/// eight elements at once. Matrices are [row][column] of the deformation gradient F = sum_a x_a b_a^T, b_a the
/// gradient of the barycentric coordinate a in the rest shape.
template <int D>
struct NeoHookean {
  Pack b[D + 1][D];  ///< shape gradients
  Pack mu;           ///< shear modulus times rest volume
  Pack lh;           ///< (lambda + mu) times rest volume
  Pack per_sides;    ///< one over the determinant of the sides x_1 - x_0, ..., x_D - x_0 in the rest shape

  using Matrix = Pack[D][D];
  using Nodes = Pack[D + 1][D];

  /// sum_a x_a b_a^T, from differences: the b_a sum to zero, and coordinates are large compared with their differences.
  void gradient_of(const Nodes& x, Matrix& F) const {
    for (int i = 0; i < D; ++i) {
      Pack side[D];
      for (int a = 0; a < D; ++a) side[a] = x[a + 1][i] - x[0][i];
      for (int j = 0; j < D; ++j) {
        F[i][j] = side[0] * b[1][j];
        for (int a = 1; a < D; ++a) F[i][j] += side[a] * b[a + 1][j];
      }
    }
  }

  /// Force-like nodal vectors P b_a.
  void to_nodes(const Matrix& P, Nodes& f) const {
    for (int a = 0; a <= D; ++a)
      for (int i = 0; i < D; ++i) {
        f[a][i] = P[i][0] * b[a][0];
        for (int j = 1; j < D; ++j) f[a][i] += P[i][j] * b[a][j];
      }
  }

  static void cofactor(const Matrix& F, Matrix& C) {
    if constexpr (D == 2) {
      C[0][0] = F[1][1];
      C[0][1] = -F[1][0];
      C[1][0] = -F[0][1];
      C[1][1] = F[0][0];
    } else {
      for (int j = 0; j < 3; ++j) {
        const int k = (j + 1) % 3, l = (j + 2) % 3;
        C[0][j] = F[1][k] * F[2][l] - F[2][k] * F[1][l];
        C[1][j] = F[2][k] * F[0][l] - F[0][k] * F[2][l];
        C[2][j] = F[0][k] * F[1][l] - F[1][k] * F[0][l];
      }
    }
  }

  /// Derivative of the cofactor at A along B; in space the symmetric product A x B of Bonet, Gil, Ortigosa (2016).
  static void cofactor_derivative(const Matrix& A, const Matrix& B, Matrix& C) {
    if constexpr (D == 2) {
      cofactor(B, C);
    } else {
      for (int j = 0; j < 3; ++j) {
        const int k = (j + 1) % 3, l = (j + 2) % 3;
        C[0][j] = A[1][k] * B[2][l] + B[1][k] * A[2][l] - A[2][k] * B[1][l] - B[2][k] * A[1][l];
        C[1][j] = A[2][k] * B[0][l] + B[2][k] * A[0][l] - A[0][k] * B[2][l] - B[0][k] * A[2][l];
        C[2][j] = A[0][k] * B[1][l] + B[0][k] * A[1][l] - A[1][k] * B[0][l] - B[1][k] * A[0][l];
      }
    }
  }

  /// The same added to C.
  static void add_cofactor_derivative(const Matrix& A, const Matrix& B, Matrix& C) {
    static_assert(D == 3);
    const auto add = [&](int i, int j) {
      const int k = (i + 1) % 3, l = (i + 2) % 3, p = (j + 1) % 3, q = (j + 2) % 3;
      C[i][j] = C[i][j] + A[k][p] * B[l][q] + B[k][p] * A[l][q] - A[k][q] * B[l][p] - B[k][q] * A[l][p];
    };
    add(0, 0), add(0, 1), add(0, 2), add(1, 0), add(1, 1), add(1, 2), add(2, 0), add(2, 1), add(2, 2);
  }

  static void contract(const Matrix& A, const Matrix& B, Pack& sum) {
    sum = A[0][0] * B[0][0];
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j)
        if (i + j > 0) sum += A[i][j] * B[i][j];
  }

  /// J - 1.
  static void volume_change(const Matrix& F, const Matrix& C, Pack& change) {
    change = F[0][0] * C[0][0] - 1.0;
    for (int j = 1; j < D; ++j) change += F[0][j] * C[0][j];
  }

  /// With F at x, its cofactor C and J - 1. Always inlined: a call would carry F and C through memory.
  [[gnu::always_inline]] void energy_of(const Nodes& x, Matrix& F, Matrix& C, Pack& change, Pack& energy) const {
    Pack square;
    gradient_of(x, F);
    cofactor(F, C);
    volume_change(F, C, change);
    contract(F, F, square);
    energy = 0.5 * mu * (square - double(D)) - mu * change + 0.5 * lh * change * change;
  }

  void energy(const Nodes& x, Pack& energy) const {
    Matrix F, C;
    Pack change;
    energy_of(x, F, C, change, energy);
  }

  void gradient(const Nodes& x, Pack& energy, Nodes& f) const {
    Matrix F, C;
    Pack change;
    energy_of(x, F, C, change, energy);
    const Pack s = lh * change - mu;
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) F[i][j] = mu * F[i][j] + s * C[i][j];
    to_nodes(F, f);
  }

  /// Blocks K[a (a + 1) / 2 + b], b <= a, row node a: mu (b_a . b_b) I + lh g_a g_b^T + s [block of d2J], g = cof F b.
  void hessian(const Nodes& x, Pack (&K)[(D + 1) * (D + 2) / 2][D][D]) const {
    Matrix F, C;
    Nodes g;
    Pack change;
    gradient_of(x, F);
    cofactor(F, C);
    volume_change(F, C, change);
    to_nodes(C, g);
    const Pack s = lh * change - mu;
    for (int a = 0, at = 0; a <= D; ++a)
      for (int c = 0; c <= a; ++c, ++at) {
        Pack dot = b[a][0] * b[c][0];
        for (int j = 1; j < D; ++j) dot += b[a][j] * b[c][j];
        dot *= mu;
        for (int i = 0; i < D; ++i) {
          const Pack scaled = lh * g[a][i];
          for (int j = 0; j < D; ++j) K[at][i][j] = scaled * g[c][j];
          K[at][i][i] += dot;
        }
        if (a == c) continue;
        if constexpr (D == 2) {
          const Pack cross = s * (b[a][0] * b[c][1] - b[a][1] * b[c][0]);
          K[at][0][1] += cross;
          K[at][1][0] -= cross;
        } else {
          Pack w[3], Fw[3];
          for (int j = 0; j < 3; ++j) {
            const int k = (j + 1) % 3, l = (j + 2) % 3;
            w[j] = s * (b[a][k] * b[c][l] - b[a][l] * b[c][k]);
          }
          for (int i = 0; i < 3; ++i) Fw[i] = F[i][0] * w[0] + F[i][1] * w[1] + F[i][2] * w[2];
          for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            K[at][i][j] += Fw[k];
            K[at][j][i] -= Fw[k];
          }
        }
      }
  }

  /// Gradient of y -> D2 Psi[da, db] at x.
  void third_derivative(const Nodes& x, const Nodes& da, const Nodes& db, Nodes& f) const {
    Matrix F, A, B, C, FA, FB, AB, P;
    Pack change, CA, CB, CAB;
    gradient_of(x, F);
    gradient_of(da, A);
    gradient_of(db, B);
    cofactor(F, C);
    volume_change(F, C, change);
    cofactor_derivative(F, A, FA);
    cofactor_derivative(F, B, FB);
    contract(C, A, CA);
    contract(C, B, CB);
    contract(FA, B, CAB);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) P[i][j] = lh * (CAB * C[i][j] + CB * FA[i][j] + CA * FB[i][j]);
    if constexpr (D == 3) {
      const Pack s = lh * change - mu;
      cofactor_derivative(A, B, AB);
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) P[i][j] += s * AB[i][j];
    }
    to_nodes(P, f);
  }
};

}  // namespace quoin::soft_arm
