package io.deepvm.checkpoint.tier;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Writes to all copies; those that have more already are left out until the others catch up. A copy
 * that fails is given up, and the shard with it if another place could take one. A member that has
 * committed the version meanwhile, as an anchor does with what its memory holds, needs no more of
 * it.
 */
final class SpreadShard implements ShardWriter {

  private interface Copying {
    void run(ShardWriter writer) throws IOException;
  }

  private final SpreadMembers members;
  private final Map<Tier, ShardWriter> writers;
  private final List<ShardWriter> givenUp = new ArrayList<>();
  private final int wanted;
  private int committed;
  private long position;

  SpreadShard(SpreadMembers members, Map<Tier, ShardWriter> writers) throws IOException {
    this.members = members;
    this.writers = writers;
    this.wanted = writers.size();
    this.position = Long.MAX_VALUE;
    for (ShardWriter writer : writers.values()) {
      position = Math.min(position, writer.position());
    }
  }

  @Override
  public long position() {
    return position;
  }

  /** Does something to each copy that has not failed. */
  private void toEach(Copying work) throws IOException {
    for (Map.Entry<Tier, ShardWriter> copy : List.copyOf(writers.entrySet())) {
      try {
        work.run(copy.getValue());
      } catch (StaleGeneration e) {
        throw e;
      } catch (FileAlreadyExistsException e) {
        givenUp.add(writers.remove(copy.getKey()));
        committed++;
        if (committed == wanted) {
          throw e;
        }
      } catch (IOException e) {
        members.doubt(copy.getKey());
        givenUp.add(writers.remove(copy.getKey()));
        int left = writers.size() + committed;
        if (left == 0 || left < Math.min(wanted, members.attainable())) {
          throw e;
        }
      }
    }
  }

  @Override
  public void write(ByteBuffer bytes) throws IOException {
    toEach(
        writer -> {
          long known = writer.position() - position;
          ByteBuffer rest = bytes.duplicate();
          rest.position((int) (rest.position() + Math.min(Math.max(0, known), rest.remaining())));
          if (rest.hasRemaining()) {
            writer.write(rest);
          }
        });
    position += bytes.remaining();
    bytes.position(bytes.limit());
  }

  @Override
  public void seal() throws IOException {
    toEach(ShardWriter::seal);
    members.trust(writers.keySet());
  }

  @Override
  public void close() throws IOException {
    IOException first = null;
    for (ShardWriter writer : writers.values()) {
      try {
        writer.close();
      } catch (IOException e) {
        first = first == null ? e : first;
      }
    }
    for (ShardWriter writer : givenUp) {
      try {
        writer.close();
      } catch (IOException e) {
        // it has failed before
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
