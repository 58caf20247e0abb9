"""libmgdm.so by ctypes: from_python.py PATH/libmgdm.so"""
import ctypes
import sys

mgdm = ctypes.CDLL(sys.argv[1])


class Step(ctypes.Structure):
    _fields_ = [("puzzle", ctypes.c_size_t), ("attempt", ctypes.c_int64), ("pass_", ctypes.c_int64),
                ("text", ctypes.c_char_p), ("confidence", ctypes.POINTER(ctypes.c_float)),
                ("characters", ctypes.c_size_t)]


OnStep = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Step), ctypes.c_void_p)


def declare(name, result, *arguments):
    function = getattr(mgdm, name)
    function.restype, function.argtypes = result, arguments


text, handle, number = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t
declare("mgdm_error", text)
declare("mgdm_error_hint", text)
declare("mgdm_generate", handle, text, number, text)
declare("mgdm_puzzles_input", text, handle, number)
declare("mgdm_puzzles_solution", text, handle, number)
declare("mgdm_puzzles_free", None, handle)
declare("mgdm_model_load", handle, text, text)
declare("mgdm_model_task", text, handle)
declare("mgdm_model_free", None, handle)
declare("mgdm_solve", handle, handle, ctypes.POINTER(text), number, text, OnStep, ctypes.c_void_p)
declare("mgdm_answers_text", text, handle, number)
declare("mgdm_answers_correct", ctypes.c_int, handle, number)
declare("mgdm_answers_free", None, handle)

assert mgdm.mgdm_generate(b"sudko", 1, None) is None
assert b"sudoku" in mgdm.mgdm_error_hint(), mgdm.mgdm_error()

puzzles = mgdm.mgdm_generate(b"planning", 3, b"nodes=4 split=test")
inputs = [mgdm.mgdm_puzzles_input(puzzles, i) for i in range(3)]
solutions = [mgdm.mgdm_puzzles_solution(puzzles, i) for i in range(3)]
mgdm.mgdm_puzzles_free(puzzles)

model = mgdm.mgdm_model_load(b"quick-planning-mgdm", None)
assert model, mgdm.mgdm_error().decode()
assert mgdm.mgdm_model_task(model) == b"planning"

seen = []


@OnStep
def watch(step, _):
    now = step.contents
    sure = [now.confidence[i] for i in range(now.characters)]
    assert all(0 <= value <= 1 for value in sure), sure
    if now.puzzle == 1:
        seen.append(now.text)
    return 1


answers = mgdm.mgdm_solve(model, (text * 3)(*inputs), 3, b"steps=4", watch, None)
assert answers, mgdm.mgdm_error().decode()
assert [mgdm.mgdm_answers_text(answers, i) for i in range(3)] == solutions
assert all(mgdm.mgdm_answers_correct(answers, i) == 1 for i in range(3))
assert len(seen) == 4 and b"_" in seen[0] and seen[-1] == solutions[1], seen
mgdm.mgdm_answers_free(answers)
mgdm.mgdm_model_free(model)
print("\n".join(line.decode() for line in seen))
