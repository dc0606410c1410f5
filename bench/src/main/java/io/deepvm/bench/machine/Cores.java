package io.deepvm.bench.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What all cores of this machine did since its start, in the kernel's ticks.
 *
 * @param stolen taken by other machines on the same hardware
 */
public record Cores(long all, long idle, long stolen) {

  /** Returns how it stands now. */
  public static Cores now() throws IOException {
    String[] fields = Files.readAllLines(Path.of("/proc/stat")).get(0).trim().split(" +", -1);
    long all = 0;
    for (int i = 1; i <= 8; i++) {
      all += Long.parseLong(fields[i]);
    }
    long idle = Long.parseLong(fields[4]) + Long.parseLong(fields[5]);
    return new Cores(all, idle, Long.parseLong(fields[8]));
  }

  /** Returns the share of the cores that was taken between an earlier moment and this one. */
  public double stolenShare(Cores before) {
    return (stolen - before.stolen) / (double) Math.max(1, all - before.all);
  }

  /** Returns the share of the cores that worked for this machine since an earlier moment. */
  public double busyShare(Cores before) {
    double idleShare = (idle - before.idle) / (double) Math.max(1, all - before.all);
    return 1 - idleShare - stolenShare(before);
  }
}
