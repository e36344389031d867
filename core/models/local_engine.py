"""The local engine's own process: llama.cpp's server around one file of weights, on the loopback address.

Run by its path, never imported: the engine's library is an extra, and a crash in it must not be the gateway's. It
reads its settings as one line of JSON from stdin, answers `ready URL` or `failed WHY`, and ends when stdin closes,
which it does with the parent, however that ends.
"""

import json
import os
import sys

import xllamacpp

LOOPBACK = "127.0.0.1"


def serve(settings: dict[str, object]) -> xllamacpp.Server:
    """Load and listen, for as long as the server is held. One request at a time, and no cache that grows."""
    params = xllamacpp.CommonParams()
    params.model.path = str(settings["weights"])
    params.hostnames = [LOOPBACK]
    params.port = 0
    params.api_keys = [str(settings["key"])]
    params.n_ctx = int(str(settings["window"]))
    params.n_predict = int(str(settings["output"]))
    params.cpuparams.n_threads = int(str(settings["threads"]))
    params.n_parallel = 1
    params.cache_ram_mib = 0
    params.offline = True
    params.ui = False
    params.endpoint_slots = False
    params.endpoint_props = False
    params.verbosity = -1
    return xllamacpp.Server(params)


def main() -> None:
    """Until stdin closes."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    # The engine's own chatter goes where the parent reads no answer.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        server = serve(json.loads(sys.stdin.readline()))
        line = f"ready {server.listening_address}"
    except (RuntimeError, ValueError, KeyError, OSError) as error:
        line = f"failed {' '.join(str(error).split()) or type(error).__name__}"
    answers.write(f"{line}\n")
    answers.flush()
    if line.startswith("ready"):
        sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
