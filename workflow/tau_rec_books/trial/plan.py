"""The planned trials: blocks of settings times tasks times repetitions, cut into shards per agent."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from tau_rec_books.core.canonical import read_csv, write_csv
from tau_rec_books.core.errors import Problem
from tau_rec_books.trial.trace import Identity

COLUMNS = ("trial_id", "shard", *(field.name for field in fields(Identity)))
"""Columns of ``plan.csv``."""


@dataclass(frozen=True, slots=True)
class Block:
    """One experiment: every combination of its settings over its tasks.

    Attributes:
        name: the block's name.
        agents, interfaces, sizes, users, prompts: settings; scripted agents have the empty prompt.
        tasks: ids of its tasks, in the order they run.
        repetitions: trials per task and setting.
    """

    name: str
    agents: tuple[str, ...]
    interfaces: tuple[str, ...]
    sizes: tuple[str, ...]
    users: tuple[str, ...]
    prompts: tuple[str, ...]
    tasks: tuple[str, ...]
    repetitions: int


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """One trial of the plan and the shard that runs it."""

    identity: Identity
    shard: str

    def row(self) -> dict[str, object]:
        """The trial as a row of ``plan.csv``."""
        return {"trial_id": self.identity.trial_id, "shard": self.shard, **self.identity.document()}


def identities(blocks: Sequence[Block], track: str, protocol_version: int) -> Iterator[Identity]:
    """The identities of all trials, by agent, then by block and the order of its settings and tasks."""
    for agent in sorted({agent for block in blocks for agent in block.agents}):
        for block in blocks:
            if agent not in block.agents:
                continue
            for interface in block.interfaces:
                for size in block.sizes:
                    for user in block.users:
                        for prompt in block.prompts:
                            for task in block.tasks:
                                for repetition in range(1, block.repetitions + 1):
                                    yield Identity(
                                        track=track,
                                        block=block.name,
                                        agent=agent,
                                        interface=interface,
                                        size=size,
                                        user=user,
                                        prompt=prompt,
                                        task=task,
                                        repetition=repetition,
                                        protocol_version=protocol_version,
                                    )


def plan(
    blocks: Sequence[Block],
    track: str,
    protocol_version: int,
    *,
    shard_size: int | None = None,
    shards: int | None = None,
) -> list[PlannedTrial]:
    """Plan every trial and cut each agent's into contiguous shards.

    Args:
        blocks: the experiments.
        track, protocol_version: part of every identity.
        shard_size: trials per shard, the last one of an agent excepted; or
        shards: number of shards per agent, some of which may be empty.

    Raises:
        Problem: when not exactly one of ``shard_size`` and ``shards`` is given and positive, or two blocks
            plan the same trial.
    """
    if (shard_size is None) == (shards is None) or (shard_size or shards or 0) < 1:
        raise Problem("Give the size of a shard or the number of shards per agent, and make it 1 or more.")
    by_agent: dict[str, list[Identity]] = {}
    for identity in identities(blocks, track, protocol_version):
        by_agent.setdefault(identity.agent, []).append(identity)
    planned = []
    for agent, trials in by_agent.items():
        if len(set(trials)) != len(trials):
            raise Problem(f"Two blocks of the same name plan the same trial of {agent}; rename one of them.")
        for index, identity in enumerate(trials):
            number = index // shard_size if shard_size else index * (shards or 1) // len(trials)
            planned.append(PlannedTrial(identity, f"{number:04d}"))
    return planned


def write_plan(path: Path, planned: Sequence[PlannedTrial]) -> None:
    """Write ``plan.csv``."""
    write_csv(path, COLUMNS, (trial.row() for trial in planned))


def read_plan(path: Path) -> list[PlannedTrial]:
    """Read ``plan.csv`` in its order.

    Raises:
        Problem: when a row is malformed, its id is not that of its identity, or a trial occurs twice.
    """
    planned = []
    seen: set[str] = set()
    for number, row in enumerate(read_csv(path), start=2):
        identity = _identity(row, f"{path}, line {number}")
        if identity.trial_id != row["trial_id"]:
            raise Problem(
                f"{path}, line {number}: the trial id is not that of the row; plan the trials again."
            )
        if identity.trial_id in seen:
            raise Problem(f"{path}, line {number}: the trial is planned twice; plan the trials again.")
        seen.add(identity.trial_id)
        planned.append(PlannedTrial(identity, row["shard"]))
    return planned


def _identity(row: Mapping[str, str], where: str) -> Identity:
    try:
        return Identity(
            **{
                name: row[name]
                for name in Identity.__slots__
                if name not in ("repetition", "protocol_version")
            },
            repetition=int(row["repetition"]),
            protocol_version=int(row["protocol_version"]),
        )
    except (KeyError, ValueError) as error:
        raise Problem(f"{where}: not a planned trial ({error!r}); plan the trials again.") from error
