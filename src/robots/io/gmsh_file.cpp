// SPDX-License-Identifier: BSD-3-Clause
#include "gmsh_file.hpp"

#include "quoin/util/parse_number.hpp"
#include "quoin/util/to_text.hpp"

#include "words.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <unordered_map>

namespace quoin::io::detail {
namespace {

constexpr GmshElementType element_types[] = {
    {},
    {1, 2, "lines"},
    {2, 3, "triangles"},
    {2, 4, "quadrangles"},
    {3, 4, "tetrahedra"},
    {3, 8, "hexahedra"},
    {3, 6, "prisms"},
    {3, 5, "pyramids"},
    {1, 3, "second-order lines"},
    {2, 6, "second-order triangles"},
    {2, 9, "second-order quadrangles"},
    {3, 10, "second-order tetrahedra"},
    {3, 27, "second-order hexahedra"},
    {3, 18, "second-order prisms"},
    {3, 14, "second-order pyramids"},
    {0, 1, "points"},
    {2, 8, "second-order quadrangles"},
    {3, 20, "second-order hexahedra"},
    {3, 15, "second-order prisms"},
    {3, 13, "second-order pyramids"},
    {2, 9, "third-order triangles"},
    {2, 10, "third-order triangles"},
    {2, 12, "fourth-order triangles"},
    {2, 15, "fourth-order triangles"},
    {2, 15, "fifth-order triangles"},
    {2, 21, "fifth-order triangles"},
    {1, 4, "third-order lines"},
    {1, 5, "fourth-order lines"},
    {1, 6, "fifth-order lines"},
    {3, 20, "third-order tetrahedra"},
    {3, 35, "fourth-order tetrahedra"},
    {3, 56, "fifth-order tetrahedra"},
};

constexpr std::int64_t most_groups = 100;  // of one entity

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  GmshFile parse() {
    read_format();
    for (std::string_view token = next(); !token.empty(); token = next()) {
      if (token.front() != '$') {
        fail("expected a section such as $Nodes, found '" + std::string(token) + "'");
      }
      section_ = std::string(token.substr(1));
      if (section_ == "PhysicalNames") {
        read_physical_names();
      } else if (section_ == "Entities" && version_ == 4) {
        read_entities();
      } else if (section_ == "Nodes") {
        version_ == 4 ? read_nodes_4() : read_nodes_2();
        have_nodes_ = true;
      } else if (section_ == "Elements") {
        if (!have_nodes_) {
          fail("$Elements stands before $Nodes");
        }
        version_ == 4 ? read_elements_4() : read_elements_2();
        have_elements_ = true;
      } else if (section_ == "PartitionedEntities") {
        fail("the mesh is partitioned; save it without partitions");
      } else {
        skip_section();
        continue;
      }
      end_section();
    }
    section_.clear();
    if (!have_nodes_ || !have_elements_) {
      fail(std::string("the file ends without $") + (have_nodes_ ? "Elements" : "Nodes"));
    }
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { fail_at(token_line_, why); }

  [[noreturn]] void fail_at(int line, const std::string& why) const {
    throw std::runtime_error("read_gmsh: '" + name_ + "', line " + to_text(line) + ": " + why);
  }

  /// The next word; empty at the end of the file.
  std::string_view next() {
    while (at_ < text_.size() && blank(text_[at_])) {
      line_ += text_[at_] == '\n';
      ++at_;
    }
    token_line_ = line_;
    const std::size_t start = at_;
    while (at_ < text_.size() && !blank(text_[at_])) {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  std::string_view need(const char* what) {
    const std::string_view token = next();
    if (token.empty()) {
      fail("the file ends within $" + section_ + ", where " + what + " should stand; it is truncated");
    }
    return token;
  }

  std::int64_t integer(const char* what) {
    const std::string_view token = need(what);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc() || end != token.data() + token.size()) {
      fail(std::string("expected ") + what + " in $" + section_ + ", found '" + std::string(token) + "'");
    }
    return value;
  }

  std::int64_t count(const char* what) {
    const std::int64_t value = integer(what);
    // A word takes at least two characters: a count beyond the file's length is wrong, and nothing is reserved for it.
    if (value < 0 || value > static_cast<std::int64_t>(text_.size())) {
      fail(std::string(what) + " is " + to_text(value) + " in $" + section_ +
           ", which a file of this length cannot hold");
    }
    return value;
  }

  int small(const char* what) {
    const std::int64_t value = integer(what);
    constexpr std::int64_t largest = std::numeric_limits<int>::max();
    if (value < -largest || value > largest) {  // so that its magnitude is an int too
      fail(std::string(what) + " is " + to_text(value) + " in $" + section_ + ", which is too large");
    }
    return static_cast<int>(value);
  }

  double number(const char* what) {
    const std::string_view token = need(what);
    double value = 0;
    if (!parse_number(token, value)) {
      fail(std::string("expected ") + what + " in $" + section_ + ", found '" + std::string(token) + "'");
    }
    return value;
  }

  void end_section() {
    const std::string_view token = need("its end");
    if (token != "$End" + section_) {
      fail("expected $End" + section_ + ", found '" + std::string(token) + "'");
    }
  }

  void skip_section() {
    const std::size_t end = text_.find("$End" + section_, at_);
    if (end == std::string_view::npos) {
      fail("the file ends within $" + section_ + "; it is truncated");
    }
    while (at_ < end) {
      line_ += text_[at_++] == '\n';
    }
    next();
  }

  void read_format() {
    std::string_view token = next();
    while (token == "$Comments") {
      section_ = "Comments";
      skip_section();
      token = next();
    }
    if (token == "$NOD") {
      fail("Gmsh's format 1 is not read; save the mesh anew: gmsh -save -format msh41");
    }
    if (token != "$MeshFormat") {
      fail("this is not a Gmsh mesh, which begins with $MeshFormat");
    }
    section_ = "MeshFormat";
    const double version = number("the version");
    const bool binary = integer("the file type") != 0;
    if (binary) {
      fail("the file is binary; save it as ASCII: gmsh -save -format msh41 (without -bin), or Mesh.Binary = 0");
    }
    if (version != 4.1 && !(version >= 2 && version <= 2.2)) {
      fail("format " + to_text(version) + " is not read; save the mesh as 4.1 or 2.2: gmsh -save -format msh41");
    }
    version_ = version == 4.1 ? 4 : 2;
    integer("the size of a number");
    end_section();
  }

  void read_physical_names() {
    const std::int64_t names = count("the number of names");
    for (std::int64_t i = 0; i < names; ++i) {
      const int dimension = small("a dimension");
      if (dimension < 0 || dimension > 3) {
        fail("a physical group has the dimension " + to_text(dimension));
      }
      const int tag = small("a tag");
      const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
      const std::size_t from = text_.find('"', at_);
      const std::size_t to = from < line_end ? text_.find('"', from + 1) : std::string_view::npos;
      if (to == std::string_view::npos || to > line_end) {
        fail("expected a name in quotes after the tag " + to_text(tag));
      }
      file_.physical_names[{dimension, tag}] = std::string(text_.substr(from + 1, to - from - 1));
      at_ = to + 1;
    }
  }

  void read_entities() {
    std::array<std::int64_t, 4> counts{};
    for (std::int64_t& entities : counts) {
      entities = count("the number of entities");
    }
    for (int dimension = 0; dimension < 4; ++dimension) {
      for (std::int64_t i = 0; i < counts[static_cast<std::size_t>(dimension)]; ++i) {
        const int tag = small("an entity");
        for (int k = 0; k < (dimension == 0 ? 3 : 6); ++k) {
          number("a coordinate of its bounding box");
        }
        if (!entities_.emplace(std::pair{dimension, tag}, file_.group_lists.size()).second) {
          fail("the entity " + to_text(tag) + " of dimension " + to_text(dimension) + " is given twice");
        }
        const std::int64_t groups = count("the number of physical groups");
        // Each of the entity's elements is in each of its groups: a short file could name billions of pairs.
        if (groups > most_groups) {
          fail("the entity " + to_text(tag) + " of dimension " + to_text(dimension) + " is in " + to_text(groups) +
               " physical groups, and at most " + to_text(most_groups) + " are read");
        }
        std::vector<int> physical;
        for (std::int64_t k = 0; k < groups; ++k) {
          physical.push_back(std::abs(small("a physical group")));
        }
        file_.group_lists.push_back(std::move(physical));
        if (dimension > 0) {
          const std::int64_t bounds = count("the number of bounding entities");
          for (std::int64_t k = 0; k < bounds; ++k) {
            integer("a bounding entity");
          }
        }
      }
    }
  }

  void add_node(std::int64_t tag) {
    if (!index_.emplace(tag, static_cast<int>(file_.nodes.size())).second) {
      fail("node " + to_text(tag) + " is given twice");
    }
    file_.nodes.emplace_back();
  }

  void read_coordinates(std::size_t node, std::int64_t tag) {
    for (int k = 0; k < 3; ++k) {
      const double coordinate = number("a coordinate");
      if (!std::isfinite(coordinate)) {
        fail("node " + to_text(tag) + " has the coordinate " + to_text(coordinate));
      }
      file_.nodes[node][k] = coordinate;
    }
  }

  void read_nodes_2() {
    const std::int64_t nodes = count("the number of nodes");
    for (std::int64_t i = 0; i < nodes; ++i) {
      const std::int64_t tag = integer("a node");
      add_node(tag);
      read_coordinates(file_.nodes.size() - 1, tag);
    }
  }

  void read_nodes_4() {
    const std::int64_t blocks = count("the number of blocks");
    const std::int64_t total = count("the number of nodes");
    integer("the smallest node");
    integer("the largest node");
    std::vector<std::int64_t> tags;
    for (std::int64_t block = 0; block < blocks; ++block) {
      const int dimension = small("an entity's dimension");
      integer("an entity");
      const bool parametric = integer("parametric (0 or 1)") != 0;
      const std::int64_t nodes = count("the number of nodes");
      const std::size_t first = file_.nodes.size();
      tags.clear();
      for (std::int64_t i = 0; i < nodes; ++i) {
        tags.push_back(integer("a node"));
        add_node(tags.back());
      }
      for (std::size_t i = 0; i < tags.size(); ++i) {
        read_coordinates(first + i, tags[i]);
        for (int k = 0; parametric && k < dimension; ++k) {
          number("a parametric coordinate");
        }
      }
    }
    if (static_cast<std::int64_t>(file_.nodes.size()) != total) {
      fail("$Nodes announces " + to_text(total) + " nodes and has " + to_text(file_.nodes.size()));
    }
  }

  GmshElementType checked_type(std::int64_t type) const {
    const GmshElementType known = gmsh_element_type(type);
    if (known.nodes == 0) {
      fail("element type " + to_text(type) + " is not known");
    }
    return known;
  }

  void read_element_nodes(std::int64_t tag, int type, int nodes, std::size_t groups) {
    GmshFile::Element element{type, token_line_, groups, {}};
    for (int k = 0; k < nodes; ++k) {
      const std::int64_t node = integer("a node");
      const auto found = index_.find(node);
      if (found == index_.end()) {
        fail("element " + to_text(tag) + " refers to node " + to_text(node) + ", which is not in $Nodes");
      }
      if (k < 4) {
        element.nodes[static_cast<std::size_t>(k)] = found->second;
      }
    }
    file_.elements.push_back(std::move(element));
  }

  /// The index of the list that holds this group alone.
  std::size_t list_of(int physical) {
    const auto [found, added] = lists_.emplace(physical, file_.group_lists.size());
    if (added) {
      file_.group_lists.push_back({physical});
    }
    return found->second;
  }

  void read_elements_2() {
    const std::int64_t elements = count("the number of elements");
    for (std::int64_t i = 0; i < elements; ++i) {
      const std::int64_t tag = integer("an element");
      const int type = small("a type");
      const GmshElementType known = checked_type(type);
      const std::int64_t tags = count("the number of tags");
      std::size_t groups = 0;
      for (std::int64_t k = 0; k < tags; ++k) {
        const int value = std::abs(small("a tag"));
        if (k == 0 && value != 0) {
          groups = list_of(value);
        }
      }
      read_element_nodes(tag, type, known.nodes, groups);
    }
  }

  void read_elements_4() {
    const std::int64_t blocks = count("the number of blocks");
    const std::int64_t total = count("the number of elements");
    integer("the smallest element");
    integer("the largest element");
    for (std::int64_t block = 0; block < blocks; ++block) {
      const int dimension = small("an entity's dimension");
      const int entity = small("an entity");
      const int type = small("a type");
      const GmshElementType known = checked_type(type);
      const std::int64_t elements = count("the number of elements");
      const auto found = entities_.find({dimension, entity});
      const std::size_t groups = found == entities_.end() ? 0 : found->second;
      for (std::int64_t i = 0; i < elements; ++i) {
        const std::int64_t tag = integer("an element");
        read_element_nodes(tag, type, known.nodes, groups);
      }
    }
    if (static_cast<std::int64_t>(file_.elements.size()) != total) {
      fail("$Elements announces " + to_text(total) + " elements and has " + to_text(file_.elements.size()));
    }
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  int line_ = 1;
  int token_line_ = 1;
  int version_ = 0;
  bool have_nodes_ = false;
  bool have_elements_ = false;
  std::string section_;
  std::unordered_map<std::int64_t, int> index_;
  std::map<std::pair<int, int>, std::size_t> entities_;  // dimension, tag -> list of groups
  std::unordered_map<int, std::size_t> lists_;           // physical tag -> list of it alone
  GmshFile file_;
};

}  // namespace

GmshElementType gmsh_element_type(std::int64_t type) {
  if (type < 1 || type >= static_cast<std::int64_t>(std::size(element_types))) {
    return {};
  }
  return element_types[type];
}

GmshFile parse_gmsh(std::string_view text, const std::string& name) { return Parser(text, name).parse(); }

}  // namespace quoin::io::detail
