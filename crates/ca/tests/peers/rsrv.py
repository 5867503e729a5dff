"""A soft IOC of EPICS base at loopback; arguments: port, port of the repeater. It ends with its input."""

import os
import sys
from pathlib import Path

port, repeater = sys.argv[1:]
os.environ.update(
    EPICS_CA_SERVER_PORT=port,
    EPICS_CA_REPEATER_PORT=repeater,
    EPICS_CA_ADDR_LIST="127.0.0.1",
    EPICS_CA_AUTO_ADDR_LIST="NO",
    EPICS_CAS_INTF_ADDR_LIST="127.0.0.1",
    EPICS_CAS_BEACON_ADDR_LIST="127.0.0.1",
    EPICS_CAS_AUTO_BEACON_ADDR_LIST="NO",
)

from softioc import asyncio_dispatcher, imports, softioc  # noqa: E402

here = Path(__file__).parent
imports.registerRecordDeviceDriver(softioc.pdbbase)
softioc.dbLoadDatabase(str(here / "rsrv.db"))
imports.dbCore.asSetFilename(str(here / "rsrv.acf").encode())
softioc.iocInit(asyncio_dispatcher.AsyncioDispatcher(), enable_pva=False)
print("ready", flush=True)
sys.stdin.read()
os._exit(0)
