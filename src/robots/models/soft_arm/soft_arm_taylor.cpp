// SPDX-License-Identifier: BSD-3-Clause
#include "graded.hpp"

#include "quoin/util/to_text.hpp"
#include "soft_arm_body.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace quoin::soft_arm {
namespace {

using Rows = TaylorRows;

// Rows of coefficients have a multiple of eight entries, aligned as doubles.
Pack load(const double* from) {
  Pack pack;
  load_pack(pack, from);
  return pack;
}
void subtract(const Pack& pack, double* from) { store_pack(from, load(from) - pack); }
void add(const Pack& pack, double* to) { store_pack(to, load(to) + pack); }

// The vertices of eight simplices with `sides` sides each: their first free coordinate, -1 for clamped
// vertices and unused lanes.
template <int sides>
using Places = std::array<std::array<int, pack_size>, sides + 1>;

template <int D>
Places<D> places_of(const Batch<D>& batch, const std::vector<int>& free_vertex) {
  Places<D> places;
  for (int a = 0; a <= D; ++a)
    for (int lane = 0; lane < pack_size; ++lane)
      places[a][lane] = lane < batch.lanes ? free_vertex[batch.vertex[a][lane]] : -1;
  return places;
}

constexpr int longest_row = 40;
alignas(64) constexpr double clamped_rows[3 * longest_row] = {};

// The sides as polynomials: sides[m][i][j] is coordinate i of x_{j+1} - x_0 at monomial m, of
// which there are 8 * blocks.
template <int D, int S>
void gather_sides(const Places<S>& places, const Rows& known, int blocks, Pack (*sides)[D][S]) {
  const Eigen::Index stride = known.cols();
  const double* row[S + 1][pack_size];
  for (int a = 0; a <= S; ++a)
    for (int lane = 0; lane < pack_size; ++lane) {
      const int at = places[a][lane];
      row[a][lane] = at < 0 ? clamped_rows : known.data() + at * stride;
    }
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < D; ++i) {
      const auto entries = [&](int a, int lane) { return load(row[a][lane] + i * stride + 8 * block); };
      Pack origin[pack_size];
      for (int lane = 0; lane < pack_size; ++lane) origin[lane] = entries(0, lane);
      for (int j = 0; j < S; ++j) {
        Pack side[pack_size];
        for (int lane = 0; lane < pack_size; ++lane) side[lane] = entries(j + 1, lane) - origin[lane];
        transpose_packs(side);
        for (int m = 0; m < 8; ++m) sides[8 * block + m][i][j] = side[m];
      }
    }
}

// Adds forces on the sides, `count` monomials of them, to the vertices: rows of result are vertices, each with all
// monomials of one coordinate after the other.
template <int D, int S, int count>
void scatter_sides(const Places<S>& places, const Pack (*forces)[D][S], Rows& result) {
  constexpr int width = padded_to_eight(D * count);
  alignas(64) double nobody[width] = {};  // receives the forces on clamped vertices and unused lanes
  double* row[S + 1][pack_size];
  for (int a = 0; a <= S; ++a)
    for (int lane = 0; lane < pack_size; ++lane) {
      const int at = places[a][lane];
      row[a][lane] = at < 0 ? nobody : result.data() + at / D * width;
    }
  for (int offset = 0; offset < width; offset += 8) {
    Pack sum[pack_size] = {};
    for (int j = 0; j < S; ++j) {
      Pack force[pack_size];
      for (int p = 0; p < 8; ++p) {
        const int at = offset + p;
        force[p] = at < D * count ? forces[at % count][at / count][j] : Pack{};
      }
      transpose_packs(force);
      for (int lane = 0; lane < pack_size; ++lane) {
        sum[lane] += force[lane];
        add(force[lane], row[j + 1][lane] + offset);
      }
    }
    for (int lane = 0; lane < pack_size; ++lane) subtract(sum[lane], row[0][lane] + offset);
  }
}

