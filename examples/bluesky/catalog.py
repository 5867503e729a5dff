"""Runs in a Tiled catalogue: the documents go to Tiled, which reads the pictures out of the writer's files, as a user would."""

import tempfile

import bluesky.plans as bp
import numpy
from beamline import arguments, detector, engine, files
from bluesky.callbacks.tiled_writer import TiledWriter
from tiled.catalog import in_memory
from tiled.client import Context, from_context
from tiled.server.app import build_app

args = arguments(__doc__).parse_args()
run_engine, documents = engine()
with tempfile.TemporaryDirectory() as own:
    args.folder.mkdir(parents=True, exist_ok=True)
    # Events are rows of a table, the pictures stay where the detector wrote them.
    storage = [f"file://localhost{own}", f"sqlite:///{own}/events.db"]
    tree = in_memory(writable_storage=storage, readable_storage=[args.folder.resolve().as_uri()])
    with Context.from_app(build_app(tree)) as context:
        client = from_context(context)
        run_engine.subscribe(TiledWriter(client))
        det = detector(args)
        (uid,) = run_engine(bp.count([det], args.events))
        run = client[uid]
        picture = run["primary"]["det"]
        pixels = numpy.asarray(picture.read())
        assert pixels.shape[0] == args.events, pixels.shape
        # The ramp of the simulation grows from frame to frame, so no frame is another one.
        assert len({frame.tobytes() for frame in pixels}) == args.events
        if args.writer == "hdf":
            import h5py
            import hdf5plugin  # noqa: F401

            with h5py.File(files(documents)[0], "r") as file:
                assert (file["/entry/data/data"][:].reshape(pixels.shape) == pixels).all()
        print(f"{args.events} frames of {pixels.shape[1:]} {pixels.dtype} through Tiled")
print("catalogued")
