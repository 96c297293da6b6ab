// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

/// Gives this process, and no other, a small disk in memory at an existing folder, gone with the process, which must
/// have one thread. False where the system allows it neither to root nor to others in a namespace of their own.
inline bool mount_small_disk(const std::filesystem::path& folder, int kilobytes) {
  if (unshare(CLONE_NEWNS) != 0) {
    const auto user = getuid();
    const auto group = getgid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
    std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  }
  const std::string options = "size=" + std::to_string(kilobytes) + "k";
  return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("quoin_test", folder.c_str(), "tmpfs", 0, options.c_str()) == 0;
}
