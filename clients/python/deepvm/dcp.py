"""torch.distributed.checkpoint on DeepVM's checkpoints: a script that uses it changes one line.

    dc = deepvm.sharded.connect()                                   # once, on every rank
    dcp.save(state, storage_writer=deepvm.dcp.Writer(dc, step))     # was: checkpoint_id=folder
    dcp.load(state, storage_reader=deepvm.dcp.Reader(dc))

save() returns as soon as all ranks have copied their parts, so async_save() is not needed. All parts
are committed together or not at all. Tensors and the table of contents are not pickled; other values
are bytes that torch's own planner makes and reads. Works with torch 1.13 (where the module is
torch.distributed._shard.checkpoint) and later.
"""

from __future__ import annotations

import importlib
import io
from typing import Any, Dict, List, Optional

from deepvm import _state, _tensors, checkpoint
from deepvm._errors import Error
from deepvm._tensors import STRUCTURE

__all__ = ["Writer", "Reader"]


def _module(name: str) -> Any:
    """Returns a module of torch's checkpoints, wherever this torch has it."""
    for root in ("torch.distributed.checkpoint", "torch.distributed._shard.checkpoint"):
        try:
            return importlib.import_module(root + "." + name)
        except (ImportError, ValueError):
            # ValueError: torch 1.13 on Python 3.11
            continue
    raise Error("This torch has no torch.distributed.checkpoint that this Python can import.",
                "Maybe use torch 2.0 or later.")


_storage, _planner, _metadata = _module("storage"), _module("planner"), _module("metadata")


def _done(value: Any) -> Any:
    from torch.futures import Future
    future: Any = Future()
    future.set_result(value)
    return future


class Writer(_storage.StorageWriter):  # type: ignore[misc]
    """Saves a plan of torch.distributed.checkpoint as one step of a sharded client.

    wait: the level that the save must reach before save() returns, such as "DURABLE"; usually STAGED.
    """

    def __init__(self, client: Any, step: Any, meta: Any = None, wait: str = "STAGED",
                 timeout: float = 600.0) -> None:
        self.client, self.number, self.meta = client, _state.check_step(step), meta
        self._wait, self._timeout = wait, timeout
        self.ticket: Optional[checkpoint.Ticket] = None

    def reset(self, checkpoint_id: Any = None) -> None:
        self.ticket = None

    def init(self, is_coordinator: bool) -> None:
        """torch 1.13's name of the set-up."""

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Needs nothing: each rank saves through its own agent."""

    def prepare_local_plan(self, plan: Any) -> Any:
        return plan

    def prepare_global_plan(self, plans: List[Any]) -> List[Any]:
        return plans

    def write_data(self, plan: Any, planner: Any) -> Any:
        """Copies this rank's items to the agent."""
        rank = self.client._group.rank
        encoder = _state.Encoder()
        items = []
        for i, item in enumerate(plan.items):
            data = planner.resolve_data(item)
            path = (item.index.fqn, "rank%d" % rank, str(i))
            if isinstance(data, io.BytesIO):
                name = encoder.add(path, data.getbuffer(), _tensors.of_bytes)
            else:
                name = encoder.add(path, data.detach(), _tensors.of_torch)
            items.append([name, _described(item)])
        about = {"items": items, "planner": getattr(plan, "planner_data", None)}
        name = "%s.dcp.%d" % (STRUCTURE, rank)
        encoder.sources[name] = _state.structure_source(encoder.encode_all(about), name)
        self.ticket = self.client._send(self.number, list(encoder.sources.values()), self.meta)
        results = []
        for item, (stored, _) in zip(plan.items, items):
            size = encoder.sources[stored].nbytes
            results.append(_storage.WriteResult(
                index=item.index, size_in_bytes=size, storage_data=stored))
        return _done(results)

    def finish(self, metadata: Any, results: Any) -> None:
        """Waits as far as the script wants; the table of contents is part of each rank's save."""
        ticket = self.ticket
        if ticket is None or ticket.state in ("SKIPPED", "FAILED") or \
                (self._wait != "STAGED" and not ticket.wait(self._wait, self._timeout)):
            raise Error("The save of step %d is not %s: %r." % (self.number, self._wait, ticket),
                        "Maybe look at the reasons in the ticket.")

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: Any) -> bool:
        return False

    def storage_meta(self) -> Any:
        return None


def _described(item: Any) -> Dict[str, Any]:
    """Returns the place of an item in the whole as plain data."""
    about: Dict[str, Any] = {"fqn": item.index.fqn, "kind": item.type.name}
    if item.tensor_data is not None:
        data = item.tensor_data
        properties = data.properties
        about.update(
            offset=None if item.index.offset is None else list(item.index.offset),
            offsets=list(data.chunk.offsets), sizes=list(data.chunk.sizes), size=list(data.size),
            properties={k: getattr(properties, k) for k in
                        ("dtype", "layout", "requires_grad", "pin_memory")
                        if hasattr(properties, k)})
    return about


