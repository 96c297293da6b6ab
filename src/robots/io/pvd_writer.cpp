// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/io/escape_xml.hpp"
#include "quoin/robots/io/vtu.hpp"
#include "quoin/util/files.hpp"
#include "quoin/util/to_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace quoin::io {
namespace {

constexpr const char* closing = "  </Collection>\n</VTKFile>\n";

}  // namespace

PvdWriter::PvdWriter(const std::filesystem::path& file, VtuOptions options) : file_(file), options_(options) {
  if (file_.extension() != ".pvd") {
    throw std::invalid_argument("PvdWriter::PvdWriter: '" + file_.string() + "' does not end with .pvd");
  }
  folder_ = file_.parent_path() / file_.stem();
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) {
    throw std::runtime_error("cannot write '" + folder_.string() + "': " + error.message());
  }
  text_ =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
      "  <Collection>\n";
  write_file(file_, text_ + closing);
}

std::filesystem::path PvdWriter::add(double time, const VtuFrame& frame) {
  const std::string digits = to_text(count_);
  const std::string number = std::string(4 - std::min<std::size_t>(digits.size(), 4), '0') + digits;
  const std::string stem = file_.stem().string();
  const std::string name = stem + '_' + number + ".vtu";
  const std::filesystem::path path = folder_ / name;
  frame.write(path, options_);
  std::string text = text_ + "    <DataSet timestep=\"" + to_text(time) + "\" part=\"0\" file=\"" +
                     escape_xml(stem + '/' + name) + "\"/>\n";
  write_file(file_, text + closing);
  text_ = std::move(text);
  ++count_;
  return path;
}

}  // namespace quoin::io
