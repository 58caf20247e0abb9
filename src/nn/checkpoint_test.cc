#include "nn/checkpoint.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "formats/checksums.h"
#include "formats/test_support.h"
#include "model_files/checkpoints.h"
#include "model_files/describe.h"
#include "nn/tensor_bytes.h"

namespace mgdm::nn {
namespace {

namespace fs = std::filesystem;
using formats::TemporaryFolder;
using nlohmann::json;

ModelSettings tiny(const std::string& architecture = "gpt2") {
  ModelSettings settings;
  settings.architecture = architecture;
  settings.layers = 2;
  settings.heads = 2;
  settings.width = 8;
  settings.positions = 12;
  settings.loops = 3;
  settings.frozen_embedding = architecture == "looped";
  return settings;
}

// Numbers of their own for every tensor, also where a model starts with constants.
void scramble(const Model& model) {
  const at::NoGradGuard no_grad;
  double start = 0.001;
  for (const Parameter& parameter : model.parameters().all()) {
    at::Tensor value = parameter.value;
    value.copy_(at::arange(value.numel()).view(value.sizes()).mul(0.37).add(start).sin());
    start += 1;
  }
}

std::unique_ptr<Model> scrambled(const ModelSettings& settings) {
  std::unique_ptr<Model> model = make_model(settings, 1);
  scramble(*model);
  return model;
}

void expect_same(const Model& a, const Model& b) {
  const auto &left = a.parameters().all(), &right = b.parameters().all();
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].name, right[i].name);
    EXPECT_TRUE(at::equal(left[i].value, right[i].value)) << left[i].name;
    EXPECT_TRUE(right[i].value.requires_grad());
  }
}

// Rewrites the weights of a checkpoint by `change`.
template <class Change>
void edit_weights(const fs::path& folder, Change&& change) {
  std::vector<NamedTensor> tensors = read_tensors(folder, "model");
  change(tensors);
  write_tensors(folder, "model", tensors);
  formats::write_checksums(folder);
}

template <class Change>
void edit_config(const fs::path& folder, Change&& change) {
  json config = json::parse(read_file(folder / "config.json"));
  change(config);
  write_file((folder / "config.json").string(), config.dump());
  formats::write_checksums(folder);
}

NamedTensor& named(std::vector<NamedTensor>& tensors, const std::string& name) {
  for (NamedTensor& tensor : tensors)
    if (tensor.name == name) return tensor;
  throw Error("no tensor " + name);
}

class Checkpoint : public testing::Test {
 protected:
  // A saved tiny GPT-2.
  fs::path saved() {
    save_model(folder(), *model_, vocabulary_);
    return folder();
  }
  std::string load_error() {
    return error_of([&] { load_model(folder()); });
  }
  fs::path folder() const { return temporary_.path() / "model"; }

  TemporaryFolder temporary_;
  data::Vocabulary vocabulary_;
  std::unique_ptr<Model> model_ = scrambled(tiny());
};

TEST_F(Checkpoint, ComesBackBitForBit) {
  for (const std::string architecture : {"gpt2", "looped"}) {
    const std::unique_ptr<Model> model = scrambled(tiny(architecture));
    spec::ModelCard card{.task = "sudoku", .layout = "in_place", .length = 12, .reverse = true};
    card.decoding.steps = 7;
    card.decoding.noise = 0.25;
    const About about{card, {{"note", "a|\"\n"}}};
    save_model(folder(), *model, data::Vocabulary("abc"), about);
    LoadedModel loaded = load_model(folder());
    expect_same(*model, *loaded.model);
    EXPECT_EQ(loaded.vocabulary.value().alphabet(), "abc");
    EXPECT_EQ(loaded.about.card, about.card);
    EXPECT_EQ(loaded.about.notes, about.notes);
    ModelSettings a = model->settings(), b = loaded.model->settings();
    EXPECT_TRUE(config::Fields(a).differences(config::Fields(b)).empty());
  }
}

TEST_F(Checkpoint, ShardsComeBackToo) {
  save_model(folder(), *model_, vocabulary_, {}, {.max_shard_bytes = 1000});
  EXPECT_TRUE(fs::exists(folder() / "model.safetensors.index.json"));
  expect_same(*model_, *load_model(folder()).model);
}

TEST_F(Checkpoint, HalfPrecisionIsRoundedOnce) {
  for (const auto dtype : {formats::Dtype::kBF16, formats::Dtype::kF16}) {
    save_model(folder(), *model_, vocabulary_, {}, {.dtype = dtype});
    const auto loaded = load_model(folder()).model;
    for (std::size_t i = 0; i < model_->parameters().all().size(); ++i) {
      const at::Tensor& before = model_->parameters().all()[i].value;
      const at::Tensor& after = loaded->parameters().all()[i].value;
      EXPECT_EQ(after.scalar_type(), at::kFloat);
      EXPECT_TRUE(at::equal(before.to(scalar_type_of(dtype)).to(at::kFloat), after));
    }
  }
}

