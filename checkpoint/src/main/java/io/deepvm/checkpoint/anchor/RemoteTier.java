package io.deepvm.checkpoint.anchor;

import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.CheckpointReader;
import io.deepvm.checkpoint.tier.CheckpointWriter;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.ShardWriter;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.transport.Connection;
import io.deepvm.transport.Transfer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoints at an anchor. The level says which place of the anchor is meant, and with it what an
 * acknowledgement is worth: its memory (flushed to disk and archive later), its disk, or its
 * archive. A writer lives as long as its connection; after that a new one goes on where it was.
 */
public final class RemoteTier implements Tier {

  /** As much is sent at once, while as much again is being filled. */
  private static final int SEGMENT = 4 << 20;

  private static final int SPARE_SEGMENTS = 4;

  private final String name;
  private final Level level;
  private final AnchorClient anchor;
  private final BlockingQueue<ByteBuffer> spare = new LinkedBlockingQueue<>(SPARE_SEGMENTS);

  /** Makes a tier; the client stays the caller's to close. */
  public RemoteTier(String name, Level level, AnchorClient anchor) {
    this.name = name;
    this.level = level;
    this.anchor = anchor;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Level level() {
    return level;
  }

  private Question about(Verb verb, long handle, Version version) {
    return Question.about(verb, level, handle, version);
  }

  private long ask(Verb verb, Version version) throws IOException {
    return anchor.ask(anchor.connection(), about(verb, 0, version));
  }

  @Override
  public long generation(String job) throws IOException {
    return ask(Verb.GENERATION, new Version(job, 0, 0));
  }

  @Override
  public void claim(String job, Claim claim) throws IOException {
    Version any = new Version(job, claim.generation(), 0);
    anchor.ask(anchor.connection(), about(Verb.CLAIM, 0, any).withText(claim.owner().toString()));
  }

  @Override
  public CheckpointWriter write(Version version, UUID owner) throws IOException {
    Connection connection = anchor.connection();
    long handle = anchor.nextHandle();
    anchor.ask(connection, about(Verb.WRITE, handle, version).withText(owner.toString()));
    return new Writer(connection, handle, version);
  }

  @Override
  public CheckpointReader read(Version version) throws IOException {
    Connection connection = anchor.connection();
    long handle = anchor.nextHandle();
    anchor.ask(connection, about(Verb.READ, handle, version));
    try {
      byte[] manifest = anchor.fetch(connection, about(Verb.CONTENTS, handle, version));
      return new Reader(connection, handle, Manifest.parse(manifest));
    } catch (IOException e) {
      close(connection, handle, version);
      throw e;
    }
  }

  /** Returns the jobs that the anchor knows, in the order of their names. */
  public List<String> jobs() throws IOException {
    Question question = about(Verb.JOBS, 0, new Version("any", 0, 0));
    return Lists.names(anchor.fetch(anchor.connection(), question)).stream().sorted().toList();
  }

  @Override
  public List<Holding> list(String job) throws IOException {
    return Lists.holdings(
        anchor.fetch(anchor.connection(), about(Verb.LIST, 0, new Version(job, 0, 0))));
  }

  @Override
  public boolean delete(Version version) throws IOException {
    return ask(Verb.DELETE, version) == 1;
  }

  @Override
  public boolean delete(Version version, Claim claim) throws IOException {
    Question question = about(Verb.DELETE, 0, version).withText(claim.toString());
    return anchor.ask(anchor.connection(), question) == 1;
  }

  /** An anchor's memory takes only what came with the right checksum. */
  @Override
  public boolean checksOnArrival() {
    return level == Level.REPLICATED;
  }

  @Override
  public void close() {}

  /** Gives a handle back; with its connection it is gone anyway. */
  private void close(Connection connection, long handle, Version version) {
    if (connection.isOpen()) {
      try {
        anchor.ask(connection, about(Verb.CLOSE, handle, version));
      } catch (IOException e) {
        System.getLogger(RemoteTier.class.getName())
            .log(System.Logger.Level.DEBUG, "{0}: {1}", anchor, e.toString());
      }
    }
  }

  private final class Writer implements CheckpointWriter {

    private final Connection connection;
    private final long handle;
    private final Version version;

    Writer(Connection connection, long handle, Version version) {
      this.connection = connection;
      this.handle = handle;
      this.version = version;
    }

    @Override
    public ShardWriter shard(String shard, long bytes) throws IOException {
      String file = ShardName.parse(shard).file();
      long position =
          anchor.ask(
              connection, about(Verb.SHARD, handle, version).withText(file).withBytes(bytes));
      return new RemoteShard(this, file, bytes, position);
    }

    @Override
    public Set<String> sealed() throws IOException {
      return Lists.names(anchor.fetch(connection, about(Verb.SEALED, handle, version)));
    }

    @Override
    public void commit(Manifest manifest, Set<String> held) throws IOException {
      byte[] bytes = new Lists.Commitment(manifest.toBytes(), held).encode();
      Question question = about(Verb.MANIFEST, handle, version);
      anchor.await(connection, question, anchor.send(connection, question, ByteBuffer.wrap(bytes)));
      anchor.ask(connection, about(Verb.COMMIT, handle, version));
    }

    @Override
    public void close() {
      RemoteTier.this.close(connection, handle, version);
    }
  }

  /** Gathers small writes into segments, and fills one while another is on its way. */
  private final class RemoteShard implements ShardWriter {

    private final Writer writer;
    private final String shard;
    private final long bytes;
    private long position;
    private long begin;
    private @Nullable ByteBuffer filling;
    private @Nullable ByteBuffer sending;
    private @Nullable Transfer transfer;
    private boolean open = true;

    RemoteShard(Writer writer, String shard, long bytes, long position) {
      this.writer = writer;
      this.shard = shard;
      this.bytes = bytes;
      this.position = position;
      this.begin = position;
    }

    private Question question(Verb verb) {
      return about(verb, writer.handle, writer.version).withText(shard);
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
      if (source.remaining() > bytes - position) {
        throw new IOException(
            "%s was announced with %d bytes and gets more.".formatted(shard, bytes));
      }
      int limit = source.limit();
      while (source.hasRemaining()) {
        ByteBuffer segment = filling;
        if (segment == null) {
          segment = segment();
          filling = segment;
        }
        int piece = Math.min(source.remaining(), segment.remaining());
        segment.put(source.limit(source.position() + piece));
        source.limit(limit);
        position += piece;
        if (!segment.hasRemaining()) {
          send();
        }
      }
    }

    private ByteBuffer segment() {
      ByteBuffer segment = spare.poll();
      return segment == null ? ByteBuffer.allocateDirect(SEGMENT) : segment.clear();
    }

    /** Sends what is filled, once the segment before has arrived. */
    private void send() throws IOException {
      arrive();
      ByteBuffer segment = filling;
      if (segment != null) {
        Question question = question(Verb.APPEND).withNumber(begin);
        sending = segment.flip();
        filling = null;
        begin += segment.remaining();
        transfer = anchor.send(writer.connection, question, segment);
      }
    }

    private void arrive() throws IOException {
      Transfer last = transfer;
      ByteBuffer segment = sending;
      transfer = null;
      sending = null;
      if (last != null && segment != null) {
        anchor.await(writer.connection, question(Verb.APPEND), last);
        spare.offer(segment);
      }
    }

    @Override
    public void seal() throws IOException {
      if (position != bytes) {
        throw new IOException("%s has %d of %d bytes.".formatted(shard, position, bytes));
      }
      send();
      arrive();
      anchor.ask(writer.connection, question(Verb.SEAL));
      open = false;
    }

    @Override
    public void close() throws IOException {
      Transfer last = transfer;
      if (last != null) {
        last.cancel("The writer was closed.");
        last.outcome().join();
        transfer = null;
      }
      if (open && writer.connection.isOpen()) {
        open = false;
        anchor.ask(writer.connection, question(Verb.BREAK_OFF));
      }
    }
  }

  private final class Reader implements CheckpointReader {

    private final Connection connection;
    private final long handle;
    private final Manifest manifest;

    Reader(Connection connection, long handle, Manifest manifest) {
      this.connection = connection;
      this.handle = handle;
      this.manifest = manifest;
    }

    @Override
    public Manifest manifest() {
      return manifest;
    }

    @Override
    public int goodRead() {
      return SEGMENT;
    }

    @Override
    public void read(String shard, long position, ByteBuffer into) throws IOException {
      anchor.fetch(
          connection,
          about(Verb.BYTES, handle, manifest.version())
              .withText(shard)
              .withNumber(position)
              .withBytes(into.remaining()),
          into);
    }

    @Override
    public void close() {
      RemoteTier.this.close(connection, handle, manifest.version());
    }
  }
}
