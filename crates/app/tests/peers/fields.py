"""Fields of records of a served run beside those of a soft IOC, as libca sees both; arguments: pvAccess address, prefix, port of Channel
Access. The IOC is this program with the argument `ioc`."""

import asyncio
import os
import random
import socket
import subprocess
import sys
import tempfile

SECONDS = 600
# Our PVs, each with the type that its record has.
PVS = {
    "cam1:Offset": "ao",
    "cam1:Offset_RBV": "ai",
    "cam1:NumImages": "longout",
    "cam1:NumImages_RBV": "longin",
    "slow:FailEvery": "int64out",
    "slow:FailEvery_RBV": "int64in",
    "Stats1:EnableCallbacks": "bo",
    "Stats1:EnableCallbacks_RBV": "bi",
    "cam1:ImageMode": "mbbo",
    "cam1:ImageMode_RBV": "mbbi",
    "Stats1:NDArrayPort": "stringout",
    "cam1:PortName_RBV": "stringin",
    "TIFF1:FilePath": "waveform",
    "TIFF1:FullFileName_RBV": "waveform",
}
LIMITS = "lower_alarm_limit lower_warning_limit upper_warning_limit upper_alarm_limit".split()
STATES = "ZR ON TW TH FR FV SX SV EI NI TE EL TV TT FT FF".split()
ABOUT = "DESC EGU PREC HOPR LOPR DRVH DRVL ZNAM ONAM".split() + [state + "ST" for state in STATES]
FIELDS = (
    "VAL NAME RTYP HIHI HIGH LOW LOLO HHSV HSV LSV LLSV HYST SEVR STAT SCAN NELM NORD FTVL PACT DISP PROC UDF ADEL MDEL TIME "
    "VAL$ DESC$ EGU$ NAME$ RTYP$ $ PREC$ NONE"
).split() + ABOUT + [state + part for state in STATES for part in ("VL", "SV")]
# Records of two choices have the fields of both kinds here; inputs have no device in the IOC; NORD follows the text.
MORE = {("bo", "ST"), ("bo", "VL"), ("bo", "SV"), ("bi", "ST"), ("bi", "VL"), ("bi", "SV")}


def ioc(database):
    from softioc import asyncio_dispatcher, softioc

    softioc.dbLoadDatabase(database)
    softioc.iocInit(asyncio_dispatcher.AsyncioDispatcher(), enable_pva=False)
    print("ready", flush=True)
    sys.stdin.read()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


async def known(name):
    """The type, the count and the value of a channel; `None` when there is none."""
    from aioca import caget, cainfo
    from epicscorelibs.ca import dbr

    # The one thing that a client can do about a name that no server has is to wait; all wait at the same time.
    info = await cainfo(name, timeout=12, throw=False)
    if not info.ok:
        return None
    as_text = dbr.DBR_CHAR_STR if info.datatype == dbr.DBR_CHAR and info.count > 1 else None
    value = await caget(name, timeout=SECONDS, datatype=as_text)
    return info.datatype, info.count, str(value)


async def all_fields(prefix):
    asked = [(name, field) for name in PVS for field in FIELDS]
    found = await asyncio.gather(*[known(f"{prefix}{name}.{field}") for name, field in asked])
    fields = {name: {} for name in PVS}
    for (name, field), value in zip(asked, found):
        if value is not None:
            fields[name][field] = value
    return fields


def record(kind, name, fields):
    """A record that has what the PV of a run is described with."""
    about = {field: fields[field][2] for field in ABOUT if field in fields}
    about["DESC"] = fields["DESC$"][2]
    if kind in ("bo", "bi"):
        about = {field: value for field, value in about.items() if field[2:] != "ST"}
    about |= {state + "VL": str(number) for number, state in enumerate(STATES) if about.get(state + "ST")}
    if kind == "waveform":
        about |= {"NELM": str(fields["VAL"][1]), "FTVL": "CHAR"}
    else:
        about["VAL"] = fields["VAL"][2]
    about["PINI"] = "YES"
    # A record's description has 40 characters, and a number its type.
    lines = [f'    field({field}, "{value[:40].removesuffix(".0")}")\n' for field, value in about.items()]
    return f'record({kind}, "{name}") {{\n{"".join(lines)}}}\n'


async def same_fields(prefix, ours, of_ioc):
    different = []
    for name, kind in PVS.items():
        found, wanted = ours[name], of_ioc[name]
        for field in FIELDS:
            if (kind, field[2:]) in MORE and field not in wanted:
                continue
            mine, theirs = found.get(field), wanted.get(field)
            if mine and theirs:
                if field in ("NAME", "NAME$"):
                    mine = (*mine[:2], "IOC:" + mine[2].removeprefix(prefix))
                if field in ("SCAN", "NORD") and kind not in ("ao", "bo"):
                    mine, theirs = mine[:2], theirs[:2]
                if kind == "waveform" and field == "VAL":
                    # The text of a waveform cannot be given in a record file.
                    mine, theirs = mine[:2], theirs[:2]
                if field.endswith("$"):
                    # Ours are longer where the text is.
                    assert mine[1] >= 40 or mine[1] >= theirs[1], (name, field, mine, theirs)
                    mine, theirs = (mine[0], mine[2][:40]), (theirs[0], theirs[2])
                if field == "DESC":
                    mine, theirs = (*mine[:2], mine[2][:39]), (*theirs[:2], theirs[2][:39])
            if kind == "waveform" and field in ("VAL$", "$"):
                continue
            if mine != theirs:
                different.append((name, field, mine, theirs))
    assert not different, different
    print("fields good")


