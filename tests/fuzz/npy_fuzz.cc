#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "formats/npy.h"
#include "fuzz.h"

MGDM_FUZZ(text) {
  using namespace mgdm;
  const int file = ::memfd_create("npy", MFD_CLOEXEC);
  fuzz::require(::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  struct Closed {
    int file;
    ~Closed() { ::close(file); }
  } const closed{file};
  formats::NpyReader reader("/proc/self/fd/" + std::to_string(file));
  std::size_t rows = 0;
  for (std::vector<std::int64_t> row; reader.next(row); ++rows)
    fuzz::require(row.size() == reader.columns());
  fuzz::require(rows == reader.rows());
}
