// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/io/vtu.hpp"

#include "quoin/robots/io/escape_xml.hpp"
#include "quoin/util/files.hpp"
#include "quoin/util/to_text.hpp"

#include "base64.hpp"

#include <bit>
#include <cstring>
#include <locale>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace quoin::io {
namespace {

// Cell types as VTK numbers them (VTK User's Guide, "VTK file formats").
constexpr std::uint8_t vertex_cell = 1;
constexpr std::uint8_t polyline_cell = 4;
constexpr std::uint8_t triangle_cell = 5;
constexpr std::uint8_t tetrahedron_cell = 10;

static_assert(std::endian::native == std::endian::little || std::endian::native == std::endian::big);
constexpr const char* byte_order = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, float>) {
    return "Float32";
  } else if constexpr (std::is_same_v<T, double>) {
    return "Float64";
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return "Int32";
  } else {
    static_assert(std::is_same_v<T, std::uint8_t>);
    return "UInt8";
  }
}

// One block: the number of bytes that follow, then these bytes, all in one run of base64.
template <class T>
void write_array(std::ostream& out, const std::string& name, Eigen::Index components, const std::vector<T>& values) {
  const std::uint64_t bytes = values.size() * sizeof(T);
  std::vector<unsigned char> block(sizeof bytes + bytes);
  std::memcpy(block.data(), &bytes, sizeof bytes);
  if (bytes > 0) {
    std::memcpy(block.data() + sizeof bytes, values.data(), bytes);
  }
  out << "        <DataArray type=\"" << type_name<T>() << "\" Name=\"" << escape_xml(name) << '"';
  if (components > 1) {
    out << " NumberOfComponents=\"" << components << '"';
  }
  out << " format=\"binary\">" << detail::base64(block.data(), block.size()) << "</DataArray>\n";
}

void write_numbers(std::ostream& out, const std::string& name, Eigen::Index components,
                   const std::vector<double>& values, const VtuOptions& options) {
  if (options.single_precision) {
    write_array(out, name, components, std::vector<float>(values.begin(), values.end()));
  } else {
    write_array(out, name, components, values);
  }
}

}  // namespace

Eigen::Index VtuFrame::append(const Eigen::Ref<const Eigen::MatrixXd>& points, const char* caller) {
  if (points.rows() != 2 && points.rows() != 3) {
    throw std::invalid_argument(std::string(caller) + ": points have " + to_text(points.rows()) +
                                " coordinates, and must have 2 or 3");
  }
  const Eigen::Index first = point_count();
  points_.reserve(points_.size() + static_cast<std::size_t>(3 * points.cols()));
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    points_.insert(points_.end(), {points(0, i), points(1, i), points.rows() == 3 ? points(2, i) : 0.0});
  }
  return first;
}

Eigen::Index VtuFrame::add_simplices(const Eigen::Ref<const Eigen::MatrixXd>& points,
                                     const Eigen::Ref<const Eigen::MatrixXi>& elements) {
  const std::string caller = "VtuFrame::add_mesh";
  if (elements.rows() != 3 && elements.rows() != 4) {
    throw std::invalid_argument(caller + ": elements have " + to_text(elements.rows()) +
                                " vertices, and must have 3 or 4");
  }
  if (elements.size() > 0 && (elements.minCoeff() < 0 || elements.maxCoeff() >= points.cols())) {
    throw std::invalid_argument(caller + ": elements name vertices " + to_text(elements.minCoeff()) + " to " +
                                to_text(elements.maxCoeff()) + ", but there are " + to_text(points.cols()) +
                                " positions");
  }
  const Eigen::Index first = append(points, caller.c_str());
  for (Eigen::Index e = 0; e < elements.cols(); ++e) {
    for (Eigen::Index i = 0; i < elements.rows(); ++i) {
      connectivity_.push_back(static_cast<std::int32_t>(first) + elements(i, e));
    }
    offsets_.push_back(static_cast<std::int32_t>(connectivity_.size()));
    types_.push_back(elements.rows() == 3 ? triangle_cell : tetrahedron_cell);
  }
  return first;
}

