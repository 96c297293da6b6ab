// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "quoin/util/to_text.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace quoin {
namespace detail {

struct CloseStream {
  void operator()(std::FILE* stream) const { std::fclose(stream); }
};
using Stream = std::unique_ptr<std::FILE, CloseStream>;

/// Internally, errors are std::system_error; users see them as this std::runtime_error.
[[noreturn]] inline void refuse_file(const char* what, const std::filesystem::path& file, std::error_code error) {
  throw std::runtime_error(std::string("cannot ") + what + " '" + file.string() + "': " + error.message());
}

[[noreturn]] inline void fail_with_errno() { throw std::system_error(errno, std::generic_category()); }

/// Opens a file without a buffer; null if it cannot be opened.
inline Stream try_open_stream(const std::filesystem::path& file, const char* mode) {
  Stream stream(std::fopen(file.string().c_str(), mode));
  if (stream) std::setvbuf(stream.get(), nullptr, _IONBF, 0);
  return stream;
}

inline Stream open_stream(const std::filesystem::path& file, const char* mode) {
  Stream stream = try_open_stream(file, mode);
  if (!stream) fail_with_errno();
  return stream;
}

inline void put_text(const Stream& stream, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream.get()) != text.size()) fail_with_errno();
}

/// Some file systems, such as those over a network, report only on closing what they could not write.
inline void close_stream(Stream& stream) {
  if (stream && std::fclose(stream.release()) != 0) fail_with_errno();
}

/// A new file with an unused name, removed at the end unless it has replaced another.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& folder) {
    for (int k = 0; !stream; ++k) {
      path_ = folder / (".quoin_" + to_text(k) + ".new");
      stream = try_open_stream(path_, "wbx");
      if (!stream && errno != EEXIST) fail_with_errno();
    }
  }
  ~TemporaryFile() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void set_permissions(std::filesystem::perms permissions) { std::filesystem::permissions(path_, permissions); }
  void take_place_of(const std::filesystem::path& other) {
    close_stream(stream);
    std::filesystem::rename(path_, other);
    path_.clear();
  }

  Stream stream = nullptr;

 private:
  std::filesystem::path path_;
};

/// The regular file, with all links resolved, that is to be replaced; empty if it must be written in place.
inline std::filesystem::path replaced_by_writing(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  fs::path target = file;
  for (int links = 0; links < 40; ++links) {
    // /dev/stdout may lead to a regular file, to which the process that opened it goes on writing.
    const std::string name = target.lexically_normal().string();
    if (name.starts_with("/dev/") || name.starts_with("/proc/")) return {};
    if (!fs::is_symlink(fs::symlink_status(target))) break;
    const fs::path next = fs::read_symlink(target);
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  const fs::file_status status = fs::status(target);
  return !fs::exists(status) || fs::is_regular_file(status) ? target : fs::path();
}

/// The temporary file for the new text of a regular file. A file without write permission is not replaced either.
inline std::unique_ptr<TemporaryFile> beside(const std::filesystem::path& target) {
  namespace fs = std::filesystem;
  const fs::file_status old = fs::status(target);
  if (fs::exists(old)) open_stream(target, "ab");
  auto made = std::make_unique<TemporaryFile>(target.parent_path());
  if (fs::exists(old)) made->set_permissions(old.permissions());
  return made;
}

}  // namespace detail

/// Replaces the contents of a file by the text. Afterwards the file holds all of the text, or, if std::runtime_error
/// "cannot write 'X': No space left on device" was thrown, its old contents. The text goes to a temporary file in the
/// same folder, which must be writable; this file then takes the old one's name and permissions. A link stays a link,
/// to the new text. A device or a pipe is written to directly. There is no protection against a loss of power.
inline void write_file(const std::filesystem::path& file, std::string_view text) try {
  if (const std::filesystem::path target = detail::replaced_by_writing(file); !target.empty()) {
    const auto made = detail::beside(target);
    detail::put_text(made->stream, text);
    made->take_place_of(target);
  } else {
    detail::Stream stream = detail::open_stream(file, "wb");
    detail::put_text(stream, text);
    detail::close_stream(stream);
  }
} catch (const std::system_error& error) {
  detail::refuse_file("write", file, error.code());
}

/// Throws what `write_file` would throw, except for a full disk: a check to make before long work.
/// Leaves nothing behind.
inline void require_writable(const std::filesystem::path& file) try {
  if (std::filesystem::is_directory(file)) throw std::system_error(EISDIR, std::generic_category());
  if (const std::filesystem::path target = detail::replaced_by_writing(file); !target.empty()) detail::beside(target);
} catch (const std::system_error& error) {
  detail::refuse_file("write", file, error.code());
}

/// Returns all bytes of a file. Throws std::runtime_error "cannot read 'X': No such file or directory", or one that
/// gives its length if that is above `longest`.
inline std::string read_file(const std::filesystem::path& file,
                             std::size_t longest = std::numeric_limits<std::size_t>::max()) try {
  const detail::Stream stream = detail::open_stream(file, "rb");
  std::string text;
  char block[1 << 16];
  for (std::size_t count = sizeof block; count == sizeof block;) {
    count = std::fread(block, 1, sizeof block, stream.get());
    if (std::ferror(stream.get()) != 0) detail::fail_with_errno();
    text.append(block, count);
    if (text.size() > longest)
      throw std::runtime_error("cannot read '" + file.string() + "': it has more than " + to_text(longest) + " bytes");
  }
  return text;
} catch (const std::system_error& error) {
  detail::refuse_file("read", file, error.code());
}

/// A file that grows piece by piece: when `write` returns, its piece has been handed to the operating system, so no
/// buffered data can be lost. Throws std::runtime_error as `write_file` does.
class GrowingFile {
 public:
  /// Creates or empties the file.
  explicit GrowingFile(const std::filesystem::path& file) try : file_(file), stream_(detail::open_stream(file, "wb")) {
  } catch (const std::system_error& error) {
    detail::refuse_file("write", file, error.code());
  }

  /// A piece that does not fit is removed again: the file ends with the one before.
  void write(std::string_view piece) {
    try {
      if (!stream_) throw std::system_error(EBADF, std::generic_category());
      detail::put_text(stream_, piece);
      size_ += piece.size();
    } catch (const std::system_error& error) {
      std::error_code no_regular_file;
      std::filesystem::resize_file(file_, size_, no_regular_file);
      if (stream_) std::fseek(stream_.get(), static_cast<long>(size_), SEEK_SET);
      detail::refuse_file("write", file_, error.code());
    }
  }

  /// Closes the file for good.
  void close() try { detail::close_stream(stream_); } catch (const std::system_error& error) {
    detail::refuse_file("write", file_, error.code());
  }

 private:
  std::filesystem::path file_;
  detail::Stream stream_;
  std::size_t size_ = 0;
};

}  // namespace quoin
