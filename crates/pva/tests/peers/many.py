"""Ten thousand channels of p4p: found, connected, read, and watched."""
import sys
import threading
import time

from p4p.client.thread import Context

from peer import check

count = int(sys.argv[1])
context = Context("pva", nt=False)
names = [f"many:{i}" for i in range(count)]
begin = time.time()
values = context.get(names, timeout=600)
print(f"{count} channels found and read in {time.time() - begin:.2f} s")
check("values", [value.value for value in values], list(range(count)))
seen, lock = set(), threading.Lock()
def saw(value):
    with lock:
        seen.add(value.value)
watched = names[:2000]
subscriptions = []
end = time.time() + 600
while len(seen) < len(watched) and time.time() < end:
    # Again for some: p4p loses a first update that comes before its `monitor` has returned.
    with lock:
        missing = [name for i, name in enumerate(watched) if i not in seen]
    subscriptions += [context.monitor(name, saw) for name in missing]
    wait = time.time() + 5
    while len(seen) < len(watched) and time.time() < wait:
        time.sleep(0.01)
check("monitors", len(seen), len(watched))
print("done")
