// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace studies {

/// What an option accepts, and how the help shows it. For a list, of each of its values.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option& between(double least, double most);
  Option& at_least(double least);
  Option& one_of(const std::vector<std::string>& words);
  Option& existing_file();
  Option& comma_separated();
  Option& without_default();                  ///< in the help
  Option& shown_as(const std::string& kind);  ///< in the help, in the place of TEXT or FLOAT

 private:
  CLI::Option* option_;
};

/// Thrown to refuse together what the options accept one by one.
struct Refusal : std::invalid_argument {
  Refusal(const std::string& options, const std::string& why) : std::invalid_argument(options + ": " + why) {}
};

/// The options of a program. Variables keep their values unless the user says otherwise, and must outlive the command
/// line. This hides the library that parses, which takes the compiler seconds in each translation unit.
class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& description);
  ~CommandLine();

  /// For int, long long, std::uint64_t, double, std::string, std::filesystem::path, and vectors of int, double and
  /// std::string. The help shows the variable's value, unless that is empty, as the default.
  template <class T>
  Option add(const std::string& name, T& variable, const std::string& help);
  void add_flag(const std::string& name, bool& variable, const std::string& help);

  void after_parsing(std::function<void()> work);  ///< may throw a Refusal

  /// Returns nothing if the program may go on, else its exit status: 0 for help, 2 for a mistake; messages are printed.
  /// For an option that is a number, nan and inf are mistakes.
  std::optional<int> parse(int argc, char** argv);

  std::size_t count(const std::string& name) const;  ///< how often the user gave an option
  const std::string& program() const;

 private:
  std::unique_ptr<CLI::App> app_;
};

/// Throws std::runtime_error if printed output is lost, as when the standard output is a file on a full disk.
void require_printed();

}  // namespace studies
