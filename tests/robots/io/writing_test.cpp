// SPDX-License-Identifier: BSD-3-Clause
#include "quoin/robots/io/vtu.hpp"
#include "quoin/util/files.hpp"
#include "testing/writing_laws.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>

using namespace quoin::io;
using quoin::SimplexMesh;
using quoin::write_file;
namespace fs = std::filesystem;

namespace {

SimplexMesh<2> long_strip() {
  SimplexMesh<2> mesh;
  mesh.vertices.resize(2, 2000);
  mesh.elements.resize(3, 1998);
  for (int i = 0; i < 2000; ++i) mesh.vertices.col(i) << i / 8.0, i % 2;
  for (int i = 0; i < 1998; ++i) mesh.elements.col(i) << i, i + 1 + (i % 2 == 0), i + 2 - (i % 2 == 0);
  mesh.element_group.assign(1998, 0);
  mesh.element_group_names = {"all"};
  return mesh;
}

VtuFrame frame() {
  VtuFrame frame;
  frame.add_mesh(long_strip());
  return frame;
}

struct Writer {
  std::string kind;
  std::function<void(const fs::path&)> write;
};

/// All writers of whole files, with contents longer than 4 kB.
std::vector<Writer> writers() {
  return {{"text", [](const fs::path& file) { write_file(file, std::string(5000, 'x')); }},
          {"vtu", [](const fs::path& file) { frame().write(file); }}};
}

}  // namespace

TEST_CASE("what cannot be written says which file and why") {
  const ScratchFolder folder("why");
  fs::create_symlink("/dev/full", folder / "full");
  write_all(folder / "file", "");
  for (const Writer& writer : writers()) {
    CAPTURE(writer.kind);
    const auto message = [&](const std::string& file) { return message_of([&] { writer.write(folder / file); }); };
    const auto expected = [&](const std::string& file, const std::string& reason) {
      return "cannot write '" + (folder / file).string() + "': " + reason;
    };
    CHECK(message("full") == expected("full", "No space left on device"));
    CHECK(message("none/a") == expected("none/a", "No such file or directory"));
    CHECK(message("file/a") == expected("file/a", "Not a directory"));
    CHECK(message(".") == expected(".", "Is a directory"));
    CHECK_THROWS_AS(writer.write(folder / "full"), std::runtime_error);
  }
  CHECK(message_of([&] { quoin::read_file(folder / "none"); }) ==
        "cannot read '" + (folder / "none").string() + "': No such file or directory");
  CHECK(message_of([&] { quoin::read_file(folder.path()); }).find("Is a directory") != std::string::npos);
}

TEST_CASE("who may not write is told so, and a file that may not be written is not replaced") {
  const ScratchFolder folder("rights");
  fs::create_directory(folder / "others");
  write_all(folder / "read only", "old");
  fs::permissions(folder / "read only", fs::perms(0444));
  fs::permissions(folder.path(), fs::perms(0777));
  const NoPrivileges nobody;
  const auto message = [&](const std::string& file) { return message_of([&] { write_file(folder / file, "new"); }); };
  CHECK(message("read only").find("Permission denied") != std::string::npos);
  CHECK(read_all(folder / "read only") == "old");
  if (geteuid() == 65534) CHECK(message("others/a").find("Permission denied") != std::string::npos);
  CHECK(message("a").empty());
}

TEST_CASE("on a full disk every file stays as it was, and nothing is left beside it") {
  for (const Writer& writer : writers()) {
    CAPTURE(writer.kind);
    leaves_files_as_they_were_on_a_full_disk("disk_" + writer.kind, writer.write);
  }
}