// The solid's contribution to the part of one degree of dE/dx. Only the volume change J makes it nonlinear, |F|^2 does
// not contribute: E = V (lh (J - 1)^2 / 2 - mu (J - 1)) + ..., J = det(sides) / det(sides at rest).
template <int D>
class SolidTaylor {
 public:
  static constexpr int n = line_count<D>;
  static constexpr int n2 = Graded<n>::count[2], n3 = Graded<n>::count[3];
  using Solid = NeoHookean<D>;
  using Matrix = typename Solid::Matrix;

  // x: sides; known: their coefficients of degree 1, for `cubic` followed by those of degree 2. Residual: n2 or,
  // for `cubic`, n3 matrices.
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

    // With products A x B of the sides' degrees, C_2 = F_0 x F_2 + F_1 x F_1 / 2 and C_3 = F_1 x F_2, and so
    // s_0 C_3 + s_1 C_2 + s_2 C_1 = F_1 x (s_0 F_2 + s_1 F_1 / 2 + s_2 F_0) + s_1 F_0 x F_2. In the plane C is linear.
    const Matrix* const second = known + n;
    Matrix F0F2[n2], factor[n2];
    for (int m = 0; m < n2; ++m) {
      Solid::contract(C0, second[m], sum);
      s2[m] += scale * sum;
      Solid::cofactor_derivative(x, second[m], F0F2[m]);
      for (int r = 0; r < D; ++r)
        for (int c = 0; c < D; ++c) factor[m][r][c] = s0 * second[m][r][c] + s2[m] * x[r][c];
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) accumulate(0.5 * s1[i], known[j], factor[graded<n>.second[i][j]]);
    for (int at = 0; at < n3; ++at) {
      Pack s3 = {};
      if constexpr (D == 3) {
        Solid::contract(Q[graded<n>.rest[at]], known[graded<n>.axis[at]], s3);
        s3 /= double(graded<n>.power[at]);
      }
      Matrix total = {};
      for (int i = 0; i < n; ++i) {
        const int m = graded<n>.without[at][i];
        if (m < 0) continue;
        Solid::contract(C1[i], second[m], sum);
        s3 += sum;
        if constexpr (D == 3) {
          Solid::add_cofactor_derivative(known[i], factor[m], total);
        } else {
          accumulate(s2[m], C1[i], total);
        }
        accumulate(s1[i], F0F2[m], total);
      }
      accumulate(scale * s3, C0, total);
      for (int r = 0; r < D; ++r)
        for (int c = 0; c < D; ++c) residual[at][r][c] = total[r][c];
    }
  }

 private:
  template <typename Factor>
  static void accumulate(const Factor& factor, const Matrix& A, Matrix& sum) {
    for (int r = 0; r < D; ++r)
      for (int c = 0; c < D; ++c) sum[r][c] += factor * A[r][c];
  }

  Matrix C0, C1[n], Q[n2];  // coefficients of the cofactor of the sides; Q: contribution of degree 1 to degree 2
};

// Polynomials of degree at most 3, eight at once: coefficient of degree 0, then those of degree 1, 2, 3.
template <int Lines>
struct Polynomial {
  static constexpr auto count = Graded<Lines>::count;
  static constexpr int first[4] = {0, 1, 1 + count[1], 1 + count[1] + count[2]};
  Pack at[1 + count[1] + count[2] + count[3]] = {};
};

