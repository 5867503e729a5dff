"""libca, by aioca, against a served run; arguments: pvAccess address, prefix, port of Channel Access."""

import asyncio
import json
import os
import sys

_, prefix, port = sys.argv[1:4]
os.environ.update(
    EPICS_CA_ADDR_LIST="", EPICS_CA_AUTO_ADDR_LIST="NO", EPICS_CA_NAME_SERVERS=f"127.0.0.1:{port}", EPICS_CA_MAX_ARRAY_BYTES="1000000"
)

from aioca import FORMAT_CTRL, FORMAT_TIME, CANothing, caget, cainfo, camonitor, caput  # noqa: E402
from epicscorelibs.ca import dbr  # noqa: E402
from epicscorelibs.ca.cadef import CAException  # noqa: E402

SECONDS = 600


async def get(name, **how):
    return await caget(prefix + name, timeout=SECONDS, **how)


async def put(name, value, **how):
    return await caput(prefix + name, value, timeout=SECONDS, **how)


async def refused(name, value):
    try:
        await put(name, value, wait=True)
    except (CANothing, CAException):
        # A server refuses, or libca does where the client has no right to write.
        return
    raise AssertionError(f"{name} took {value}")


async def reads():
    period = await get("cam1:AcquirePeriod", format=FORMAT_CTRL)
    assert (float(period), period.units, period.precision) == (0.005, "s", 6), vars(period)
    mode = await get("cam1:ImageMode", format=FORMAT_CTRL)
    assert list(mode.enums) == ["Single", "Multiple", "Continuous"], vars(mode)
    assert await get("cam1:ImageMode", datatype=dbr.DBR_STRING) == "Continuous"
    assert await get("cam1:PortName_RBV") == "detector"
    assert await get("cam1:MaxSizeX_RBV", datatype=dbr.DBR_DOUBLE) == 64.0
    info = await cainfo(prefix + "cam1:AcquirePeriod", timeout=SECONDS)
    assert (info.datatype, info.count, info.write) == (dbr.DBR_DOUBLE, 1, True), info
    assert not (await cainfo(prefix + "cam1:MaxSizeX_RBV", timeout=SECONDS)).write
    print("reads good")


async def fields():
    for field, wanted in {"EGU": "s", "PREC": 6, "RTYP": "ao", "NAME": prefix + "cam1:AcquirePeriod", "VAL": 0.005}.items():
        assert await get(f"cam1:AcquirePeriod.{field}") == wanted, field
    # As the templates of ADCore have them.
    for name, wanted in {"TIFF1:Capture": "busy", "TIFF1:WriteFile": "busy", "cam1:Acquire": "bo", "TIFF1:Capture_RBV": "bi"}.items():
        assert await get(name + ".RTYP") == wanted, name
    assert await get("cam1:PortName_RBV.VAL$") == "detector"
    try:
        await caget(prefix + "cam1:AcquirePeriod.NONE", timeout=2)
    except CANothing:
        print("fields good")


async def writes():
    await put("cam1:AcquirePeriod", 0.004, wait=True)
    assert await get("cam1:AcquirePeriod_RBV") == 0.004
    await put("ROI1:SizeX", "16", wait=True)
    # The region of a frame is known with the frame.
    while await get("ROI1:SizeX_RBV") != 16:
        await asyncio.sleep(0.01)
    await refused("cam1:AcquirePeriod", -1)
    await refused("cam1:ImageMode", "None of them")
    await refused("cam1:MaxSizeX_RBV", 1)
    assert await get("cam1:AcquirePeriod_RBV") == 0.004
    print("writes good")


async def acquires():
    await put("cam1:Acquire", 0, wait=True)
    await put("cam1:ImageMode", "Multiple", wait=True)
    await put("cam1:NumImages", 7, wait=True)
    await put("cam1:ArrayCounter", 0, wait=True)
    # The put ends when the acquisition has ended.
    await put("cam1:Acquire", 1, wait=True)
    assert await get("cam1:ArrayCounter_RBV") == 7
    assert await get("cam1:Acquire") == 0
    print("acquires good")


async def plugins():
    # Channel Access has no tables: the rows are objects in JSON, in a long text.
    async def sources():
        rows = json.loads(await get("Run:PluginsJSON_RBV", datatype=dbr.DBR_CHAR_STR))
        return {row["prefix"]: (row["port"], row["plugin"], row["source"]) for row in rows}

    assert (await sources())[prefix + "Stats1:"] == ("STATS1", "NDPluginStats", "ROI1")
    await put("Stats1:NDArrayPort", "detector", wait=True)
    while (await sources())[prefix + "Stats1:"][2] != "detector":
        await asyncio.sleep(0.01)
    await put("Stats1:NDArrayPort", "ROI1", wait=True)
    print("plugins good")


async def watches():
    seen, enough = [], asyncio.Event()

    def add(value):
        seen.append(int(value))
        if len(seen) > 3:
            enough.set()

    watch = camonitor(prefix + "cam1:ArrayCounter_RBV", add, format=FORMAT_TIME)
    await put("cam1:ImageMode", "Continuous", wait=True)
    await put("cam1:Acquire", 1)
    await asyncio.wait_for(enough.wait(), SECONDS)
    watch.close()
    assert seen == sorted(seen) and len(set(seen)) == len(seen), seen
    print("watches good")


async def pictures():
    await put("image1:EnableCallbacks", 1, wait=True)
    while len(await get("image1:ArrayData")) != 64 * 32:
        await asyncio.sleep(0.05)
    print("pictures good")


async def main():
    for part in (reads, fields, writes, acquires, plugins, watches, pictures):
        await part()


asyncio.run(main())
