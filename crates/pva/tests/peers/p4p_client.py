"""p4p (pvxs) as a client: every type, every operation."""
import functools
import queue
import time

import numpy
from p4p import Value, Type
from p4p.client.thread import Context, RemoteError
from p4p.nt import NTURI

from peer import NUMBERS, check, fails, wait_until

context = Context("pva", nt=False)
# A busy machine may need longer than p4p waits by itself.
context.get, context.put, context.rpc = (functools.partial(f, timeout=600) for f in (context.get, context.put, context.rpc))
names = list(NUMBERS)

# All scalars and arrays: read, write, read again.
for name, number in NUMBERS.items():
    check(name, context.get(f"T:{name}").value, 0)
    context.put(f"T:{name}", {"value": number})
    check(name, context.get(f"T:{name}").value, number)
    check(name, len(context.get(f"T:a:{name}").value), 0)
    many = numpy.array([0, number, 0, number] * 5000, dtype=type(number) if name == "bool" else None)
    context.put(f"T:a:{name}", {"value": many})
    check(name, numpy.asarray(context.get(f"T:a:{name}").value), many)
context.put("T:string", {"value": "grüße"})
check("string", context.get("T:string").value, "grüße")
context.put("T:a:string", {"value": ["a", "", "ü" * 300]})
check("strings", context.get("T:a:string").value, ["a", "", "ü" * 300])

# Many at once, and only some fields.
values = context.get([f"T:{name}" for name in names])
check("many", [value.value for value in values], list(NUMBERS.values()))
part = context.get("T:double", request="field(value,alarm.severity)")
check("part", (part.value, part.changedSet()), (1e300, {"value", "alarm.severity"}))
fails("no field", "pvRequest must select at least one field",
      lambda: context.get("T:double", request="field(nosuch)"))

# Enumerations by number and by text.
unwrapped = Context("pva")
check("enum", unwrapped.get("T:enum"), 0)
unwrapped.put("T:enum", 2)
check("enum", str(unwrapped.get("T:enum")), "two")
unwrapped.put("T:enum", "one")
check("enum", context.get("T:enum").value.index, 1)

# Structures of all sorts.
table = context.get("T:table")
check("table", (table.labels, list(table.value.number)), (["number", "text"], [1.0, 2.0]))
check("table", table.value.text, ["x", "y"])
for kind, dtype in [("u8", "u1"), ("u16", "u2"), ("f64", "f8")]:
    image = context.get(f"T:image:{kind}")
    pixels = numpy.arange(400 * 300, dtype=numpy.uint64).astype(dtype)
    check(kind, image.value, pixels)
    check(kind, [d.size for d in image.dimension], [400, 300])
    check(kind, (image.uniqueId, image.attribute[0].name, image.attribute[0].value), (7, "ColorMode", 0))
    check(kind, unwrapped.get(f"T:image:{kind}").shape, (300, 400))
union = context.get("T:union")
check("union", union.value, "text")
context.put("T:union", {"value": ("number", 3)})
check("union", context.get("T:union").value, 3)
check("any", context.get("T:any").value, 2.5)
context.put("T:any", {"value": "another"})
check("any", context.get("T:any").value, "another")
structures = context.get("T:structures")
check("structures", [s.a if s is not None else None for s in structures.value], [1, None, 3])
check("anys", list(context.get("T:anys").value), [1, "b", None])
check("unions", len(context.get("T:unions").value), 2)

# Refusals.
fails("read only", "Put not permitted", lambda: context.put("T:readonly", {"value": 1}))
fails("refused", "never 13", lambda: context.put("T:picky", {"value": 13}))
context.put("T:picky", {"value": 14})

# A put that is complete only later.
begin = time.time()
context.put("T:slow", {"value": 5}, wait=True)
taken = time.time() - begin
check("blocked", taken > 0.25, True)
check("blocked", context.get("T:slow").value, 5)

# Calls.
def call(name, **arguments):
    uri = NTURI([(key, "d") for key in arguments])
    return context.rpc(name, uri.wrap(name, kws=arguments))

check("sum", call("T:sum", a=1.5, b=2).value, 3.5)

# A put that does not wait is over before the server goes on.
context.put("T:slow", {"value": 6})
check("not blocked", context.get("T:slow").value, 5)
call("T:go", a=0.0)
wait_until("slow", lambda: context.get("T:slow").value == 6)

fails("sum", "numbers", lambda: call("T:sum", a=1.5))
check("later", call("T:later", a=4.0).value, 4.0)

# Monitors, with and without a window.
for request in ["", "record[queueSize=10]", "record[pipeline=true,queueSize=4]", "field(value)record[pipeline=true]"]:
    updates = queue.Queue()
    subscription = context.monitor("T:counter", updates.put, request=request or None)
    numbers = [updates.get(timeout=600).value for _ in range(50)]
    subscription.close()
    check("monitor " + request, all(a < b for a, b in zip(numbers, numbers[1:])), True)

def watch(name):
    """Subscribes and waits for the first update; again if p4p lost it because it came before `monitor` returned."""
    for _ in range(60):
        updates = queue.Queue()
        subscription = context.monitor(name, updates.put)
        try:
            return subscription, updates, updates.get(timeout=10)
        except queue.Empty:
            subscription.close()
    fails("first update of " + name, "comes", lambda: None)


subscription, updates, first = watch("T:double")
check("first update", {"value", "alarm.message", "timeStamp.userTag", "valueAlarm.hysteresis"} <= first.changedSet(expand=True), True)
context.put("T:double", {"value": 1.25})
second = updates.get(timeout=600)
check("second update", (second.value, second.changedSet()), (1.25, {"value"}))
subscription.close()

# A PV that is given another type: the monitor begins anew.
subscription, updates, _ = watch("T:changing")
seen = []
def grown():
    while not updates.empty():
        seen.append(updates.get())
    return any(getattr(value, "value", None) == "now a text" for value in seen)
call("T:change", a=0.0)
wait_until("changing", grown, 30)
subscription.close()
print("done")
