// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/models/soft_arm/tile_cholesky.hpp"

#include "quoin/util/to_text.hpp"

#include "tile_substitution.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace quoin::soft_arm {
namespace {

constexpr int T = tile_size;

using Graph = std::vector<std::vector<int>>;

Graph neighbours(const TileCholesky::Sparse& lower) {
  Graph graph(lower.cols());
  for (int column = 0; column < lower.outerSize(); ++column)
    for (TileCholesky::Sparse::InnerIterator entry(lower, column); entry; ++entry)
      if (entry.row() > column) {
        graph[column].push_back(static_cast<int>(entry.row()));
        graph[entry.row()].push_back(column);
      }
  return graph;
}

// Breadth-first, neighbours by ascending degree: the order of Cuthill and McKee (1969) from a given root.
std::vector<int> levels_from(const Graph& graph, int root, const std::vector<char>& done) {
  std::vector<char> seen = done;
  std::vector<int> order{root};
  seen[root] = 1;
  for (std::size_t at = 0; at < order.size(); ++at) {
    const std::size_t first = order.size();
    for (int next : graph[order[at]])
      if (!seen[next]) {
        seen[next] = 1;
        order.push_back(next);
      }
    std::stable_sort(order.begin() + first, order.end(),
                     [&](int a, int b) { return graph[a].size() < graph[b].size(); });
  }
  return order;
}

std::vector<int> reverse_cuthill_mckee(const Graph& graph) {
  std::vector<char> done(graph.size(), 0);
  std::vector<int> order;
  for (std::size_t start = 0; start < graph.size(); ++start) {
    if (done[start]) continue;
    int root = static_cast<int>(start);
    // The last vertex of a breadth-first order is far from its root; two rounds are enough.
    for (int round = 0; round < 2; ++round) root = levels_from(graph, root, done).back();
    for (int vertex : levels_from(graph, root, done)) {
      done[vertex] = 1;
      order.push_back(vertex);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

// For each column of tiles, the rows of tiles below the diagonal in L, fill included.
std::vector<std::vector<int>> tile_structure(const Graph& graph, const std::vector<int>& position) {
  const int columns = (static_cast<int>(graph.size()) + T - 1) / T;
  std::vector<std::vector<int>> rows(columns);
  for (std::size_t vertex = 0; vertex < graph.size(); ++vertex)
    for (int other : graph[vertex]) {
      const int a = position[vertex] / T, b = position[other] / T;
      if (a < b) rows[a].push_back(b);
    }
  for (int column = 0; column < columns; ++column) {
    auto& below = rows[column];
    std::sort(below.begin(), below.end());
    below.erase(std::unique(below.begin(), below.end()), below.end());
    // Eliminating a column joins everything below it: its parent in the elimination tree inherits the rest.
    if (below.size() > 1) rows[below.front()].insert(rows[below.front()].end(), below.begin() + 1, below.end());
  }
  return rows;
}

double multiply_adds(const std::vector<std::vector<int>>& rows) {
  double sum = 0;
  for (const auto& below : rows) sum += 0.5 * static_cast<double>((below.size() + 1) * (below.size() + 2));
  return sum;
}

}  // namespace

struct TileCholesky::Symbolic {
  struct Product {
    int left, right;  ///< offsets of L_ik and L_jk in units of tiles
  };

  Eigen::Index size = 0;
  Eigen::Index entries = 0;
  int columns = 0;
  std::vector<int> position;        ///< place of each unknown in the elimination order
  std::vector<int> entry_offset;    ///< of each stored entry of A: where it goes in tiles_
  std::vector<int> diagonal_entry;  ///< of each unknown: index of its diagonal among the entries of A
  std::vector<int> column_begin;    ///< first tile of each column (the diagonal one); columns + 1 entries
  std::vector<int> row;             ///< row of each tile
  std::vector<int> product_begin;   ///< per tile; tiles + 1 entries
  std::vector<Product> products;    ///< the products subtracted from each tile

  explicit Symbolic(const Sparse& lower);
};

TileCholesky::Symbolic::Symbolic(const Sparse& lower) : size(lower.rows()), entries(lower.nonZeros()) {
  const Graph graph = neighbours(lower);
  std::vector<int> natural(size);
  std::iota(natural.begin(), natural.end(), 0);
  position = natural;
  auto rows = tile_structure(graph, position);
  const std::vector<int> order = reverse_cuthill_mckee(graph);
  std::vector<int> inverse(size);
  for (Eigen::Index i = 0; i < size; ++i) inverse[order[i]] = static_cast<int>(i);
  if (auto other = tile_structure(graph, inverse); multiply_adds(other) < multiply_adds(rows)) {
    position = inverse;
    rows = other;
  }

  columns = static_cast<int>(rows.size());
  column_begin.push_back(0);
  for (int column = 0; column < columns; ++column) {
    row.push_back(column);
    row.insert(row.end(), rows[column].begin(), rows[column].end());
    column_begin.push_back(static_cast<int>(row.size()));
  }

  const auto tile_at = [&](int tile_row, int tile_column) {
    const auto first = row.begin() + column_begin[tile_column], last = row.begin() + column_begin[tile_column + 1];
    const auto found = std::lower_bound(first, last, tile_row);
    return found != last && *found == tile_row ? static_cast<int>(found - row.begin()) : -1;
  };

  // Columns k that have a tile in row j, ascending.
  std::vector<std::vector<int>> left(columns);
  for (int k = 0; k < columns; ++k)
    for (int tile = column_begin[k] + 1; tile < column_begin[k + 1]; ++tile) left[row[tile]].push_back(k);
  product_begin.push_back(0);
  for (int j = 0; j < columns; ++j)
    for (int tile = column_begin[j]; tile < column_begin[j + 1]; ++tile) {
      for (int k : left[j])
        if (const int at = tile_at(row[tile], k); at >= 0) products.push_back({at, tile_at(j, k)});
      product_begin.push_back(static_cast<int>(products.size()));
    }

  diagonal_entry.assign(size, -1);
  int entry_index = 0;
  for (int column = 0; column < lower.outerSize(); ++column)
    for (Sparse::InnerIterator entry(lower, column); entry; ++entry, ++entry_index) {
      if (entry.row() == column) diagonal_entry[column] = entry_index;
      if (entry.row() < column) {
        entry_offset.push_back(-1);
        continue;
      }
      const int a = std::max(position[entry.row()], position[column]);
      const int b = std::min(position[entry.row()], position[column]);
      entry_offset.push_back(tile_at(a / T, b / T) * tile_entries + (b % T) * T + a % T);
    }
  for (Eigen::Index i = 0; i < size; ++i)
    if (diagonal_entry[i] < 0)
      throw std::invalid_argument("TileCholesky: diagonal entry " + to_text(i) + " is not stored");
}

TileCholesky::TileCholesky(const Sparse& lower_pattern) {
  if (lower_pattern.rows() != lower_pattern.cols() || !lower_pattern.isCompressed())
    throw std::invalid_argument("TileCholesky: needs a square compressed matrix, given " + shape_text(lower_pattern));
  symbolic_ = std::make_shared<const Symbolic>(lower_pattern);
  tiles_.resize(symbolic_->row.size() * tile_entries);
}

Eigen::Index TileCholesky::size() const { return symbolic_->size; }
std::size_t TileCholesky::tiles() const { return symbolic_->row.size(); }

namespace {

// As many columns at once as the registers hold accumulators for: half of them.
constexpr int block = 8 / Pack::parts;

}  // namespace

bool TileCholesky::factorize(const Sparse& lower, double shift) {
  const Symbolic& s = *symbolic_;
  if (lower.nonZeros() != s.entries || lower.rows() != s.size)
    throw std::invalid_argument("TileCholesky::factorize: " + to_text(lower.nonZeros()) + " entries given, " +
                                to_text(s.entries) + " analysed");
  std::fill(tiles_.begin(), tiles_.end(), 0.0);
  const double* values = lower.valuePtr();
  for (Eigen::Index entry = 0; entry < s.entries; ++entry)
    if (s.entry_offset[entry] >= 0) tiles_[s.entry_offset[entry]] += values[entry];
  if (shift != 0)
    for (int entry : s.diagonal_entry) tiles_[s.entry_offset[entry]] += shift * std::abs(values[entry]);
  for (Eigen::Index i = s.size; i < static_cast<Eigen::Index>(s.columns) * T; ++i)
    tiles_[static_cast<std::size_t>(s.column_begin[i / T]) * tile_entries + (i % T) * (T + 1)] = 1;

  double* const base = tiles_.data();
  for (int j = 0; j < s.columns; ++j) {
    const double* diagonal = base + static_cast<std::size_t>(s.column_begin[j]) * tile_entries;
    double reciprocal[T];
    for (int tile = s.column_begin[j]; tile < s.column_begin[j + 1]; ++tile) {
      double* const target = base + static_cast<std::size_t>(tile) * tile_entries;
      for (int first = 0; first < T; first += block) {
        Pack sum[block];
#pragma GCC unroll 8
        for (int c = 0; c < block; ++c) load_pack(sum[c], target + (first + c) * T);
        for (int at = s.product_begin[tile]; at < s.product_begin[tile + 1]; ++at) {
          const double* const left = base + static_cast<std::size_t>(s.products[at].left) * tile_entries;
          const double* const right = base + static_cast<std::size_t>(s.products[at].right) * tile_entries + first;
          for (int k = 0; k < T; ++k) {
            Pack column;
            load_pack(column, left + k * T);
#pragma GCC unroll 8
            for (int c = 0; c < block; ++c) sum[c] -= column * right[k * T + c];
          }
        }
#pragma GCC unroll 8
        for (int c = 0; c < block; ++c) store_pack(target + (first + c) * T, sum[c]);
      }
      if (tile == s.column_begin[j]) {
        Pack column[T];
        for (int c = 0; c < T; ++c) load_pack(column[c], target + c * T);
        for (int c = 0; c < T; ++c) {
          const double pivot = column[c][c];
          if (!(pivot > 0) || !(pivot < 1e300)) return false;
          reciprocal[c] = 1 / std::sqrt(pivot);
          column[c] *= reciprocal[c];
          for (int k = c + 1; k < T; ++k) column[k] -= column[c] * column[c][k];
          // Entries above the diagonal are not part of L; the solves rely on zeros there.
          for (int r = 0; r < c; ++r) column[c][r] = 0;
          store_pack(target + c * T, column[c]);
        }
      } else {
        Pack column[T];
        for (int c = 0; c < T; ++c) load_pack(column[c], target + c * T);
        for (int c = 0; c < T; ++c) {
          for (int k = 0; k < c; ++k) column[c] -= column[k] * diagonal[k * T + c];
          column[c] *= reciprocal[c];
          store_pack(target + c * T, column[c]);
        }
      }
    }
  }
  return true;
}

void TileCholesky::solve_rows(Eigen::Ref<RowMatrix> x) const {
  if (x.rows() != size())
    throw std::invalid_argument("TileCholesky::solve_rows: " + to_text(x.rows()) + " rows given, " + to_text(size()) +
                                " needed");
  const Symbolic& s = *symbolic_;
  constexpr Eigen::Index widest = 20;  // more would not stay in the cache from one column of tiles to the next
  for (Eigen::Index first = 0; first < x.cols(); first += widest) {
    const int count = static_cast<int>(std::min(widest, x.cols() - first));
    Eigen::VectorXd work(s.columns * count * T), inverses(s.columns * tile_entries);  // aligned, unlike a std::vector
    const auto entry = [&](Eigen::Index i) {
      return work.data() + s.position[i] / T * (count * T) + s.position[i] % T;
    };
    work.tail(count * T).setZero();  // padding of the last column
    for (Eigen::Index i = 0; i < s.size; ++i)
      for (int m = 0; m < count; ++m) entry(i)[m * T] = x(i, first + m);
    TileSubstitution(tiles_.data(), s.column_begin, s.row, count).run(work.data(), inverses.data());
    for (Eigen::Index i = 0; i < s.size; ++i)
      for (int m = 0; m < count; ++m) x(i, first + m) = entry(i)[m * T];
  }
}

void TileCholesky::solve(Eigen::Ref<Eigen::MatrixXd> x) const {
  if (x.rows() != size())
    throw std::invalid_argument("TileCholesky::solve: " + to_text(x.rows()) + " rows given, " + to_text(size()) +
                                " needed");
  const Symbolic& s = *symbolic_;
  const Eigen::Index columns = x.cols();
  const Eigen::Index padded = static_cast<Eigen::Index>(s.columns) * T;
  std::vector<double> work(padded * columns, 0.0);
  for (Eigen::Index m = 0; m < columns; ++m)
    for (Eigen::Index i = 0; i < s.size; ++i) work[m * padded + s.position[i]] = x(i, m);

  const double* const base = tiles_.data();
  for (int j = 0; j < s.columns; ++j) {
    const double* const diagonal = base + static_cast<std::size_t>(s.column_begin[j]) * tile_entries;
    for (Eigen::Index m = 0; m < columns; ++m) {
      double* const right = work.data() + m * padded;
      double* const own = right + j * T;
      for (int c = 0; c < T; ++c) {
        own[c] /= diagonal[c * T + c];
        for (int r = c + 1; r < T; ++r) own[r] -= diagonal[c * T + r] * own[c];
      }
      for (int tile = s.column_begin[j] + 1; tile < s.column_begin[j + 1]; ++tile) {
        const double* const below = base + static_cast<std::size_t>(tile) * tile_entries;
        Pack even, odd = {}, column;
        load_pack(even, right + s.row[tile] * T);
#pragma GCC unroll 8
        for (int c = 0; c < T; c += 2) {
          load_pack(column, below + c * T);
          even -= column * own[c];
          load_pack(column, below + (c + 1) * T);
          odd -= column * own[c + 1];
        }
        even += odd;
        store_pack(right + s.row[tile] * T, even);
      }
    }
  }
  for (int j = s.columns - 1; j >= 0; --j) {
    const double* const diagonal = base + static_cast<std::size_t>(s.column_begin[j]) * tile_entries;
    for (Eigen::Index m = 0; m < columns; ++m) {
      double* const right = work.data() + m * padded;
      Pack sum[T] = {};
      for (int tile = s.column_begin[j] + 1; tile < s.column_begin[j + 1]; ++tile) {
        const double* const below = base + static_cast<std::size_t>(tile) * tile_entries;
        Pack other, column;
        load_pack(other, right + s.row[tile] * T);
#pragma GCC unroll 8
        for (int c = 0; c < T; ++c) {
          load_pack(column, below + c * T);
          sum[c] += column * other;
        }
      }
      double* const own = right + j * T;
      for (int c = T - 1; c >= 0; --c) {
        double value = own[c];
        for (int r = 0; r < T; ++r) value -= sum[c][r];
        for (int r = c + 1; r < T; ++r) value -= diagonal[c * T + r] * own[r];
        own[c] = value / diagonal[c * T + c];
      }
    }
  }
  for (Eigen::Index m = 0; m < columns; ++m)
    for (Eigen::Index i = 0; i < s.size; ++i) x(i, m) = work[m * padded + s.position[i]];
}

}  // namespace quoin::soft_arm
