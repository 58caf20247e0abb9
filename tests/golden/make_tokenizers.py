#!/usr/bin/env python3
"""Makes the small tokenizers of tests/golden/tokenizers, in the forms that language models have:

  gpt2/tokenizer.json      bytes, GPT-2's expression
  llama3/tokenizer.json    bytes, LLaMA 3's expression, words that are tokens taken whole
  llama2/tokenizer.json    characters with byte fallback, spaces as U+2581, by the normaliser
  metaspace/tokenizer.json the same by the pre-tokenizer, as newer files of LLaMA 2 have it
  spm/tokenizer.model      SentencePiece, trained by its own spm_train (Debian: sentencepiece)

and spm/golden.json, the tokens by spm_encode and the texts by spm_decode. make_tokenizers.mjs then writes golden.json for the others.
Run it in this folder: python3 make_tokenizers.py && node make_tokenizers.mjs
"""
import collections
import json
import os
import re
import subprocess
import tempfile

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tokenizers")
TEXTS = [
    "86,28,13,31,96", "86-31=55,13+28=41,55+41=96", "6,2/2,10/1,9/2,0/5,3-8,3", "080050060460907108",
    "", " ", "  two  spaces ", "the lower the newer", "Hello world's end, it's I'LL they'd",
    "line\nbreak\r\n\n tab\there", "naïve café Ünïcode", "数独 سلام 🙂 👨‍👩‍👧", "1234567 ½ ٣٤",
    "<s>inside</s> and <pad>", "a<|eot_id|>b", "…—“quoted”", "x\u00a0y\u2028z", "\u2581under",
    "wwwwwwww aaaaaaab", "the the the", "!?!?...", "\u0000zero",
]
CORPUS = ("the lower the newer the widest lowest low new wide 12+34=46, 86-31=55 hello world it's "
          "they'll we'd inside outside naïve café 1234 567 89 <s> break line tab here 数独 " * 3
          + " ".join(f"{a}+{b}={a + b}," for a in range(10, 30) for b in range(3, 20)))


def byte_alphabet():
    keep = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table, more = {}, 0
    for byte in range(256):
        if byte in keep:
            table[byte] = chr(byte)
        else:
            table[byte] = chr(256 + more)
            more += 1
    return table


def train(words, alphabet, merges):
    """Plain byte-pair encoding: words with counts to a vocabulary and its merges."""
    vocabulary, done = list(alphabet), []
    splits = {word: list(word) for word in words}
    while len(done) < merges:
        pairs = collections.Counter()
        for word, count in words.items():
            for pair in zip(splits[word], splits[word][1:]):
                pairs[pair] += count
        if not pairs:
            break
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        done.append(best)
        if "".join(best) not in vocabulary:
            vocabulary.append("".join(best))
        for word, parts in splits.items():
            i = 0
            while i + 1 < len(parts):
                if (parts[i], parts[i + 1]) == best:
                    parts[i:i + 2] = ["".join(best)]
                i += 1
    return vocabulary, done


def added(id_, content, **more):
    return {"id": id_, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
            "normalized": False, "special": True, **more}


def document(vocabulary, merges, model, **parts):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
            "normalizer": None, "pre_tokenizer": None, "post_processor": None, "decoder": None,
            **parts,
            "model": {"type": "BPE", "dropout": None, "unk_token": None,
                      "continuing_subword_prefix": None, "end_of_word_suffix": None,
                      "fuse_unk": False, "byte_fallback": False, **model,
                      "vocab": {piece: i for i, piece in enumerate(vocabulary)},
                      "merges": merges}}


def write(name, content):
    os.makedirs(os.path.join(FOLDER, name), exist_ok=True)
    with open(os.path.join(FOLDER, name, "tokenizer.json"), "w", encoding="utf-8") as file:
        json.dump(content, file, ensure_ascii=False, separators=(",", ":"))


def byte_words(expression):
    table = byte_alphabet()
    found = re.findall(expression, CORPUS)
    return collections.Counter("".join(table[b] for b in word.encode()) for word in found)


BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


def gpt2():
    vocabulary, merges = train(byte_words(r" ?[^\W\d_]+| ?\d+| ?[^\s\w]+|\s+"),
                               byte_alphabet().values(), 120)
    write("gpt2", document(vocabulary + ["<|endoftext|>"], [" ".join(pair) for pair in merges], {},
                           added_tokens=[added(len(vocabulary), "<|endoftext|>")],
                           pre_tokenizer=BYTES, post_processor=BYTES, decoder=BYTES))


