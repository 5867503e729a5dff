"""pvaPy (pvAccessCPP) as a client."""
import queue
import time

import numpy
import pvaccess as pva

from peer import NUMBERS, check, fails, wait_until

# Its connections end with the last channel and begin with the next. Now and then, on a busy machine, pvAccessCPP then gives the
# new channel the connection that ends, and it times out. One channel that stays keeps the connection.
stays = pva.Channel("T:counter")
stays.setTimeout(600.0)
stays.get()

# It shows a signed byte as a character, which has to be one.
NUMBERS["int8_t"] = 65
NUMBERS["uint64_t"] = 1 << 62
for name, number in NUMBERS.items():
    channel = pva.Channel(f"T:{name}")
    channel.put(str(number).lower() if name == "bool" else number)
    check(name, channel.get()["value"], "A" if name == "int8_t" else number)
    channel = pva.Channel(f"T:a:{name}")
    many = [number] * 3
    channel.put(many)
    check(name, list(channel.get()["value"]), many)
large = pva.Channel("T:a:double")
numbers = numpy.arange(50000.0)
large.putDoubleArray(list(numbers)) if hasattr(large, "putDoubleArray") else large.put(list(numbers))
check("large", large.get()["value"], numbers)
pva.Channel("T:string").put("grüße")
check("string", pva.Channel("T:string").get()["value"], "grüße")
pva.Channel("T:a:string").put(["a", "", "b"])
check("strings", pva.Channel("T:a:string").get()["value"], ["a", "", "b"])

part = pva.Channel("T:double").get("field(value,alarm.severity)")
check("part", part["value"], NUMBERS["double"])

channel = pva.Channel("T:enum")
channel.put(pva.PvObject({"value": {"index": pva.INT}}, {"value": {"index": 2}}), "field(value.index)")
check("enum", channel.get("field(value)")["value"]["index"], 2)

table = pva.Channel("T:table").get("field()")
check("table", list(table["value"]["number"]), [1.0, 2.0])
for kind, dtype in [("u8", "u1"), ("u16", "u2"), ("f64", "f8")]:
    image = pva.Channel(f"T:image:{kind}").get("field()")
    pixels = numpy.arange(400 * 300, dtype=numpy.uint64).astype(dtype)
    check(kind, list(image["value"][0].values())[0], pixels)
    check(kind, [d["size"] for d in image["dimension"]], [400, 300])
check("union", pva.Channel("T:union").get("field()")["value"] != (), True)
pva.Channel("T:structures").get("field()")
pva.Channel("T:any").get("field()")
pva.Channel("T:anys").get("field()")
pva.Channel("T:unions").get("field()")

fails("read only", "not permitted", lambda: pva.Channel("T:readonly").put(1))
fails("refused", "never 13", lambda: pva.Channel("T:picky").put(13))

# PUT_GET.
channel = pva.Channel("T:int32_t")
result = channel.putGet(17)
check("putGet", result["value"], 17)
check("getPut", channel.getPut()["value"] if hasattr(channel, "getPut") else 17, 17)

begin = time.time()
pva.Channel("T:slow").put(5, "record[block=true]field(value)")
check("blocked", time.time() - begin > 0.25, True)

# Types and calls.
check("introspection", "value" in pva.Channel("T:double").getIntrospectionDict(), True)
query = pva.PvObject({"a": pva.DOUBLE, "b": pva.DOUBLE}, {"a": 1.5, "b": 2.0})
check("sum", pva.RpcClient("T:sum").invoke(query)["value"], 3.5)

# Monitors. pvaPy drops its references to a callback on a thread of its own, without Python's lock: the last one must not be among them,
# or Python crashes now and then.
callbacks = []
for request in ["field()", "field(value)record[queueSize=10]", "record[pipeline=true,queueSize=4]field(value)"]:
    updates = queue.Queue()
    channel = pva.Channel("T:counter")
    callback = lambda value, updates=updates: updates.put(value["value"])
    callbacks += [callback] * 1000
    channel.subscribe("to", callback)
    channel.startMonitor(request)
    numbers = [updates.get(timeout=600) for _ in range(50)]
    channel.stopMonitor()
    channel.unsubscribe("to")
    check("monitor " + request, all(a < b for a, b in zip(numbers, numbers[1:])), True)
print("done")
