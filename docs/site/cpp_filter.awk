# SPDX-License-Identifier: BSD-3-Clause
# usage: awk -f cpp_filter.awk <header>
# Tells Doxygen how comments are read in quoin's headers. Lines keep their numbers.
# - A comment above functions of one name that follow each other without an empty line is the comment of all of them.
# - The comment of several variables that are declared at once is that of each.
# - Lines of a comment that are indented by three spaces or more, below an empty one, are code.
# - Members that a concept names, which stands where a base class would, have its comment unless they have their own.
# - to_string of an enumeration says its value in words.
# - Members that return what they are named for, in one line, and names of types within a class need none.
# - Functions that are defaulted or deleted without a comment need none; nor do instances of templates made elsewhere.

{ line[NR] = $0 }

# Is this a line of a comment above what it documents?
function documents(text) {
  return text ~ /^ *\/\/\/( |$)/
}

# The line without strings, characters and comments.
function code_of(text) {
  gsub(/"([^"\\]|\\.)*"/, "\"\"", text)
  gsub(/'([^'\\]|\\.)'/, "''", text)
  sub(/\/\/.*/, "", text)
  return text
}

# The last line of the statement that begins at `first`; sets trailing: whether a line of it has a comment of its own.
function statement_end(first, i, k, depth, text, c) {
  trailing = 0
  depth = 0
  for (i = first; i <= NR; ++i) {
    if (line[i] ~ /\/\/\/</) trailing = 1
    text = code_of(line[i])
    for (k = 1; k <= length(text); ++k) {
      c = substr(text, k, 1)
      if (c ~ /[({\[]/) ++depth
      else if (c ~ /[)}\]]/) --depth
      if (depth == 0 && (c == ";" || (c == "}" && substr(text, k + 1) ~ /^[ \t]*$/))) return i
    }
  }
  return NR
}

# The statement's own words: without template parameters, which stand on a line of their own, and requires clauses.
function head_of(first, last, i) {
  for (i = first; i <= last; ++i)
    if (line[i] !~ /^ *(template|requires)( |<)/) return line[i]
  return line[last]
}

function is_scope(text) {
  return text ~ /^ *(class|struct|enum|union|namespace|concept|extern)[^A-Za-z_0-9]/
}

