import sys

from psana import DataSource

scratch = sys.argv[2]

run = next(DataSource(files=f"{scratch}/jungfrau.xtc2", skip_calib_load="all").runs())
det = run.Detector("jungfrau")
print(">", run.expt, run.runnum, run.timestamp, run.detnames, [name for name in run.detinfo[("jungfrau", "raw")] if name != "config"])
print(">", det._dettype, det._detid, det.raw._uniqueid, det.raw._segment_numbers, det.raw._det_name)
for evt in run.events():
    raw = det.raw.raw(evt)
    print(">", evt.timestamp, evt.datetime(), raw.shape, raw.dtype, raw.sum(), raw[0, 7, :9].tolist())
    print(">", det.raw.hot_pixel_thresh(evt), det.raw.num_hot_pixels(evt), det.raw._segments(evt)[0].frame_cnt)
    user = det.raw._seg_configs()[0].config.user
    print(">", user.gainMode.value, sorted(user.gainMode.names.items()), det.raw._seg_configs()[0].config.firmwareVersion)
