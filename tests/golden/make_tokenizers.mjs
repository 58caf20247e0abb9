// Tokens and decoded texts of the tokenizers in this folder by Hugging Face's library for
// JavaScript: npm install @huggingface/tokenizers, then node make_tokenizers.mjs. See make_tokenizers.py.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
// The library is not the project's: it is looked for where this was called.
const require = createRequire(join(process.cwd(), "package.json"));
const entry = require.resolve("@huggingface/tokenizers");
const { Tokenizer } = require("@huggingface/tokenizers");
const version = JSON.parse(
  readFileSync(join(entry.slice(0, entry.indexOf("@huggingface/tokenizers") + 23), "package.json")),
).version;

const texts = JSON.parse(readFileSync(join(here, "tokenizers/texts.json"), "utf8"));
for (const name of ["gpt2", "llama3", "llama2", "metaspace"]) {
  const folder = join(here, "tokenizers", name);
  const tokenizer = new Tokenizer(JSON.parse(readFileSync(join(folder, "tokenizer.json"), "utf8")), {});
  const golden = texts.map((text) => {
    const ids = [...tokenizer.encode(text, { add_special_tokens: false }).ids];
    const whole = [...tokenizer.encode(text).ids];
    const decoded = ids.length ? tokenizer.decode(ids, { skip_special_tokens: true }) : "";
    return { text, ids, whole, decoded };
  });
  const made_by = `@huggingface/tokenizers ${version}`;
  const lines = golden.map((each) => JSON.stringify(each)).join(",\n");
  writeFileSync(join(folder, "golden.json"), `{"made_by":"${made_by}","texts":[\n${lines}]}\n`);
}
