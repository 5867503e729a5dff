"""Reading the file while the scan goes on: at every event h5py, and a Tiled catalogue, have the frames of all events so far.

The writer's file is open for readers from its first frame on (SWMR), and flushed at every event.
"""

import tempfile

import bluesky.plans as bp
import h5py
import hdf5plugin  # noqa: F401
import numpy
from beamline import arguments, detector, engine, files
from bluesky.callbacks.tiled_writer import TiledWriter
from tiled.catalog import in_memory
from tiled.client import Context, from_context
from tiled.server.app import build_app

args = arguments(__doc__).parse_args()
args.writer = "hdf"
run_engine, documents = engine()
seen = []


def look(name, document):
    """After each event: what a reader of the file sees."""
    if name == "start":
        seen.clear()
    if name != "event":
        return
    # Opened anew each time, as a person would who looks at a scan that is under way.
    with h5py.File(files(documents)[0], "r", swmr=True, libver="latest") as file:
        data = file["/entry/data/data"]
        assert len(data) == document["seq_num"], (len(data), document["seq_num"])
        assert len(file["/entry/instrument/NDAttributes/NDArrayUniqueId"]) == len(data)
        seen.append(data[-1].tobytes())


with tempfile.TemporaryDirectory() as own:
    args.folder.mkdir(parents=True, exist_ok=True)
    storage = [f"file://localhost{own}", f"sqlite:///{own}/events.db"]
    tree = in_memory(writable_storage=storage, readable_storage=[args.folder.resolve().as_uri()])
    with Context.from_app(build_app(tree)) as context:
        client = from_context(context)
        through_tiled = []

        def look_through_tiled(name, document):
            if name == "event" and document["seq_num"] >= 2:
                run = client[documents.by_name["start"][-1]["uid"]]
                through_tiled.append(len(numpy.asarray(run["primary"]["det"].read())))

        # A batch of one: each frame is in the catalogue at once.
        run_engine.subscribe(TiledWriter(client, batch_size=1))
        run_engine.subscribe(look)
        run_engine.subscribe(look_through_tiled)
        det = detector(args)
        (uid,) = run_engine(bp.count([det], args.events))
        after = numpy.asarray(client[uid]["primary"]["det"].read())
        assert len(after) == args.events
        assert [frame.tobytes() for frame in after] == seen, "what was read during the scan is what is there after it"
        assert len(set(seen)) == args.events
        # Tiled hears of a frame when its document is through.
        assert through_tiled == sorted(through_tiled) and through_tiled[-1] >= args.events - 1, through_tiled
        print(f"{len(seen)} frames read as they came, by Tiled {through_tiled}")
print("followed")
