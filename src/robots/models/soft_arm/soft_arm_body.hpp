// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "neo_hookean.hpp"
#include "quoin/robots/models/soft_arm/soft_arm.hpp"

#include <Eigen/Core>

#include <array>
#include <cstring>
#include <vector>

namespace quoin::soft_arm {

template <int D>
constexpr int block_count = (D + 1) * (D + 2) / 2;

// Eight elements: their material, their vertices (ascending within each element) and where their blocks go.
template <int D>
struct Batch {
  NeoHookean<D> solid;
  int lanes;  // elements in use; the rest repeat the first
  std::array<std::array<int, pack_size>, D + 1> vertex;
  // Start of each column of each block in the values, -1: clamped.
  std::array<std::array<std::array<int, D>, block_count<D>>, pack_size> column;
};

// One segment of a line between neighbouring vertices a < b.
template <int D>
struct Segment {
  int line, a, b;
  std::array<std::array<int, D>, 3> column;  // blocks (a, a), (b, b), (b, a)
};

template <int D>
struct SoftArm<D>::Body {
  ArmMesh<D> mesh;
  ArmOptions<D> options;
  Eigen::VectorXd rest, mass, force;  // full; force: gravity and dead load
  double stiffness = 0;               // sum of volume times shear modulus, J
  std::vector<int> free_dofs;
  std::vector<int> free_vertex;  // first free coordinate of each vertex, -1: clamped
  Sparse pattern;
  std::vector<Batch<D>> batches;
  std::vector<Segment<D>> segments;

  Body(ArmMesh<D> given_mesh, ArmOptions<D> given_options);

  void gather(const Batch<D>& batch, const double* x, typename NeoHookean<D>::Nodes& nodes) const {
    alignas(Pack) double lanes[D][pack_size];
    for (int a = 0; a <= D; ++a) {
      for (int lane = 0; lane < pack_size; ++lane)
        for (int i = 0; i < D; ++i) lanes[i][lane] = x[batch.vertex[a][lane] * D + i];
      std::memcpy(nodes[a], lanes, sizeof lanes);
    }
  }

  // Free directions are zero at the clamped vertices.
  void gather_free(const Batch<D>& batch, const double* x, typename NeoHookean<D>::Nodes& nodes) const {
    alignas(Pack) double lanes[D][pack_size];
    for (int a = 0; a <= D; ++a) {
      for (int lane = 0; lane < pack_size; ++lane) {
        const int at = free_vertex[batch.vertex[a][lane]];
        for (int i = 0; i < D; ++i) lanes[i][lane] = at < 0 ? 0.0 : x[at + i];
      }
      std::memcpy(nodes[a], lanes, sizeof lanes);
    }
  }

  void scatter(const Batch<D>& batch, const typename NeoHookean<D>::Nodes& nodes, double* free) const {
    for (int a = 0; a <= D; ++a)
      for (int lane = 0; lane < batch.lanes; ++lane)
        if (const int at = free_vertex[batch.vertex[a][lane]]; at >= 0)
          for (int i = 0; i < D; ++i) free[at + i] += nodes[a][i][lane];
  }

  void add(int vertex, const Eigen::Vector<double, D>& value, Eigen::Ref<Eigen::VectorXd> free) const {
    if (const int at = free_vertex[vertex]; at >= 0) free.template segment<D>(at) += value;
  }

  Eigen::Vector<double, D> difference(const Segment<D>& segment, const Eigen::VectorXd& x) const {
    return x.template segment<D>(D * segment.b) - x.template segment<D>(D * segment.a);
  }

  Eigen::Vector<double, D> free_difference(const Segment<D>& segment, const Eigen::VectorXd& free) const {
    Eigen::Vector<double, D> result = Eigen::Vector<double, D>::Zero();
    if (const int at = free_vertex[segment.b]; at >= 0) result += free.template segment<D>(at);
    if (const int at = free_vertex[segment.a]; at >= 0) result -= free.template segment<D>(at);
    return result;
  }

 private:
  std::array<int, D> columns_of_block(int row_vertex, int column_vertex) const;
  void number_free();
  void make_pattern();
  void make_batches();
};

}  // namespace quoin::soft_arm
