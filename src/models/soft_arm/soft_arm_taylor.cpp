// SPDX-License-Identifier: BSD-3-Clause
#include "graded.hpp"
#include "soft_arm_body.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin::soft_arm {
namespace {

using Rows = TaylorRows;

// Rows become columns.
[[gnu::always_inline]] inline void transpose(Pack (&m)[8]) {
  Pack a[8], b[8];
  for (int i = 0; i < 4; ++i) {
    a[2 * i] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[2 * i + 1] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      b[4 * i + j] = __builtin_shufflevector(a[4 * i + j], a[4 * i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[4 * i + j + 2] = __builtin_shufflevector(a[4 * i + j], a[4 * i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int i = 0; i < 4; ++i) {
    m[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    m[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// Rows of coefficients have a multiple of eight entries, aligned as doubles.
Pack load(const double* from) {
  Pack pack;
  std::memcpy(&pack, from, sizeof pack);
  return pack;
}
void subtract(const Pack& pack, double* from) {
  const Pack result = load(from) - pack;
  std::memcpy(from, &result, sizeof result);
}
void add(const Pack& pack, double* to) {
  const Pack result = load(to) + pack;
  std::memcpy(to, &result, sizeof result);
}

// Longest three rows of coefficients: what stands for a clamped vertex.
constexpr int longest_rows = 3 * 40;
alignas(64) constexpr double clamped_rows[longest_rows] = {};

// The sides of eight elements, as polynomials: sides[m][i][j] is coordinate i of x_{j+1} - x_0 at monomial m, of which
// there are blocks * 8.
template <int D>
void gather_sides(const Batch<D>& batch, const std::vector<int>& free_vertex, const Rows& known, int blocks,
                  Pack (*sides)[D][D]) {
  const Eigen::Index stride = known.cols();
  const double* row[D + 1][pack_size];
  for (int a = 0; a <= D; ++a)
    for (int lane = 0; lane < pack_size; ++lane) {
      const int at = free_vertex[batch.vertex[a][lane]];
      row[a][lane] = at < 0 ? clamped_rows : known.data() + at * stride;
    }
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < D; ++i) {
      const auto entries = [&](int a, int lane) { return load(row[a][lane] + i * stride + 8 * block); };
      Pack origin[pack_size];
      for (int lane = 0; lane < pack_size; ++lane) origin[lane] = entries(0, lane);
      for (int j = 0; j < D; ++j) {
        Pack side[pack_size];
        for (int lane = 0; lane < pack_size; ++lane) side[lane] = entries(j + 1, lane) - origin[lane];
        transpose(side);
        for (int m = 0; m < 8; ++m) sides[8 * block + m][i][j] = side[m];
      }
    }
}

template <int D>
void scatter_sides(const Batch<D>& batch, const std::vector<int>& free_vertex, const Pack (*forces)[D][D], int blocks,
                   Rows& result) {
  const Eigen::Index stride = result.cols();
  alignas(64) double nobody[longest_rows];  // gets what clamped vertices and unused lanes would
  std::fill_n(nobody, longest_rows, 0.0);
  double* row[D + 1][pack_size];
  for (int a = 0; a <= D; ++a)
    for (int lane = 0; lane < pack_size; ++lane) {
      const int at = free_vertex[batch.vertex[a][lane]];
      row[a][lane] = at < 0 || lane >= batch.lanes ? nobody : result.data() + at * stride;
    }
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < D; ++i) {
      const Eigen::Index offset = i * stride + 8 * block;
      Pack sum[pack_size] = {};
      for (int j = 0; j < D; ++j) {
        Pack force[pack_size];
        for (int m = 0; m < 8; ++m) force[m] = forces[8 * block + m][i][j];
        transpose(force);
        for (int lane = 0; lane < pack_size; ++lane) {
          sum[lane] += force[lane];
          add(force[lane], row[j + 1][lane] + offset);
        }
      }
      for (int lane = 0; lane < pack_size; ++lane) subtract(sum[lane], row[0][lane] + offset);
    }
}

// What the solid adds to the part of one degree of dE/dx. Only the volume change J makes it nonlinear, |F|^2 has no
// share: E = V (lh (J - 1)^2 / 2 - mu (J - 1)) + ..., J = det(sides) / det(sides at rest).
template <int D>
class SolidTaylor {
 public:
  static constexpr int n = line_count<D>;
  static constexpr int n2 = Graded<n>::count[2], n3 = Graded<n>::count[3];
  using Solid = NeoHookean<D>;
  using Matrix = typename Solid::Matrix;

  // x: sides; known: their coefficients of degree 1, for `cubic` those of degree 2 after them. Residual: n2 or, for
  // `cubic`, n3 matrices.
  void operator()(const Solid& solid, const Matrix& x, const Matrix* known, bool cubic, Matrix* residual) {
    Pack sum;
    Solid::cofactor(x, C0);
    Solid::volume_change(x, C0, sum);  // det - 1
    const Pack scale = solid.lh * solid.per_sides * solid.per_sides;
    const Pack s0 = solid.per_sides * (solid.lh * ((sum + 1.0) * solid.per_sides - 1.0) - solid.mu);
    Pack s1[n], s2[n2];
    for (int i = 0; i < n; ++i) {
      Solid::cofactor_derivative(x, known[i], C1[i]);
      Solid::contract(C0, known[i], sum);
      s1[i] = scale * sum;
    }
    for (int i = 0, at = 0; i < n; ++i)
      for (int j = i; j < n; ++j, ++at) {
        Solid::contract(C1[i], known[j], sum);
        s2[at] = i == j ? 0.5 * scale * sum : scale * sum;
        if constexpr (D == 3) {
          if (i == j)
            Solid::cofactor(known[i], Q[at]);
          else
            Solid::cofactor_derivative(known[i], known[j], Q[at]);
        }
      }
    if (!cubic) {
      for (int at = 0; at < n2; ++at)
        for (int r = 0; r < D; ++r)
          for (int c = 0; c < D; ++c) {
            residual[at][r][c] = s2[at] * C0[r][c];
            if constexpr (D == 3) residual[at][r][c] += s0 * Q[at][r][c];
          }
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) accumulate(s1[i], C1[j], residual[graded<n>.second[i][j]]);
      return;
    }

    const Matrix* const second = known + n;
    Pack s3[n3] = {};
    if constexpr (D == 3)
      for (int at = 0; at < n3; ++at) {
        Solid::contract(Q[graded<n>.rest[at]], known[graded<n>.axis[at]], sum);
        s3[at] = sum / double(graded<n>.power[at]);
      }
    Matrix scaled[n];
    for (int i = 0; i < n; ++i)
      for (int r = 0; r < D; ++r)
        for (int c = 0; c < D; ++c) scaled[i][r][c] = s0 * known[i][r][c];
    for (int at = 0; at < n3; ++at)
      for (int r = 0; r < D; ++r)
        for (int c = 0; c < D; ++c) residual[at][r][c] = Pack{};
    for (int m = 0; m < n2; ++m) {
      Solid::contract(C0, second[m], sum);
      s2[m] += scale * sum;
      Matrix C2;
      Solid::cofactor_derivative(x, second[m], C2);
      if constexpr (D == 3)
        for (int r = 0; r < D; ++r)
          for (int c = 0; c < D; ++c) C2[r][c] += Q[m][r][c];
      for (int i = 0; i < n; ++i) {
        const int at = graded<n>.third[i][m];
        Solid::contract(C1[i], second[m], sum);
        s3[at] += sum;
        Matrix product;
        if constexpr (D == 3) Solid::cofactor_derivative(scaled[i], second[m], product);
        for (int r = 0; r < D; ++r)
          for (int c = 0; c < D; ++c) {
            Pack value = s1[i] * C2[r][c] + s2[m] * C1[i][r][c];
            if constexpr (D == 3) value += product[r][c];
            residual[at][r][c] += value;
          }
      }
    }
    for (int at = 0; at < n3; ++at) accumulate(scale * s3[at], C0, residual[at]);
  }

 private:
  static void accumulate(const Pack& factor, const Matrix& A, Matrix& sum) {
    for (int r = 0; r < D; ++r)
      for (int c = 0; c < D; ++c) sum[r][c] += factor * A[r][c];
  }

  Matrix C0, C1[n], Q[n2];  // coefficients of the cofactor of the sides; Q: what degree 1 alone makes of degree 2
};

// A polynomial of degree at most 3 without its part of degree 0 in front of the others: [0], degree 1, 2, 3.
template <int Lines>
struct Polynomial {
  static constexpr auto count = Graded<Lines>::count;
  static constexpr int first[4] = {0, 1, 1 + count[1], 1 + count[1] + count[2]};
  double at[1 + count[1] + count[2] + count[3]] = {};
};

// sum += factor times (the part of degree `left` of a) times (the part of degree `right` of b).
template <int Lines>
void multiply_add(double factor, const Polynomial<Lines>& a, int left, const Polynomial<Lines>& b, int right,
                  Polynomial<Lines>& sum) {
  using P = Polynomial<Lines>;
  if (left > right) return multiply_add(factor, b, right, a, left, sum);
  double* const out = sum.at + P::first[left + right];
  const double* const p = a.at + P::first[left];
  const double* const q = b.at + P::first[right];
  if (left == 0) {
    for (int m = 0; m < P::count[right]; ++m) out[m] += factor * p[0] * q[m];
  } else if (right == 1) {
    for (int i = 0; i < Lines; ++i)
      for (int j = 0; j < Lines; ++j) out[graded<Lines>.second[i][j]] += factor * p[i] * q[j];
  } else {
    for (int i = 0; i < Lines; ++i)
      for (int m = 0; m < P::count[2]; ++m) out[graded<Lines>.third[i][m]] += factor * p[i] * q[m];
  }
}

// One segment as a polynomial: difference, square of its length, one over its length.
template <int D>
struct SegmentTaylor {
  static constexpr int n = line_count<D>;
  Polynomial<n> d[D], square, inverse;

  // known: coefficients of degree 1 to `degree`, difference of two rows (null: clamped).
  SegmentTaylor(const Eigen::Vector<double, D>& difference, const double* from, const double* to, Eigen::Index stride,
                int known, int degree) {
    for (int i = 0; i < D; ++i) {
      d[i].at[0] = difference[i];
      for (int m = 0; m < known; ++m)
        d[i].at[1 + m] = (to ? to[i * stride + m] : 0.0) - (from ? from[i * stride + m] : 0.0);
    }
    for (int g = 0; g <= degree; ++g)
      for (int h = 0; h <= g; ++h)
        for (int i = 0; i < D; ++i) multiply_add(1.0, d[i], h, d[i], g - h, square);
    // From q r' = -q' r / 2 along rays, r = q^(-1/2).
    const double inverse_square = 1 / square.at[0];
    inverse.at[0] = std::sqrt(inverse_square);
    for (int g = 1; g <= degree; ++g)
      for (int h = 1; h <= g; ++h)
        multiply_add(-(g - 0.5 * h) / g * inverse_square, square, h, inverse, g - h, inverse);
  }
};

template <int Lines>
constexpr int known_monomials(int degree) {
  int count = 0;
  for (int g = 1; g <= degree; ++g) count += Graded<Lines>::count[g];
  return count;
}

void require_rows(const Rows& rows, Eigen::Index size, int monomials, const char* who) {
  if (rows.rows() != size || rows.cols() < monomials || rows.cols() % 8 != 0 || 3 * rows.cols() > longest_rows)
    throw std::invalid_argument(std::string("SoftArm::") + who + ": coefficients of " + std::to_string(rows.rows()) +
                                " x " + std::to_string(rows.cols()) + " given, " + std::to_string(size) + " x " +
                                std::to_string(padded_to_eight(monomials)) + " needed");
}

}  // namespace

template <int D>
void SoftArm<D>::taylor_residual(const Eigen::VectorXd& x, const Controls& u, int degree, const TaylorRows& known,
                                 TaylorRows& residual) const {
  using Table = Graded<lines>;
  if (x.size() != size() || (degree != 2 && degree != 3))
    throw std::invalid_argument("SoftArm::taylor_residual: " + std::to_string(x.size()) + " coordinates and degree " +
                                std::to_string(degree) + " given, " + std::to_string(size()) + " and 2 or 3 needed");
  const int monomials = known_monomials<lines>(degree - 1);
  require_rows(known, free_size(), monomials, "taylor_residual");
  const Body& body = *body_;
  residual.setZero(free_size(), padded_to_eight(Table::count[degree]));

  SolidTaylor<D> taylor;
  typename NeoHookean<D>::Nodes nodes;
  typename NeoHookean<D>::Matrix sides, known_sides[padded_to_eight(known_monomials<lines>(2))];
  typename NeoHookean<D>::Matrix forces[padded_to_eight(Table::count[3])] = {};
  for (const auto& batch : body.batches) {
    body.gather(batch, x.data(), nodes);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) sides[i][j] = nodes[j + 1][i] - nodes[0][i];
    gather_sides<D>(batch, body.free_vertex, known, padded_to_eight(monomials) / 8, known_sides);
    taylor(batch.solid, sides, known_sides, degree == 3, forces);
    scatter_sides<D>(batch, body.free_vertex, forces, padded_to_eight(Table::count[degree]) / 8, residual);
  }

  const Eigen::Index stride = known.cols();
  for (const auto& segment : body.segments) {
    const int a = body.free_vertex[segment.a], b = body.free_vertex[segment.b];
    const SegmentTaylor<D> t(body.difference(segment, x), a < 0 ? nullptr : known.data() + a * stride,
                             b < 0 ? nullptr : known.data() + b * stride, stride, monomials, degree);
    for (int i = 0; i < D; ++i) {
      // F0 (u + delta_k) d / |d|.
      Polynomial<lines> direction;
      for (int g = degree - 1; g <= degree; ++g)
        for (int h = 0; h <= g; ++h) multiply_add(line_force(), t.d[i], h, t.inverse, g - h, direction);
      const double* const lower = direction.at + Polynomial<lines>::first[degree - 1];
      double force[Table::count[3]];
      for (int m = 0; m < Table::count[degree]; ++m)
        force[m] = u[segment.line] * direction.at[Polynomial<lines>::first[degree] + m];
      for (int m = 0; m < Table::count[degree - 1]; ++m)
        force[degree == 2 ? graded<lines>.second[segment.line][m] : graded<lines>.third[segment.line][m]] += lower[m];
      for (int m = 0; m < Table::count[degree]; ++m) {
        if (b >= 0) residual(b + i, m) += force[m];
        if (a >= 0) residual(a + i, m) -= force[m];
      }
    }
  }
}

template <int D>
void SoftArm<D>::taylor_lengths(const Eigen::VectorXd& x, int degree, const TaylorRows& known,
                                Eigen::MatrixXd& lengths) const {
  if (x.size() != size() || degree < 1 || degree > 3)
    throw std::invalid_argument("SoftArm::taylor_lengths: " + std::to_string(x.size()) + " coordinates and degree " +
                                std::to_string(degree) + " given, " + std::to_string(size()) + " and 1 to 3 needed");
  const int monomials = known_monomials<lines>(degree);
  require_rows(known, free_size(), monomials, "taylor_lengths");
  lengths.setZero(lines, 1 + monomials);
  const Eigen::Index stride = known.cols();
  for (const auto& segment : body_->segments) {
    const int a = body_->free_vertex[segment.a], b = body_->free_vertex[segment.b];
    const SegmentTaylor<D> t(body_->difference(segment, x), a < 0 ? nullptr : known.data() + a * stride,
                             b < 0 ? nullptr : known.data() + b * stride, stride, monomials, degree);
    Polynomial<lines> length;
    for (int g = 0; g <= degree; ++g)
      for (int h = 0; h <= g; ++h) multiply_add(1.0, t.square, h, t.inverse, g - h, length);
    for (int m = 0; m <= monomials; ++m) lengths(segment.line, m) += length.at[m];
  }
}

template void SoftArm<2>::taylor_residual(const Eigen::VectorXd&, const Controls&, int, const TaylorRows&,
                                          TaylorRows&) const;
template void SoftArm<3>::taylor_residual(const Eigen::VectorXd&, const Controls&, int, const TaylorRows&,
                                          TaylorRows&) const;
template void SoftArm<2>::taylor_lengths(const Eigen::VectorXd&, int, const TaylorRows&, Eigen::MatrixXd&) const;
template void SoftArm<3>::taylor_lengths(const Eigen::VectorXd&, int, const TaylorRows&, Eigen::MatrixXd&) const;

}  // namespace quoin::soft_arm
