// SPDX-License-Identifier: BSD-3-Clause
#include "evaluation/worker_process.hpp"

#include "quoin/util/to_text.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

extern char** environ;

namespace quoin::evaluation_detail {

namespace {

// Writing to a worker that has ended must not end this process: the signal is blocked in this thread, and taken away.
class WithoutBrokenPipe {
 public:
  WithoutBrokenPipe() {
    sigset_t pending;
    sigemptyset(&broken_pipe_);
    sigaddset(&broken_pipe_, SIGPIPE);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &broken_pipe_, &before_);
  }
  ~WithoutBrokenPipe() {
    const timespec now{};
    if (!was_pending_)
      while (sigtimedwait(&broken_pipe_, nullptr, &now) == -1 && errno == EINTR) {
      }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutBrokenPipe(const WithoutBrokenPipe&) = delete;
  WithoutBrokenPipe& operator=(const WithoutBrokenPipe&) = delete;

 private:
  sigset_t broken_pipe_, before_;
  bool was_pending_;
};

[[noreturn]] void throw_system(const std::string& what, int error) {
  throw std::runtime_error("Workers: " + what + ": " + std::generic_category().message(error));
}

// Two ends of a pipe, above the descriptors that a worker gets.
std::pair<Descriptor, Descriptor> new_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw_system("no pipe", errno);
  Descriptor low[2] = {Descriptor(ends[0]), Descriptor(ends[1])};
  Descriptor high[2];
  for (int i = 0; i < 2; ++i) {
    high[i] = Descriptor(fcntl(low[i].number(), F_DUPFD_CLOEXEC, 10));
    if (high[i].number() < 0) throw_system("no pipe", errno);
  }
  return {std::move(high[0]), std::move(high[1])};
}

// How a program is started: what becomes of its descriptors, its signals and its group.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t none, broken_pipe;
    sigemptyset(&none);
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &broken_pipe);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  void connect(int ours, int theirs) { posix_spawn_file_actions_adddup2(&actions_, ours, theirs); }
  void open(int theirs, const std::string& path, int flags) {
    posix_spawn_file_actions_addopen(&actions_, theirs, path.c_str(), flags, 0666);
  }
  int operator()(pid_t& pid, const std::vector<std::string>& words) const {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    return posix_spawnp(&pid, arguments[0], &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Posix_spawn would say so, if it started the program itself.
void require_program(const std::string& word) {
  const auto can_start = [](const std::filesystem::path& path) {
    std::error_code none;
    return !std::filesystem::is_directory(path, none) && access(path.c_str(), X_OK) == 0;
  };
  if (word.find('/') != std::string::npos) {
    if (!can_start(word)) throw_system("cannot start '" + word + "'", errno == 0 ? EACCES : errno);
    return;
  }
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (can_start(std::filesystem::path(folder.empty() ? "." : folder) / word)) return;
  throw_system("cannot start '" + word + "'", ENOENT);
}

// Starts the program from a shell that leaves a guard in its process group. When descriptor 9 comes to its end, since
// this process has closed it or has ended, the guard ends the group. It is no child of the program, which may wait for
// all of its own.
std::vector<std::string> guarded(const std::vector<std::string>& words) {
  std::vector<std::string> command = {
      "/bin/sh", "-c",
      "(trap '' 1 2 3 4 5 6 7 8 10 11 12 13 14 15 16 20 21 22 23 24 25 26 27 28 29 30 31; (while read -r _; do :; "
      "done; kill -KILL 0) <&9 9<&- 3<&- 4>&- >/dev/null 2>&1 &)\n"
      "exec \"$@\" 9<&-",
      "quoin-worker"};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) c == '\'' ? text += "'\\''" : text += c;
  return text + "'";
}

// The launcher with the number of the worker in it, and behind it the command. Launchers pass on only the standard
// input and output: a shell at the other end gives them to the program as 3 and 4. ssh hands its words to a shell.
std::vector<std::string> launched(const WorkerOptions& options, int number) {
  std::vector<std::string> words = options.launcher;
  for (std::string& word : words)
    for (std::size_t at; (at = word.find("{worker}")) != std::string::npos;) word.replace(at, 8, to_text(number));
  std::vector<std::string> command = {"sh", "-c", "exec \"$@\" 3<&0 4>&1 </dev/null 1>&2", "worker"};
  command.insert(command.end(), options.command.begin(), options.command.end());
  const bool shell = std::filesystem::path(words[0]).filename() == "ssh";
  for (const std::string& word : command) words.push_back(shell ? quoted(word) : word);
  return words;
}

}  // namespace

