"""p4p against a served run; arguments: server address, prefix."""

import sys
import threading
import time

import numpy
from p4p.client.thread import Context, RemoteError

address, prefix = sys.argv[1:3]
conf = {
    "EPICS_PVA_NAME_SERVERS": address,
    "EPICS_PVA_ADDR_LIST": "",
    "EPICS_PVA_AUTO_ADDR_LIST": "NO",
}


def refused(context, name, value, text):
    try:
        context.put(prefix + name, value, timeout=600)
    except RemoteError as error:
        assert text in str(error), (name, str(error))
    else:
        raise AssertionError(f"{name} took {value}")


class Seen:
    """Collects the updates of a monitor."""

    def __init__(self, context, name, request=None):
        self.values = []
        self.new = threading.Condition()
        self.subscription = context.monitor(prefix + name, self.add, request=request)

    def add(self, value):
        with self.new:
            self.values.append(value)
            self.new.notify_all()

    def wait(self, enough, timeout=600):
        with self.new:
            assert self.new.wait_for(lambda: enough(self.values), timeout), self.values[-5:]
        return self.values


def structures(context):
    """Types and metadata as records have them."""
    raw = Context("pva", conf=conf, useenv=False, nt=False)
    number = raw.get(prefix + "cam1:AcquireTime")
    assert number.getID() == "epics:nt/NTScalar:1.0"
    assert number.display.units == "s" and number.display.description.startswith("Time from the start")
    assert number.control.limitHigh == 1e9 and number.display.precision == 6
    assert type(raw.get(prefix + "cam1:NumImages").value) is int
    state = raw.get(prefix + "cam1:DetectorState_RBV")
    assert state.getID() == "epics:nt/NTEnum:1.0" and len(state.value.choices) == 11
    assert list(raw.get(prefix + "cam1:Acquire").value.choices) == ["Done", "Acquire"]
    assert list(raw.get(prefix + "cam1:Acquire_RBV").value.choices) == ["Done", "Acquiring"]
    assert list(raw.get(prefix + "Stats1:EnableCallbacks").value.choices) == ["Disable", "Enable"]
    assert raw.get(prefix + "image1:Dimensions_RBV").getID() == "epics:nt/NTScalarArray:1.0"
    assert abs(number.timeStamp.secondsPastEpoch - time.time()) < 600
    raw.close()


def values(context):
    get = lambda name: context.get(prefix + name, timeout=600)
    Seen(context, "Stats1:MeanValue_RBV").wait(lambda v: len(v) > 2)
    assert get("Stats1:PluginType_RBV") == "NDPluginStats"
    assert get("Stats1:NDArrayPort_RBV") == "ROI1" and get("Stats1:PortName_RBV") == "STATS1"
    assert (get("cam1:ArraySizeX_RBV"), get("cam1:ArraySizeY_RBV")) == (64, 32)
    assert (get("image1:ArraySize0_RBV"), get("image1:ArraySize1_RBV")) == (64, 32)
    assert str(get("image1:DataType_RBV")) == "UInt8" and str(get("image1:ColorMode_RBV")) == "Mono"
    assert get("Stats1:QueueSize_RBV") == 20 and get("Stats1:QueueFree") <= 20
    assert get("Run:LedgerClosed_RBV") == 1 and get("cam1:PoolMaxMem") > 0
    assert "Stats1" in get("Run:Instances_RBV")
    assert get("Pva1:PvName_RBV") == prefix + "Pva1:Image"
    table = get("Run:Plugins_RBV")
    assert list(table.labels) == ["port", "plugin", "type", "prefix", "source"], table
    plugins = {row[0]: row[1:] for row in zip(*(table.value[label] for label in table.labels))}
    assert len(plugins) == len(get("Run:Nodes_RBV")), plugins
    assert plugins["detector"][1:] == ("sim_detector", prefix + "cam1:", ""), plugins
    assert plugins["STATS1"] == ("NDPluginStats", "statistics", prefix + "Stats1:", "ROI1"), plugins


