// SPDX-License-Identifier: BSD-3-Clause
// A worker that breaks its contract, for the tests. It evaluates x0 + 10 x1 with its derivatives.
//   unruly_worker says <text>    at (1, 1) it says the text in the place of a jet; \n and \377 are understood
//   unruly_worker fails <count>  at (1, 1) it fails in so many characters
//   unruly_worker greets <text>  says this as it starts, over and over again if it ends with ...
//   unruly_worker draws <seed>   does what is drawn from all that it knows
//   unruly_worker does <what>    one of these at (1, 1)
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <string>

namespace {

void say(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = write(4, text.data() + at, text.size() - at);
    if (written < 0) _exit(1);
    at += static_cast<std::size_t>(written);
  }
}

bool hear(std::string& line) {
  line.clear();
  for (char c; read(3, &c, 1) == 1; line += c)
    if (c == '\n') return true;
  return false;
}

struct Asked {
  unsigned long long number = 0;
  std::string point;
  double x[2] = {};
};

std::string jet_at(const double* x, double more = 0) {
  char text[100];
  std::snprintf(text, sizeof text, " jet %.17g 1 10\n", x[0] + 10 * x[1] + more);
  return text;
}
std::string answer_to(const Asked& asked) {
  return "answer " + std::to_string(asked.number) + " " + asked.point + jet_at(asked.x);
}

const pid_t pool = getppid();

[[noreturn]] void hang() {
  for (;;) pause();
}

// Each is given what was asked now and before. Wrong values go to wrong numbers and wrong points alone.
using Deed = std::function<void(const Asked& now, const Asked& before)>;

const std::map<std::string, Deed>& deeds() {
  static const std::map<std::string, Deed> all = {
      {"answers twice",
       [](const Asked& now, const Asked&) {
         say(answer_to(now));
         say(answer_to(now));
       }},
      {"answers twice, later",
       [](const Asked& now, const Asked&) {
         say(answer_to(now));
         if (fork() > 0) return;
         usleep(3000);
         say(answer_to(now));
         _exit(0);
       }},
      {"answers what was asked before",
       [](const Asked& now, const Asked& before) {
         if (before.number != 0) say(answer_to(before));
         say(answer_to(now));
       }},
      {"answers what was asked before, alone",
       [](const Asked&, const Asked& before) {
         if (before.number != 0) say(answer_to(before));
         _exit(0);
       }},
      {"answers what nobody has asked",
       [](const Asked& now, const Asked&) {
         say("answer " + std::to_string(now.number + 1) + " " + now.point + jet_at(now.x, 1000));
         say(answer_to(now));
       }},
      {"answers for another point",
       [](const Asked& now, const Asked&) {
         say("answer " + std::to_string(now.number) + " 0.125 0.25" + jet_at(now.x, 1000));
         say(answer_to(now));
       }},
      {"forks, and both answer",
       [](const Asked& now, const Asked&) {
         const pid_t child = fork();
         say(answer_to(now));
         if (child == 0) _exit(0);
       }},
      {"forks, and the child goes on",
       [](const Asked& now, const Asked&) {
         if (fork() > 0) _exit(0);
         say(answer_to(now));
       }},
      {"forks and crashes",
       [](const Asked&, const Asked&) {
         if (fork() == 0) hang();
         raise(SIGKILL);
       }},
      {"leaves its group, and hangs",
       [](const Asked&, const Asked&) {
         // One that has lost its parent before can be found by nobody then, and would hang behind the tests.
         if (getppid() != pool) _exit(0);
         setpgid(0, getpgid(pool));
         hang();
       }},
      {"signals its group, and hangs",
       [](const Asked&, const Asked&) {
         for (const int number : {SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE, SIGPROF, SIGIO}) {
           signal(number, SIG_IGN);
           kill(0, number);
         }
         hang();
       }},
      {"crashes", [](const Asked&, const Asked&) { raise(SIGSEGV); }},
      {"leaves in the middle of an answer",
       [](const Asked& now, const Asked&) {
         const std::string whole = answer_to(now);
         say(whole.substr(0, whole.size() - 5));
         _exit(3);
       }},
      {"hangs", [](const Asked&, const Asked&) { hang(); }},
      {"stops", [](const Asked&, const Asked&) { raise(SIGSTOP); }},
      {"closes its end",
       [](const Asked&, const Asked&) {
         close(4);
         hang();
       }},
      {"writes lines without end",
       [](const Asked&, const Asked&) {
         for (const std::string lines(1 << 16, '\n');;) say(lines);
       }},
      {"writes one line without end",
       [](const Asked&, const Asked&) {
         for (const std::string line(1 << 16, 'x');;) say(line);
       }},
      {"answers without end",
       [](const Asked& now, const Asked&) {
         for (;;) say(answer_to(now));
       }},
      {"writes what is no text",
       [](const Asked&, const Asked&) { say("answer \xff\xfe\x80 \xc3\x28 jet \xf0\x9f 1 2\n"); }},
  };
  return all;
}

std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "\\n") == 0) {
      plain += '\n';
      ++i;
    } else if (text.compare(i, 4, "\\377") == 0) {
      plain += '\xff';
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

[[noreturn]] void greet_with(std::string text) {
  const bool without_end = text.size() > 3 && text.ends_with("...");
  if (without_end) text.resize(text.size() - 3);
  do {
    say(text);
  } while (without_end);
  hang();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 2 ? argv[1] : "", what = argc > 2 ? argv[2] : "";
  signal(SIGPIPE, SIG_DFL);
  signal(SIGCHLD, SIG_IGN);
  std::string line;
  if (!hear(line)) return 0;
  if (how == "greets") greet_with(unescaped(what));
  say("quoin 2 outputs 1 order 1 fingerprint plane\n");
  for (Asked now, before; hear(line); before = now) {
    now.point = line.substr(line.find(' ', std::strlen("evaluate ")) + 1);
    char* rest = line.data() + std::strlen("evaluate");
    now.number = std::strtoull(rest, &rest, 10);
    for (double& x : now.x) x = std::strtod(rest, &rest);
    const bool at_corner = now.x[0] == 1 && now.x[1] == 1;
    std::mt19937 random(how == "draws" ? static_cast<unsigned>(7919 * std::stoul(what) + now.number) : 0);
    if (how == "says" && at_corner) {
      say("answer " + std::to_string(now.number) + " " + now.point + " " + unescaped(what));
    } else if (how == "fails" && at_corner) {
      say("answer " + std::to_string(now.number) + " " + now.point + " failed " + std::string(std::stoul(what), 'x') +
          "\n");
    } else if (how == "does" && at_corner) {
      deeds().at(what)(now, before);
    } else if (how == "draws" && random() % 3 == 0) {
      std::next(deeds().begin(), static_cast<long>(random() % deeds().size()))->second(now, before);
    } else {
      say(answer_to(now));
    }
  }
}
