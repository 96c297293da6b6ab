// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "testing/storage_faults.hpp"

#include <exception>
#include <filesystem>
#include <stdexcept>

/// Reads all that a file of samples answers, and has one written in its place. Every sample has the sizes that the
/// header says, or std::logic_error tells. (Whether it is the right one, only the checksum knows: libFuzzer finds
/// inputs whose checksums hold.)
inline void read_store(const std::filesystem::path& path) {
  using namespace quoin::storage;
  const auto fits = [](const FileHeader& header, const StoredSample& sample) {
    const bool failed = !sample.reason.empty();
    if (std::ssize(sample.x) != header.dim || (sample.jet.size() == 0) != failed ||
        (!failed && sample.jet.rows() != header.output_size))
      throw std::logic_error("a sample of other sizes was answered");
  };
  const auto refusing = [](const auto& work) {
    try {
      work();
    } catch (const std::runtime_error&) {
    } catch (const std::invalid_argument&) {  // another function's
    }
  };
  refusing([&] {
    SampleFile file(path);
    file.for_each([&](const StoredSample& sample) { fits(file.header(), sample); });
  });
  refusing([&] {
    SampleFile file(path, header_of_samples());
    const double x[] = {1, 0.5}, within[] = {1e9, 1e9};
    StoredSample sample;
    if (file.find(x, within, 1, sample)) fits(file.header(), sample);
    file.keep(sample_of(1));
    file.flush();
  });
}
