// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/io/surface_files.hpp"
#include "quoin/util/parse_number.hpp"
#include "quoin/util/to_text.hpp"
#include "words.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <istream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace quoin::io {
namespace {

// A binary file has a header of 80 bytes, the number of triangles, and for each of these 12 floats and two more bytes.
constexpr std::size_t head_bytes = 84;
constexpr std::size_t triangle_bytes = 50;

using Corner = std::array<double, 3>;

struct CornerHash {
  std::size_t operator()(const Corner& corner) const {
    std::size_t hash = 0;
    for (const double coordinate : corner) {
      hash = (hash ^ std::hash<double>()(coordinate)) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

/// Merges corners that coincide into one vertex.
class Collector {
 public:
  void add(const std::array<Corner, 3>& corners) {
    Eigen::Vector3i triangle;
    for (int k = 0; k < 3; ++k) {
      triangle[k] = index_of(corners[static_cast<std::size_t>(k)]);
    }
    if (triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0]) {
      triangles_.push_back(triangle);
    }
  }

  SurfaceMesh mesh(const std::string& name) const {
    if (triangles_.empty()) {
      throw std::runtime_error("read_stl: '" + name + "' has no triangles");
    }
    // Vertices that only dropped triangles use are dropped too.
    std::vector<int> new_index(vertices_.size(), -1);
    std::vector<int> kept;
    SurfaceMesh mesh;
    mesh.triangles.resize(3, static_cast<Eigen::Index>(triangles_.size()));
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      for (int k = 0; k < 3; ++k) {
        int& index = new_index[static_cast<std::size_t>(triangles_[t][k])];
        if (index < 0) {
          index = static_cast<int>(kept.size());
          kept.push_back(triangles_[t][k]);
        }
        mesh.triangles(k, static_cast<Eigen::Index>(t)) = index;
      }
    }
    mesh.vertices.resize(3, static_cast<Eigen::Index>(kept.size()));
    for (std::size_t i = 0; i < kept.size(); ++i) {
      mesh.vertices.col(static_cast<Eigen::Index>(i)) =
          Eigen::Map<const Eigen::Vector3d>(vertices_[static_cast<std::size_t>(kept[i])].data());
    }
    return mesh;
  }

 private:
  int index_of(Corner corner) {
    for (double& coordinate : corner) {
      coordinate += 0.0;  // -0 and 0 are the same place and need the same hash
    }
    const auto [entry, added] = index_.try_emplace(corner, static_cast<int>(vertices_.size()));
    if (added) {
      vertices_.push_back(corner);
    }
    return entry->second;
  }

  std::unordered_map<Corner, int, CornerHash> index_;
  std::vector<Corner> vertices_;
  std::vector<Eigen::Vector3i> triangles_;
};

bool same_word(std::string_view word, std::string_view expected) {
  if (word.size() != expected.size()) {
    return false;
  }
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (detail::lower(word[i]) != expected[i]) {
      return false;
    }
  }
  return true;
}

class AsciiParser {
 public:
  AsciiParser(std::string_view text, const std::string& name) : words_(text), name_(name) {}

  void parse(Collector& surface) {
    for (std::string_view word = words_.next(); !word.empty(); word = words_.next()) {
      if (!same_word(word, "solid")) {
        fail("expected 'solid', found '" + std::string(word) + "'");
      }
      words_.next_line();  // its name may be anything
      for (word = need("'facet' or 'endsolid'"); !same_word(word, "endsolid"); word = need("'facet' or 'endsolid'")) {
        if (!same_word(word, "facet")) {
          fail("expected 'facet' or 'endsolid', found '" + std::string(word) + "'");
        }
        read_facet(surface);
      }
      words_.next_line();
    }
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error("read_stl: '" + name_ + "', line " + to_text(words_.line()) + ": " + why);
  }

  std::string_view need(const std::string& what) {
    const std::string_view word = words_.next();
    if (word.empty()) {
      fail("the file ends where " + what + " should stand; it is truncated");
    }
    return word;
  }

  void expect(const std::string& keyword) {
    const std::string_view word = need('\'' + keyword + '\'');
    if (!same_word(word, keyword)) {
      fail("expected '" + keyword + "', found '" + std::string(word) + "'");
    }
  }

  double number(const std::string& what) {
    const std::string_view word = need(what);
    double value = 0;
    if (!parse_number(word, value)) {
      fail("expected " + what + ", found '" + std::string(word) + "'");
    }
    return value;
  }

  void read_facet(Collector& surface) {
    expect("normal");
    for (int k = 0; k < 3; ++k) {
      number("a number of the normal");
    }
    expect("outer");
    expect("loop");
    std::array<Corner, 3> corners;
    for (Corner& corner : corners) {
      expect("vertex");
      for (double& coordinate : corner) {
        coordinate = number("a coordinate");
        if (!std::isfinite(coordinate)) {
          fail("a coordinate is " + to_text(coordinate));
        }
      }
    }
    expect("endloop");
    expect("endfacet");
    surface.add(corners);
  }

  detail::Words words_;
  const std::string& name_;
};

// Reads byte by byte, so that the processor's byte order does not matter.
std::uint32_t little_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t k = 4; k-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  }
  return value;
}

void parse_binary(std::string_view bytes, const std::string& name, Collector& surface) {
  const std::size_t count = little_endian(bytes, 80);
  for (std::size_t t = 0; t < count; ++t) {
    const std::size_t start = head_bytes + t * triangle_bytes;
    std::array<Corner, 3> corners;
    for (std::size_t k = 0; k < 9; ++k) {
      const std::size_t at = start + 12 + 4 * k;  // after the normal
      const float coordinate = std::bit_cast<float>(little_endian(bytes, at));
      if (!std::isfinite(coordinate)) {
        throw std::runtime_error("read_stl: '" + name + "', triangle " + to_text(t) + " of " + to_text(count) +
                                 " (byte " + to_text(at) + "): a coordinate is " + to_text(coordinate));
      }
      corners[k / 3][k % 3] = coordinate;
    }
    surface.add(corners);
  }
}

}  // namespace

SurfaceMesh read_stl(std::istream& in, const std::string& name) {
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (bytes.empty()) {
    throw std::runtime_error("read_stl: '" + name + "' is empty");
  }
  Collector surface;
  const bool has_head = bytes.size() >= head_bytes;
  const std::uint64_t count = has_head ? little_endian(bytes, 80) : 0;
  // Four letters read as a number exceed 150 million, so that no text of less than 7 GB passes for binary.
  if (has_head && bytes.size() == head_bytes + triangle_bytes * count) {
    parse_binary(bytes, name, surface);
  } else if (same_word(detail::Words(bytes).next(), "solid") && bytes.find('\0') == std::string::npos) {
    AsciiParser(bytes, name).parse(surface);
  } else if (has_head) {
    throw std::runtime_error("read_stl: '" + name + "' has " + to_text(bytes.size()) + " bytes, but a binary file of " +
                             to_text(count) + " triangles, which bytes 80 to 83 announce, has " +
                             to_text(head_bytes + triangle_bytes * count) +
                             "; it is truncated or no STL file (an ASCII one begins with 'solid')");
  } else {
    throw std::runtime_error("read_stl: '" + name + "' has " + to_text(bytes.size()) +
                             " bytes; a binary file has at least 84, and an ASCII one begins with 'solid'");
  }
  return surface.mesh(name);
}

}  // namespace quoin::io
