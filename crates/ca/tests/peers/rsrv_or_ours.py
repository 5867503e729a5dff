"""Random gets, puts, monitors and disconnects through libca at two servers with the same channels; prints how many answers were compared.

Arguments: seed, steps, port of the one, port of the other. Each server has a process of its own here, because a client of libca has one
list of servers. With the arguments `client PORT` this is such a process: it reads requests as lines of JSON and prints answers."""

import json
import math
import os
import random
import struct
import subprocess
import sys

CHANNELS = {
    "d:double": 1,
    "d:float": 1,
    "d:long": 1,
    "d:short": 1,
    "d:char": 1,
    "d:enum": 1,
    "d:text": 1,
    "d:doubles": 10,
    "d:longs": 7,
    "d:shorts": 5,
    "d:chars": 64,
    "d:floats": 3,
    "d:texts": 4,
}
TYPES = [*range(0, 35), 38]
NUMBERS = [0, 1, -1, 2, 7.5, -7.5, 127, 128, 255, 256, 32767, 32768, -32769, 65536, 1e6, 2147483647, 1e9, -1e9, 1e-5, 123456.789]
TEXTS = ["", "0", "1", "Done", "Acquire", "3.25", "-17", "0x1F", " 8 ", "1e3", "nan", "inf", "text", "12 apples", "x" * 39, "1.5e", "2147483648", "-1"]


# Letters of `struct` and bytes of the kinds of values.
VALUES = [("40s", 40), ("h", 2), ("f", 4), ("H", 2), ("B", 1), ("i", 4), ("d", 8)]


def values(data, kind, count):
    """Values as texts; what stands behind the end of a text is nobody's."""
    letter, size = VALUES[kind]
    found = [struct.unpack("=" + letter, data[at : at + size])[0] for at in range(0, count * size, size)]
    return [repr(value.split(b"\0")[0] if kind == 0 else value) for value in found]


def facts(data, kind, form):
    """Precision, units, limits or choices."""
    if kind == 0:
        return None
    if kind == 3:
        count = struct.unpack("h", data[4:6])[0]
        return [repr(data[6 + 26 * n : 32 + 26 * n].split(b"\0")[0]) for n in range(count)]
    is_real = kind in (2, 6)
    precision, units = (data[4:6].hex(), 8) if is_real else (None, 4)
    letter, size = VALUES[kind]
    begin = units + 8
    limits = [struct.unpack("=" + letter, data[at : at + size])[0] for at in range(begin, begin + (6 if form == 3 else 8) * size, size)]
    return [precision, repr(data[units : units + 8].split(b"\0")[0]), [repr(limit) for limit in limits]]