// sum += factor times (the part of degree `left` of a) times (the part of degree `right` of b).
template <int Lines>
void multiply_add(const Pack& factor, const Polynomial<Lines>& a, int left, const Polynomial<Lines>& b, int right,
                  Polynomial<Lines>& sum) {
  using P = Polynomial<Lines>;
  if (left > right) return multiply_add(factor, b, right, a, left, sum);
  Pack* const out = sum.at + P::first[left + right];
  const Pack* const p = a.at + P::first[left];
  const Pack* const q = b.at + P::first[right];
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

// Up to eight segments of one line.
template <int D>
struct SegmentGroup {
  int line, lanes = 0;
  Places<1> places;
  Pack difference[D];  // unused lanes repeat the first

  template <typename Body>
  SegmentGroup(const Body& body, const Eigen::VectorXd& x, std::size_t first) : line(body.segments[first].line) {
    for (int lane = 0; lane < pack_size; ++lane) {
      const bool used =
          lane == lanes && first + lane < body.segments.size() && body.segments[first + lane].line == line;
      const auto& segment = body.segments[used ? first + lane : first];
      lanes += used;
      places[0][lane] = used ? body.free_vertex[segment.a] : -1;
      places[1][lane] = used ? body.free_vertex[segment.b] : -1;
      const auto d = body.difference(segment, x);
      for (int i = 0; i < D; ++i) difference[i][lane] = d[i];
    }
  }
};

// Its segments as polynomials: difference, square of the length, one over the length.
template <int D>
struct SegmentTaylor {
  static constexpr int n = line_count<D>;
  Polynomial<n> d[D], square, inverse;

  // known: coefficients of degree 1 to `degree`, `monomials` in number.
  SegmentTaylor(const SegmentGroup<D>& group, const Rows& known, int monomials, int degree) {
    Pack sides[longest_row][D][1];
    gather_sides<D, 1>(group.places, known, padded_to_eight(monomials) / 8, sides);
    for (int i = 0; i < D; ++i) {
      d[i].at[0] = group.difference[i];
      for (int m = 0; m < monomials; ++m) d[i].at[1 + m] = sides[m][i][0];
    }
    for (int g = 0; g <= degree; ++g)
      for (int h = 0; h <= g; ++h)
        for (int i = 0; i < D; ++i) multiply_add(Pack{} + 1.0, d[i], h, d[i], g - h, square);
    // From q r' = -q' r / 2 along rays, r = q^(-1/2).
    const Pack inverse_square = 1 / square.at[0];
    for (int lane = 0; lane < pack_size; ++lane) inverse.at[0][lane] = std::sqrt(inverse_square[lane]);
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
  if (rows.rows() != size || rows.cols() < monomials || rows.cols() % 8 != 0 || rows.cols() > longest_row)
    throw std::invalid_argument(std::string("SoftArm::") + who + ": coefficients of " + shape_text(rows) + " given, " +
                                to_text(size) + " x " + to_text(padded_to_eight(monomials)) + " needed");
}

template <int D, int degree, typename Body>
void add_solid(const Body& body, const Eigen::VectorXd& x, const Rows& known, Rows& residual) {
  constexpr int count = Graded<line_count<D>>::count[degree];
  constexpr int padded = padded_to_eight(known_monomials<line_count<D>>(degree - 1));
  SolidTaylor<D> taylor;
  typename NeoHookean<D>::Nodes nodes;
  typename NeoHookean<D>::Matrix sides, known_sides[padded], forces[count];
  for (const auto& batch : body.batches) {
    body.gather(batch, x.data(), nodes);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) sides[i][j] = nodes[j + 1][i] - nodes[0][i];
    const Places<D> places = places_of(batch, body.free_vertex);
    gather_sides<D, D>(places, known, padded / 8, known_sides);
    taylor(batch.solid, sides, known_sides, degree == 3, forces);
    scatter_sides<D, D, count>(places, forces, residual);
  }
}

// force: F0.
template <int D, int degree, typename Body>
void add_lines(const Body& body, const Eigen::VectorXd& x, const Point<line_count<D>>& u, double force,
               const Rows& known, Rows& residual) {
  constexpr int lines = line_count<D>;
  using P = Polynomial<lines>;
  constexpr int count = P::count[degree];
  for (std::size_t first = 0; first < body.segments.size();) {
    const SegmentGroup<D> group(body, x, first);
    const SegmentTaylor<D> t(group, known, known_monomials<lines>(degree - 1), degree);
    Pack forces[count][D][1];
    for (int i = 0; i < D; ++i) {
      // F0 (u + delta_k) d / |d|.
      P direction;
      for (int g = degree - 1; g <= degree; ++g)
        for (int h = 0; h <= g; ++h) multiply_add(Pack{} + force, t.d[i], h, t.inverse, g - h, direction);
      for (int m = 0; m < count; ++m) forces[m][i][0] = u[group.line] * direction.at[P::first[degree] + m];
      for (int m = 0; m < P::count[degree - 1]; ++m)
        forces[degree == 2 ? graded<lines>.second[group.line][m] : graded<lines>.third[group.line][m]][i][0] +=
            direction.at[P::first[degree - 1] + m];
    }
    scatter_sides<D, 1, count>(group.places, forces, residual);
    first += group.lanes;
  }
}

}  // namespace