Eigen::Index VtuFrame::add_polyline(const Eigen::Ref<const Eigen::MatrixXd>& points) {
  if (points.cols() < 2) {
    throw std::invalid_argument("VtuFrame::add_polyline: a polyline has at least 2 points, this one has " +
                                to_text(points.cols()));
  }
  const Eigen::Index first = append(points, "VtuFrame::add_polyline");
  add_cell(polyline_cell, first, points.cols());
  return first;
}

Eigen::Index VtuFrame::add_points(const Eigen::Ref<const Eigen::MatrixXd>& points) {
  const Eigen::Index first = append(points, "VtuFrame::add_points");
  for (Eigen::Index i = 0; i < points.cols(); ++i) add_cell(vertex_cell, first + i, 1);
  return first;
}

void VtuFrame::add_cell(std::uint8_t type, Eigen::Index first_point, Eigen::Index points) {
  for (Eigen::Index i = 0; i < points; ++i) connectivity_.push_back(static_cast<std::int32_t>(first_point + i));
  offsets_.push_back(static_cast<std::int32_t>(connectivity_.size()));
  types_.push_back(type);
}

VtuFrame::Field VtuFrame::make_field(const std::string& name, const Eigen::MatrixXd& values, const char* caller) {
  if (values.rows() == 0) {
    throw std::invalid_argument(std::string(caller) + ": field '" + name + "' has no components");
  }
  Field field{name, values.rows() == 2 ? 3 : values.rows(), values.cols(), {}};
  field.values.reserve(static_cast<std::size_t>(field.components * field.count));
  for (Eigen::Index i = 0; i < values.cols(); ++i) {
    for (Eigen::Index k = 0; k < field.components; ++k) {
      field.values.push_back(k < values.rows() ? values(k, i) : 0.0);
    }
  }
  return field;
}

void VtuFrame::point_data(const std::string& name, const FieldValues& values) {
  point_fields_.push_back(make_field(name, values.matrix(), "VtuFrame::point_data"));
}

void VtuFrame::cell_data(const std::string& name, const FieldValues& values) {
  cell_fields_.push_back(make_field(name, values.matrix(), "VtuFrame::cell_data"));
}

std::string VtuFrame::to_vtu(const VtuOptions& options) const {
  const auto check = [](const std::vector<Field>& fields, Eigen::Index expected, const char* things) {
    for (const Field& field : fields) {
      if (field.count != expected) {
        throw std::invalid_argument("VtuFrame::write: field '" + field.name + "' has " + to_text(field.count) +
                                    " columns, but the frame has " + to_text(expected) + ' ' + things);
      }
    }
  };
  check(point_fields_, point_count(), "points");
  check(cell_fields_, cell_count(), "cells");

  std::ostringstream out;
  out.imbue(std::locale::classic());  // 2503, not 2.503
  out << "<?xml version=\"1.0\"?>\n"
      << "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"" << byte_order
      << "\" header_type=\"UInt64\">\n"
      << "  <UnstructuredGrid>\n"
      << "    <Piece NumberOfPoints=\"" << point_count() << "\" NumberOfCells=\"" << cell_count() << "\">\n";
  out << "      <Points>\n";
  write_numbers(out, "Points", 3, points_, options);
  out << "      </Points>\n      <Cells>\n";
  write_array(out, "connectivity", 1, connectivity_);
  write_array(out, "offsets", 1, offsets_);
  write_array(out, "types", 1, types_);
  out << "      </Cells>\n      <PointData>\n";
  for (const Field& field : point_fields_) {
    write_numbers(out, field.name, field.components, field.values, options);
  }
  out << "      </PointData>\n      <CellData>\n";
  for (const Field& field : cell_fields_) {
    write_numbers(out, field.name, field.components, field.values, options);
  }
  out << "      </CellData>\n    </Piece>\n  </UnstructuredGrid>\n</VTKFile>\n";
  return std::move(out).str();
}

void VtuFrame::write(std::ostream& out, const VtuOptions& options) const { out << to_vtu(options); }

void VtuFrame::write(const std::filesystem::path& file, const VtuOptions& options) const {
  write_file(file, to_vtu(options));
}

}  // namespace quoin::io
