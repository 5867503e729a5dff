"""Reads some PVs with p4p and prints them; the environment says where they are."""
import sys

from p4p.client.thread import Context

context = Context("pva", nt=False)
for name in sys.argv[1:]:
    print(context.get(name, timeout=600).value)
