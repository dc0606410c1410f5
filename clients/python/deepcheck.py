"""The old name of deepvm.checkpoint, for scripts that import it."""

import sys

import deepvm.checkpoint

sys.modules[__name__] = deepvm.checkpoint
