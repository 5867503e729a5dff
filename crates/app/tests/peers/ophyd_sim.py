"""ophyd-async's areaDetector classes against a served run; arguments: server address, prefix."""

import asyncio
import os
import sys

address, prefix = sys.argv[1:3]
os.environ.update(
    EPICS_PVA_NAME_SERVERS=address, EPICS_PVA_ADDR_LIST="", EPICS_PVA_AUTO_ADDR_LIST="NO"
)

from ophyd_async.core import TriggerInfo, init_devices
from ophyd_async.epics import adcore
from ophyd_async.epics.adsimdetector import SimDetector


async def main():
    root = f"pva://{prefix}"
    async with init_devices():
        driver = adcore.ADBaseIO(f"{root}cam1:")
        stats = adcore.NDStatsIO(f"{root}Stats1:")
        roi = adcore.NDROIIO(f"{root}ROI1:")
        image = adcore.NDPluginBaseIO(f"{root}image1:")
        detector = SimDetector(root, plugins={"stats": adcore.NDStatsIO(f"{root}Stats5:")}, name="sim")

    assert await driver.port_name.get_value() == "detector"
    assert await driver.model.get_value() == "Basic simulator"
    assert await stats.nd_array_port.get_value() == "ROI1"

    await driver.acquire.set(False)
    await driver.image_mode.set(adcore.ADImageMode.MULTIPLE)
    await driver.num_images.set(20)
    await driver.acquire_time.set(0.001)
    await driver.wait_for_plugins.set(True)
    await stats.array_counter.set(0)
    await driver.acquire.set(True)
    assert not await driver.acquire.get_value()
    assert await stats.array_counter.get_value() == 20
    assert await image.array_size_x.get_value() == 64
    assert await driver.detector_state.get_value() == adcore.ADState.IDLE

    await stats.compute_histogram.set(True)
    await stats.hist_size.set(16)
    await roi.size_x.set(8)
    await roi.bin_x.set(2)
    await driver.acquire.set(True)
    assert await roi.array_size_x.get_value() == 4
    mean = await stats.total.get_value()
    assert mean > 0, mean

    # As a plan does it.
    await detector.stage()
    await detector.prepare(TriggerInfo(number_of_events=3, livetime=0.001, deadtime=0.001))
    await detector.unstage()
    print("ophyd-async is content")


asyncio.run(main())
