// LoRA beside a language model with a tokenizer, as a user does it: train, resume, evaluate,
// export.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/files.h"
#include "program_test.h"

namespace mgdm {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kSource = MGDM_SOURCE_DIR;

class LlamaCli : public Program {
 protected:
  // A small LLaMA as Hugging Face has them: no word of ours in config.json, and a tokenizer.
  void make_base(const std::string& name, int seed) const {
    const fs::path tokenizer = kSource / "tests/golden/tokenizers/llama2/tokenizer.json";
    const json document = json::parse(read_file(tokenizer));
    const std::size_t tokens =
        document["model"]["vocab"].size() + 1;  // <pad> is added, the others are in it
    const Outcome made =
        train("training.steps=1 evaluation.count=0 model.vocabulary=" + std::to_string(tokens) +
              " seed=" + std::to_string(seed) + " --out " + path("made-" + name));
    ASSERT_EQ(made.code, 0) << made.err;
    ASSERT_EQ(mgdm("export --model " + path("made-" + name) + "/checkpoint-1 --dtype fp32 --out " +
                   path(name))
                  .code,
              0);
    json config = json::parse(read_file(path(name + "/config.json")));
    config.erase("mgdm");
    write_file(path(name + "/config.json"), config.dump(2));
    write_file(path(name + "/tokenizer.json"), read_file(tokenizer));
    write_file(path(name + "/tokenizer_config.json"),
               R"({"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"})");
    for (const char* file : {"special_tokens_map.json", "checksums.txt"})
      fs::remove(path(name + "/" + file));
  }

  Outcome train(const std::string& more) const {
    return mgdm("train '" + (kSource / "recipes/smoke/llama.toml").string() + "' " + more);
  }
};

TEST_F(LlamaCli, LoraTrainsResumesAnswersAndBecomesOneModel) {
  make_base("base", 1);
  const std::string lora =
      "model.lora.rank=4 evaluation.count=2 training.steps=4 training.checkpoint_every=2 init=" +
      path("base");
  const Outcome trained = train(lora + " --out " + path("run"));
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_NE(trained.err.find("trained)"), std::string::npos) << trained.err;
  const std::string last = path("run/checkpoint-4");
  for (const char* file : {"adapter_model.safetensors", "adapter_config.json", "tokenizer.json"})
    EXPECT_TRUE(fs::exists(fs::path(last) / file)) << file;
  EXPECT_FALSE(fs::exists(last + "/model.safetensors"));
  // Before data are made, which would take all day.
  const Outcome narrow = train("model.lora.rank=2 data.count=100000000 init=" + last);
  EXPECT_EQ(narrow.code, 1);
  EXPECT_NE(narrow.err.find("LoRA of rank 4"), std::string::npos) << narrow.err;

  // Bit for bit from the checkpoint before.
  const std::string matrices = read_file(last + "/adapter_model.safetensors");
  fs::remove_all(last);
  const Outcome resumed = train(lora + " --resume --out " + path("run"));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(read_file(last + "/adapter_model.safetensors"), matrices);

  make_base("other", 2);
  const Outcome elsewhere =
      train(lora + " training.steps=6 init=" + path("other") + " --resume --out " + path("run"));
  EXPECT_EQ(elsewhere.code, 1);
  EXPECT_NE(elsewhere.err.find("is not the base model that the LoRA files were trained on"),
            std::string::npos)
      << elsewhere.err;

  // One model of both answers the same.
  ASSERT_EQ(
      mgdm("generate planning --nodes 3 --split test --count 4 --out " + path("test.jsonl")).code,
      0);
  const Outcome exported = mgdm("export --model " + last + " --dtype fp32 --out " + path("whole"));
  ASSERT_EQ(exported.code, 0) << exported.err;
  for (const std::string& model : {last, path("whole")}) {
    const Outcome evaluated =
        full_mgdm("eval --model " + model + " --device cpu --data " + path("test.jsonl") +
                  " --predictions " + path(fs::path(model).filename().string() + ".jsonl"));
    ASSERT_EQ(evaluated.code, 0) << evaluated.err;
  }
  EXPECT_EQ(read_file(path("whole.jsonl")), read_file(path("checkpoint-4.jsonl")));

  // As PEFT leaves a folder: what the model is, and its tokens, are its base's.
  fs::copy(last, path("peft"));
  for (const char* file :
       {"config.json", "tokenizer.json", "tokenizer_config.json", "checksums.txt"})
    ASSERT_TRUE(fs::remove(path("peft") + "/" + file)) << file;
  ASSERT_EQ(mgdm("export --model " + path("peft") + " --dtype fp32 --out " + path("again")).code,
            0);
  for (const char* file : {"model.safetensors", "tokenizer.json"})
    EXPECT_EQ(read_file(path("again") + "/" + file), read_file(path("whole") + "/" + file)) << file;

  // The small program says who can.
  const Outcome light = mgdm("eval --model " + last + " --data " + path("test.jsonl"), "",
                             "/dev/null", lone_program());
  EXPECT_EQ(light.code, 1);
  EXPECT_NE(light.err.find("the full program, built with LibTorch"), std::string::npos)
      << light.err;
}

TEST_F(LlamaCli, MistakesAreNamed) {
  make_base("base", 1);
  const auto refused = [&](const std::string& more, const std::string& why) {
    const Outcome outcome = train("evaluation.count=0 training.steps=2 --out " + path("x") + more);
    EXPECT_NE(outcome.code, 0);
    EXPECT_NE(outcome.err.find(why), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(path("x/checkpoint-2")));
  };
  refused(" model.lora.rank=4", "init=DIR");
  refused(" model.lora.rank=4 model.layers=2 init=" + path("base"), "has layers = 1");
  refused(" model.lora.rank=4 data.length=5 init=" + path("base"), "tokens");
  refused(" model.lora.rank=4 data.length=5000 init=" + path("base"), "but rows have 5000 tokens");
  refused(" model.lora.rank=4 data.alphabet=0123456789 init=" + path("base"),
          "which has a tokenizer of its own");
  write_file(path("base/tokenizer_config.json"), "{}");
  refused(" model.lora.rank=4 init=" + path("base"), "no token for the end of a text");
  fs::remove(path("base/tokenizer.json"));
  refused(" model.lora.rank=4 init=" + path("base"), "neither tokenizer.json nor tokenizer.model");
}

}  // namespace
}  // namespace mgdm
