/* SPDX-License-Identifier: BSD-3-Clause
 * Makes a C function a worker of quoin (docs/evaluators.md). x: `variables` numbers; jet: outputs * derivatives numbers,
 * column by column: the values, their derivatives by x[0], by x[1], ... Return NULL, or the reason of a failure, of which
 * the first line and 60000 bytes are told; one that begins with "retry" may pass.
 *
 *   static const char* f(const double* x, double* jet) { jet[0] = x[0] * x[1]; jet[1] = x[1]; jet[2] = x[0]; return 0; }
 *   int main(void) { return quoin_serve(f, 2, 1, 1, "product 1"); }
 */
#ifndef QUOIN_WORKER_H
#define QUOIN_WORKER_H
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* fdopen */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef const char* (*quoin_function)(const double* x, double* jet);
static size_t quoin_jet_size(int variables, int order) { /* C(variables + order, order) */
  size_t size = 1;
  for (int k = 1; k <= order; ++k) size = size * (size_t)(variables + k) / (size_t)k;
  return size;
}
/* How much of a reason is told: a line that is much longer is no answer. Whole characters of UTF-8. */
static int quoin_reason_length(const char* reason) {
  size_t length = strcspn(reason, "\n");
  if (length <= 60000) return (int)length;
  length = 60000;
  while (length > 59996 && ((unsigned char)reason[length] & 0xC0) == 0x80) --length;
  return (int)length;
}
/* Answers until there are no more questions. Returns what main should: 0, or 1 if it is no worker or has no memory. */
static int quoin_serve(quoin_function f, int variables, int outputs, int order, const char* fingerprint) {
  const size_t count = (size_t)outputs * quoin_jet_size(variables, order);
  FILE* questions = fdopen(3, "r");
  FILE* answers = fdopen(4, "w");
  double* x = (double*)malloc((size_t)variables * sizeof *x);
  double* jet = (double*)malloc(count * sizeof *jet);
  char line[1024]; /* a number and a point of at most 6 */
  int asked = 0;
  const int one = 1;
  if (!questions || !answers || !x || !jet || !fgets(line, sizeof line, questions) ||
      sscanf(line, "quoin 2 variables %d", &asked) != 1 || asked != variables) {
    fprintf(stderr, "quoin_serve: no worker of version 2, or asked for %d variables instead of %d\n", asked, variables);
    return 1;
  }
  const int binary = strstr(line, "binary little-endian") != NULL && *(const char*)&one == 1;
  fprintf(answers, "quoin 2 outputs %d order %d fingerprint %s\n", outputs, order, fingerprint);
  while (fflush(answers) == 0 && fgets(line, sizeof line, questions)) {
    char* rest = line + strlen("evaluate");
    line[strcspn(line, "\n")] = '\0';
    (void)strtoull(rest, &rest, 10); /* the number of the question */
    for (int i = 0; i < variables; ++i) x[i] = strtod(rest, &rest);
    const char* reason = f(x, jet);
    fputs("answer", answers);
    fputs(line + strlen("evaluate"), answers);
    fputc(' ', answers);
    if (reason) {
      fprintf(answers, "%s%.*s\n", strncmp(reason, "retry", 5) ? "failed " : "", quoin_reason_length(reason), reason);
    } else if (binary) {
      fprintf(answers, "jet binary %zu\n", count * sizeof *jet);
      fwrite(jet, sizeof *jet, count, answers);
    } else {
      fputs("jet", answers);
      for (size_t i = 0; i < count; ++i) fprintf(answers, " %.17g", jet[i]);
      fputc('\n', answers);
    }
  }
  return free(x), free(jet), 0;
}
#endif