TEST_F(Checkpoint, HasWhatTransformersReads) {
  saved();
  const json config = json::parse(read_file(folder() / "config.json"));
  EXPECT_EQ(config["model_type"], "gpt2");
  EXPECT_EQ(config["architectures"][0], "GPT2LMHeadModel");
  EXPECT_EQ(config["n_embd"], 8);
  EXPECT_EQ(config["n_positions"], 12);
  EXPECT_EQ(config["vocab_size"], 31);
  EXPECT_EQ(config["activation_function"], "gelu_new");
  EXPECT_EQ(config["pad_token_id"], 0);
  EXPECT_EQ(config["eos_token_id"], 3);
  const auto tensors = formats::open_safetensors_folder(folder());
  EXPECT_EQ(tensors.metadata().at("format"), "pt");
  EXPECT_EQ(tensors.find("lm_head.weight"), nullptr);
  // Conv1D: (in, out).
  EXPECT_EQ(tensors.at("transformer.h.1.attn.c_attn.weight").shape,
            (std::vector<std::int64_t>{8, 24}));
  EXPECT_EQ(tensors.at("transformer.h.1.mlp.c_proj.weight").shape,
            (std::vector<std::int64_t>{32, 8}));
}

TEST_F(Checkpoint, TokenizerFilesNameEveryCharacter) {
  saved();
  const json tokenizer = json::parse(read_file(folder() / "tokenizer.json"));
  const json& ids = tokenizer["model"]["vocab"];
  EXPECT_EQ(tokenizer["model"]["type"], "WordLevel");
  EXPECT_EQ(ids.size(), 31u);
  EXPECT_EQ(ids["[PAD]"], 0);
  EXPECT_EQ(ids["[UNK]"], 4);
  for (const char character : vocabulary_.alphabet())
    EXPECT_EQ(ids[std::string(1, character)], vocabulary_.encode(std::string(1, character))[0]);
  EXPECT_EQ(tokenizer["added_tokens"].size(), 5u);
  EXPECT_EQ(tokenizer["added_tokens"][2]["content"], "[MASK]");
  const json config = json::parse(read_file(folder() / "tokenizer_config.json"));
  EXPECT_EQ(config["tokenizer_class"], "PreTrainedTokenizerFast");
  EXPECT_EQ(config["eos_token"], "[EOS]");
}

TEST_F(Checkpoint, LoadsAPlainGpt2) {
  saved();
  edit_config(folder(), [](json& config) { config.erase("mgdm"); });
  edit_weights(folder(), [](std::vector<NamedTensor>& tensors) {
    for (NamedTensor& tensor : tensors) tensor.name = tensor.name.substr(sizeof "transformer");
    tensors.push_back({"lm_head.weight", named(tensors, "wte.weight").value});
    tensors.push_back({"h.0.attn.bias", at::ones({1, 1, 12, 12}, at::kByte)});
    tensors.push_back({"h.1.attn.masked_bias", at::ones({}, at::kFloat)});
  });
  const LoadedModel loaded = load_model(folder());
  expect_same(*model_, *loaded.model);
  EXPECT_TRUE(loaded.model->settings().causal);
  EXPECT_TRUE(loaded.model->settings().shift);
  EXPECT_FALSE(loaded.vocabulary);
}

TEST_F(Checkpoint, RefusesWhatDoesNotFit) {
  const auto fails = [&](auto&& change, const std::vector<std::string>& parts) {
    saved();
    edit_weights(folder(), change);
    const std::string error = load_error();
    EXPECT_CONTAINS(error, "model.safetensors");
    for (const std::string& part : parts) EXPECT_CONTAINS(error, part);
  };
  using Tensors = std::vector<NamedTensor>;
  fails([](Tensors& t) { t.pop_back(); }, {"transformer.ln_f.bias", "missing", "(8)"});
  fails(
      [](Tensors& t) {
        t.push_back({"transformer.h.2.ln_1.bias", at::zeros({8})});
      },
      {"transformer.h.2.ln_1.bias", "unexpected", "(8)"});
  fails(
      [](Tensors& t) {
        t[0].value = at::zeros({30, 8});
      },
      {"transformer.wte.weight", "(30, 8)", "(31, 8)"});
  fails(
      [](Tensors& t) {
        at::Tensor& value = named(t, "transformer.h.0.attn.c_attn.weight").value;
        value = value.t().contiguous();
      },
      {"c_attn.weight", "(24, 8)", "(8, 24)"});
  fails([](Tensors& t) { t[0].value = t[0].value.to(at::kLong); }, {"wte.weight", "I64", "F32"});
  fails(
      [](Tensors& t) {
        t.push_back({"lm_head.weight", at::zeros({31, 8})});
      },
      {"lm_head.weight", "tied"});
  fails([](Tensors& t) { t.push_back({"wte.weight", t[0].value}); }, {"wte.weight", "once"});
}

