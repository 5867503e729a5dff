"""cothread's cadef over libca against a served run; arguments: pvAccess address, prefix, port, port of a repeater."""

import os
import sys

_, prefix, port, repeater = sys.argv[1:5]
os.environ.update(
    EPICS_CA_ADDR_LIST="127.0.0.1",
    EPICS_CA_AUTO_ADDR_LIST="NO",
    EPICS_CA_SERVER_PORT=port,
    EPICS_CA_REPEATER_PORT=repeater,
    EPICS_CA_MAX_ARRAY_BYTES="1000000",
)

import cothread  # noqa: E402
from cothread.cadef import CAException  # noqa: E402
from cothread.catools import (  # noqa: E402
    DBR_CHAR_STR,
    DBR_ENUM_STR,
    DBR_STRING,
    FORMAT_CTRL,
    FORMAT_TIME,
    caget,
    cainfo,
    camonitor,
    caput,
)

SECONDS = 600


def get(name, **how):
    return caget(prefix + name, timeout=SECONDS, **how)


def put(name, value, **how):
    return caput(prefix + name, value, timeout=SECONDS, wait=True, **how)


def refused(name, value):
    try:
        put(name, value)
    # The server refuses, or libca does where the client has no right to write.
    except (cothread.catools.ca_nothing, CAException):
        return
    raise AssertionError(f"{name} took {value}")


def reads():
    period = get("cam1:AcquirePeriod", format=FORMAT_CTRL)
    assert (float(period), period.units, period.precision) == (0.005, "s", 6), vars(period)
    mode = get("cam1:ImageMode", format=FORMAT_CTRL)
    assert list(mode.enums) == ["Single", "Multiple", "Continuous"], vars(mode)
    assert get("cam1:ImageMode", datatype=DBR_ENUM_STR) == "Continuous"
    assert get("cam1:ImageMode", datatype=DBR_STRING) == "Continuous"
    assert get("cam1:PortName_RBV") == "detector"
    several = caget([prefix + name for name in ("cam1:MaxSizeX_RBV", "cam1:MaxSizeY_RBV")], timeout=SECONDS)
    assert list(several) == [64, 32], several
    info = cainfo(prefix + "cam1:MaxSizeX_RBV", timeout=SECONDS)
    assert (info.count, info.read, info.write) == (1, True, False), info
    print("reads good")


def writes():
    put("cam1:AcquirePeriod", 0.004)
    assert get("cam1:AcquirePeriod_RBV") == 0.004
    put("cam1:ImageMode", "Multiple", datatype=DBR_STRING)
    assert get("cam1:ImageMode_RBV") == 1
    refused("cam1:AcquirePeriod", -1)
    refused("cam1:MaxSizeX_RBV", 1)
    assert get("cam1:AcquirePeriod_RBV") == 0.004
    print("writes good")


def long_texts():
    assert cainfo(prefix + "TIFF1:FilePath", timeout=SECONDS).count == 256
    text = "/data/" + "x" * 100
    put("TIFF1:FileName", text, datatype=DBR_CHAR_STR)
    for name in ("TIFF1:FileName_RBV", "TIFF1:FileName.VAL$"):
        assert get(name, datatype=DBR_CHAR_STR) == text, name
    assert get("cam1:PortName_RBV.NAME$", datatype=DBR_CHAR_STR) == prefix + "cam1:PortName_RBV"
    print("long texts good")


def acquires():
    put("cam1:Acquire", 0)
    put("cam1:NumImages", 7)
    put("cam1:ArrayCounter", 0)
    # The put ends when the acquisition has ended.
    put("cam1:Acquire", 1)
    assert get("cam1:ArrayCounter_RBV") == 7
    assert get("cam1:Acquire") == 0
    print("acquires good")


def watches():
    seen, enough = [], cothread.Event()

    def add(value):
        seen.append(int(value))
        if len(seen) > 3:
            enough.Signal()

    watch = camonitor(prefix + "cam1:ArrayCounter_RBV", add, format=FORMAT_TIME)
    put("cam1:ImageMode", "Continuous", datatype=DBR_STRING)
    caput(prefix + "cam1:Acquire", 1, timeout=SECONDS)
    enough.Wait(SECONDS)
    watch.close()
    assert seen == sorted(seen) and len(set(seen)) == len(seen), seen
    print("watches good")


def pictures():
    put("image1:EnableCallbacks", 1)
    while len(get("image1:ArrayData")) != 64 * 32:
        cothread.Sleep(0.05)
    print("pictures good")


for part in (reads, writes, long_texts, acquires, watches, pictures):
    part()
