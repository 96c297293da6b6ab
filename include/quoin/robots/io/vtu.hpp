// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/simplex_mesh.hpp"
#include "quoin/robots/geometry/surface_mesh.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <vector>

namespace quoin::io {

/// How numbers are stored.
struct VtuOptions {
  bool single_precision = true;  ///< store floats, half the size and enough for pictures; false stores doubles
};

/// The values of a field: a list of numbers, one per point or cell; or a matrix, one column per point or cell. For use
/// as an argument; it copies.
class FieldValues {
 public:
  /// One number per point or cell.
  FieldValues(std::initializer_list<double> list) : FieldValues(std::vector<double>(list)) {}
  FieldValues(const std::vector<double>& list)
      : matrix_(Eigen::Map<const Eigen::RowVectorXd>(list.data(), static_cast<Eigen::Index>(list.size()))) {}

  /// A column vector: one number per point or cell; another matrix: one column per point or cell.
  template <class Derived>
  FieldValues(const Eigen::DenseBase<Derived>& expression) {
    if constexpr (Derived::ColsAtCompileTime == 1) {
      matrix_ = expression.derived().template cast<double>().transpose();
    } else {
      matrix_ = expression.derived().template cast<double>();
    }
  }

  /// Components x points or cells.
  const Eigen::MatrixXd& matrix() const { return matrix_; }

 private:
  Eigen::MatrixXd matrix_;
};

/// One frame for ParaView: meshes, surfaces, polylines and points together, with named fields on points and cells.
///
///     VtuFrame frame;
///     frame.add_mesh(mesh, deformed);                  // deformed: 3 x V (or 2 x V) in place of mesh.vertices
///     frame.add_polyline(line);                        // 3 x P: one cell through P points
///     frame.point_data("displacement", displacement);  // 3 x points of the frame, in the order they came
///     frame.cell_data("material", material);           // one number per cell of the frame
///     frame.write("out/arm.vtu");
///
/// Points in the plane get z = 0, and so do fields of two components, since ParaView warps by vectors of three. Fields
/// must cover every point (cell) of the frame; fill with NaN where there is no value, which ParaView leaves blank. The
/// file is an UnstructuredGrid in base64 with 64-bit block headers. Wrong shapes throw std::invalid_argument; a file
/// that cannot be written throws std::runtime_error.
class VtuFrame {
 public:
  /// Adds the mesh and returns the index of its first point.
  template <int SpaceDim>
  Eigen::Index add_mesh(const SimplexMesh<SpaceDim>& mesh) {
    return add_simplices(mesh.vertices, mesh.elements);
  }
  /// Adds the mesh with other positions (2 x V or 3 x V), and returns the index of its first point.
  template <int SpaceDim>
  Eigen::Index add_mesh(const SimplexMesh<SpaceDim>& mesh, const Eigen::Ref<const Eigen::MatrixXd>& positions) {
    return add_simplices(positions, mesh.elements);
  }
  /// Adds the surface of a solid in space, where it is or at other positions (3 x V).
  Eigen::Index add_mesh(const SurfaceMesh& mesh) { return add_simplices(mesh.vertices, mesh.triangles); }
  Eigen::Index add_mesh(const SurfaceMesh& mesh, const Eigen::Ref<const Eigen::MatrixXd>& positions) {
    return add_simplices(positions, mesh.triangles);
  }
  /// Triangles (3 x E) or tetrahedra (4 x E) over points 2 x V or 3 x V.
  Eigen::Index add_simplices(const Eigen::Ref<const Eigen::MatrixXd>& points,
                             const Eigen::Ref<const Eigen::MatrixXi>& elements);
  /// One cell through all the points (2 x P or 3 x P, P >= 2).
  Eigen::Index add_polyline(const Eigen::Ref<const Eigen::MatrixXd>& points);
  /// One vertex cell per point (2 x P or 3 x P).
  Eigen::Index add_points(const Eigen::Ref<const Eigen::MatrixXd>& points);

  /// A field on the points: a vector with one number per point, or a matrix with one column per point.
  void point_data(const std::string& name, const FieldValues& values);
  /// A field on the cells.
  void cell_data(const std::string& name, const FieldValues& values);

  /// So far, of all that was added.
  Eigen::Index point_count() const { return static_cast<Eigen::Index>(points_.size() / 3); }
  /// So far, of all that was added.
  Eigen::Index cell_count() const { return static_cast<Eigen::Index>(types_.size()); }

  /// The file as text. Throws std::invalid_argument if a field does not cover the frame.
  std::string to_vtu(const VtuOptions& options = {}) const;
  /// Replaces the file, whole or not at all. Throws as to_vtu, and std::runtime_error.
  void write(const std::filesystem::path& file, const VtuOptions& options = {}) const;
  /// To a stream of the caller's. Throws as to_vtu.
  void write(std::ostream& out, const VtuOptions& options = {}) const;

 private:
  struct Field {
    std::string name;
    Eigen::Index components;
    Eigen::Index count;
    std::vector<double> values;
  };

  Eigen::Index append(const Eigen::Ref<const Eigen::MatrixXd>& points, const char* caller);
  void add_cell(std::uint8_t type, Eigen::Index first_point, Eigen::Index points);  // of points in a row
  static Field make_field(const std::string& name, const Eigen::MatrixXd& values, const char* caller);

  std::vector<double> points_;  // three per point
  std::vector<std::int32_t> connectivity_;
  std::vector<std::int32_t> offsets_;
  std::vector<std::uint8_t> types_;
  std::vector<Field> point_fields_;
  std::vector<Field> cell_fields_;
};

/// A time series for ParaView: writes each frame to its own .vtu as it comes and keeps none of them.
///
///     PvdWriter series("out/arm.pvd");              // frames go to out/arm/arm_0000.vtu, ...
///     for (...) series.add(time, frame);            // open out/arm.pvd in ParaView at any moment
///
/// The .pvd is complete after every frame, even if the program stops before the next one or cannot write it.
class PvdWriter {
 public:
  /// file: the .pvd; frames go to the folder of the same name beside it.
  explicit PvdWriter(const std::filesystem::path& file, VtuOptions options = {});

  /// Writes the frame, returns the path of its .vtu.
  std::filesystem::path add(double time, const VtuFrame& frame);
  /// Frames written.
  int size() const { return count_; }

 private:
  std::filesystem::path file_;
  std::filesystem::path folder_;
  VtuOptions options_;
  std::string text_;  // of the .pvd, without its end
  int count_ = 0;
};

}  // namespace quoin::io