def puts(context):
    get = lambda name: context.get(prefix + name, timeout=600)
    put = lambda name, value: context.put(prefix + name, value, timeout=600)
    put("cam1:AcquireTime", 0.002)
    assert get("cam1:AcquireTime_RBV") == 0.002 and get("cam1:AcquireTime") == 0.002
    put("cam1:SimMode", "Peaks")
    assert str(get("cam1:SimMode_RBV")) == "Peaks"
    put("cam1:SimMode", 0)
    assert str(get("cam1:SimMode_RBV")) == "LinearRamp"
    put("Stats1:ComputeCentroid", "No")
    assert get("Stats1:ComputeCentroid_RBV") == 0
    put("TIFF1:FileName", "x" * 200)
    assert get("TIFF1:FileName_RBV") == "x" * 200
    refused(context, "Stats1:MeanValue_RBV", 1.0, "not permitted")
    refused(context, "cam1:AcquireTime", -1.0, "wanted float in s")
    refused(context, "Stats1:NDArrayPort", "nobody", "unknown node")
    refused(context, "cam1:NDAttributesFile", "a.xml", "wanted a file with <Attributes>")


def acquisition(context):
    get = lambda name: context.get(prefix + name, timeout=600)
    put = lambda name, value, **more: context.put(prefix + name, value, timeout=600, **more)
    put("cam1:Acquire", 0)
    assert get("cam1:Acquire_RBV") == 0 and str(get("cam1:DetectorState_RBV")) == "Idle"
    # What was taken before is still queued before the slow node and would be counted below: one frame, and all are through.
    put("cam1:WaitForPlugins", 1)
    put("cam1:ImageMode", "Single")
    put("cam1:Acquire", 1, wait=True)
    put("cam1:ImageMode", "Multiple")
    put("cam1:NumImages", 30)
    put("cam1:AcquirePeriod", 0.002)
    put("Stats5:ArrayCounter", 0)
    put("slow:ArrayCounter", 0)
    states = Seen(context, "cam1:Acquire_RBV")
    states.wait(lambda v: len(v) == 1)
    for done in [30, 60]:
        put("cam1:Acquire", 1, wait=True)
        assert get("cam1:NumImagesCounter_RBV") == 30 and get("Stats5:ArrayCounter_RBV") == done
        # Behind this node the queue was still long when the last frame was taken.
        assert get("slow:ArrayCounter_RBV") == done and get("slow:QueueUse") == 0
    put("cam1:ImageMode", "Single")
    put("cam1:AcquireTime", 0.0)
    for _ in range(5):
        put("cam1:Acquire", 1, wait=True)
    seen = states.wait(lambda v: len(v) >= 15)
    assert [int(v) for v in seen] == [0] + 7 * [1, 0], seen

    # Without waiting the put is over at once, and stopping ends what others wait for.
    put("cam1:ImageMode", "Continuous")
    ended = threading.Event()
    waiter = threading.Thread(target=lambda: (put("cam1:Acquire", 1, wait=True), ended.set()))
    waiter.start()
    while get("cam1:Acquire_RBV") == 0:
        time.sleep(0.01)
    assert not ended.is_set()
    put("cam1:Acquire", 0)
    waiter.join(600)
    assert ended.is_set()


def wiring(context):
    get = lambda name: context.get(prefix + name, timeout=600)
    put = lambda name, value: context.put(prefix + name, value, timeout=600)
    put("cam1:ImageMode", "Multiple")
    put("cam1:NumImages", 10)
    put("Stats1:NDArrayPort", "detector")
    assert get("Stats1:NDArrayPort_RBV") == "detector"
    context.put(prefix + "cam1:Acquire", 1, wait=True, timeout=600)
    assert get("Stats1:ArraySizeX_RBV") == 64
    put("Stats1:NDArrayPort", "ROI1")
    put("Stats1:QueueSize", 7)
    assert get("Stats1:QueueSize_RBV") == 7 and get("Stats1:QueueFree") == 7
    put("Stats1:EnableCallbacks", "Disable")
    put("Stats1:ArrayCounter", 0)
    context.put(prefix + "cam1:Acquire", 1, wait=True, timeout=600)
    assert get("Stats1:ArrayCounter_RBV") == 0
    put("Stats1:EnableCallbacks", "Enable")
    context.put(prefix + "cam1:Acquire", 1, wait=True, timeout=600)
    assert get("Stats1:ArrayCounter_RBV") == 10 and get("Stats1:ArraySizeX_RBV") == 32


def losses(context):
    """A node that cannot keep up loses frames, and says so."""
    get = lambda name: context.get(prefix + name, timeout=600)
    put = lambda name, value: context.put(prefix + name, value, timeout=600)
    put("slow:QueueSize", 2)
    put("slow:DroppedArrays", 0)
    assert get("slow:DroppedArrays_RBV") == 0
    put("cam1:NumImages", 40)
    put("slow:ArrayCounter", 0)
    context.put(prefix + "cam1:Acquire", 1, wait=True, timeout=600)
    dropped, counted = get("slow:DroppedArrays_RBV"), get("slow:ArrayCounter_RBV")
    assert dropped > 0 and dropped + counted == 40, (dropped, counted)
    assert get("slow:LostQueueFull_RBV") >= dropped
    put("slow:DroppedArrays", 0)
    assert get("slow:DroppedArrays_RBV") == 0
    assert get("Run:LedgerClosed_RBV") == 1


