/* The C interface of mgdm, for C and every language that can call C.
 *
 * Link with CMake (libmgdm.so):
 *
 *   find_package(mgdm REQUIRED)
 *   target_link_libraries(my_program PRIVATE mgdm::shared)
 *
 * Texts are UTF-8 and end in 0. A returned `const char*` belongs to the object it came from. A
 * returned pointer to a struct, or `char*`, must be freed by the function that its comment names.
 * Freeing NULL does nothing.
 *
 * Errors: a function that returns a pointer returns NULL, one that returns an int returns -1, and
 * mgdm_error() says why.
 *
 * Options are one text, "steps=10 noise=0.5": names and values as in mgdm/mgdm.h, with spaces
 * between. NULL and "" mean the defaults.
 *
 * Threads: as in mgdm/mgdm.h. A model serves one thread at a time, different models are
 * independent, and the other functions may be called from any thread. */
#ifndef MGDM_MGDM_C_H_
#define MGDM_MGDM_C_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0". */
const char* mgdm_version(void);

/* ---- Errors ------------------------------------------------------------------------------------
 */

/* The error of the last call that failed in this thread: the whole text for people, and its parts.
 * "" when there was none. Valid until the next call in this thread. */
const char* mgdm_error(void);
const char* mgdm_error_seen(void);
const char* mgdm_error_expected(void);
const char* mgdm_error_hint(void);

/* ---- Puzzles: no network involved --------------------------------------------------------------
 */

/* The names of the tasks, from 0; NULL after the last. Beside these there are search-3 to -5 and
   optimal-3 to -5: countdown answered by the text of a search, whose labels are not always right.
 */
const char* mgdm_task_name(size_t index);

typedef struct mgdm_puzzles mgdm_puzzles;

/* Generates puzzles with solutions. Options: seed, split, first, threads, and those of the task,
 * named as the flags of mgdm generate ("nodes=4"). Free with mgdm_puzzles_free. */
mgdm_puzzles* mgdm_generate(const char* task, size_t count, const char* options);
/* Reads the puzzles of a file: JSONL, Sudoku CSV, lines or grids, DIMACS. Free with
 * mgdm_puzzles_free. */
mgdm_puzzles* mgdm_read_puzzles(const char* task, const char* file);

size_t mgdm_puzzles_count(const mgdm_puzzles* puzzles);
/* NULL when there is no such puzzle. An unknown solution is "". */
const char* mgdm_puzzles_input(const mgdm_puzzles* puzzles, size_t index);
const char* mgdm_puzzles_solution(const mgdm_puzzles* puzzles, size_t index);
void mgdm_puzzles_free(mgdm_puzzles* puzzles);

/* 1 when the answer is right by the rules of the puzzle, 0 when it is wrong. `solution` may be
 * NULL. Where they are not NULL, *right_paper becomes 1 or 0 by the metric of the paper's released
 * code, and *faults the faults, one per line, "" without any (mgdm_text_free); 0 and NULL when the
 * call fails. */
int mgdm_verify(const char* task, const char* puzzle, const char* solution, const char* answer,
                int* right_paper, char** faults);

/* Solves by exact search. Returns 1 and the *solution (mgdm_text_free), or 0 when there is none.
 * Unless it returns 1, *solution becomes NULL. */
int mgdm_solve_exactly(const char* task, const char* puzzle, char** solution);

/* The puzzle as the task writes it (mgdm_text_free); NULL when the text is not a puzzle. */
char* mgdm_normalize(const char* task, const char* puzzle);

/* Looks at a puzzle without solving it: 0, or -1 when the text is not a puzzle. *contradiction
 * becomes an obvious reason why it has no solution, *unfamiliar how it differs from generated
 * puzzles (mgdm_text_free); "" without one, NULL when the call fails. Both may be NULL. */
int mgdm_check(const char* task, const char* puzzle, char** contradiction, char** unfamiliar);

void mgdm_text_free(char* text);

/* ---- Models ------------------------------------------------------------------------------------
 */

typedef struct mgdm_model mgdm_model;

/* A folder, or a name that is looked up in $MGDM_MODELS, in the models installed with libmgdm.so,
 * in those beside the program (../share/mgdm/models) and in ./models. Options: device, threads,
 * batch, arithmetic, deterministic. mgdm_model_free. */
mgdm_model* mgdm_model_load(const char* folder_or_name, const char* options);
/* A model for another thread, with `threads` of its own, over the same weights. Other threads may
 * be calling the first one. NULL for a model on LibTorch. mgdm_model_free. */
mgdm_model* mgdm_model_clone(const mgdm_model* model, int threads);
void mgdm_model_free(mgdm_model* model);

const char* mgdm_model_folder(const mgdm_model* model);
const char* mgdm_model_task(const mgdm_model* model);
const char* mgdm_model_objective(const mgdm_model* model);
const char* mgdm_model_architecture(const mgdm_model* model);
int64_t mgdm_model_parameters(const mgdm_model* model);
const char* mgdm_model_device(const mgdm_model* model);
const char* mgdm_model_arithmetic(const mgdm_model* model);
/* The model's own decoding options as text: "steps=20 order=topk ...". */
const char* mgdm_model_decoding(const mgdm_model* model);

/* The state of a puzzle after a pass. The pointers are valid during the call only. */
typedef struct mgdm_step {
  size_t puzzle;           /* its place in the list, from 0 */
  int64_t attempt;         /* which try ... */
  int64_t pass;            /* ... and which pass of it, from 0 */
  const char* text;        /* the answer so far, '_' where it is hidden */
  const float* confidence; /* of each character of the text, 0 to 1 */
  size_t characters;       /* of the text */
} mgdm_step;

/* Called after every pass (with symmetries: of the puzzle as given), on the thread that called
 * mgdm_solve. Returning 0 ends that puzzle with its current answer; other values continue. It must
 * not call the model, nor throw. */
typedef int (*mgdm_on_step)(const mgdm_step* step, void* user);

typedef struct mgdm_answers mgdm_answers;

/* Answers in the order of the puzzles; a puzzle that cannot be read or answered has its error in
 * mgdm_answers_error, and the others are answered. Options: steps, order, schedule, revise, noise,
 * temperature, threshold, entropy_bound, early_stop, loops, symmetries, tries, seed, first.
 * `on_step` may be NULL; it gets `user`. mgdm_answers_free. */
mgdm_answers* mgdm_solve(mgdm_model* model, const char* const* puzzles, size_t count,
                         const char* options, mgdm_on_step on_step, void* user);

size_t mgdm_answers_count(const mgdm_answers* answers);
/* NULL, or -1, when there is no such answer. */
const char* mgdm_answers_puzzle(const mgdm_answers* answers,
                                size_t index); /* as the task writes it */
const char* mgdm_answers_text(const mgdm_answers* answers, size_t index);
/* 1, 0, or 2 if the answer cannot be checked */
int mgdm_answers_correct(const mgdm_answers* answers, size_t index);
int64_t mgdm_answers_passes(const mgdm_answers* answers, size_t index);     /* over all tries */
const char* mgdm_answers_faults(const mgdm_answers* answers, size_t index); /* a line each */
/* Why this puzzle has no answer; "" when it has one. */
const char* mgdm_answers_error(const mgdm_answers* answers, size_t index);
void mgdm_answers_free(mgdm_answers* answers);

#ifdef __cplusplus
}
#endif

#endif