TEST_F(Checkpoint, AFailedLoadChangesNothing) {
  saved();
  edit_weights(folder(), [](std::vector<NamedTensor>& tensors) { tensors.pop_back(); });
  const std::unique_ptr<Model> target = make_model(tiny(), 5), same = make_model(tiny(), 5);
  EXPECT_THROW(load_weights(folder(), *target), Error);
  expect_same(*same, *target);
}

TEST_F(Checkpoint, RefusesOtherNetworks) {
  const auto fails = [&](auto&& change, const std::string& part) {
    saved();
    edit_config(folder(), change);
    EXPECT_CONTAINS(load_error(), "config.json");
    EXPECT_CONTAINS(load_error(), part);
  };
  fails([](json& c) { c["model_type"] = "llama"; }, "llama");
  fails([](json& c) { c["activation_function"] = "relu"; }, "activation_function");
  fails([](json& c) { c["layer_norm_epsilon"] = 1e-6; }, "layer_norm_epsilon");
  fails([](json& c) { c["tie_word_embeddings"] = false; }, "tie_word_embeddings");
  fails([](json& c) { c["n_inner"] = 100; }, "n_inner");
  fails([](json& c) { c["n_layer"] = 3; }, "layers");
  fails([](json& c) { c["n_layer"] = -1; }, "n_layer");
  fails([](json& c) { c["n_layer"] = 1e30; }, "n_layer");
  fails([](json& c) { c.erase("n_embd"); }, "n_embd");
  fails([](json& c) { c["mgdm"]["settings"]["layer"] = 2; }, "did you mean 'layers'");
  fails([](json& c) { c["mgdm"]["settings"]["layers"] = "two"; }, "layers");
  fails([](json& c) { c["mgdm"]["settings"]["architecture"] = "looped"; }, "architecture");
  fails([](json& c) { c["mgdm"]["settings"]["layers"] = {1, 2}; }, "layers");
  fails([](json& c) { c["resid_pdrop"] = 2; }, "resid_pdrop");
  fails([](json& c) { c["mgdm"]["settings"] = 7; }, "settings");
  fails([](json& c) { c["mgdm"]["alphabet"] = "aa"; }, "twice");
  fails([](json& c) { c["mgdm"].erase("alphabet"); }, "alphabet");
  fails([](json& c) { c["mgdm"]["notes"] = {{"revision", 1}}; }, "mgdm.notes");
  fails([](json& c) { c["mgdm"]["card"]["task"] = "chess"; }, "mgdm.card: unknown task");
  fails([](json& c) { c["mgdm"]["card"] = {{"task", "sudoku"}, {"lenght", 81}}; }, "length");
  fails(
      [](json& c) {
        c["mgdm"]["card"] = {{"task", "sudoku"}, {"decoding", {{"steps", 0}}}};
      },
      "decoding.steps");
  fails([](json& c) { c["mgdm"]["notes"]["x"] = 1; }, "notes");
  fails([](json& c) { c = json::array(); }, "object");
}

TEST_F(Checkpoint, NamesFilesThatAreBroken) {
  EXPECT_CONTAINS(load_error(), folder().string());
  saved();
  fs::resize_file(folder() / "model.safetensors",
                  fs::file_size(folder() / "model.safetensors") - 1);
  EXPECT_CONTAINS(load_error(), (folder() / "model.safetensors").string());
  saved();
  write_file((folder() / "config.json").string(), "{\"model_type\": ");
  EXPECT_CONTAINS(load_error(), (folder() / "config.json").string());
}

// Training on with it would end as "diverged", with advice on the learning rate.
TEST_F(Checkpoint, RefusesNumbersThatAreNone) {
  for (const float none :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    saved();
    edit_weights(folder(), [&](std::vector<NamedTensor>& tensors) {
      tensors.back().value.view(-1)[0].fill_(none);
    });
    EXPECT_CONTAINS(load_error(), "has numbers that are not finite");
  }
}

TEST_F(Checkpoint, DescribeTellsWhatIsThere) {
  save_model(folder(), *model_, vocabulary_,
             {spec::ModelCard{.task = "countdown-4", .length = 10}, {}});
  const std::string text = model_files::describe(folder());
  EXPECT_CONTAINS(text, folder().string());
  EXPECT_CONTAINS(text, "A gpt2 model of 2,104 parameters in 28 tensors.");
  EXPECT_CONTAINS(text, "countdown-4");
  EXPECT_CONTAINS(text, "arithmetic of matmuls on a CPU");  // what "arithmetic" means
  EXPECT_CONTAINS(text, "transformer.h.0.attn.c_attn.weight");
  EXPECT_CONTAINS(text, "8 x 24");
  EXPECT_CONTAINS(text, "F32");
  EXPECT_CONTAINS(text, vocabulary_.alphabet());
}

