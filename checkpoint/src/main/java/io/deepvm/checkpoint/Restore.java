package io.deepvm.checkpoint;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.checkpoint.format.CorruptCheckpoint;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.StoredSlice;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.tier.CheckpointReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Fills target slices from a checkpoint, however either was cut. The file is read in whole chunks,
 * since those have checksums; a chunk that belongs into one buffer is read straight into it.
 */
final class Restore {

  /** Bytes of a file that go to a buffer. */
  private record Piece(long at, ByteBuffer target, int position, int length) {}

  /** A run of chunks of one shard, read at once. */
  private record Run(Shard shard, int firstChunk, int chunks, List<Piece> pieces) {

    long begin() {
      return (long) firstChunk * shard.checksums().chunkBytes();
    }

    int length() {
      long end = Math.min(shard.bytes(), begin() + (long) chunks * shard.checksums().chunkBytes());
      return (int) (end - begin());
    }
  }

  private final CheckpointReader reader;
  private final List<Run> runs = new ArrayList<>();

  private Restore(CheckpointReader reader) {
    this.reader = reader;
  }

  /** Fills the targets; on failure they hold anything. */
  static void fill(CheckpointReader reader, List<Slice> targets, Crew crew) throws IOException {
    Restore restore = new Restore(reader);
    restore.plan(targets);
    restore.run(crew);
  }

  /** Reads and checks every chunk, and keeps none. */
  static void verify(CheckpointReader reader, Crew crew) throws IOException {
    Restore restore = new Restore(reader);
    for (Shard shard : reader.manifest().shards()) {
      for (int chunk = 0; chunk < shard.checksums().chunks().size(); ) {
        int chunks =
            Math.min(restore.chunksInRun(shard), shard.checksums().chunks().size() - chunk);
        restore.runs.add(new Run(shard, chunk, chunks, List.of()));
        chunk += chunks;
      }
    }
    restore.run(crew);
  }

  private int chunksInRun(Shard shard) {
    return Math.max(1, Math.min(reader.goodRead(), 1 << 28) / shard.checksums().chunkBytes());
  }

  private record Place(Shard shard, StoredSlice slice) {}

  private void plan(List<Slice> targets) {
    Manifest manifest = reader.manifest();
    Map<String, List<Place>> places = new HashMap<>();
    for (Shard shard : manifest.shards()) {
      for (StoredSlice slice : shard.slices()) {
        places.computeIfAbsent(slice.tensor(), t -> new ArrayList<>()).add(new Place(shard, slice));
      }
    }
    Map<String, TensorSpec> known = new HashMap<>();
    manifest.tensors().forEach(tensor -> known.put(tensor.name(), tensor));
    Map<String, Map<Integer, List<Piece>>> wanted = new HashMap<>();
    for (Slice target : targets) {
      check(target.tensor(), known, manifest);
      for (Place place : places.getOrDefault(target.tensor().name(), List.of())) {
        long begin = Math.max(target.begin(), place.slice.begin());
        long end = Math.min(target.end(), place.slice.end());
        if (begin < end) {
          add(
              wanted.computeIfAbsent(place.shard.name(), s -> new TreeMap<>()),
              place,
              target.cut(begin, end));
        }
      }
    }
    for (Shard shard : manifest.shards()) {
      int size = chunksInRun(shard);
      for (Map.Entry<Integer, List<Piece>> run :
          wanted.getOrDefault(shard.name(), Map.of()).entrySet()) {
        int first = run.getKey() * size;
        int chunks = Math.min(size, shard.checksums().chunks().size() - first);
        runs.add(new Run(shard, first, chunks, run.getValue()));
      }
    }
  }

  private static void check(TensorSpec wanted, Map<String, TensorSpec> known, Manifest manifest) {
    TensorSpec saved = known.get(wanted.name());
    if (saved == null) {
      throw new BadInput(
          "The checkpoint of %s has no tensor '%s'.".formatted(manifest.version(), wanted.name()),
          Suggestion.maybe(wanted.name(), known.keySet(), "Maybe it is of another model."));
    }
    if (!saved.equals(wanted)) {
      throw new BadInput(
          "The checkpoint of %s has %s, not %s.".formatted(manifest.version(), saved, wanted),
          "Maybe it is of another model.");
    }
  }

  /** Notes for each run of the file which of its bytes go to the slice's buffers. */
  private void add(Map<Integer, List<Piece>> byRun, Place place, Slice target) {
    long runBytes = (long) chunksInRun(place.shard) * place.shard.checksums().chunkBytes();
    long at = place.slice.at() + target.begin() - place.slice.begin();
    for (ByteBuffer buffer : target.data()) {
      int position = buffer.position();
      while (position < buffer.limit()) {
        int run = (int) (at / runBytes);
        int length = (int) Math.min(buffer.limit() - position, (run + 1) * runBytes - at);
        byRun
            .computeIfAbsent(run, r -> new ArrayList<>())
            .add(new Piece(at, buffer, position, length));
        at += length;
        position += length;
      }
    }
  }

  private void run(Crew crew) throws IOException {
    @Nullable ByteBuffer[] scratch = new ByteBuffer[crew.members()];
    crew.run(runs.size(), (member, task) -> read(runs.get(task), member, scratch));
  }

  private void read(Run run, int member, @Nullable ByteBuffer[] scratch) throws IOException {
    Piece only = run.pieces.size() == 1 ? run.pieces.get(0) : null;
    boolean direct = only != null && only.at == run.begin() && only.length == run.length();
    ByteBuffer bytes;
    if (direct && only != null) {
      bytes = only.target.slice(only.position, only.length);
    } else {
      ByteBuffer own = scratch[member];
      if (own == null || own.capacity() < run.length()) {
        own = ByteBuffer.allocateDirect(run.length());
        scratch[member] = own;
      }
      bytes = own.slice(0, run.length());
    }
    reader.read(run.shard.name(), run.begin(), bytes);
    check(run, bytes);
    if (!direct) {
      for (Piece piece : run.pieces) {
        piece.target.put(piece.position, bytes, (int) (piece.at - run.begin()), piece.length);
      }
    }
  }

  private static void check(Run run, ByteBuffer bytes) throws CorruptCheckpoint {
    int chunkBytes = run.shard.checksums().chunkBytes();
    for (int i = 0; i < run.chunks; i++) {
      int from = i * chunkBytes;
      int length = Math.min(chunkBytes, run.length() - from);
      if (!run.shard.checksums().matches(run.firstChunk + i, bytes.slice(from, length))) {
        throw new CorruptCheckpoint(
            "Chunk %d of %s is not what was saved."
                .formatted(run.firstChunk + i, run.shard.name()));
      }
    }
  }
}