async def same_alarms(prefix, chance):
    from aioca import FORMAT_CTRL, FORMAT_TIME, caget, caput

    bounds = {"LOLO": "LLSV", "LOW": "LSV", "HIGH": "HSV", "HIHI": "HHSV"}
    kinds = set()
    for round in range(60):
        name, readback = chance.choice([("cam1:Offset", "cam1:Offset_RBV"), ("slow:FailEvery", "slow:FailEvery_RBV")])
        whole = name != "cam1:Offset"
        steps = [(field, chance.randint(0, 20)) for field in bounds] + [("HYST", chance.choice([0, 0, 2]))]
        steps += [(severity, chance.choice(["NO_ALARM", "MINOR", "MAJOR", "INVALID"])) for severity in bounds.values()]
        for field, value in steps:
            await asyncio.gather(*[caput(f"{whose}{name}.{field}", value, wait=True, timeout=SECONDS) for whose in (prefix, "IOC:")])
        about = await asyncio.gather(*[caget(whose + name, format=FORMAT_CTRL, timeout=SECONDS) for whose in (prefix, "IOC:")])
        # A limit without a severity is no number.
        limits = [[str(getattr(one, limit)) for limit in LIMITS] for one in about]
        assert limits[0] == limits[1], (name, steps, limits)
        for _ in range(4):
            value = chance.randint(0, 20) + (0 if whole else chance.choice([0, 0.5]))
            await asyncio.gather(*[caput(whose + name, value, wait=True, timeout=SECONDS) for whose in (prefix, "IOC:")])
            pvs = [prefix + name, prefix + readback, "IOC:" + name]
            found = await asyncio.gather(*[caget(pv, format=FORMAT_TIME, timeout=SECONDS) for pv in pvs])
            alarms = [(float(one), one.status, one.severity) for one in found]
            assert alarms[0] == alarms[1] == alarms[2], (name, steps, alarms)
            texts = [[await caget(f"{pv}.{field}", datatype=str, timeout=SECONDS) for field in ("STAT", "SEVR")] for pv in pvs]
            assert texts[0] == texts[1] == texts[2], (name, steps, texts)
            kinds.add(tuple(texts[0]))
    assert len(kinds) > 8, kinds
    print("alarms good")


async def refusals(prefix):
    from aioca import CANothing, caput, cainfo
    from epicscorelibs.ca.cadef import CAException

    for field, value in {"EGU": "mm", "HHSV": "WORSE", "HIHI": "high"}.items():
        try:
            await caput(f"{prefix}cam1:Offset.{field}", value, wait=True, timeout=SECONDS)
        except (CANothing, CAException):
            continue
        raise AssertionError(f"{field} took {value}")
    assert not (await cainfo(f"{prefix}cam1:PoolUsedMem.HIHI", timeout=SECONDS)).write
    print("refusals good")


async def texts(prefix, folder):
    from aioca import caget, cainfo, caput
    from epicscorelibs.ca import dbr

    path = f"{folder}/{'long' * 20}"
    os.mkdir(path)
    info = await cainfo(prefix + "TIFF1:FilePath", timeout=SECONDS)
    assert (info.datatype, info.count) == (dbr.DBR_CHAR, 256), info
    assert (await cainfo(prefix + "TIFF1:FullFileName_RBV", timeout=SECONDS)).count == 512
    await caput(prefix + "TIFF1:FilePath", path, datatype=dbr.DBR_CHAR_STR, wait=True, timeout=SECONDS)
    for name in ("TIFF1:FilePath", "TIFF1:FilePath_RBV", "TIFF1:FilePath.VAL$", "TIFF1:FilePath_RBV.$"):
        assert (await caget(prefix + name, datatype=dbr.DBR_CHAR_STR, timeout=SECONDS)).rstrip("/") == path, name
    assert await caget(prefix + "cam1:PortName_RBV.$", datatype=dbr.DBR_CHAR_STR, timeout=SECONDS) == "detector"
    await caput(prefix + "Stats1:NDArrayPort.VAL$", "detector", datatype=dbr.DBR_CHAR_STR, wait=True, timeout=SECONDS)
    print("texts good")


async def main(prefix, folder, chance):
    from aioca import purge_channel_caches

    ours = await all_fields(prefix)
    database = os.path.join(folder, "fields.db")
    with open(database, "w") as file:
        file.writelines(record(kind, "IOC:" + name, ours[name]) for name, kind in PVS.items())
    with subprocess.Popen([sys.executable, __file__, "ioc", database], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert any(line.strip() == "ready" for line in server.stdout), "the IOC does not start"
            await same_fields(prefix, ours, await all_fields("IOC:"))
            await refusals(prefix)
            await same_alarms(prefix, chance)
            await texts(prefix, folder)
        finally:
            # The end of the IOC concerns no channel any more.
            purge_channel_caches()
            server.kill()


if sys.argv[1] == "ioc":
    ioc(sys.argv[2])
else:
    _, prefix, port = sys.argv[1:4]
    theirs = free_port()
    os.environ.update(
        EPICS_CA_ADDR_LIST=f"127.0.0.1:{theirs}",
        EPICS_CA_AUTO_ADDR_LIST="NO",
        EPICS_CA_NAME_SERVERS=f"127.0.0.1:{port}",
        EPICS_CA_SERVER_PORT=theirs,
        EPICS_CA_REPEATER_PORT=free_port(),
        EPICS_CAS_INTF_ADDR_LIST="127.0.0.1",
        EPICS_CA_MAX_ARRAY_BYTES="1000000",
    )
    seed = random.randrange(1 << 32)
    print("seed", seed, file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(prefix, folder, random.Random(seed)))
