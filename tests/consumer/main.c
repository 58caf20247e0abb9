/* The C interface from C. Each check that fails prints its line; the program ends with their
 * number. */
#include <mgdm/mgdm_c.h>
#include <stdio.h>
#include <string.h>

static int failed = 0;
#define CHECK(condition)                                                                    \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      fprintf(stderr, "line %d: %s; last error: %s\n", __LINE__, #condition, mgdm_error()); \
      ++failed;                                                                             \
    }                                                                                       \
  } while (0)

static void puzzles(void) {
  char* text = NULL;
  mgdm_puzzles* made = mgdm_generate("sudoku", 2, "difficulty=hard seed=3");
  CHECK(mgdm_puzzles_count(made) == 2);
  CHECK(mgdm_solve_exactly("sudoku", mgdm_puzzles_input(made, 0), &text) == 1);
  CHECK(text != NULL && strcmp(text, mgdm_puzzles_solution(made, 0)) == 0);
  mgdm_text_free(text);
  CHECK(mgdm_verify("sudoku", mgdm_puzzles_input(made, 0), NULL, "123", NULL, &text) == 0);
  CHECK(text != NULL && text[0] != '\0');
  mgdm_text_free(text);
  mgdm_puzzles_free(made);
  CHECK(mgdm_generate("sudko", 1, NULL) == NULL);
  CHECK(strstr(mgdm_error_hint(), "sudoku") != NULL);
}

static int count_steps(const mgdm_step* step, void* user) {
  int* steps = (int*)user;
  if (step->puzzle == 0) CHECK(step->pass == *steps);
  if (step->puzzle == 0) ++*steps;
  return step->puzzle == 0; /* the second puzzle is stopped after a pass */
}

static void models(void) {
  const char* inputs[2];
  int steps = 0;
  mgdm_answers* answers = NULL;
  mgdm_puzzles* made = mgdm_generate("planning", 2, "nodes=4 split=test");
  mgdm_model* model = mgdm_model_load("quick-planning-mgdm", "threads=1"); /* an installed one */
  CHECK(model != NULL);
  if (model == NULL) return;
  CHECK(strcmp(mgdm_model_task(model), "planning") == 0);
  inputs[0] = mgdm_puzzles_input(made, 0);
  inputs[1] = mgdm_puzzles_input(made, 1);
  answers = mgdm_solve(model, inputs, 2, "steps=6", count_steps, &steps);
  CHECK(mgdm_answers_count(answers) == 2);
  CHECK(steps == 6);
  CHECK(mgdm_answers_correct(answers, 0) == 1);
  CHECK(mgdm_answers_passes(answers, 1) == 1);
  printf("%s by %ld parameters\n", mgdm_answers_text(answers, 0),
         (long)mgdm_model_parameters(model));
  mgdm_answers_free(answers);
  mgdm_model_free(model);
  mgdm_puzzles_free(made);
}

int main(void) {
  printf("mgdm %s\n", mgdm_version());
  puzzles();
  models();
  return failed;
}
