"""Counts the steps that are done again when nodes are taken after a notice, with saves at the notice.

In the shape of a public benchmark: 8 workers, 1,600 steps, a checkpoint every 400, 4 preemptions.
"""

import argparse
import json
import os
import sys
import tempfile

import emulated


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--steps", type=int, default=1600)
    parser.add_argument("--every", type=int, default=400)
    parser.add_argument("--losses", type=int, default=4)
    parser.add_argument("--pause", type=float, default=0.2, help="seconds to add to a step")
    parser.add_argument("--first", type=int, default=60, help="second of the first loss")
    parser.add_argument("--apart", type=int, default=90, help="seconds from one loss to the next")
    parser.add_argument("--away", type=int, default=40, help="seconds until the node is back")
    parser.add_argument("--speed", type=int, default=10, help="120 s of notice become 120 s / speed")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = emulated.under_deepvm(
            os.path.join(emulated.SHAPES, "ddp.py"), args.workers,
            [args.first + i * args.apart for i in range(args.losses)], args.away, folder,
            ["--steps", str(args.steps), "--every", str(args.every), "--pause", str(args.pause)], args.speed)
    print(json.dumps({"workers": args.workers, "steps": args.steps, "every": args.every,
                      "losses": len(run.losses()), "notices": len(run.warned()), "wasted_steps": run.wasted(),
                      "loss": emulated.final_loss(run.said), "seconds": round(run.seconds, 1)}))
    sys.exit(0 if run.wasted() <= 20 and len(run.losses()) == args.losses else 1)


if __name__ == "__main__":
    main()
