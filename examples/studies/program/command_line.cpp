// SPDX-License-Identifier: BSD-3-Clause
#include "examples/studies/program/command_line.hpp"

#include "quoin/util/parse_number.hpp"
#include "quoin/util/to_text.hpp"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <limits>
#include <system_error>
#include <type_traits>
#include <utility>

namespace studies {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_floating(const CLI::Option& option) { return option.get_type_name().starts_with("FLOAT"); }

/// Whether the text is a finite number in these bounds. (CLI::Range accepts nan.)
bool is_number(const std::string& text, double least, double most) {
  double number = 0;
  return quoin::parse_number(text, number) && std::isfinite(number) && number >= least && number <= most;
}

/// CLI::Range prints 1e-9 as 0.000000 in its message.
CLI::Validator bounds(const std::string& range, double least, double most) {
  return {[=](const std::string& text) {
            return is_number(text, least, most) ? std::string() : "'" + text + "' is not a number " + range;
          },
          range};
}

CLI::Validator finite() {
  return {[](const std::string& text) {
            return is_number(text, -infinity, infinity) ? std::string() : "'" + text + "' is not a finite number";
          },
          ""};
}

/// CLI11 takes -1 for the greatest number of an unsigned type.
CLI::Validator unsigned_number() {
  return {[](const std::string& text) { return text.starts_with('-') ? "'" + text + "' is negative" : std::string(); },
          ""};
}

}  // namespace

Option& Option::between(double least, double most) {
  if (is_floating(*option_))
    option_->check(bounds("from " + quoin::to_text(least) + " to " + quoin::to_text(most), least, most));
  else
    option_->check(CLI::Range(static_cast<long long>(least), static_cast<long long>(most)));
  return *this;
}

Option& Option::at_least(double least) {
  option_->check(bounds("of at least " + quoin::to_text(least), least, infinity));
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

Option& Option::existing_file() {
  option_->check(CLI::ExistingFile);
  return *this;
}

Option& Option::comma_separated() {
  option_->delimiter(',');
  return *this;
}

Option& Option::without_default() {
  option_->default_str("");
  return *this;
}

Option& Option::shown_as(const std::string& kind) {
  option_->type_name(kind);
  return *this;
}

CommandLine::CommandLine(const std::string& program, const std::string& description)
    : app_(std::make_unique<CLI::App>(description, program)) {}

CommandLine::~CommandLine() = default;

template <class T>
Option CommandLine::add(const std::string& name, T& variable, const std::string& help) {
  CLI::Option* option = app_->add_option(name, variable, help)->capture_default_str();
  if constexpr (std::is_unsigned_v<T>) option->check(unsigned_number());
  return Option(*option);
}

template Option CommandLine::add(const std::string&, int&, const std::string&);
template Option CommandLine::add(const std::string&, long long&, const std::string&);
template Option CommandLine::add(const std::string&, std::uint64_t&, const std::string&);
template Option CommandLine::add(const std::string&, double&, const std::string&);
template Option CommandLine::add(const std::string&, std::string&, const std::string&);
template Option CommandLine::add(const std::string&, std::filesystem::path&, const std::string&);
template Option CommandLine::add(const std::string&, std::vector<int>&, const std::string&);
template Option CommandLine::add(const std::string&, std::vector<double>&, const std::string&);
template Option CommandLine::add(const std::string&, std::vector<std::string>&, const std::string&);

void CommandLine::add_flag(const std::string& name, bool& variable, const std::string& help) {
  app_->add_flag(name, variable, help);
}

void CommandLine::after_parsing(std::function<void()> work) { app_->callback(std::move(work)); }

std::optional<int> CommandLine::parse(int argc, char** argv) {
  const auto refuse = [&](const char* message) {
    std::cerr << program() << ": " << message << "; --help lists the options\n";
    return 2;
  };
  for (CLI::Option* option : app_->get_options())
    if (is_floating(*option)) option->check(finite());
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app_->exit(error) : refuse(error.what());
  } catch (const Refusal& refusal) {
    return refuse(refusal.what());
  }
}

std::size_t CommandLine::count(const std::string& name) const { return app_->count(name); }

const std::string& CommandLine::program() const { return app_->get_name(); }

void require_printed() {
  errno = 0;
  if (!std::cout.flush())
    throw std::runtime_error("cannot write to the standard output: " +
                             (errno == 0 ? "a write before failed" : std::generic_category().message(errno)));
}

}  // namespace studies
