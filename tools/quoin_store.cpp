// SPDX-License-Identifier: BSD-3-Clause
// quoin-store: what a file of samples says of itself, whether it is whole, two files in one, and its samples as arrays.
#include "quoin/util/to_text.hpp"
#include "quoin/storage/sample_file.hpp"
#include "quoin/version.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <locale>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using quoin::to_text;
using quoin::storage::FileHeader;
using quoin::storage::SampleFile;
using quoin::storage::StoredSample;

std::string in_words(const FileHeader& header) {
  return "function:        " + header.fingerprint + "\nvariables:       " + to_text(header.dim) +
         "\noutputs:         " + to_text(header.output_size) + "\nformat:          " + to_text(header.format) +
         "\ninstruction set: " + header.instruction_set + "\n";
}

struct Contents {
  std::size_t samples = 0, failures = 0, damaged = 0;
  double seconds = 0;
};

Contents read(SampleFile& file) {
  Contents contents;
  file.for_each([&](const StoredSample& sample) {
    ++contents.samples;
    contents.failures += !sample.reason.empty();
    contents.seconds += sample.seconds;
  });
  contents.damaged = file.status().damaged;
  return contents;
}

void tell_note(const SampleFile& file) {
  const std::string note = file.status().note;
  if (!note.empty()) std::cerr << note << "\n";
}

int info(const std::string& path) {
  SampleFile file(path);
  const Contents contents = read(file);
  std::cout << in_words(file.header()) << "samples:         " << contents.samples << ", of which " << contents.failures
            << " failures; " << contents.damaged << " damaged\nin the function: " << to_text(contents.seconds)
            << " s\nbytes:           " << std::filesystem::file_size(path) << "\n";
  tell_note(file);
  return 0;
}

int verify(const std::string& path) {
  SampleFile file(path);
  const Contents contents = read(file);
  std::cout << path << ": " << contents.samples << " samples are whole, " << contents.damaged << " are damaged\n";
  tell_note(file);
  return contents.damaged == 0 && file.status().error.empty() ? 0 : 1;
}

int merge(const std::string& into, const std::vector<std::string>& others) {
  const FileHeader header = SampleFile(others.front()).header();
  SampleFile target(into, header);
  const std::size_t before = target.status().samples;
  for (const std::string& other : others) {
    SampleFile source(other);
    if (source.header().fingerprint != header.fingerprint)
      throw std::invalid_argument(other + ": samples of '" + source.header().fingerprint + "', those of " +
                                  others.front() + " are of '" + header.fingerprint + "'");
    tell_note(source);
    source.for_each([&](const StoredSample& sample) { target.keep(sample); });
    target.flush();
  }
  std::cout << into << ": " << target.status().samples << " samples, " << before << " before\n";
  return 0;
}

// NumPy's format 1.0, of doubles in columns.
void write_npy(const std::filesystem::path& path, std::span<const double> numbers, const std::string& shape) {
  std::string header = "{'descr': '<f8', 'fortran_order': True, 'shape': (" + shape + "), }";
  constexpr std::size_t begin = 10, unit = 64;
  header.append(unit - (begin + header.size() + 1) % unit, ' ');
  header += '\n';
  std::ofstream out(path, std::ios::binary);
  out.write("\x93NUMPY\x01\x00", 8);
  out.put(static_cast<char>(header.size() & 255)).put(static_cast<char>(header.size() >> 8));
  out << header;
  out.write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(numbers.size_bytes()));
  if (!out.flush()) throw std::runtime_error(path.string() + ": cannot be written");
}

// points.npy, dim x M; jets.npy, N x derivatives x M, of the samples that did not fail; failures.csv.
int export_arrays(const std::string& path, const std::filesystem::path& folder) {
  SampleFile file(path);
  tell_note(file);
  std::filesystem::create_directories(folder);
  std::vector<double> points, jets;
  std::int64_t derivatives = -1, samples = 0, left_out = 0;
  std::ofstream failures(folder / "failures.csv");
  failures.imbue(std::locale::classic());
  for (int i = 0; i < file.header().dim; ++i) failures << "x" << i << ",";
  failures << "reason\n";
  file.for_each([&](const StoredSample& sample) {
    if (!sample.reason.empty()) {
      for (const double x : sample.x) failures << to_text(x) << ",";
      std::string quoted;
      for (const char c : sample.reason) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
      failures << '"' << quoted << "\"\n";
      return;
    }
    if (derivatives < 0) derivatives = sample.jet.cols();
    if (sample.jet.cols() != derivatives) {
      ++left_out;
      return;
    }
    points.insert(points.end(), sample.x.begin(), sample.x.end());
    jets.insert(jets.end(), sample.jet.data(), sample.jet.data() + sample.jet.size());
    ++samples;
  });
  const std::string count = to_text(samples);
  write_npy(folder / "points.npy", points, to_text(file.header().dim) + ", " + count);
  write_npy(folder / "jets.npy", jets,
            to_text(file.header().output_size) + ", " + to_text(derivatives < 0 ? 0 : derivatives) + ", " + count);
  if (!failures.flush()) throw std::runtime_error((folder / "failures.csv").string() + ": cannot be written");
  std::cout << samples << " samples in " << (folder / "points.npy").string() << " and jets.npy";
  if (left_out > 0) std::cout << "; " << left_out << " with other derivatives than the first are left out";
  std::cout << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Files of samples, which grids keep with quoin::storage (docs/storage.md).");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(quoin::version));
  std::string path, folder;
  std::vector<std::string> others;
  const auto add = [&](const char* name, const char* words) {
    CLI::App* command = app.add_subcommand(name, words);
    command->add_option("file", path, "A file of samples")->required();
    return command;
  };
  const CLI::App* info_command = add("info", "What it is of, and how much it holds");
  const CLI::App* verify_command = add("verify", "Reads every sample; fails if one is damaged");
  CLI::App* merge_command = add("merge", "Puts the samples of others into a file, which is made if it is not there");
  merge_command->add_option("others", others, "Files of the same function")->required();
  CLI::App* export_command = add("export", "Writes points.npy, jets.npy and failures.csv");
  export_command->add_option("folder", folder, "Where to")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    if (info_command->parsed()) return info(path);
    if (verify_command->parsed()) return verify(path);
    if (merge_command->parsed()) return merge(path, others);
    return export_arrays(path, folder);
  } catch (const std::exception& problem) {
    std::cerr << "quoin-store: " << problem.what() << "\n";
    return 2;
  }
}