TEST_CASE("a series of frames of which one does not fit keeps those before, and goes on") {
  const ScratchFolder folder("pvd_disk");
  PvdWriter series(folder / "arm.pvd");
  series.add(0, frame());
  const std::string one = read_all(folder / "arm.pvd");
  {
    const FullDisk disk(4000);
    CHECK_THROWS_AS(series.add(1, frame()), std::runtime_error);  // the frame
  }
  CHECK(read_all(folder / "arm.pvd") == one);
  {
    VtuFrame points;
    points.add_points(Eigen::Matrix2Xd::Zero(2, 1));
    for (int k = 1; k < 20; ++k) series.add(k, points);
    const std::string twenty = read_all(folder / "arm.pvd");
    const FullDisk disk(twenty.size() + 10);
    CHECK_THROWS_AS(series.add(20, points), std::runtime_error);  // the list of frames
    CHECK(read_all(folder / "arm.pvd") == twenty);
  }
  CHECK(series.add(20, frame()) == folder / "arm/arm_0020.vtu");
  CHECK(read_all(folder / "arm.pvd").find("arm_0020.vtu") != std::string::npos);
  CHECK(read_all(folder / "arm.pvd").ends_with("</VTKFile>\n"));
}

TEST_CASE("a replaced file keeps its permissions, and a link leads to the new text") {
  const ScratchFolder folder("links");
  fs::create_directory(folder / "there");
  write_all(folder / "there/file", "old");
  fs::permissions(folder / "there/file", fs::perms(0640));
  fs::create_symlink("there/link", folder / "link");
  fs::create_symlink("file", folder / "there/link");
  write_file(folder / "link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(fs::is_symlink(folder / "there/link"));
  CHECK(read_all(folder / "there/file") == "new");
  CHECK(fs::status(folder / "there/file").permissions() == fs::perms(0640));
  fs::create_symlink("nowhere", folder / "to be made");
  write_file(folder / "to be made", "made");
  CHECK(read_all(folder / "nowhere") == "made");
  fs::create_symlink("circle", folder / "circle");
  CHECK(message_of([&] { write_file(folder / "circle", ""); }).find("Too many levels of symbolic links") !=
        std::string::npos);
}

TEST_CASE("pipes and open files behind /dev are written to, not replaced") {
  const ScratchFolder folder("pipes");
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const int pipe = open((folder / "pipe").c_str(), O_RDWR | O_NONBLOCK);
  quoin::require_writable(folder / "pipe");
  write_file(folder / "pipe", "text");
  char text[5] = {};
  CHECK(read(pipe, text, 4) == 4);
  CHECK(std::string(text) == "text");
  close(pipe);
  CHECK(fs::is_fifo(folder / "pipe"));

  const int file = open((folder / "file").c_str(), O_RDWR | O_CREAT, 0600);
  const fs::path name = "/dev/fd/" + std::to_string(file);
  if (fs::exists(name)) {
    write_file(name, "through the descriptor");
    CHECK(lseek(file, 0, SEEK_END) == 22);
  } else {
    WARN("there is no /dev/fd here");
  }
  close(file);
}

TEST_CASE("of several that write one file at once, one is there in the end, whole") {
  const ScratchFolder folder("at_once");
  std::vector<std::thread> threads;
  for (const char letter : {'a', 'b', 'c'})
    threads.emplace_back([&, letter] {
      for (int k = 0; k < 50; ++k) write_file(folder / "file", std::string(20000, letter));
    });
  bool whole = true;
  for (int k = 0; k < 50; ++k) {
    const std::string text = fs::exists(folder / "file") ? quoin::read_file(folder / "file") : "";
    whole = whole && (text.empty() || (text.size() == 20000 && text == std::string(20000, text.front())));
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(whole);
  CHECK(quoin::read_file(folder / "file").size() == 20000);
  CHECK(names_in(folder.path()).size() == 1);
}

TEST_CASE("that a file can be written is tried without leaving a trace") {
  const ScratchFolder folder("tried");
  quoin::require_writable(folder / "new");
  CHECK(names_in(folder.path()).empty());
  write_all(folder / "old", "text");
  quoin::require_writable(folder / "old");
  CHECK(read_all(folder / "old") == "text");
  CHECK_THROWS_AS(quoin::require_writable(folder / "none/a"), std::runtime_error);
  CHECK_THROWS_AS(quoin::require_writable(folder.path()), std::runtime_error);
}

TEST_CASE("a file longer than a reader wants is not read to its end") {
  CHECK(message_of([&] { quoin::read_file("/dev/zero", 100000); }) ==
        "cannot read '/dev/zero': it has more than 100000 bytes");
}
