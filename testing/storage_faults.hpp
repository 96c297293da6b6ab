// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/storage/sample_file.hpp"

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

/// A folder of its own, gone in the end.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::filesystem::path& in = std::filesystem::temp_directory_path()) {
    std::string name = (in / "quoin_storage_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Where many files can be made without waiting for a disk.
inline std::filesystem::path memory_or_disk() {
  return access("/dev/shm", W_OK) == 0 ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
}

/// Samples that know their own contents: the one of number k lies at (k, k/2), with a jet of 3 outputs.
inline quoin::storage::StoredSample sample_of(int k, Eigen::Index derivatives = 3) {
  quoin::storage::StoredSample sample{.x = {1.0 * k, 0.5 * k}, .jet = {}, .branch = k % 5, .seconds = 0.25 * k};
  if (k % 7 == 3) {
    sample.reason = "number " + std::to_string(k) + " fails";
  } else {
    sample.jet = Eigen::MatrixXd::NullaryExpr(3, derivatives, [k](Eigen::Index i, Eigen::Index j) {
      return std::sin(1.0 + k + 10.0 * static_cast<double>(i) + 100.0 * static_cast<double>(j));
    });
  }
  return sample;
}

inline bool is_sample(int k, const quoin::storage::StoredSample& sample) {
  const auto wanted = sample_of(k);
  return sample.x == wanted.x && sample.branch == wanted.branch && sample.reason == wanted.reason &&
         sample.seconds == wanted.seconds && sample.jet.rows() == wanted.jet.rows() &&
         sample.jet.cols() == wanted.jet.cols() && sample.jet == wanted.jet;
}

inline quoin::storage::FileHeader header_of_samples() {
  return {.dim = 2, .output_size = 3, .fingerprint = "numbers 0", .instruction_set = "any"};
}

/// True, and right, or false: whether the file has number k.
inline bool has(quoin::storage::SampleFile& file, int k, bool& right) {
  const double x[] = {1.0 * k, 0.5 * k}, within[] = {1e-9, 1e-9};
  quoin::storage::StoredSample sample;
  if (!file.find(x, within, 3, sample)) return false;
  right = is_sample(k, sample);
  return true;
}

/// Writes the samples first, ..., last - 1.
inline void fill(const std::filesystem::path& path, int first, int last) {
  quoin::storage::SampleFile file(path, header_of_samples());
  for (int k = first; k < last; ++k) file.keep(sample_of(k));
  file.flush();
}

inline std::vector<char> bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Replaces the file, and removes what SQLite keeps beside it.
inline void write_bytes(const std::filesystem::path& path, const std::vector<char>& bytes) {
  std::filesystem::remove(path.string() + "-wal");
  std::filesystem::remove(path.string() + "-shm");
  std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), std::ssize(bytes));
}

/// Runs work in a child process; what it returns is the child's exit status.
inline pid_t in_child(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    int status = 99;
    try {
      status = work();
    } catch (...) {
    }
    _exit(status);
  }
  return child;
}

inline int exit_status(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
