// SPDX-License-Identifier: BSD-3-Clause
// A file of samples of any dimension, as Python holds it beside its grid.
#pragma once

#include "gil.hpp"
#include "quoin/storage/sqlite_storage.hpp"

#include <memory>
#include <string>
#include <utility>

namespace quoin::python {

/// A storage::SqliteStorage<Dim>. Called with the GIL, which it releases.
class AnyStore {
 public:
  virtual ~AnyStore() = default;

  /// Opens the file, or makes it, for a function of this many outputs. Throws as SqliteStorage.
  virtual void open(Eigen::Index outputs) = 0;
  /// The next two once it is open.
  virtual void flush() = 0;
  virtual storage::FileStatus status() const = 0;

  bool interrupted = false;  ///< Ctrl-C has ended a wait that no one saw: it is passed on behind the end
};

template <int Dim>
class Store final : public AnyStore {
 public:
  Store(const std::string& path, const std::string& fingerprint, const storage::FileOptions& options)
      : storage_(std::make_shared<storage::SqliteStorage<Dim>>(path, fingerprint, options)) {}
  ~Store() override {
    end_without_gil(std::move(storage_), true, interrupted);  // it writes what is left
  }
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::shared_ptr<storage::SqliteStorage<Dim>>& storage() const { return storage_; }

  void open(Eigen::Index outputs) override {
    const WithoutGil release;
    storage_->open(outputs, 0);
  }
  void flush() override {
    const WithoutGil release;
    storage_->flush();
  }
  storage::FileStatus status() const override {
    const WithoutGil release;
    return storage_->status();
  }

 private:
  std::shared_ptr<storage::SqliteStorage<Dim>> storage_;
};

}  // namespace quoin::python
