// SPDX-License-Identifier: BSD-3-Clause
// Writes good inputs, from which libFuzzer begins: seeds <folder> <a URDF>.
#include "quoin/robots/planning/policy_gradient/learner.hpp"
#include "testing/files.hpp"
#include "testing/robots/meshes.hpp"
#include "testing/robots/urdf_robots.hpp"
#include "testing/small_store.hpp"

#include <exception>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <string>

namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& root, const std::string& program) {
  fs::create_directories(root / program);
  return root / program;
}

void write_seeds(const fs::path& folder, std::initializer_list<std::string> seeds) {
  int number = 0;
  for (const std::string& seed : seeds) write_all(folder / std::to_string(number++), seed);
}

void write_all_seeds(const fs::path& root, const fs::path& urdf) {
  write_seeds(folder_of(root, "gmsh"), {hostile::gmsh_22, hostile::gmsh_41});
  write_seeds(folder_of(root, "surfaces"), {hostile::obj, hostile::stl, hostile::binary_stl()});
  write_seeds(folder_of(root, "urdf"),
              {read_all(urdf), robots::robot(robots::joint("revolute", robots::limit)),
               "<?xml version='1.0'?>" +
                   robots::tree(robots::named("abc") + robots::moving("j", "a", "b") + robots::moving("k", "b", "c"))});
  write_seeds(
      folder_of(root, "messages"),
      {"quoin 2 outputs 3 order 1 fingerprint my rod 12\n", "answer 17 0.25 -1.5 branch -2 jet 1 -2.5 3e-7 4 5 6\n",
       "answer 17 0.25 -1.5 failed the mesh is inverted\n", "answer 17 0.25 -1.5 retry no licence\n",
       "answer 17 0.25 -1.5 jet binary 48\n" + std::string(48, '\0')});
  quoin::planning::save_learner(quoin::planning::Learner::random(1, 1, {.hidden = 2, .seed = 7}),
                                folder_of(root, "learner") / "0");
  fs::remove(folder_of(root, "store_file") / "0");
  fill_small(root / "store_file" / "0", 12);
  // a new number of outputs, an x0 that is text, a jet of five bytes
  write_seeds(folder_of(root, "store_values"), {std::string("\2\0\0\7\0\0\0\0\0\0\0", 11),
                                                std::string("\5\1\2\3abc", 7), std::string("\13\1\3\5abcde", 9)});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "seeds <folder> <a URDF>\n";
    return 2;
  }
  try {
    write_all_seeds(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::cerr << "seeds: " << error.what() << "\n";
    return 1;
  }
}