function is_function(text) {
  text = code_of(text)
  if (text ~ /^ *(using|static_assert|friend|typedef)[^A-Za-z_0-9]/) return 0
  sub(/std::function<.*>/, "", text)
  sub(/operator *[^ A-Za-z_0-9]+/, "operator", text)
  return text ~ /^[^={]*[A-Za-z_0-9]\(/
}

# The name of the function whose first line this is.
function name_of(text) {
  text = code_of(text)
  match(text, /[A-Za-z_0-9~]+\(|operator *[^ A-Za-z_0-9]+/)
  text = substr(text, RSTART, RLENGTH)
  sub(/^try_/, "", text)  # as evaluate, but it does not throw
  return text
}

# The concept that names this member, "" if none does; the first line of a declaration must tell.
function concept_of(text) {
  if (text ~ /Eigen::Index output_size\(\) const/) return "DifferentiableMap"
  if (text ~ /Answer evaluate\(const Point<.*MatrixXd& H/) return "TwiceDifferentiableMap"
  if (text ~ /Answer evaluate\(const Point<.*VectorXd& y/) return "DifferentiableMap"
  if (text ~ /Answer try_evaluate\(const Point<.*MatrixXd& H/) return "TwiceDifferentiableMap"
  if (text ~ /Answer try_evaluate\(const Point<.*VectorXd& y/) return "TryableMap"
  if (text ~ /FunctionTraits traits\(\) const/) return "FunctionTraits"
  if (text ~ /StepStatus rate\(const .*VectorXd& x/) return "ContinuousDynamics"
  if (text ~ /StepStatus step\(const .*VectorXd& x/) return "DiscreteDynamics"
  if (text ~ /StepStatus inverse_dynamics\(const .*VectorXd& q/) return "InverseDynamics"
  if (text ~ /void hint\(const .*MatrixXd>?& /) return "DiscreteDynamics"
  if (text ~ /Eigen::Index (state|control)_size\(\) const/) return "DiscreteDynamics"
  if (text ~ /Eigen::Index output_size\(const [^)]*\) const/) return "TaskMap"
  if (text ~ /void evaluate\(const Eigen::VectorXd& q, const [A-Za-z0-9:]+& (environment|goals|obstacles), /) return "TaskMap"
  if (text ~ /bool residual\(int ?i?, const/) return "planning::StageResiduals"
  if (text ~ /bool constraint\(int ?i?, const/) return "planning::StageConstraints"
  return ""
}

# Several variables that are declared in one statement of one line, each in a statement of its own; "" if it is none.
# The comment goes in front of each, but in front of the first only if `first` is set.
function apart(text, comment, first, all, k, c, depth, start, type, part, parts) {
  sub(/^ */, "", text)
  if (text !~ /;$/ || text ~ /^(using|typedef|friend|return|static_assert|template)[^A-Za-z_0-9]/ || is_function(text)) return ""
  depth = 0
  start = 1
  all = type = ""
  for (k = 1; k <= length(text); ++k) {
    c = substr(text, k, 1)
    if (c ~ /[({<\[]/) ++depth
    else if (c ~ /[)}>\]]/) --depth
    if (depth == 0 && (c == "," || c == ";")) {
      part = substr(text, start, k - start)
      start = k + 1
      if (parts++ == 0) {
        type = part
        sub(/ *(=.*|\{.*\})$/, "", type)
        sub(/[A-Za-z_0-9]+$/, "", type)
        all = (first ? comment : "") part ";"
      } else {
        sub(/^ */, "", part)
        all = all " " comment type part ";"
      }
    }
  }
  return parts > 1 ? all : ""
}

# The same with the comment behind the statement, if there are several variables.
function apart_if_several(text, at, pieces) {
  at = index(text, "///<")
  if (at == 0) return text
  pieces = substr(text, 1, at - 1)
  sub(/ +$/, "", pieces)
  pieces = apart(pieces, "/** " substr(text, at + 4) " */ ", 1)
  return pieces == "" ? text : pieces
}

# A line that may begin a member without a comment.
function without_comment(text) {
  if (text ~ /= (default|delete);|^extern template /) return "/** @cond */ " text " /** @endcond */"
  if (text ~ /(const char\*|std::string(_view)?) to_string\([A-Za-z]+ [a-z]+\)/) return "/** What it is, in words. */ " text
  if (text ~ /^ +[A-Za-z_:<>0-9&*, ]+ [a-zA-Z_0-9]+\(\) const( noexcept)? \{ return .*; \}$/ && concept_of(text) == "")
    return "/** What it is named for. */ " text
  if (text ~ /^ +using [A-Za-z]+ = Eigen::[A-Za-z]+;$/) return "/** Of doubles. */ " text
  if (concept_of(text) != "") return "/** As quoin::" concept_of(text) " has it. */ " text
  return text
}

function ends_run(text) {
  return text ~ /^ *$/ || text ~ /^ *(\/\/|}|#|public:|private:|protected:)/
}

# The comment in one line: its paragraphs, without code.
function in_one_line(from, to, i, text, all, in_code) {
  all = ""
  for (i = from; i <= to; ++i) {
    text = original[i]
    sub(/^ *\/\/\/ ?/, "", text)
    if (text ~ /^ *$/) {
      all = all " <p> "
      continue
    }
    if (code_line[i]) continue
    all = all " " text
  }
  gsub(/\*\//, "* /", all)
  gsub(/ <p>( +<p>)+ /, " <p> ", all)
  sub(/( <p> )+$/, "", all)
  return "/**" all " */ "
}

function mark_code(from, to, i, after_empty) {
  after_empty = 1
  for (i = from; i <= to; ++i) {
    original[i] = line[i]
    if (line[i] ~ /^ *\/\/\/ *$/) {
      after_empty = 1
    } else if (after_empty && line[i] ~ /^ *\/\/\/   /) {
      code_line[i] = 1
      sub(/\/\/\//, "///    ", line[i])
    } else {
      after_empty = 0
    }
  }
}

END {
  for (i = 1; i <= NR; ++i) {
    if (line[i] ~ /\/\/\/</) line[i] = apart_if_several(line[i])
    if (!documents(line[i])) {
      if (line[i] !~ /\/\/\//) line[i] = without_comment(line[i])
      continue
    }
    from = i
    while (documents(line[i + 1])) ++i
    to = i
    mark_code(from, to)
    last = statement_end(to + 1)
    head = head_of(to + 1, last)
    if (is_scope(head)) continue
    i = to + 1  # has its comment
    if (!is_function(head)) {
      if (line[i] !~ /\/\/\// && (pieces = apart(line[i], in_one_line(from, to), 0)) != "") line[i] = pieces
      continue
    }
    comment = in_one_line(from, to)
    for (i = last; !ends_run(line[i + 1]) && i < NR; i = last) {
      last = statement_end(i + 1)
      if (trailing) continue
      next_head = head_of(i + 1, last)
      if (next_head !~ /= (default|delete);/ && is_function(next_head) && name_of(next_head) == name_of(head))
        line[i + 1] = comment line[i + 1]
      else
        line[i + 1] = without_comment(line[i + 1])
    }
  }
  for (i = 1; i <= NR; ++i) print line[i]
}