class Raw:
    """Blocking requests of libca, with the bytes as they came."""

    def __init__(self, port):
        os.environ.update(EPICS_CA_ADDR_LIST="", EPICS_CA_AUTO_ADDR_LIST="NO", EPICS_CA_NAME_SERVERS=f"127.0.0.1:{port}")
        import ctypes

        import epicscorelibs.path

        self.c, folder = ctypes, epicscorelibs.path.lib_path
        ctypes.CDLL(os.path.join(folder, "libCom.so"), ctypes.RTLD_GLOBAL)
        self.ca = ctypes.CDLL(os.path.join(folder, "libca.so"))
        self.ca.ca_element_count.restype = ctypes.c_ulong
        self.check(self.ca.ca_context_create(0))
        self.channels = {}
        self.updates = {}
        self.monitors = {}

        class Args(ctypes.Structure):
            _fields_ = [
                ("usr", ctypes.c_void_p),
                ("chid", ctypes.c_void_p),
                ("type", ctypes.c_long),
                ("count", ctypes.c_long),
                ("dbr", ctypes.c_void_p),
                ("status", ctypes.c_int),
            ]

        self.handler = ctypes.CFUNCTYPE(None, Args)
        self.quiet = self.handler(lambda args: None)
        exception = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        self.no_exception = exception(lambda args: None)
        self.check(self.ca.ca_add_exception_event(self.no_exception, None))

    def check(self, status):
        if status != 1:
            raise RuntimeError(f"status {status}")

    def size(self, kind, count):
        size = (self.c.c_ushort * 39).in_dll(self.ca, "dbr_size")[kind]
        value = (self.c.c_ushort * 39).in_dll(self.ca, "dbr_value_size")[kind]
        return size + (count - 1) * value

    def answer(self, args):
        """Status, count and bytes, without what differs by nature."""
        if args.status != 1 or not args.dbr:
            return [args.status]
        data = self.c.string_at(args.dbr, self.size(args.type, args.count))
        kind, form = (args.type % 7, args.type // 7) if args.type < 35 else (0, 0)
        begin = len(data) - args.count * VALUES[kind][1]
        found = [args.status, args.count, values(data[begin:], kind, args.count)]
        if form:
            found.append(struct.unpack("hh", data[:4]))
        if form > 2:
            found.append(facts(data, kind, form))
        return found

    def open(self, name):
        if name not in self.channels:
            channel = self.c.c_void_p()
            self.check(self.ca.ca_create_channel(name.encode(), None, None, 0, self.c.byref(channel)))
            self.check(self.ca.ca_pend_io(self.c.c_double(60.0)))
            self.channels[name] = channel
        return self.channels[name]

    def wait(self, done):
        while not done:
            self.ca.ca_pend_event(self.c.c_double(0.001))

    def about(self, name):
        channel = self.open(name)
        read, write = self.ca.ca_read_access(channel), self.ca.ca_write_access(channel)
        return [self.ca.ca_field_type(channel), self.ca.ca_element_count(channel), read, write]

    def get(self, name, kind, count):
        channel, done = self.open(name), []

        def take(args):
            done.append(self.answer(args))

        callback = self.handler(take)
        status = self.ca.ca_array_get_callback(kind, self.c.c_ulong(count), channel, callback, None)
        if status != 1:
            return ["not sent", status]
        self.wait(done)
        return done[0]

    def put(self, name, kind, values):
        channel, done = self.open(name), []
        make = {0: lambda v: [t.encode()[:39].ljust(40, b"\0") for t in v]}
        c = self.c
        types = {1: c.c_int16, 2: c.c_float, 3: c.c_uint16, 4: c.c_uint8, 5: c.c_int32, 6: c.c_double}
        if kind == 0:
            buffer = c.create_string_buffer(b"".join(make[0](values)))
        else:
            integral = kind not in (2, 6)
            buffer = (types[kind] * len(values))(*[int(v) if integral else v for v in values])
        callback = self.handler(lambda args: done.append(args.status))
        status = self.ca.ca_array_put_callback(kind, c.c_ulong(len(values)), channel, buffer, callback, None)
        if status != 1:
            return ["not sent", status]
        self.wait(done)
        return done[0]

    def watch(self, name, kind, mask):
        channel, updates, event = self.open(name), [], self.c.c_void_p()

        def take(args):
            updates.append(self.answer(args))

        callback = self.handler(take)
        self.check(
            self.ca.ca_create_subscription(kind, self.c.c_ulong(0), channel, self.c.c_long(mask), callback, None, self.c.byref(event))
        )
        self.monitors[name] = (event, callback, updates)
        self.ca.ca_flush_io()
        self.wait(updates)
        return True

    def seen(self, name):
        """All updates so far: those that came before the answer to a get."""
        if name not in self.monitors:
            return None
        self.get(name, 6 if name not in ("d:text", "d:texts") else 0, 1)
        event, callback, updates = self.monitors.pop(name)
        self.ca.ca_clear_subscription(event)
        self.get(name, 0, 1)
        # Records post a value that has not changed, or do not, by their type.
        return [update for at, update in enumerate(updates) if at == 0 or update != updates[at - 1]]

    def close(self, name):
        if name in self.channels and name not in self.monitors:
            self.ca.ca_clear_channel(self.channels.pop(name))
            self.ca.ca_flush_io()
        return True


def client(port):
    raw = Raw(port)
    for line in sys.stdin:
        what, *args = json.loads(line)
        print(json.dumps(getattr(raw, what)(*args)), flush=True)


class Server:
    def __init__(self, port):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "client", port], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, *request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def request(chance):
    name = chance.choice(list(CHANNELS))
    most = CHANNELS[name]
    what = chance.choice(["get", "get", "put", "put", "put", "watch", "seen", "close", "about"])
    # As indices of choices and as whole numbers, rsrv reads texts by rules that differ from type to type, and for one text and several.
    kinds = {"d:text": [0, 2, 5, 6], "d:texts": [0, 2, 6]}.get(name, range(7))
    if what == "get":
        kind = chance.choice([kind for kind in TYPES if kind == 38 or kind % 7 in kinds])
        # The name of a record's type is one text; what follows is not defined.
        return (what, name, kind, 1 if kind == 38 else chance.randint(0, most))
    if what == "put":
        kind = chance.randrange(7)
        count = chance.randint(1, most)
        # rsrv writes the beginning of an array of which one text is no number; ours writes nothing that it refuses.
        texts = TEXTS if count == 1 else ["0", "1", " 8 ", "12 apples"]
        if name not in ("d:text", "d:texts"):
            # For some records an empty text is 0; ours refuses it.
            texts = [text for text in texts if text]
        # What a record makes of an index beyond its choices is its own affair.
        numbers = [0, 1, 2] if name == "d:enum" else NUMBERS
        if name in ("d:text", "d:texts"):
            # A text has digits by the precision of its record, which stringout lacks.
            numbers, kind = [0, 1, -1, 127, 256, 32767, 65535], {2: 5, 6: 5}.get(kind, kind)
        values = [chance.choice(texts if kind == 0 else numbers) for _ in range(count)]
        return (what, name, kind, [bounded(value, kind) for value in values])
    if what == "watch":
        # libca takes an update without any byte, of an array without values, for the end of the monitor.
        return (what, name, chance.choice(kinds) + chance.choice([7, 14]), 1)
    return (what, name)


def bounded(value, kind):
    """A number that the client itself can send in this type without wrapping."""
    least, most = {1: (-32768, 32767), 3: (0, 65535), 4: (0, 255), 5: (-(2**31), 2**31 - 1)}.get(kind, (-math.inf, math.inf))
    return value if kind in (0, 2, 6) else max(least, min(most, value))


def main(seed, steps, ports):
    chance, servers, compared, watched, differs = random.Random(seed), [Server(port) for port in ports], 0, set(), []
    for step in range(steps):
        asked = request(chance)
        if asked[0] == "watch":
            if asked[1] in watched:
                continue
            watched.add(asked[1])
        if asked[0] == "seen":
            watched.discard(asked[1])
        answers = [server.ask(*asked) for server in servers]
        compared += 1
        if answers[0] != answers[1]:
            differs.append((step, asked, answers))
            print(f"step {step}: {asked}\n  one   {answers[0]}\n  other {answers[1]}", flush=True)
    print(f"{compared} answers compared, {len(differs)} differ")


if sys.argv[1] == "client":
    client(sys.argv[2])
else:
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:5])
