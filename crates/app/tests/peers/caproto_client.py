"""caproto's client, which speaks Channel Access by itself, against a served run; arguments: pvAccess address, prefix, port, port of a repeater."""

import os
import sys
import threading

_, prefix, port, repeater = sys.argv[1:5]
os.environ.update(
    EPICS_CA_ADDR_LIST="127.0.0.1",
    EPICS_CA_AUTO_ADDR_LIST="NO",
    EPICS_CA_SERVER_PORT=port,
    EPICS_CA_REPEATER_PORT=repeater,
)

from caproto import AccessRights, ChannelType  # noqa: E402
from caproto.threading.client import Context  # noqa: E402

SECONDS = 600
context = Context()


def channel(name):
    (pv,) = context.get_pvs(prefix + name, timeout=SECONDS)
    pv.wait_for_connection(timeout=SECONDS)
    return pv


def get(name, **how):
    return channel(name).read(timeout=SECONDS, **how)


def put(name, value, **how):
    return channel(name).write(value, wait=True, notify=True, timeout=SECONDS, **how)


def reads():
    period = get("cam1:AcquirePeriod", data_type="control")
    assert (period.data[0], period.metadata.units, period.metadata.precision) == (0.005, b"s", 6), period
    mode = get("cam1:ImageMode", data_type="control")
    assert list(mode.metadata.enum_strings) == [b"Single", b"Multiple", b"Continuous"], mode
    assert get("cam1:ImageMode", data_type=ChannelType.STRING).data == [b"Continuous"]
    assert get("cam1:PortName_RBV").data == [b"detector"]
    assert get("cam1:MaxSizeX_RBV", data_type="time").data[0] == 64
    assert AccessRights.WRITE not in channel("cam1:MaxSizeX_RBV").access_rights
    print("reads good")


def writes():
    put("cam1:AcquirePeriod", [0.004])
    assert get("cam1:AcquirePeriod_RBV").data[0] == 0.004
    put("cam1:ImageMode", [b"Multiple"], data_type=ChannelType.STRING)
    assert get("cam1:ImageMode_RBV").data[0] == 1
    # A refusal is the status of the answer, which this client hands over.
    assert put("cam1:AcquirePeriod", [0.003]).status.success == 1
    assert put("cam1:AcquirePeriod", [-1.0]).status.success == 0
    assert get("cam1:AcquirePeriod_RBV").data[0] == 0.003
    print("writes good")


def long_texts():
    folder = get("TIFF1:FilePath")
    assert (folder.data_type, channel("TIFF1:FilePath").channel.native_data_count) == (ChannelType.CHAR, 256), folder
    text = "/data/" + "x" * 100
    put("TIFF1:FileName", list(text.encode()) + [0], data_type=ChannelType.CHAR)
    for name in ("TIFF1:FileName_RBV", "TIFF1:FileName.VAL$"):
        assert bytes(get(name).data).rstrip(b"\0").decode() == text, name
    assert bytes(get("cam1:PortName_RBV.NAME$").data).rstrip(b"\0").decode() == prefix + "cam1:PortName_RBV"
    print("long texts good")


def acquires():
    put("cam1:Acquire", [0])
    put("cam1:NumImages", [7])
    put("cam1:ArrayCounter", [0])
    # The put ends when the acquisition has ended.
    put("cam1:Acquire", [1])
    assert get("cam1:ArrayCounter_RBV").data[0] == 7
    assert get("cam1:Acquire").data[0] == 0
    print("acquires good")


def watches():
    seen, enough = [], threading.Event()

    def add(_, response):
        seen.append(int(response.data[0]))
        if len(seen) > 3:
            enough.set()

    watch = channel("cam1:ArrayCounter_RBV").subscribe(data_type="time")
    watch.add_callback(add)
    put("cam1:ImageMode", [2])
    channel("cam1:Acquire").write([1], wait=False)
    assert enough.wait(SECONDS)
    watch.clear()
    assert seen == sorted(seen) and len(set(seen)) == len(seen), seen
    print("watches good")


def pictures():
    put("image1:EnableCallbacks", [1])
    while len(get("image1:ArrayData").data) != 64 * 32:
        pass
    print("pictures good")


for part in (reads, writes, long_texts, acquires, watches, pictures):
    part()
# The threads of this client outlive the script otherwise.
sys.stdout.flush()
os._exit(0)
