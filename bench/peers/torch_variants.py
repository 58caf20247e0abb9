"""How PyTorch runs a piece of work: as it is, compiled, compiled and recorded; and what a peer prints."""
import json
import sys

import torch

MODES = {  # of torch.compile
    "compile": "default",
    "reduce-overhead": "reduce-overhead",  # in CUDA graphs of its own
    "max-autotune": "max-autotune",  # the same, with kernels that were timed first
    "graph": "max-autotune-no-cudagraphs",  # and the whole recorded by us: recorded() below
}
NAMES = ["eager", *MODES]


def compiled(function, variant):
    if variant == "eager":
        return function
    return torch.compile(function, mode=MODES[variant], dynamic=False)


def compiled_kernels(function, variant):
    """Compiled, but never into CUDA graphs: for what changes its inputs in place."""
    if variant == "eager":
        return function
    return torch.compile(function, mode="max-autotune-no-cudagraphs", dynamic=False)


def begin_step(variant):
    """What CUDA graphs of torch.compile gave before is no longer needed."""
    if variant in ("reduce-overhead", "max-autotune"):
        torch.compiler.cudagraph_mark_step_begin()


def recorded(work, warm_up=3):
    """The work as one CUDA graph. What it returns is where each replay puts its result."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(warm_up):
            work()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = work()

    def replay():
        graph.replay()
        return result

    return replay


def device_facts(device):
    """What a result says of where it was measured."""
    cuda = torch.device(device).type == "cuda"
    return {
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "device_name": torch.cuda.get_device_name() if cuda else "CPU",
        "memory_gib": round(torch.cuda.max_memory_reserved() / 2**30, 2) if cuda else None,
    }


READY = "ready"  # what turns.py waits for


def measure(device, stay, milliseconds, prepare):
    """Prints one result; with `stay` first prepares, says so, and prints a result for every line that comes.
    While it rests, memory that it can do without is others' (not that of CUDA graphs)."""
    def rest():
        if torch.device(device).type == "cuda":
            torch.cuda.empty_cache()

    if stay:
        prepare()
        rest()
        print(READY, flush=True)
    for _ in sys.stdin if stay else [None]:
        result = {"ms": round(milliseconds(), 4), **device_facts(device)}
        rest()
        print(json.dumps(result), flush=True)
