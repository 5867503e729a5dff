"""Ten thousand channels of p4p: found, connected, read, and watched."""
import sys
import threading
import time

from p4p.client.thread import Context

from peer import check, wait_until

count = int(sys.argv[1])
context = Context("pva", nt=False)
names = [f"many:{i}" for i in range(count)]
begin = time.time()
values = context.get(names, timeout=60)
print(f"{count} channels found and read in {time.time() - begin:.2f} s")
check("values", [value.value for value in values], list(range(count)))
seen, lock = set(), threading.Lock()
def saw(value):
    with lock:
        seen.add(value.value)
subscriptions = [context.monitor(name, saw) for name in names[:2000]]
wait_until("monitors", lambda: len(seen) == min(count, 2000), 60)
print("done")
