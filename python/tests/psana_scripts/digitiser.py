import sys

from psana import DataSource

scratch = sys.argv[2]

for name in ("dgramedit-test", "made-hsd"):
    run = next(DataSource(files=f"{scratch}/{name}.xtc2", skip_calib_load="all").runs())
    hsd = run.Detector("hsd")
    print(">", sorted(run.detnames))
    for evt in run.events():
        waves, peaks = hsd.raw.waveforms(evt), hsd.raw.peaks(evt)
        for seg, chans in (waves or {}).items():
            for chan, wave in chans.items():
                print("> wave", evt.timestamp, seg, chan, wave.shape, wave.dtype, wave.sum(), wave[-1])
        for seg, chans in (peaks or {}).items():
            for chan, (starts, found) in chans.items():
                print("> peaks", evt.timestamp, seg, chan, list(starts), [peak.tolist() for peak in found])
        print(">", waves is None, peaks is None)
