"""Runs six shapes of script with three losses each, and compares their last loss with undisturbed runs."""

import argparse
import json
import os
import sys
import tempfile

import emulated

# of one process, and of three ranks
SHAPES = {"plain": 1, "ddp": 3, "zero": 3, "hf_like": 3, "lightning_like": 3, "parameter_server": 3}


def measure(shape, args):
    script = os.path.join(emulated.SHAPES, shape + ".py")
    workers = SHAPES[shape]
    more = ["--steps", str(args.steps)] + (["--dropout", "0.2"] if shape == "plain" else [])
    undisturbed = []
    for world in (workers, max(1, workers - 1)):
        with tempfile.TemporaryDirectory() as folder:
            undisturbed.append(emulated.final_loss(emulated.alone(script, world, folder, more + ["--output", folder])))
    with tempfile.TemporaryDirectory() as folder:
        losses = [args.first + i * args.apart for i in range(args.losses)]
        run = emulated.under_deepvm(script, workers, losses, args.away, folder,
                                    more + ["--pause", str(args.pause), "--output", folder])
        found = emulated.final_loss(run.said)
        noise = abs(undisturbed[0] - undisturbed[1])
        return {"shape": shape, "ranks": workers, "losses": len(run.losses()), "steps": args.steps,
                "steps_done_again": run.wasted(), "seconds_from_loss_to_next_step": run.pauses(), "loss": found, "undisturbed": undisturbed[0],
                "undisturbed_on_one_rank_less": undisturbed[1], "difference": abs(found - undisturbed[0]),
                "noise": noise, "seconds": round(run.seconds, 1),
                "same": found == undisturbed[0] or abs(found - undisturbed[0]) <= noise}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("shapes", nargs="*", default=sorted(SHAPES))
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--pause", type=float, default=0.2, help="seconds to add to a step")
    parser.add_argument("--losses", type=int, default=3)
    parser.add_argument("--first", type=int, default=15, help="second of the first loss")
    parser.add_argument("--apart", type=int, default=30, help="seconds from one loss to the next")
    parser.add_argument("--away", type=int, default=12, help="seconds until the node is back")
    args = parser.parse_args()
    good = True
    for shape in args.shapes:
        found = measure(shape, args)
        print(json.dumps(found), flush=True)
        good &= found["same"] and found["losses"] == args.losses
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
