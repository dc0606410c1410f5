"""Saves once, and says what became of it. What it saves looks like a tensor of torch, which is
copied by address."""

import ctypes

import deepcheck


class Tensor:
    dtype, layout, shape = "torch.uint8", "torch.strided", (140_000,)
    device = type("Device", (), {"type": "cpu"})

    def __init__(self):
        self.bytes = ctypes.create_string_buffer(b"secret weights" * 10_000, 140_000)

    def data_ptr(self):
        return ctypes.addressof(self.bytes)

    def detach(self):
        return self

    contiguous = detach

    def numel(self):
        return 140_000

    def element_size(self):
        return 1


try:
    with deepcheck.connect() as dc:
        ticket = dc.save(1, {"w": Tensor()})
        ticket.wait("DURABLE", 10)
        print(repr(ticket).splitlines()[0])
except deepcheck.Error as problem:
    print("refused:", str(problem).splitlines()[0])
