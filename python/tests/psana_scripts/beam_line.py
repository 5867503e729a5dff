import sys

from psana import DataSource

scratch = sys.argv[2]

run = next(DataSource(files=f"{scratch}/beam-line.xtc2", skip_calib_load="all").runs())
wave8, timing, gmd, encoder, opal = (run.Detector(name) for name in ("wave8", "timing", "gmd", "encoder", "opal"))
print(">", sorted(run.detnames))
for evt in run.events():
    print(">", evt.timestamp, gmd.raw.energy(evt), encoder.raw.value(evt), wave8.fex.base_all(evt), wave8.fex.base_1(evt))
    print(">", wave8.raw.raw_all(evt), timing.raw.pulseId(evt), timing.raw.destination(evt))
    codes = timing.raw.eventcodes(evt)
    print(">", len(codes), [code for code, has in enumerate(codes) if has])
    print(">", opal.raw.raw(evt), opal.raw.raw(evt).dtype)
