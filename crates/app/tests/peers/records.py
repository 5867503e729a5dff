"""A stock IOC whose records link to a served run, and a client of Channel Access; arguments: server address, prefix, record file.

The IOC is this program with the argument `ioc`.
"""

import asyncio
import os
import socket
import subprocess
import sys


def ioc(database):
    import ctypes

    import pvxslibs.path
    from setuptools_dso.runtime import find_dso
    from softioc import asyncio_dispatcher, imports, softioc

    softioc.dbLoadDatabase("pvxsIoc.dbd", pvxslibs.path.dbd_path, None)
    ctypes.CDLL(find_dso("pvxslibs.lib.pvxsIoc"), ctypes.RTLD_GLOBAL)
    imports.registerRecordDeviceDriver(softioc.pdbbase)
    softioc.dbLoadDatabase(database)
    softioc.iocInit(asyncio_dispatcher.AsyncioDispatcher(), enable_pva=False)
    print("ready", flush=True)
    sys.stdin.read()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def until(name, is_right, **options):
    from aioca import CANothing, caget

    value = None
    for _ in range(6000):
        try:
            value = await caget(name, timeout=600, **options)
            if is_right(value):
                return value
        except CANothing as problem:
            value = problem
        await asyncio.sleep(0.1)
    raise AssertionError((name, value))


async def client(prefix):
    from aioca import caput

    assert await until(prefix + "cam1:MaxSizeX_RBV", lambda v: v == 64)
    await until(prefix + "cam1:PortName_RBV", lambda v: v == "detector")
    await until(prefix + "cam1:DataType_RBV", lambda v: v == "UInt8", datatype=str)
    await until(prefix + "cam1:Dimensions_RBV", lambda v: list(v[:2]) == [64, 32])
    await until(prefix + "Stats5:ArrayCounter_RBV", lambda v: v > 0)
    await until(prefix + "Run:Nodes_RBV", lambda v: "detector" in list(v))
    # Written through the record, read back through another one.
    await caput(prefix + "cam1:AcquirePeriod", 0.25, timeout=600)
    await until(prefix + "cam1:AcquirePeriod_RBV", lambda v: v == 0.25)
    await caput(prefix + "cam1:ImageMode", "Multiple", timeout=600)
    await until(prefix + "cam1:ImageMode_RBV", lambda v: v == "Multiple", datatype=str)
    await caput(prefix + "ROI1:SizeX", 7, timeout=600)
    await until(prefix + "ROI1:SizeX_RBV", lambda v: v == 7)
    await until(prefix + "cam1:AcquireTime.DESC", lambda v: v.startswith("Time from the start"))
    print("ok")


def main(address, prefix, database):
    host, port = address.rsplit(":", 1)
    os.environ.update(
        EPICS_PVA_NAME_SERVERS=f"{host}:{port}",
        EPICS_PVA_ADDR_LIST="",
        EPICS_PVA_AUTO_ADDR_LIST="NO",
        EPICS_CA_ADDR_LIST="127.0.0.1",
        EPICS_CA_AUTO_ADDR_LIST="NO",
        EPICS_CA_SERVER_PORT=str(free_port()),
        EPICS_CA_REPEATER_PORT=str(free_port()),
        EPICS_CAS_INTF_ADDR_LIST="127.0.0.1",
        PVXS_QSRV_ENABLE="NO",
    )
    command = [sys.executable, __file__, "ioc", database]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        # The IOC says what it is first; it ends here when a record is wrong.
        for line in server.stdout:
            if line.strip() == "ready":
                break
        else:
            raise AssertionError("the IOC does not start")
        asyncio.run(client(prefix))
    finally:
        server.kill()


if sys.argv[1] == "ioc":
    ioc(sys.argv[2])
else:
    main(*sys.argv[1:4])
