"""A server of moto that holds a run and its index, says where it listens, and ends with its input."""

import os
import sys

import boto3
from moto.server import ThreadedMotoServer

server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
port = server.get_host_and_port()[1]
s3 = boto3.client(
    "s3",
    endpoint_url=f"http://127.0.0.1:{port}",
    aws_access_key_id="user",
    aws_secret_access_key="secret",
    region_name="us-east-1",
)
s3.create_bucket(Bucket="runs")
for path in (sys.argv[1], sys.argv[1] + ".ltindex"):
    s3.upload_file(path, "runs", os.path.basename(path))
print(port, flush=True)
sys.stdin.read()