void Descriptor::close() {
  if (number_ >= 0) ::close(release());
}

WorkerProcess::WorkerProcess(const WorkerOptions& options, int number) {
  auto [their_input, our_output] = new_pipe();
  auto [our_input, their_output] = new_pipe();
  auto [their_life, our_life] = new_pipe();
  SpawnPlan spawn;
  const bool direct = options.launcher.empty();
  if (options.log.empty()) {
    if (direct) spawn.open(STDOUT_FILENO, "/dev/null", O_WRONLY);
  } else {
    spawn.open(STDERR_FILENO, options.log.string(), O_WRONLY | O_CREAT | O_APPEND);
    if (direct) spawn.connect(STDERR_FILENO, STDOUT_FILENO);
  }
  if (direct) spawn.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  spawn.connect(their_input.number(), direct ? 3 : STDIN_FILENO);
  spawn.connect(their_output.number(), direct ? 4 : STDOUT_FILENO);
  spawn.connect(their_life.number(), 9);
  const std::vector<std::string> words = direct ? options.command : launched(options, number);
  require_program(words[0]);
  if (const int error = spawn(pid_, guarded(words))) throw_system("cannot start '" + words[0] + "'", error);
  fcntl(our_input.number(), F_SETFL, O_NONBLOCK);
  to_ = std::move(our_output);
  from_ = std::move(our_input);
  life_ = std::move(our_life);
}

WorkerProcess::~WorkerProcess() { kill(); }

bool WorkerProcess::send(std::string_view line) {
  const WithoutBrokenPipe no_signal;
  while (!line.empty()) {
    const ssize_t written = write(to_.number(), line.data(), line.size());
    if (written >= 0)
      line.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      return false;
  }
  return true;
}

bool WorkerProcess::receive(std::size_t most) {
  char buffer[1 << 16];
  while (received().size() < most) {
    const ssize_t count = read(from_.number(), buffer, sizeof buffer);
    if (count > 0)
      received_.append(buffer, static_cast<std::size_t>(count));
    else if (count == 0)
      return false;
    else if (errno != EINTR)
      return errno == EAGAIN;
  }
  return true;
}

void WorkerProcess::take(std::size_t bytes) {
  taken_ += bytes;
  if (taken_ < received_.size()) return;
  received_.clear();
  taken_ = 0;
}

bool WorkerProcess::has_ended(std::chrono::milliseconds within) {
  const auto until = std::chrono::steady_clock::now() + within;
  for (;;) {
    siginfo_t ended{};  // it stays as it is: its number, that of its group, goes to no other process until kill()
    if (running_ && waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        ended.si_pid == 0) {
      if (std::chrono::steady_clock::now() >= until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } else {
      return true;
    }
  }
}

int WorkerProcess::stopped_by() const {
  siginfo_t stopped{};
  const bool known = running_ && waitid(P_PID, static_cast<id_t>(pid_), &stopped, WSTOPPED | WNOHANG | WNOWAIT) == 0;
  return known && stopped.si_pid != 0 ? stopped.si_status : 0;
}

void WorkerProcess::leave_to_parent() {
  to_.close();
  from_.close();
  life_.close();
  running_ = false;
}

void WorkerProcess::kill() {
  if (!running_) return;
  ::kill(-pid_, SIGKILL);  // with all that it has started
  ::kill(pid_, SIGKILL);   // it may have left its group
  if (has_ended(std::chrono::seconds(2)))
    while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
  else
    given_up_ = true;  // it belongs to another user, or the system does not let it go
  running_ = false;
}

std::string WorkerProcess::state() const {
  const std::string who = "process " + to_text(pid_);
  if (given_up_) return who + " cannot be ended: does it belong to another user?";
  if (running_) return who + " runs";
  if (!WIFSIGNALED(status_)) return who + " has ended with status " + to_text(WEXITSTATUS(status_));
  return who + " was killed by signal " + to_text(WTERMSIG(status_)) + " (" + sigdescr_np(WTERMSIG(status_)) + ")";
}

}  // namespace quoin::evaluation_detail
