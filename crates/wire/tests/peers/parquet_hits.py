"""Reads a file of hits and prints its types, its metadata and its rows."""
import sys

import pyarrow.parquet as parquet

file = parquet.ParquetFile(sys.argv[1], page_checksum_verification=True)
print(" ".join(f"{field.name}:{field.type}" for field in file.schema_arrow))
about = file.metadata.metadata
print(about[b"run"].decode(), about[b"clock_hz"].decode(), file.metadata.num_row_groups)
columns = [column.to_pylist() for column in file.read().columns]
for row in zip(*columns):
    print(*row)