def images(context):
    """Every picture is the detector's."""
    put = lambda name, value: context.put(prefix + name, value, timeout=600)
    put("cam1:ImageMode", "Multiple")
    put("cam1:NumImages", 25)
    put("cam1:AcquirePeriod", 0.02)
    put("cam1:Reset", 1)
    seen = Seen(context, "Pva1:Image", request="record[queueSize=60]field()")
    seen.wait(lambda v: len(v) == 1)
    context.put(prefix + "cam1:Acquire", 1, wait=True, timeout=600)
    pictures = seen.wait(lambda v: len(v) >= 26)[1:]
    numbers = [p.raw.uniqueId for p in pictures]
    assert numbers == list(range(numbers[0], numbers[0] + 25)), numbers
    first = pictures[0].astype(int)
    y, x = numpy.mgrid[0:32, 0:64]
    base = first[0, 0]
    for k, picture in enumerate(pictures):
        assert picture.dtype == numpy.uint8 and picture.attrib["ColorMode"] == 0
        wanted = (base + x + y + k) % 256
        assert (picture == wanted).all(), k
    flat = context.get(prefix + "image1:ArrayData", timeout=600)
    assert (numpy.asarray(flat).reshape(32, 64) == pictures[-1]).all()

    context.put(prefix + "cam1:DataType", "UInt16", timeout=600)
    context.put(prefix + "cam1:Acquire", 1, wait=True, timeout=600)
    picture = seen.wait(lambda v: len(v) >= 51)[-1]
    assert picture.dtype == numpy.uint16 and picture.shape == (32, 64)


def fields(context):
    """Fields of records are PVs of their own, and limits make alarms."""
    get = lambda name: context.get(prefix + name, timeout=600)
    put = lambda name, value: context.put(prefix + name, value, timeout=600)
    wanted = {"EGU": "s", "PREC": 6, "RTYP": "ao", "NAME": prefix + "cam1:AcquireTime", "DRVH": 1e9, "HIHI": 0.0, "SCAN": 0}
    for field, value in wanted.items():
        assert get(f"cam1:AcquireTime.{field}") == value, field
    assert get("cam1:AcquireTime.DESC").startswith("Time from the start") and get("cam1:PortName_RBV.VAL$") == "detector"
    assert list(get("cam1:AcquireTime.STAT").raw.value.choices)[4] == "HIGH"
    assert get("TIFF1:FilePath.RTYP") == "waveform" and get("TIFF1:FilePath_RBV.NELM") == 256
    assert get("cam1:ImageMode.ZRST") == "Single" and get("cam1:ImageMode.ONVL") == 1
    gains, severities = Seen(context, "cam1:Gain_RBV"), Seen(context, "cam1:Gain_RBV.SEVR")
    put("cam1:Gain.HIGH", 3.0)
    put("cam1:Gain.HSV", "MAJOR")
    put("cam1:Gain", 3.5)
    alarm = gains.wait(lambda v: v[-1] == 3.5 and v[-1].severity)[-1]
    assert (alarm.severity, alarm.status, alarm.raw.alarm.message) == (2, 1, "HIGH"), alarm.raw.alarm
    assert alarm.raw.valueAlarm.highWarningLimit == 3.0 and alarm.raw.valueAlarm.highWarningSeverity == 2
    severities.wait(lambda v: v[-1] == 2)
    put("cam1:Gain", 1)
    severities.wait(lambda v: v[-1] == 0)
    refused(context, "cam1:Gain.EGU", "V", "")
    refused(context, "cam1:PoolUsedMem.HIHI", 5, "")
    # Counts of the engine have limits, too.
    put("slow:ArrayCounter_RBV.LOLO", 1000000)
    put("slow:ArrayCounter_RBV.LLSV", "INVALID")
    assert get("slow:ArrayCounter_RBV").raw.alarm.message == "LOLO"


context = Context("pva", conf=conf, useenv=False)
for part in [structures, values, puts, acquisition, wiring, losses, fields, images]:
    part(context)
    print(part.__name__, "good", flush=True)
context.close()
