// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/robots/geometry/surface_mesh.hpp"

#include <filesystem>
#include <iosfwd>
#include <string>

namespace quoin::io {

/// Reads a surface of triangles from a Wavefront OBJ file (.obj) or an STL file (.stl, ASCII or binary). The extension
/// may be in upper case.
///
///     SurfaceMesh body = read_surface("body.stl");
///     body.vertices *= 1e-3;                          // neither format knows units; many programs write millimetres
///     require_closed_surface(body, "body.stl");       // reading does not check this
///
/// - OBJ: `v` and `f`, with the corners v, v/vt, v//vn or v/vt/vn, counted from 1 or, negative, back from the last
///   vertex so far. Polygons are cut into a fan from their first corner, so they should be convex. All objects and
///   groups of the file make one surface; everything else (normals, textures, materials, lines, free-form surfaces) is
///   skipped. Vertices that no face uses are dropped.
/// - STL: vertices that coincide exactly are one vertex, so that a closed surface is closed again; triangles of which
///   two corners coincide are dropped, which leaves it closed. The order of the corners determines the outside; the
///   normals of the file are not used. The length of a file, not its first word, tells whether it is binary, since
///   binary files may begin with "solid" too. Several solids of an ASCII file make one surface.
///
/// A file that cannot be read in this way throws std::runtime_error with its name, the line (in a binary file, the
/// triangle and its byte) and the number; another extension throws std::invalid_argument. Cost: linear in the file,
/// with one hash lookup per corner of an STL triangle.
SurfaceMesh read_surface(const std::filesystem::path& file);

/// The same from a stream (of an STL file: opened as binary); `name` appears in messages.
SurfaceMesh read_obj(std::istream& in, const std::string& name);
/// `name` appears in messages.
SurfaceMesh read_stl(std::istream& in, const std::string& name);

}  // namespace quoin::io
