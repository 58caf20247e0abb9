#include "torch_commands/bench_decode.h"

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "formats/test_support.h"
#include "nn/checkpoint.h"

#ifdef MGDM_HAVE_RUNTIME  // which computes in int8
namespace mgdm::torch_commands {
namespace {

// One column of the head is so large that int8 has nothing left for the others. The model itself
// gives no weight to that column, so that in fp32 the others decide.
TEST(BenchDecode, AnswersMustBeThoseOfThePlainPath) {
  const formats::TemporaryFolder folder;
  write_untrained(folder.path(),
                  spec::read_recipe(MGDM_SOURCE_DIR "/recipes/smoke/mgdm.toml", {"data.count=64"}));
  const auto answers_alike = [&](const std::string& arithmetic) {
    const nn::LoadedModel loaded = nn::load_model(folder.path());
    {
      const at::NoGradGuard no_grad;
      for (const nn::Parameter& parameter : loaded.model->parameters().all()) {
        if (parameter.name == "transformer.wte.weight") parameter.value.select(1, 0).fill_(1000);
        if (parameter.name.starts_with("transformer.ln_f")) parameter.value[0].fill_(0);
      }
    }
    spec::About about = loaded.about;
    about.card->arithmetic = arithmetic;
    nn::write_model(folder.path(), *loaded.model, *loaded.vocabulary, about);
    return bench_decode(folder.path(), {.device = "cpu"}, {.batch = 1, .turns = 1, .steps = 2})
        .same;
  };
  EXPECT_EQ(answers_alike("fp32"), 16);
  EXPECT_CONTAINS(error_of([&] { answers_alike("int8"); }),
                  "% of the tokens are those of the plain path");
}

}  // namespace
}  // namespace mgdm::torch_commands
#endif
