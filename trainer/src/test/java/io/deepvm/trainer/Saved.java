package io.deepvm.trainer;

import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.Restored;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.trainer.data.SampleOrder;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The newest checkpoint in a folder, read as anyone may. */
record Saved(long step, Map<String, String> metadata, Map<String, ByteBuffer> tensors) {

  static Saved newest(Path folder, String job) throws Exception {
    Map<String, ByteBuffer> tensors = new TreeMap<>();
    Restored restored =
        new Checkpoints(List.of(new DirectoryTier("folder", Level.DURABLE, folder)), 1)
            .restore(
                job,
                manifest -> {
                  List<Slice> slices = new ArrayList<>();
                  manifest
                      .tensors()
                      .forEach(
                          spec -> {
                            ByteBuffer bytes = ByteBuffer.allocate((int) spec.bytes());
                            tensors.put(spec.name(), bytes);
                            slices.add(Slice.whole(spec, bytes));
                          });
                  return slices;
                });
    if (restored == null) {
      throw new AssertionError("There is no checkpoint in " + folder);
    }
    return new Saved(
        Long.parseLong(String.valueOf(restored.manifest().metadata(0).get("step"))),
        restored.manifest().metadata(0),
        tensors);
  }

  /** What the ledger must be when each of the first samples counted exactly once. */
  static String ledger(long samples) {
    long sum = 0;
    for (long position = 0; position < samples; position++) {
      sum += SampleOrder.mix(position);
    }
    return Long.toString(sum);
  }
}
