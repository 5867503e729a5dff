#!/usr/bin/env python3
"""Prints the names of all records in areaDetector's templates, as `crates/epics/src/adcore_records.txt` has them.

    adcore_records.py ADCore ADSimDetector NDDriverStdArrays > crates/epics/src/adcore_records.txt

Arguments are clones of these repositories. A line has a template, a kind, and names without `$(P)$(R)`. Macros for numbers and
axes stand for all that the databases of ADCore are given. Kinds: `both` for X and X_RBV, `readbacks` for X_RBV alone, `setpoints`
and `plain` for X alone, to be written or to be read.
"""

import pathlib
import re
import sys
import textwrap

RECORD = re.compile(r'record\s*\(\s*(\w+)\s*,\s*"\$\(P\)\$\(R\)([^"]+)"\s*\)\s*\{?([^{}]*)')
WRITTEN = {"ao", "bo", "longout", "mbbo", "stringout"}
NUMBERS = {"$(N)": range(1, 9), "$(ATTR_IND)": range(16)}
PLOTS = ["X:0", "Y:0", "Y:1", "Y:2", "Y:3"]


def expanded(name):
    if "$(DATA_IND)" in name:
        for plot in PLOTS:
            axis, index = plot.split(":")
            yield name.replace("$(AXIS)", axis).replace("$(DATA_IND)", index)
        return
    macro = next((macro for macro in NUMBERS if macro in name), None)
    yield from [name] if macro is None else [name.replace(macro, str(n)) for n in NUMBERS[macro]]


def kinds(text):
    text = re.sub(r"(?m)^\s*#.*", "", text)
    written = {}
    for kind, name, fields in RECORD.findall(text):
        is_out = kind in WRITTEN or (kind == "waveform" and re.search(r"asyn\w+Out\b", fields) is not None)
        written.update({name: is_out for name in expanded(name)})
    for name, is_out in written.items():
        if name.endswith("_RBV"):
            if name.removesuffix("_RBV") not in written:
                yield "readbacks", name.removesuffix("_RBV")
        elif f"{name}_RBV" in written:
            yield "both", name
        else:
            yield "setpoints" if is_out else "plain", name


def main():
    for repository in sys.argv[1:]:
        for path in sorted(pathlib.Path(repository).glob("*App/Db/*.template")):
            found = list(kinds(path.read_text()))
            for kind in ["both", "readbacks", "setpoints", "plain"]:
                names = " ".join(name for known, name in found if known == kind)
                head = f"{path.stem} {kind}"
                for line in textwrap.wrap(names, 118 - len(head), break_long_words=False, break_on_hyphens=False):
                    print(head, line)


main()