TEST_F(Checkpoint, ReplacesAnOlderOne) {
  save_model(folder(), *model_, vocabulary_, {}, {.max_shard_bytes = 1000});
  save_model(folder() / "", *scrambled(tiny("looped")), vocabulary_);
  EXPECT_EQ(load_model(folder()).model->settings().architecture, "looped");
  EXPECT_FALSE(fs::exists(folder() / "model.safetensors.index.json"));
  EXPECT_EQ(std::distance(fs::directory_iterator(temporary_.path()), {}), 1);
}

TEST_F(Checkpoint, DoesNotReplaceAnythingElse) {
  fs::create_directories(folder());
  save_model(folder(), *model_, vocabulary_);  // an empty folder may go
  fs::remove(folder() / "config.json");
  EXPECT_CONTAINS(error_of([&] { save_model(folder(), *model_, vocabulary_); }),
                  "not a checkpoint");
  EXPECT_TRUE(fs::exists(folder() / "model.safetensors"));
}

TEST_F(Checkpoint, AFailedSaveLeavesTheOlderOne) {
  saved();
  EXPECT_THROW(save_model(folder(), *make_model(tiny(), 9), data::Vocabulary("\xff\n")), Error);
  expect_same(*model_, *load_model(folder()).model);
  EXPECT_EQ(std::distance(fs::directory_iterator(temporary_.path()), {}), 1);
}

// A python3 that has transformers, or "". Debian's packages are for /usr/bin/python3.
std::string python_with_transformers() {
  for (const std::string python : {"python3", "/usr/bin/python3"})
    if (std::system((python + " -c 'import transformers, torch' 2>/dev/null").c_str()) == 0)
      return python;
  return "";
}

TEST_F(Checkpoint, TransformersLoadsItAndGivesTheSameLogits) {
  const std::string python = python_with_transformers();
  if (python.empty()) GTEST_SKIP() << "python3 has no transformers";
  ModelSettings settings = tiny();  // of the size of the paper's smallest
  settings.layers = 3;
  settings.heads = 12;
  settings.width = 384;
  settings.causal = settings.shift = true;
  const std::unique_ptr<Model> model = scrambled(settings);
  {
    const at::NoGradGuard no_grad;  // logits of about 1
    for (const Parameter& parameter : model->parameters().all())
      at::Tensor(parameter.value).mul_(0.3);
  }
  save_model(folder(), *model, vocabulary_);
  const std::string script = temporary_.path() / "check.py";
  const fs::path theirs = temporary_.path() / "theirs";
  write_file(script,
             "import sys, torch, transformers as t, safetensors.torch as s\n"
             "m, info = t.GPT2LMHeadModel.from_pretrained(sys.argv[1], output_loading_info=True)\n"
             "assert not info['missing_keys'] and not info['unexpected_keys'], info\n"
             "k = t.PreTrainedTokenizerFast.from_pretrained(sys.argv[1])\n"
             "ids = k('12+3=[MASK]')['input_ids']\n"
             "assert ids == [6, 7, 16, 8, 19, 2], ids\n"
             "m.eval().save_pretrained(sys.argv[2])\n"
             "k.save_pretrained(sys.argv[2])\n"
             "with torch.no_grad():\n"
             "    logits = m.float()(torch.tensor([ids])).logits.contiguous()\n"
             "s.save_file({'logits': logits}, sys.argv[2] + '/logits.safetensors')\n");
  ASSERT_EQ(std::system(
                (python + " " + script + " " + folder().string() + " " + theirs.string()).c_str()),
            0);
  // Theirs at position n are about token n+1, ours (shift) about token n.
  const at::Tensor expected = read_tensors(theirs, "logits").at(0).value.slice(1, 0, -1);
  EXPECT_GT(expected.abs().max().item<double>(), 0.5);
  const at::NoGradGuard no_grad;
  const at::Tensor ids = at::tensor(std::vector<std::int64_t>{6, 7, 16, 8, 19, 2}).unsqueeze(0);
  for (const fs::path& saved : {folder(), theirs}) {  // by us and by transformers
    const at::Tensor logits =
        load_model(saved).model->forward({ids, at::Tensor()}).last().logits().slice(1, 1);
    ASSERT_EQ(logits.sizes(), expected.sizes());
    EXPECT_LT(logits.sub(expected).abs().max().item<double>(), 1e-4) << saved;
  }
}

}  // namespace
}  // namespace mgdm::nn
