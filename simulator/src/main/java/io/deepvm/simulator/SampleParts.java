package io.deepvm.simulator;

import io.deepvm.base.BadInput;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * The outcomes of some runs as a file, so that an experiment can be split over machines. A run's
 * seed follows from its number alone, so the parts together are what one machine computes.
 *
 * @param samples one for each policy, in a fixed order
 * @param bounds the least cost of each run
 */
public record SampleParts(List<Sample> samples, double[] bounds) {

  private static final String MAGIC = "deepvm/simulation-part/v1";

  /**
   * What all parts of one experiment share.
   *
   * @param setting names all options and inputs that change results
   * @param policies the names of the policies
   */
  public record Experimented(String setting, int runs, List<String> policies) {
    public Experimented {
      policies = List.copyOf(policies);
    }
  }

  /** Writes one part. Its bounds are those of its own runs. */
  public static void write(Path file, Experimented what, RunRange part, SampleParts outcomes)
      throws IOException {
    try (DataOutputStream out =
        new DataOutputStream(
            new GZIPOutputStream(new BufferedOutputStream(Files.newOutputStream(file))))) {
      out.writeUTF(MAGIC);
      out.writeUTF(what.setting());
      out.writeInt(what.runs());
      out.writeUTF(String.join(",", what.policies()));
      out.writeInt(part.from());
      out.writeInt(part.to());
      for (Sample sample : outcomes.samples()) {
        sample.write(part, out);
      }
      for (double bound : outcomes.bounds()) {
        out.writeDouble(bound);
      }
    }
  }

  /** Returns the whole experiment; every run must be in exactly one of the files. */
  public static SampleParts merge(
      List<Path> files, Experimented what, Future.Source futures, long seed) {
    List<Sample> samples = new ArrayList<>();
    double horizon = futures.of(0, Experiment.seedOf(seed, 0)).aheadSeconds();
    for (int i = 0; i < what.policies().size(); i++) {
      samples.add(new Sample(what.runs(), horizon, futures.kinds()));
    }
    SampleParts whole = new SampleParts(samples, new double[what.runs()]);
    BitSet there = new BitSet(what.runs());
    for (Path file : files) {
      try (DataInputStream in =
          new DataInputStream(
              new GZIPInputStream(new BufferedInputStream(Files.newInputStream(file))))) {
        whole.read(file, in, what, there);
      } catch (IOException e) {
        throw new BadInput(
            "%s cannot be read as a part: %s.".formatted(file, e.getMessage()),
            "Maybe make it again with --part.");
      }
    }
    int missing = what.runs() - there.cardinality();
    if (missing > 0) {
      throw new BadInput(
          "%d of the %d runs are in none of the files, the first is number %d."
              .formatted(missing, what.runs(), there.nextClearBit(0)),
          "Maybe name the files of all parts.");
    }
    return whole;
  }

  private void read(Path file, DataInputStream in, Experimented what, BitSet there)
      throws IOException {
    if (!in.readUTF().equals(MAGIC)) {
      throw new IOException("it is of another version");
    }
    String setting = in.readUTF();
    boolean same = setting.equals(what.setting()) && in.readInt() == what.runs();
    if (!same || !in.readUTF().equals(String.join(",", what.policies()))) {
      throw new BadInput(
          "%s was made with other options or inputs: %s.".formatted(file, setting),
          "Maybe give --merge the options that the parts were made with.");
    }
    RunRange part = new RunRange(in.readInt(), in.readInt());
    int next = there.nextSetBit(part.from());
    if (part.to() > what.runs() || (next >= 0 && next < part.to())) {
      throw new BadInput(
          "%s has runs that another file has, too.".formatted(file), "Maybe name each part once.");
    }
    there.set(part.from(), part.to());
    for (Sample sample : samples) {
      sample.read(part, in);
    }
    for (int run = part.from(); run < part.to(); run++) {
      bounds[run] = in.readDouble();
    }
  }
}
