"""Stands for a training script: 32 samples a step, a progress line after each.

Run: deepvm profile --machine T4 --write-job my-job.yaml -- python3 examples/progress_lines.py
"""

import json
import time

BATCH = 32

for step in range(1, 201):
    time.sleep(0.02)  # your forward, backward and optimizer step
    print(json.dumps({"report": "step", "generation": 1, "step": step, "samples": step * BATCH,
                      "loss": 2.3 / step ** 0.1}))
