"""A Temporal worker as its users have it, which knows nothing of Longhand. Arguments: address, task queue, journal.

It ends with the process that started it: when its standard input closes.
"""

import asyncio
import os
import sys
import threading
from datetime import timedelta

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

address, task_queue, journal = sys.argv[1:4]


def note(line):
    with open(journal, "a", encoding="utf-8") as file:
        file.write(f"{line}\n")


@activity.defn(name="compute_credit_score")
async def score(customer, years):
    return {"customer": customer, "score": 700 + years, "attempt": activity.info().attempt}


@activity.defn
async def echo(*args):
    return list(args)


@activity.defn
async def nothing(_args):
    return None


@activity.defn
async def raw_bytes(_args):
    return b"\x00\x01"


@activity.defn
async def long_text(_args):
    return "0123456789" * 30_000


@activity.defn
async def fail(args):
    note(f"fail {args['type']}")
    if args["type"] == "ValueError":
        raise ValueError("the value is odd")
    raise ApplicationError("Atlantis is not known", type=args["type"], non_retryable=args.get("final", False))


@activity.defn
async def linger(args):
    """The first attempt stays until it is cancelled or killed."""
    note(f"linger {args['id']} {activity.info().attempt}")
    try:
        while activity.info().attempt == 1:
            activity.heartbeat()
            await asyncio.sleep(0.1)
    except asyncio.CancelledError:
        note(f"cancelled {args['id']}")
        raise
    return "lingered"


@workflow.defn(name="ShipOrder")
class ShipOrder:
    @workflow.run
    async def run(self, order, context):
        return {"shipped": order, "call": context["call"]}


@workflow.defn
class Patient:
    """Waits for a cancel."""

    @workflow.run
    async def run(self, args):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await workflow.execute_activity(
                "note_cancel", args["id"], start_to_close_timeout=timedelta(seconds=10),
                cancellation_type=workflow.ActivityCancellationType.ABANDON,
            )
            raise


@activity.defn
async def note_cancel(id):
    note(f"cancelled {id}")


@workflow.defn
class Failing:
    @workflow.run
    async def run(self, args):
        raise ApplicationError("No truck is free", type=args["type"])


async def main():
    client = await Client.connect(address)
    worker = Worker(
        client,
        task_queue=task_queue,
        activities=[score, echo, nothing, raw_bytes, long_text, fail, linger, note_cancel],
        workflows=[ShipOrder, Patient, Failing],
        workflow_runner=UnsandboxedWorkflowRunner(),
        default_heartbeat_throttle_interval=timedelta(milliseconds=200),
        max_heartbeat_throttle_interval=timedelta(milliseconds=200),
    )
    async with worker:
        print("ready", flush=True)
        await asyncio.Event().wait()


def end_with_parent():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_parent, daemon=True).start()
asyncio.run(main())
