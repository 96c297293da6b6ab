// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <clocale>
#include <csignal>
#include <cstddef>
#include <locale>
#include <stdexcept>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

/// During its lifetime no file of this process grows beyond `bytes`: a full disk of chosen size, without root's rights.
class FullDisk {
 public:
  explicit FullDisk(std::size_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &limit_);
    rlimit small = limit_;
    small.rlim_cur = bytes;
    if (setrlimit(RLIMIT_FSIZE, &small) != 0) throw std::runtime_error("no limit of file sizes can be set");
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, signal_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  void (*signal_)(int);
  rlimit limit_{};
};

/// During its lifetime root has no more rights than anyone.
class NoPrivileges {
 public:
  NoPrivileges() : user_(geteuid()) {
    if (user_ == 0 && seteuid(65534) != 0) throw std::runtime_error("root cannot become another user");
  }
  ~NoPrivileges() {
    if (user_ == 0 && seteuid(user_) != 0) std::raise(SIGABRT);
  }
  NoPrivileges(const NoPrivileges&) = delete;
  NoPrivileges& operator=(const NoPrivileges&) = delete;

 private:
  uid_t user_;
};

/// During its lifetime C++ streams write 1.234,5 for 1234.5, and C's functions too if the system has the German locale.
class GermanNumbers {
 public:
  GermanNumbers() : cpp_(std::locale::global(std::locale(std::locale::classic(), new Punctuation))) {
    const char* now = std::setlocale(LC_ALL, nullptr);
    c_ = now ? now : "C";
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE"}) has_c_ = has_c_ || std::setlocale(LC_ALL, name);
  }
  ~GermanNumbers() {
    std::locale::global(cpp_);
    std::setlocale(LC_ALL, c_.c_str());
  }
  GermanNumbers(const GermanNumbers&) = delete;
  GermanNumbers& operator=(const GermanNumbers&) = delete;

  bool of_c_too() const { return has_c_; }

 private:
  struct Punctuation : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };

  std::locale cpp_;
  std::string c_;
  bool has_c_ = false;
};