template <int D>
void SoftArm<D>::taylor_residual(const Eigen::VectorXd& x, const Controls& u, int degree, const TaylorRows& known,
                                 TaylorRows& residual) const {
  if (x.size() != size() || (degree != 2 && degree != 3))
    throw std::invalid_argument("SoftArm::taylor_residual: " + to_text(x.size()) + " coordinates and degree " +
                                to_text(degree) + " given, " + to_text(size()) + " and 2 or 3 needed");
  require_rows(known, free_size(), known_monomials<lines>(degree - 1), "taylor_residual");
  residual.setZero(free_size() / D, padded_to_eight(D * Graded<lines>::count[degree]));
  if (degree == 2) {
    add_solid<D, 2>(*body_, x, known, residual);
    add_lines<D, 2>(*body_, x, u, line_force(), known, residual);
  } else {
    add_solid<D, 3>(*body_, x, known, residual);
    add_lines<D, 3>(*body_, x, u, line_force(), known, residual);
  }
}

template <int D>
void SoftArm<D>::taylor_lengths(const Eigen::VectorXd& x, int degree, const TaylorRows& known,
                                Eigen::MatrixXd& lengths) const {
  if (x.size() != size() || degree < 1 || degree > 3)
    throw std::invalid_argument("SoftArm::taylor_lengths: " + to_text(x.size()) + " coordinates and degree " +
                                to_text(degree) + " given, " + to_text(size()) + " and 1 to 3 needed");
  const int monomials = known_monomials<lines>(degree);
  require_rows(known, free_size(), monomials, "taylor_lengths");
  lengths.setZero(lines, 1 + monomials);
  for (std::size_t first = 0; first < body_->segments.size();) {
    const SegmentGroup<D> group(*body_, x, first);
    const SegmentTaylor<D> t(group, known, monomials, degree);
    Polynomial<lines> length;
    for (int g = 0; g <= degree; ++g)
      for (int h = 0; h <= g; ++h) multiply_add(Pack{} + 1.0, t.square, h, t.inverse, g - h, length);
    for (int m = 0; m <= monomials; ++m)
      for (int lane = 0; lane < group.lanes; ++lane) lengths(group.line, m) += length.at[m][lane];
    first += group.lanes;
  }
}

template void SoftArm<2>::taylor_residual(const Eigen::VectorXd&, const Controls&, int, const TaylorRows&,
                                          TaylorRows&) const;
template void SoftArm<3>::taylor_residual(const Eigen::VectorXd&, const Controls&, int, const TaylorRows&,
                                          TaylorRows&) const;
template void SoftArm<2>::taylor_lengths(const Eigen::VectorXd&, int, const TaylorRows&, Eigen::MatrixXd&) const;
template void SoftArm<3>::taylor_lengths(const Eigen::VectorXd&, int, const TaylorRows&, Eigen::MatrixXd&) const;

}  // namespace quoin::soft_arm
