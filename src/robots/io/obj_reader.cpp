// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/io/surface_files.hpp"
#include "quoin/util/parse_number.hpp"
#include "quoin/util/to_text.hpp"
#include "words.hpp"

#include <charconv>
#include <cmath>
#include <istream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace quoin::io {
namespace {

class ObjParser {
 public:
  ObjParser(std::string_view text, const std::string& name) : words_(text), name_(name) {}

  SurfaceMesh parse() {
    do {
      const std::string_view record = words_.next_in_line();
      if (record == "v") {
        read_vertex();
      } else if (record == "f" || record == "fo") {  // files from before 1992 write `fo` for `f`
        read_face();
      }
    } while (words_.next_line());
    if (triangles_.empty()) {
      throw std::runtime_error("read_obj: '" + name_ + "' has no faces (f), and " + to_text(vertices_.size()) +
                               " vertices (v)");
    }
    return assemble();
  }

 private:
  struct Triangle {
    Eigen::Vector3i corners;
    int line;
  };

  [[noreturn]] void fail(int line, const std::string& why) const {
    throw std::runtime_error("read_obj: '" + name_ + "', line " + to_text(line) + ": " + why);
  }

  void read_vertex() {
    Eigen::Vector3d vertex;
    for (double& coordinate : vertex) {
      const std::string_view word = words_.next_in_line();
      if (word.empty()) {
        fail(words_.line(), "the vertex has fewer than three coordinates");
      }
      if (!parse_number(word, coordinate) || !std::isfinite(coordinate)) {
        fail(words_.line(), "expected a finite coordinate, found '" + std::string(word) + "'");
      }
    }
    vertices_.push_back(vertex);
  }

  void read_face() {
    std::vector<int> corners;
    for (std::string_view word = words_.next_in_line(); !word.empty() && word.front() != '#';
         word = words_.next_in_line()) {
      corners.push_back(corner(word));
    }
    if (corners.size() < 3) {
      fail(words_.line(), "the face has " + to_text(corners.size()) + " corners, and must have at least three");
    }
    for (std::size_t k = 2; k < corners.size(); ++k) {
      triangles_.push_back({{corners[0], corners[k - 1], corners[k]}, words_.line()});
    }
  }

  /// The vertex index, from 0, of a corner v, v/vt, v//vn or v/vt/vn.
  int corner(std::string_view word) const {
    std::string_view rest = word;
    int vertex = 0;
    for (int part = 0; part < 3; ++part) {
      const std::string_view number = rest.substr(0, rest.find('/'));
      const bool last = number.size() == rest.size();
      int value = 0;
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
      const bool empty_texture = part == 1 && number.empty() && !last;
      if (!empty_texture && (error != std::errc() || end != number.data() + number.size())) {
        break;
      }
      vertex = part == 0 ? value : vertex;
      if (last) {
        return absolute(vertex);
      }
      rest.remove_prefix(number.size() + 1);
    }
    fail(words_.line(), "expected a corner such as 7, 7/1, 7//1 or 7/1/1, found '" + std::string(word) + "'");
  }

  int absolute(int number) const {
    const int count = static_cast<int>(vertices_.size());
    if (number == 0) {
      fail(words_.line(), "vertex 0: vertices count from 1, or from -1 backwards");
    }
    if (number < -count) {
      fail(words_.line(), "vertex " + to_text(number) + ", but there are only " + to_text(count) + " so far");
    }
    return number > 0 ? number - 1 : count + number;
  }

  SurfaceMesh assemble() const {
    std::vector<int> new_index(vertices_.size(), -1);
    for (const Triangle& triangle : triangles_) {
      for (const int vertex : triangle.corners) {
        // Checked at the end, since a face may precede its vertices.
        if (vertex >= static_cast<int>(vertices_.size())) {
          fail(triangle.line, "vertex " + to_text(vertex + 1) + ", but the file has " + to_text(vertices_.size()));
        }
        new_index[static_cast<std::size_t>(vertex)] = 0;
      }
    }
    int count = 0;
    for (int& index : new_index) {
      index = index == 0 ? count++ : -1;
    }
    SurfaceMesh mesh;
    mesh.vertices.resize(3, count);
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      if (new_index[i] >= 0) {
        mesh.vertices.col(new_index[i]) = vertices_[i];
      }
    }
    mesh.triangles.resize(3, static_cast<Eigen::Index>(triangles_.size()));
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      for (int k = 0; k < 3; ++k) {
        mesh.triangles(k, static_cast<Eigen::Index>(t)) = new_index[static_cast<std::size_t>(triangles_[t].corners[k])];
      }
    }
    return mesh;
  }

  detail::Words words_;
  const std::string& name_;
  std::vector<Eigen::Vector3d> vertices_;
  std::vector<Triangle> triangles_;
};

}  // namespace

SurfaceMesh read_obj(std::istream& in, const std::string& name) {
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return ObjParser(text, name).parse();
}

}  // namespace quoin::io
