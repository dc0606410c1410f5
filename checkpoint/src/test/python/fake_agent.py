"""An agent that lies, to see what deepcheck.py believes.

Arguments: what it does (steal, overwrite, crash, shorten), its socket, the memory that it names, and
the user to whom it gives the socket, if any. Prints READY, then what it could read of the memory.
"""

import json
import os
import socket
import struct
import sys

BYTES = 1 << 20
deed, path, memory = sys.argv[1:4]
if deed != "overwrite":
    with open(memory, "wb") as file:
        file.truncate(BYTES // 2 if deed == "shorten" else BYTES)
    os.chmod(memory, 0o666)

server = socket.socket(socket.AF_UNIX)
server.bind(path)
if len(sys.argv) > 4:
    os.chmod(path, 0o600)
    os.chown(path, int(sys.argv[4]), -1)
else:
    os.chmod(path, 0o777 if os.stat(os.path.dirname(path)).st_mode & 0o077 else 0o600)
server.listen()
print("READY", flush=True)


def size(tensor):
    count = {"F32": 4}.get(tensor[1], 1)
    for dimension in tensor[2]:
        count *= dimension
    return count


def answer(message):
    do = message["do"]
    if do == "hello":
        return {"generation": 1, "memory": memory, "bytes": BYTES, "patience": 0}
    if do == "save":
        offsets, total = [], 0
        for tensor in message["tensors"]:
            offsets.append(total)
            total += size(tensor)
        at = -(1 << 40) if deed == "crash" else 0
        return {"ticket": 1, "state": "STAGED", "settled": False, "reasons": [],
                "runs": [[at, total]], "offsets": offsets}
    if do == "staged":
        with open(memory, "rb") as file:
            print("read", file.read(14), flush=True)
    return {"state": "DURABLE", "settled": True, "reasons": []}


def receive(client, length):
    parts = b""
    while len(parts) < length:
        part = client.recv(length - len(parts))
        if not part:
            raise EOFError
        parts += part
    return parts


while True:
    client, _ = server.accept()
    try:
        while True:
            (length,) = struct.unpack(">I", receive(client, 4))
            body = json.dumps(answer(json.loads(receive(client, length)))).encode()
            client.sendall(struct.pack(">I", len(body)) + body)
    except (EOFError, OSError):
        client.close()
