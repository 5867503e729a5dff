"""ophyd-async's class for detectors against a served pva_source; arguments: server address, prefix."""

import asyncio
import os
import sys

address, prefix = sys.argv[1:3]
os.environ.update(
    EPICS_PVA_NAME_SERVERS=address, EPICS_PVA_ADDR_LIST="", EPICS_PVA_AUTO_ADDR_LIST="NO"
)

from ophyd_async.core import init_devices
from ophyd_async.epics import adcore


async def acquire(driver, mode, count, wanted):
    await driver.image_mode.set(mode)
    await driver.num_images.set(count)
    await driver.array_counter.set(0)
    await driver.acquire.set(True)
    assert not await driver.acquire.get_value()
    found = await driver.array_counter.get_value()
    assert found == wanted, (mode, found)
    assert await driver.detector_state.get_value() == adcore.ADState.IDLE


async def main():
    async with init_devices():
        driver = adcore.ADBaseIO(f"pva://{prefix}cam1:")
        stats = adcore.NDStatsIO(f"pva://{prefix}Stats1:")
    assert await driver.port_name.get_value() == "far"
    await driver.acquire_time.set(0.01)
    await driver.acquire_period.set(0.02)
    await driver.wait_for_plugins.set(True)
    await acquire(driver, adcore.ADImageMode.MULTIPLE, 7, 7)
    await acquire(driver, adcore.ADImageMode.SINGLE, 7, 1)
    await acquire(driver, adcore.ADImageMode.MULTIPLE, 3, 3)
    assert await stats.array_counter.get_value() == 11
    print("ophyd-async is content")


asyncio.run(main())
