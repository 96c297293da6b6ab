// SPDX-License-Identifier: BSD-3-Clause
#include "file_access.hpp"
#include "number_text.hpp"
#include "quoin/io/vtu.hpp"

#include <cstdio>
#include <stdexcept>
#include <system_error>

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
  out_ = detail::open_for_writing(file_);
  out_ << "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
       << "  <Collection>\n";
  end_ = out_.tellp();
  out_ << closing;
  detail::check_written(out_, file_);
}

std::filesystem::path PvdWriter::add(double time, const VtuFrame& frame) {
  char number[32];
  std::snprintf(number, sizeof number, "_%04d.vtu", count_);
  const std::string stem = file_.stem().string();
  const std::filesystem::path path = folder_ / (stem + number);
  frame.write(path, options_);
  // The entry takes the place of the closing tags, which follow anew: the file is complete after every frame.
  out_.seekp(end_);
  out_ << "    <DataSet timestep=\"" << detail::shortest(time) << "\" part=\"0\" file=\""
       << detail::escape_xml(stem + '/' + stem + number) << "\"/>\n";
  end_ = out_.tellp();
  out_ << closing;
  detail::check_written(out_, file_);
  ++count_;
  return path;
}

}  // namespace quoin::io