def llama3():
    vocabulary, merges = train(byte_words(r" ?[^\W\d_]+|\d{1,3}| ?[^\s\w]+|\s+"),
                               byte_alphabet().values(), 120)
    vocabulary += ["Ġwhole"]  # a word that no merges make
    base = len(vocabulary)
    specials = ["<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>"]
    split = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
             r"|\s*[\r\n]+|\s+(?!\S)|\s+")
    template = {"type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": specials[0], "type_id": 0}},
                           {"Sequence": {"id": "A", "type_id": 0}}],
                "pair": [],
                "special_tokens": {specials[0]: {"id": specials[0], "ids": [base],
                                                 "tokens": [specials[0]]}}}
    write("llama3", document(
        vocabulary, [list(pair) for pair in merges], {"ignore_merges": True},
        added_tokens=[added(base + i, name) for i, name in enumerate(specials)],
        pre_tokenizer={"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": split}, "behavior": "Isolated", "invert": False},
            {**BYTES, "use_regex": False}]},
        post_processor={"type": "Sequence", "processors": [{**BYTES, "use_regex": False}, template]},
        decoder=BYTES))


def llama2(name, by_normalizer):
    words = collections.Counter("\u2581" + word for word in CORPUS.split())
    characters = sorted({c for word in words for c in word})
    alphabet = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)] + characters
    vocabulary, merges = train(words, alphabet, 120)
    specials = [added(i, name_) for i, name_ in enumerate(alphabet[:3])]
    specials.append(added(len(vocabulary), "<pad>", lstrip=True, rstrip=True))
    template = {"type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                           {"Sequence": {"id": "A", "type_id": 0}}],
                "pair": [], "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}}
    normalizer = {"type": "Sequence", "normalizers": [
        {"type": "Prepend", "prepend": "\u2581"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]}
    metaspace = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first",
                 "split": False}
    decoder = {"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
        {"type": "ByteFallback"}, {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}
    write(name, document(
        vocabulary, [" ".join(pair) for pair in merges],
        {"unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True},
        added_tokens=specials, normalizer=normalizer if by_normalizer else None,
        pre_tokenizer=None if by_normalizer else metaspace, post_processor=template,
        decoder=decoder))


def spm():
    folder = os.path.join(FOLDER, "spm")
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        with open(os.path.join(scratch, "corpus.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(re.findall(r".{1,60}", CORPUS)))
        subprocess.run(["spm_train", "--input=corpus.txt", "--model_prefix=spm",
                        "--model_type=bpe", "--vocab_size=420", "--byte_fallback=true",
                        "--normalization_rule_name=identity", "--remove_extra_whitespaces=false",
                        "--split_digits=true", "--user_defined_symbols=<sep>",
                        "--hard_vocab_limit=false"], check=True, capture_output=True,
                       cwd=scratch)  # its paths stand in the model
        os.replace(os.path.join(scratch, "spm.model"), os.path.join(folder, "tokenizer.model"))
    texts = [text for text in TEXTS if "\n" not in text and "\0" not in text] + ["12<sep>34", "a <sep> b"]
    ids = subprocess.run(["spm_encode", f"--model={folder}/tokenizer.model", "--output_format=id"],
                         input="\n".join(texts) + "\n", text=True, capture_output=True, check=True)
    lines = ids.stdout.split("\n")[:len(texts)]
    decoded = subprocess.run(["spm_decode", f"--model={folder}/tokenizer.model", "--input_format=id"],
                             input=ids.stdout, text=True, capture_output=True, check=True).stdout
    items = [{"text": text, "ids": [int(i) for i in line.split()], "decoded": back}
             for text, line, back in zip(texts, lines, decoded.split("\n"))]
    with open(os.path.join(folder, "golden.json"), "w", encoding="utf-8") as file:
        file.write('{"made_by":"spm_encode and spm_decode of sentencepiece 0.1.97","texts":[\n'
                   + ",\n".join(json.dumps(item, ensure_ascii=False) for item in items) + "]}\n")


if __name__ == "__main__":
    gpt2()
    llama3()
    llama2("llama2", True)
    llama2("metaspace", False)
    spm()
    with open(os.path.join(FOLDER, "texts.json"), "w", encoding="utf-8") as file:
        json.dump(TEXTS, file, ensure_ascii=False)
