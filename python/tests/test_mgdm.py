"""The Python module as its users call it: PYTHONPATH=BUILD/python python3 test_mgdm.py"""
import ast
import contextlib
import io
import pathlib
import runpy
import signal
import sys
import tempfile
import threading
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not installed (python3-numpy)")
    sys.exit(77)

import mgdm

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LOOPED = SOURCE / "tests" / "golden" / "looped" / "given"


def small_puzzles(count):
    return [puzzle.input for puzzle in mgdm.generate("planning", count, split="test", nodes=4)]


class Puzzles(unittest.TestCase):
    def test_generate_verify_and_label(self):
        puzzles = mgdm.generate("planning", 3, seed=5, nodes=4)
        self.assertEqual(len(puzzles), 3)
        for puzzle in puzzles:
            self.assertEqual(mgdm.label("planning", puzzle.input), puzzle.solution)
            self.assertTrue(mgdm.verify("planning", puzzle.input, puzzle.solution).correct)
        judged = mgdm.verify("countdown-4", "86,28,13,31,96", "86+28=114")
        self.assertFalse(judged.correct)
        self.assertIn("114", judged.faults[0])

    def test_normalize_and_check(self):
        self.assertEqual(mgdm.normalize("countdown-4", "4 5 6 10 -> 24"), "4,5,6,10,24")
        looked = mgdm.check("sudoku", "11" + 79 * ".")
        self.assertTrue(looked.contradiction and looked.unfamiliar)

    def test_errors_have_parts(self):
        with self.assertRaises(mgdm.Error) as raised:
            mgdm.generate("sudko", 1)
        error = raised.exception
        self.assertIn("sudko", error.seen)
        self.assertIn("sudoku", error.expected + error.hint)
        self.assertIn(error.seen, str(error))


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = mgdm.load("quick-planning-mgdm")
        cls.puzzles = small_puzzles(8)

    def test_one_puzzle(self):
        answer = self.model.solve(self.puzzles[0])
        self.assertIs(answer.correct, True)
        self.assertEqual(answer.faults, [])
        self.assertEqual(answer.passes, len(answer.trace))
        self.assertIn("_", answer.trace[0].text)
        self.assertEqual(answer.trace[-1].text, answer.text)
        self.assertEqual(len(answer.trace[0].confidence), len(answer.trace[0].text))
        self.assertEqual(self.model.solve(self.puzzles[0], steps=2, trace=False).trace, [])

    def test_many_puzzles_keep_their_errors(self):
        answers = self.model.solve_all([self.puzzles[0], "nonsense", self.puzzles[1]], steps=4)
        self.assertTrue(answers[0].correct and answers[2].correct)
        self.assertEqual([answer.passes for answer in answers], [4, 0, 4])
        self.assertIsNone(answers[0].error)
        self.assertIsInstance(answers[1].error, mgdm.Error)
        self.assertTrue(answers[1].error.expected)
        with self.assertRaises(mgdm.Error):
            self.model.solve("nonsense")

    def test_options(self):
        with self.assertRaisesRegex(TypeError, "stepz"):
            self.model.solve(self.puzzles[0], stepz=3)
        with self.assertRaisesRegex(TypeError, "steps = 'many'"):
            self.model.solve(self.puzzles[0], steps="many")
        with self.assertRaisesRegex(mgdm.Error, "steps = 0"):
            self.model.solve(self.puzzles[0], steps=0)
        self.assertEqual(self.model.decoding["steps"], 10)
        self.assertEqual(self.model.solve(self.puzzles[0], **self.model.decoding).passes, 10)

    def test_callbacks_stop_and_raise(self):
        self.assertEqual(self.model.solve(self.puzzles[0], on_step=lambda step: step.index < 1).passes, 2)
        self.assertEqual(self.model.solve(self.puzzles[0], on_step=lambda step: None).passes, 10)

        def fail(step):
            raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            self.model.solve_all(self.puzzles, on_step=fail)
        self.assertTrue(self.model.solve(self.puzzles[0]).correct)

    def test_ctrl_c_ends_a_long_call(self):
        threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
        with self.assertRaises(KeyboardInterrupt):
            for _ in range(1000):
                self.model.solve_all(8 * self.puzzles)
        self.assertTrue(self.model.solve(self.puzzles[0]).correct)

    def test_python_runs_while_a_model_works(self):
        counted, done = [0], threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1
                done.wait(0.0005)
        counter = threading.Thread(target=count)
        counter.start()
        self.addCleanup(counter.join)
        self.addCleanup(done.set)
        before = counted[0]
        self.model.clone().solve_all(4 * self.puzzles)
        self.assertGreater(counted[0] - before, 2)

    def test_clones_and_pools_answer_alike(self):
        texts = [answer.text for answer in self.model.solve_all(self.puzzles)]
        pool, found = mgdm.ModelPool(self.model, 2), [None] * len(self.puzzles)

        def work(i):
            found[i] = pool.solve(self.puzzles[i]).text
        threads = [threading.Thread(target=work, args=(i,)) for i in range(len(found))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, texts)

    def test_logits(self):
        tokens, given = self.model.encode(self.puzzles[0])
        names = self.model.vocabulary
        self.assertEqual({names[token] for token in tokens[~given]}, {"[MASK]"})
        logits = self.model.logits(tokens)
        self.assertEqual(logits.shape, (len(tokens), len(names)))
        self.assertEqual(logits.dtype, np.float32)
        both = self.model.logits(np.stack([tokens, tokens]), np.stack([given, given]))
        np.testing.assert_array_equal(both[1], logits)
        filled = np.where(given, tokens, logits.argmax(-1))
        self.assertIn("[EOS]", self.model.decode(filled, given))
        with self.assertRaises(ValueError):
            self.model.logits(tokens, given[:-1])
        with self.assertRaisesRegex(mgdm.Error, "token 1000"):
            self.model.logits(np.full_like(tokens, 1000))

    def test_a_function_as_verifier(self):
        model = mgdm.load(LOOPED)
        self.assertIsNone(model.solve("ab").correct)
        asked = []

        def verify(puzzle, answer):
            asked.append(puzzle)
            return 0.5, "half right"
        model.use_verifier(verify)
        answer = model.solve("ab")
        self.assertIs(answer.correct, False)
        self.assertEqual(answer.faults, ["half right"])
        self.assertEqual(set(asked), {"ab"})
        model.use_verifier(lambda puzzle, answer: True)
        self.assertIs(model.solve("ab").correct, True)
        model.use_verifier(lambda puzzle, answer: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            model.solve("ab")
        with self.assertRaisesRegex(mgdm.Error, "text"):
            self.model.use_verifier(verify)


class Training(unittest.TestCase):
    recipe = SOURCE / "recipes" / "smoke" / "mgdm.toml"

    @unittest.skipUnless(mgdm.has_training, "built without LibTorch")
    def test_a_callback_sees_stops_and_raises(self):
        overrides = {"training.steps": 6, "training.log_every": 2, "evaluation.count": 0}
        with tempfile.TemporaryDirectory() as out:
            seen = []

            def watch(progress):
                seen.append((progress.step, progress.metrics["loss"]))
                return progress.step < 4
            folder = mgdm.train(self.recipe, out + "/run", overrides, on_progress=watch)
            self.assertTrue(folder.endswith("checkpoint-4"), folder)
            self.assertEqual([step for step, loss in seen], [2, 4])

            def fail(progress):
                raise KeyError("mine")
            with self.assertRaises(KeyError):
                mgdm.train(self.recipe, out + "/run", overrides, resume=True, on_progress=fail)
            self.assertEqual(mgdm.load(out + "/run").task, "planning")

    @unittest.skipIf(mgdm.has_training, "built with LibTorch")
    def test_the_light_module_says_how_to_get_it(self):
        with self.assertRaisesRegex(mgdm.Error, "MGDM_TORCH=ON"):
            mgdm.train(self.recipe, "run")


class Example(unittest.TestCase):
    def test_runs(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            runpy.run_path(str(SOURCE / "examples" / "notebook.py"))
        self.assertIn("20 of 20 right by a pool", said.getvalue())


class Stub(unittest.TestCase):
    def test_names_what_the_module_has(self):
        tree = ast.parse((pathlib.Path(mgdm.__file__).parent / "__init__.pyi").read_text())
        for node in tree.body:
            if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                continue
            if node.name == "_Solver" or (node.name == "TrainProgress" and not mgdm.has_training):
                continue
            self.assertTrue(hasattr(mgdm, node.name), node.name)
            for member in node.body if isinstance(node, ast.ClassDef) else []:
                name = getattr(getattr(member, "target", None), "id", getattr(member, "name", None))
                if name:
                    self.assertTrue(hasattr(getattr(mgdm, node.name), name), f"{node.name}.{name}")
        stubbed = {getattr(node, "name", "") for node in tree.body}
        for name in set(dir(mgdm)) - {"os"}:
            self.assertTrue(name.startswith("_") or name in stubbed | {"has_training"}, name)


if __name__ == "__main__":
    unittest.main()
