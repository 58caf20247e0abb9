#include "ops/answer.h"

#include "ops/cuda/functions.h"

namespace mgdm::ops {

bool answer_takes(const Transformer& network, const AnswerRows& rows, AnswerKernel kernel) {
  return cuda::answer_takes(network, rows, kernel);
}

Answers answer(const Transformer& network, const DecodingRule& rule, const AnswerTry& now,
               const AnswerRows& rows) {
  return cuda::answer(network, rule, now, rows);
}

}  // namespace mgdm::ops
