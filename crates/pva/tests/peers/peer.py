"""What the scripts have in common."""
import sys
import time


def check(what, found, wanted):
    same = found == wanted
    if hasattr(same, "all"):
        same = same.all()
    if not same:
        print(f"FAILED {what}: wanted {wanted!r}, found {found!r}")
        sys.exit(1)


def wait_until(what, condition, timeout=600):
    end = time.time() + timeout
    while not condition():
        if time.time() > end:
            print(f"FAILED {what}: not within {timeout} s")
            sys.exit(1)
        time.sleep(0.01)


def fails(what, text, act):
    try:
        act()
    except Exception as error:
        if text not in str(error):
            print(f"FAILED {what}: wanted `{text}`, found `{error}`")
            sys.exit(1)
        return
    print(f"FAILED {what}: was not refused")
    sys.exit(1)


NUMBERS = {
    "bool": True,
    "int8_t": -100,
    "int16_t": -30000,
    "int32_t": -2000000000,
    "int64_t": -(1 << 60),
    "uint8_t": 200,
    "uint16_t": 60000,
    "uint32_t": 4000000000,
    "uint64_t": 1 << 63,
    "float": 0.5,
    "double": 1e300,
}
