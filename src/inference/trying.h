// Tries: a puzzle whose answer does not verify is shown to the network again, under another
// symmetry of its task each time (data/view.h), until an answer does.
//
// A network that is wrong about a puzzle is wrong again when it is asked the same with other noise;
// a puzzle in another form is nearly another puzzle to it (docs/experiments.md).
#pragma once

#include <memory>

#include "inference/engine.h"

namespace mgdm::inference {

// An engine that lets another make the tries of a request one by one, each of the next of the
// puzzle's forms: itself, then its views. Where decoding is stochastic and there are fewer forms
// than tries, they come again, with other draws. The passes of an answer are those of all tries;
// observers see every try in the puzzle's own row.
std::unique_ptr<Engine> trying_engine(std::shared_ptr<Engine> engine);

}  // namespace mgdm::inference
