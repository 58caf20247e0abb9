/* Solve puzzles from C, and where the model is wrong, by exact search:
 *
 *   solve                                        three of countdown: four numbers and their target
 *   solve countdown-4 '4 5 6 10 -> 24' ...       others, for any model by its name or folder
 *
 * Each pass is a line: what the model is not sure of yet is '_'. Ends with 0 when all are right. */
#include <mgdm/mgdm_c.h>
#include <stdio.h>

static int failed(void) {
  fprintf(stderr, "%s\n", mgdm_error());
  return 2;
}

static int show(const mgdm_step* step, void* user) {
  (void)user;
  printf("  puzzle %zu, pass %d: %s\n", step->puzzle + 1, (int)step->pass + 1, step->text);
  return 1; /* go on */
}

static void solve_exactly(const char* task, const char* puzzle) {
  char* solution = NULL;
  const int solvable = mgdm_solve_exactly(task, puzzle, &solution);
  if (solvable == 1)
    printf("  right would be %s\n", solution);
  else
    printf("  %s\n", solvable == 0 ? "there is no solution" : mgdm_error());
  mgdm_text_free(solution);
}

int main(int count, char** words) {
  static const char* const kPuzzles[] = {"4 5 6 10 -> 24", "3 7 25 50 -> 68", "86,28,13,31,96"};
  const char* name = count > 1 ? words[1] : "countdown-4";
  const char* const* puzzles = count > 2 ? (const char* const*)words + 2 : kPuzzles;
  const size_t asked = count > 2 ? (size_t)count - 2 : sizeof kPuzzles / sizeof *kPuzzles;
  size_t i, right = 0;
  mgdm_answers* answers;
  mgdm_model* model = mgdm_model_load(name, NULL);
  if (model == NULL) return failed();
  answers = mgdm_solve(model, puzzles, asked, NULL, show, NULL);
  if (answers == NULL) return failed();
  for (i = 0; i < mgdm_answers_count(answers); ++i) {
    const char* puzzle = mgdm_answers_puzzle(answers, i);
    const int correct = mgdm_answers_correct(answers, i);
    printf("%s: %s, %s\n", puzzle, mgdm_answers_text(answers, i), correct ? "right" : "wrong");
    if (!correct) solve_exactly(mgdm_model_task(model), puzzle);
    right += (size_t)correct;
  }
  mgdm_answers_free(answers);
  mgdm_model_free(model);
  return right == asked ? 0 : 1;
}
