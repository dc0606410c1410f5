package io.deepvm.checkpoint.tier;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.CorruptCheckpoint;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The file in a job's folder that names the newest generation and its owner. When it is lost or
 * damaged, the folders of the versions show the number. They also do when it names an older
 * generation: a flipped bit can leave a text that still parses.
 */
final class GenerationFile {

  static final String NAME = "generation";

  private static final System.Logger LOG = System.getLogger(GenerationFile.class.getName());

  /** A number and an owner take 55 bytes. */
  private static final int MOST_BYTES = 100;

  private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

  private final String job;
  private final Path folder;
  private final Path file;

  GenerationFile(String job, Path folder) {
    this.job = job;
    this.folder = folder;
    this.file = folder.resolve(NAME);
  }

  /** Returns what the file says, or the folders in its place if it says less than they do. */
  Fence read() throws IOException {
    Fence folders = Fence.vacant(newestFolder());
    try {
      Fence written =
          parse(new String(StoreFiles.read(file, MOST_BYTES), StandardCharsets.US_ASCII));
      return written.generation() < folders.generation() ? folders : written;
    } catch (NoSuchFileException | CorruptCheckpoint e) {
      return folders;
    }
  }

  private static Fence parse(String text) throws CorruptCheckpoint {
    String line = text.strip();
    try {
      if (!NUMBER.matcher(line).matches()) {
        return Fence.of(Claim.parse(line));
      }
      // an earlier release wrote the number alone
      long number = Long.parseLong(line);
      if (number <= Claim.MOST) {
        return Fence.unowned(number);
      }
    } catch (BadInput e) {
      throw new CorruptCheckpoint("'%s' is no generation.".formatted(line), e);
    }
    throw new CorruptCheckpoint("Generation %s is too large.".formatted(line));
  }

  private long newestFolder() throws IOException {
    try (Stream<Path> children = Files.list(folder)) {
      return children
          .filter(StoreFiles::isFolder)
          .map(child -> Version.ofFolder(job, child.getFileName().toString()))
          .filter(version -> version != null && version.generation() <= Claim.MOST)
          .mapToLong(version -> version == null ? -1 : version.generation())
          .max()
          .orElse(-1);
    } catch (NoSuchFileException e) {
      return -1;
    }
  }

  /**
   * Makes a claim the newest one, unless it is. To be called while no other process does.
   *
   * @throws StaleGeneration when the number or a newer one belongs to another session
   */
  void claim(Claim claim) throws IOException {
    Fence fence = read();
    fence.check(job, claim);
    if (fence.isHeldBy(claim)) {
      return;
    }
    if (fence.vacant() && (fence.generation() >= 0 || StoreFiles.exists(file))) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} is missing or damaged. The newest version is of generation {1,number,0}; generation"
              + " {2,number,0} of {3} goes on after it.",
          file,
          fence.generation(),
          claim.generation(),
          job);
    }
    deleteParts();
    Path part = StoreFiles.part(file);
    try (FileChannel channel = StoreFiles.create(part)) {
      StoreFiles.writeAll(
          channel, ByteBuffer.wrap((claim + "\n").getBytes(StandardCharsets.US_ASCII)));
      channel.force(true);
    }
    StoreFiles.rename(part, file);
  }

  /** Deletes what a process left over that died while it claimed. */
  private void deleteParts() throws IOException {
    try (Stream<Path> children = Files.list(folder)) {
      for (Path child : children.toList()) {
        if (StoreFiles.isPart(child.getFileName().toString(), NAME)) {
          Files.deleteIfExists(child);
        }
      }
    }
  }
}
