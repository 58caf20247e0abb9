// For tests: the example of the Wikipedia article on Sudoku.
#pragma once

#include <string>

namespace mgdm::tasks::sudoku {

inline const std::string kPuzzle =
    "530070000600195000098000060800060003400803001700020006060000280000419005000080079";
inline const std::string kSolution =
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

}  // namespace mgdm::tasks::sudoku
