"""A pvAccessCPP server. Argument: UDP port. Says when it is there, ends with stdin."""
import sys

import pvaccess as pva

server = pva.PvaServer()
pvs = {}


def add(name, value):
    pvs[name] = value
    server.addRecord(name, value, None)


kinds = {"bool": pva.BOOLEAN, "b": pva.BYTE, "Bu": pva.UBYTE, "h": pva.SHORT, "Hu": pva.USHORT, "i": pva.INT,
         "Iu": pva.UINT, "l": pva.LONG, "Lu": pva.ULONG, "f": pva.FLOAT, "d": pva.DOUBLE, "s": pva.STRING}
for name, kind in kinds.items():
    value = {"bool": True, "s": "text", "b": chr(7)}.get(name, 7)
    alarm = {"severity": pva.INT, "status": pva.INT, "message": pva.STRING}
    add("scalar:" + name, pva.PvObject({"value": kind, "alarm": alarm}, {"value": value}, "epics:nt/NTScalar:1.0"))
    elements = {"bool": [False, True, True], "s": ["a", "b", ""], "b": [chr(0), chr(1), chr(2)]}.get(name, [0, 1, 2])
    add("array:" + name, pva.PvObject({"value": [kind]}, {"value": elements}, "epics:nt/NTScalarArray:1.0"))
add("array:large", pva.PvObject({"value": [pva.DOUBLE], "after": pva.INT},
                                {"value": [float(i) for i in range(50_000)], "after": 5}))
add("enum", pva.NtEnum(["Off", "On", "Broken"], 1))
image = pva.NtNdArray()
image["uniqueId"] = 4
image["dimension"] = [{"size": 300, "offset": 0, "fullSize": 300, "binning": 1, "reverse": False},
                      {"size": 200, "offset": 0, "fullSize": 200, "binning": 1, "reverse": False}]
image["value"] = ({"ushortValue": [i % 65536 for i in range(60_000)]},)
image["attribute"] = [pva.NtAttribute("ColorMode", pva.PvInt(0))]
add("image", image)
add("odd", pva.PvObject({"any": (), "union": ({"i": pva.INT, "s": pva.STRING},),
                         "structs": [{"x": pva.DOUBLE, "y": pva.DOUBLE}]},
                        {"any": pva.PvInt(5), "union": pva.PvObject({"s": pva.STRING}, {"s": "chosen"}),
                         "structs": [{"x": 1.0, "y": 2.0}, {"x": 3.0, "y": 4.0}]}))
add("counter", pva.PvObject({"value": pva.INT}, {"value": 0}))


def process(request):
    return pva.PvDouble(request["query"]["lhs"] + request["query"]["rhs"])


calls = pva.RpcServer()
calls.registerService("call:add", process)
calls.startListener()
print("PORT 0", flush=True)
for line in sys.stdin:
    words = line.split()
    if words[0] == "post":
        server.update(words[1], pva.PvObject({"value": pva.INT}, {"value": int(words[2])}))
    elif words[0] == "count":
        for number in range(1, int(words[2]) + 1):
            server.update(words[1], pva.PvObject({"value": pva.INT}, {"value": number}))
    print("OK", flush=True)
