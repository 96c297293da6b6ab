// SPDX-License-Identifier: BSD-3-Clause
// How the jet of a corner lies in memory.
#pragma once

#include "quoin/util/instruction_set.hpp"

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace quoin::grid_detail {

/// A jet, rows x derivatives, is packed [rows / 8][derivative][8], 64-byte aligned, and then [derivative][rows % 8],
/// without padding (packed_place) but for zeros behind a jet of less than 64 bytes.
constexpr Eigen::Index pack_rows = 8;

constexpr Eigen::Index pack_count(Eigen::Index rows) { return (rows + pack_rows - 1) / pack_rows; }

/// Numbers in one packed jet.
constexpr std::size_t packed_size(Eigen::Index rows, int derivatives) {
  return static_cast<std::size_t>(rows * derivatives);
}

/// Where in a packed jet an entry lies.
constexpr Eigen::Index packed_place(Eigen::Index rows, int derivatives, Eigen::Index row, Eigen::Index derivative) {
  const Eigen::Index first = row / pack_rows * pack_rows;  // of its pack
  return first * derivatives + derivative * (rows - first < pack_rows ? rows - first : pack_rows) + row - first;
}

struct JetFormat;

/// The packed jets of some corners.
struct PackedJets {
  const void* const* corners;  ///< `count` of them
  int count;                   ///< a power of two
  int derivatives;
  Eigen::Index rows;
  const JetFormat* format;
};

/// The numbers that packed jets consist of, and the loops that read them. sweep.hpp has those of doubles and floats.
struct JetFormat {
  std::size_t number_bytes;
  double greatest;  ///< largest number that it holds
  double rounding;  ///< relative error at most of a number that it holds, against the double that was given
  void (*pack)(const Eigen::Ref<const Eigen::MatrixXd>& jet, void* packed);
  void (*unpack)(const void* packed, Eigen::MatrixXd& jet);  ///< jet has its size
  /// As sweep_groups and moments of sweep.hpp.
  void (*sweep)(const PackedJets&, const double* weights, int outputs, int groups, double* const* out, InstructionSet);
  void (*moments)(const PackedJets&, const double* v, double* out, InstructionSet);

  /// Doubles that take as much memory as one jet.
  std::size_t size_in_doubles(Eigen::Index rows, int derivatives) const {
    return (packed_size(rows, derivatives) * number_bytes + sizeof(double) - 1) / sizeof(double);
  }
};

/// They as matrices.
inline std::vector<Eigen::MatrixXd> unpacked(const PackedJets& jets) {
  std::vector<Eigen::MatrixXd> matrices(static_cast<std::size_t>(jets.count),
                                        Eigen::MatrixXd(jets.rows, jets.derivatives));
  for (std::size_t c = 0; c < matrices.size(); ++c) jets.format->unpack(jets.corners[c], matrices[c]);
  return matrices;
}

}  // namespace quoin::grid_detail