class Reader(_storage.StorageReader):  # type: ignore[misc]
    """Reads the newest checkpoint that a Writer saved, or the version [generation, step]."""

    def __init__(self, client: Any, version: Optional[List[int]] = None) -> None:
        self.client, self.version = client, version
        self.step: Optional[int] = None
        self._names: Dict[Any, str] = {}
        self._dtypes: Dict[str, Any] = {}

    def reset(self, checkpoint_id: Any = None) -> None:
        self._names = {}

    def read_metadata(self, *args: Any, **kwargs: Any) -> Any:
        """Puts the table of contents together from what each rank has saved."""
        if self.version is None:
            self.version = self._newest()
        line = self.client._present()
        answer = line.ask(3600.0, do="restore", prefix=STRUCTURE + ".dcp.", version=self.version)
        stored = line.stored(answer["file"])
        line.ask(do="restored")
        self.step = answer["step"]
        tables: Dict[str, Any] = {}
        planner_data: Any = {}
        for rank in range(answer["ranks"]):
            name = "%s.dcp.%d" % (STRUCTURE, rank)
            if name not in stored.entries:
                raise Error("The newest checkpoint was not saved by deepvm.dcp.",
                            "Maybe restore it with deepvm.sharded.")
            about = _state.Decoder(stored).decode(stored.structure(name))
            for stored_as, item in about["items"]:
                self._note(tables, stored_as, item)
            if isinstance(about["planner"], dict):
                planner_data.update(about["planner"])
        return _metadata.Metadata(state_dict_metadata=tables, planner_data=planner_data or None)

    def _newest(self) -> List[int]:
        """Returns the newest version that any rank finds, the same on all ranks."""
        found, problem = None, None
        try:
            line = self.client._present()
            answer = line.ask(3600.0, do="restore", prefix=STRUCTURE + ".dcp.")
            if "file" in answer:
                found = [answer["generation"], answer["step"]]
                line.ask(do="restored")
        except (Error, OSError, ValueError) as failure:
            problem = str(failure)
        answers = self.client._group.gather([found, problem])
        versions = [tuple(each[0]) for each in answers if each[0] is not None]
        if not versions:
            raise Error(next((each[1] for each in answers if each[1]), "There is no checkpoint yet."),
                        "Maybe call load() only after a save().")
        return list(max(versions))

    def _note(self, tables: Dict[str, Any], stored_as: str, item: Dict[str, Any]) -> None:
        fqn, index = item["fqn"], _metadata.MetadataIndex
        if "sizes" not in item:
            tables[fqn] = _metadata.BytesStorageMetadata()
            self._names[index(fqn)] = stored_as
            return
        import torch
        offsets = torch.Size(item["offsets"])
        self._names[index(fqn, offsets)] = stored_as
        if item["offset"] is None:
            self._names[index(fqn)] = stored_as
        self._dtypes[stored_as] = str(item["properties"]["dtype"])
        if fqn not in tables:
            tables[fqn] = _metadata.TensorStorageMetadata(
                properties=_properties(item["properties"]), size=torch.Size(item["size"]), chunks=[])
        tables[fqn].chunks.append(_metadata.ChunkStorageMetadata(
            offsets=offsets, sizes=torch.Size(item["sizes"])))

    def init(self, metadata: Any, is_coordinator: bool) -> None:
        """torch 1.13's name of the set-up."""

    def set_up_storage_reader(self, metadata: Any, is_coordinator: bool, *args: Any,
                              **kwargs: Any) -> None:
        """Needs nothing: each rank reads through its own agent."""

    def prepare_local_plan(self, plan: Any) -> Any:
        return plan

    def prepare_global_plan(self, plans: List[Any]) -> List[Any]:
        return plans

    def _stored_as(self, index: Any) -> str:
        plain = _metadata.MetadataIndex(index.fqn, index.offset)
        return self._names[plain] if plain in self._names \
            else self._names[_metadata.MetadataIndex(index.fqn)]

    def read_data(self, plan: Any, planner: Any) -> Any:
        """Fills what the plan asks for with the stored tensors that overlap it."""
        if not self._names:
            self.read_metadata()
        names = sorted({self._stored_as(item.storage_index) for item in plan.items})
        line = self.client._present()
        answer = line.ask(3600.0, do="restore", tensors=names, version=self.version)
        stored = line.stored(answer["file"])
        line.ask(do="restored")
        for item in plan.items:
            name = self._stored_as(item.storage_index)
            if item.type.name == "BYTE_IO":
                planner.load_bytes(item, io.BytesIO(bytes(stored.raw(name))))
                continue
            source = stored.torch(name, self._dtypes[name])
            for dim, (begin, length) in enumerate(zip(item.storage_offsets, item.lengths)):
                source = source.narrow(dim, begin, length)
            target = planner.resolve_tensor(item).detach()
            target.copy_(source)
            planner.commit_tensor(item, target)
        return _done(None)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: Any) -> bool:
        return False


def _properties(values: Dict[str, Any]) -> Any:
    try:
        kind = _metadata.TensorProperties
    except AttributeError:
        from torch.distributed._shard.sharded_tensor.metadata import TensorProperties as kind
    return kind(**values)
