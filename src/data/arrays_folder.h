// Folders of arrays, as HRM and TRM train on: all__inputs.npy and all__labels.npy have a row of
// numbers for each puzzle and its answer, and dataset.json says what they mean.
//
// A number above pad_id stands for a character. dataset.json does not say which one, except in
// folders that write_arrays() made ("alphabet"); elsewhere 1, 2, ... are 0 to 9, a to z, A to Z, so
// a Sudoku reads as everywhere else. Padding at the end of a row is left out.
#pragma once

#include <string>
#include <vector>

#include "data/examples_file.h"
#include "tasks/task.h"

namespace mgdm::data {

bool is_arrays_folder(const std::string& path);

// Calls use(found) for each row. An Error names the file and the row.
void for_each_in_arrays(const std::string& folder, const UsePuzzle& use,
                        const OnBadLine& on_bad = {});

// Makes the folder, with all files that those programs read.
void write_arrays(const std::string& folder, const std::vector<tasks::Example>& examples);

}  // namespace mgdm::data
