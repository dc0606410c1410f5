package io.deepvm.checkpoint.anchor;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.anchor.AnchorSession.OpenShard;
import io.deepvm.checkpoint.anchor.AnchorSession.Write;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.CheckpointReader;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.transport.Connection;
import io.deepvm.transport.Decision;
import io.deepvm.transport.Handler;
import io.deepvm.transport.Name;
import io.deepvm.transport.Source;
import io.deepvm.transport.TransferHeader;
import io.deepvm.transport.TransferOutcome;
import io.deepvm.transport.TransferProgress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Answers the questions of workers from an anchor's tiers. */
final class AnchorHandler implements Handler {

  /** How much of the heap parts and manifests on their way may take together. */
  private static final long MOST_ARRIVING = 2L * Lists.MAX_BYTES;

  private static final long MOST_LEAVING = 2L * Lists.MAX_BYTES;

  private record Place(Level level, Version version, String shard) {}

  /** Claims a generation in all places of the anchor itself. */
  interface Generations {

    /** Returns whether the claim is new here. */
    boolean claim(String job, Claim claim) throws IOException;
  }

  /** Receives the fate of versions. */
  interface Versions {
    void committed(Level level, Version version);

    void deleting(Version version) throws IOException;

    /** Whether it is gone or stays. */
    void deletionEnded(Version version);
  }

  private final Map<Level, Tier> tiers;
  private final DirectoryTier disk;
  private final Rounds rounds;
  private final Generations generations;
  private final Versions versions;
  private final Map<Connection, AnchorSession> sessions = new ConcurrentHashMap<>();
  private final Map<Place, OpenShard> shards = new HashMap<>();
  private final ArrivalRoom room = new ArrivalRoom(MOST_ARRIVING);
  private final Departures departures = new Departures(MOST_LEAVING);
  private final AuditLog audit;

  AnchorHandler(
      Map<Level, Tier> tiers,
      DirectoryTier disk,
      Rounds rounds,
      Generations generations,
      Versions versions,
      AuditLog audit) {
    this.tiers = tiers;
    this.disk = disk;
    this.rounds = rounds;
    this.generations = generations;
    this.versions = versions;
    this.audit = audit;
  }

  private Tier tier(Level level) {
    Tier tier = tiers.get(level);
    if (tier == null) {
      throw new BadInput(
          "This anchor has no place that is %s.".formatted(level), "Maybe give it an archive.");
    }
    return tier;
  }

  private AnchorSession session(Connection connection) throws IOException {
    AnchorSession session = sessions.computeIfAbsent(connection, c -> new AnchorSession(room));
    if (!connection.isOpen()) {
      closed(connection, connection.endReason());
      throw new IOException("The connection has ended.");
    }
    return session;
  }

  @Override
  public void closed(Connection connection, String reason) {
    AnchorSession session = sessions.remove(connection);
    if (session != null) {
      session.close();
    }
  }

  // Requests.

  @Override
  public byte[] answer(Connection from, byte[] request) throws IOException {
    Question question = Question.decode(request);
    try {
      return Answer.done(answer(from, question)).encode();
    } catch (IOException e) {
      if (question.verb() == Verb.DELETE || question.verb() == Verb.CLAIM) {
        audit.add(from, question.verb().name(), question, "refused: " + e.getMessage());
      }
      return Answer.failed(e, newest(question)).encode();
    }
  }

  private long newest(Question question) {
    try {
      return tier(question.level()).generation(question.version().job());
    } catch (IOException e) {
      return 0;
    }
  }

  private long answer(Connection from, Question question) throws IOException {
    Version version = question.version();
    AnchorSession session = session(from);
    switch (question.verb()) {
      case GENERATION -> {
        return tier(question.level()).generation(version.job());
      }
      case CLAIM -> {
        Claim claim = new Claim(version.generation(), owner(question));
        if (question.level() == Level.ARCHIVED) {
          tier(question.level()).claim(version.job(), claim);
        }
        claim(from, question, claim);
      }
      case WRITE -> {
        UUID owner = owner(question);
        Tier tier = tier(question.level());
        claim(from, question, new Claim(version.generation(), owner));
        session.add(
            question.handle(), new Write(question.level(), version, tier.write(version, owner)));
      }
      case SHARD -> {
        return open(session.write(question.handle()), question.text(), question.bytes());
      }
      case SEAL -> {
        shard(session.write(question.handle()), question.text()).seal();
        breakOff(session.write(question.handle()), question.text());
      }
      case BREAK_OFF -> breakOff(session.write(question.handle()), question.text());
      case COMMIT -> commit(session.write(question.handle()));
      case READ -> session.add(question.handle(), tier(question.level()).read(version));
      case DELETE -> {
        versions.deleting(version);
        try {
          boolean deleted = delete(tier(question.level()), version, question.text());
          audit.add(from, Verb.DELETE.name(), question, deleted ? "done" : "in use");
          return deleted ? 1 : 0;
        } finally {
          versions.deletionEnded(version);
        }
      }
      case CLOSE -> session.close(question.handle());
      case WITHDRAW ->
          rounds.withdraw(question.text(), version, (int) question.number(), question.reason());
      default ->
          throw new BadInput(
              "%s is not a request.".formatted(question.verb()),
              "Maybe the two sides differ in release.");
    }
    return 0;
  }

  private void claim(Connection from, Question question, Claim claim) throws IOException {
    if (generations.claim(question.version().job(), claim)) {
      audit.add(from, Verb.CLAIM.name(), question, "done");
    }
  }

  private static UUID owner(Question question) {
    try {
      return UUID.fromString(question.text());
    } catch (IllegalArgumentException e) {
      throw new BadInput("A claim has no owner.", "Maybe the two sides differ in release.");
    }
  }

  /** Deletes for a session, or without a claim for a user. */
  private static boolean delete(Tier tier, Version version, String claim) throws IOException {
    return claim.isEmpty() ? tier.delete(version) : tier.delete(version, Claim.parse(claim));
  }

  /** Opens a shard; an attempt that still hangs on another connection may not write any more. */
  private long open(Write write, String name, long bytes) throws IOException {
    Place place = new Place(write.level, write.version, name);
    synchronized (shards) {
      shards.values().removeIf(OpenShard::isClosed);
      OpenShard earlier = shards.remove(place);
      if (earlier != null) {
        earlier.close();
      }
      OpenShard shard = new OpenShard(write.writer.shard(name, bytes));
      shards.put(place, shard);
      synchronized (write) {
        write.shards.put(name, shard);
      }
      return shard.position();
    }
  }

  private static OpenShard shard(Write write, String name) {
    synchronized (write) {
      OpenShard shard = write.shards.get(name);
      if (shard == null) {
        throw new BadInput(
            "The shard '%s' is not open.".formatted(name), "Maybe open it again first.");
      }
      return shard;
    }
  }

  private static void breakOff(Write write, String name) throws IOException {
    OpenShard shard;
    synchronized (write) {
      shard = write.shards.remove(name);
    }
    if (shard != null) {
      shard.close();
    }
  }

  private void commit(Write write) throws IOException {
    byte[] bytes;
    synchronized (write) {
      bytes = write.commitment;
      write.commitment = null;
    }
    if (bytes == null) {
      throw new IOException("The manifest has not come.");
    }
    Lists.Commitment commitment = Lists.Commitment.decode(bytes);
    write.writer.commit(Manifest.parse(commitment.manifest()), commitment.held());
    versions.committed(write.level, write.version);
  }

  // Transfers of workers.

  @Override
  public Decision incoming(Connection from, TransferHeader header, TransferProgress soFar)
      throws IOException {
    Question question = Question.decode(header.name().bytes());
    AnchorSession session = session(from);
    switch (question.verb()) {
      case APPEND -> {
        OpenShard shard = shard(session.write(question.handle()), question.text());
        long begin = question.number();
        return Decision.through(
            TransferProgress.NONE, (offset, bytes) -> shard.write(begin + offset, bytes));
      }
      case MANIFEST, PART -> {
        if (header.length() > Lists.MAX_BYTES) {
          return Decision.refuse(
              "%d bytes are more than %d.".formatted(header.length(), Lists.MAX_BYTES));
        }
        ByteBuffer place = session.expect(header.id(), (int) header.length());
        return place == null
            ? Decision.refuse("Too many manifests arrive at once; it may be tried again.")
            : Decision.into(TransferProgress.NONE, place);
      }
      default -> {
        return Decision.refuse("%s is not a transfer.".formatted(question.verb()));
      }
    }
  }

  @Override
  public void received(Connection from, TransferHeader header, int crc32c) throws IOException {
    Question question = Question.decode(header.name().bytes());
    if (question.verb() == Verb.APPEND) {
      return;
    }
    byte[] bytes = session(from).take(header.id());
    if (question.verb() == Verb.MANIFEST) {
      Write write = session(from).write(question.handle());
      synchronized (write) {
        write.commitment = bytes;
      }
    } else {
      rounds.contribute(from, question.text(), Lists.part(bytes), bytes.length);
    }
  }

  @Override
  public void interrupted(
      Connection from,
      TransferHeader header,
      TransferProgress soFar,
      TransferOutcome.Status why,
      String reason) {
    if (Question.decode(header.name().bytes()).verb() != Verb.APPEND) {
      AnchorSession session = sessions.get(from);
      if (session != null) {
        session.forget(header.id());
      }
    }
  }

  // What workers fetch.

  @Override
  public Source outgoing(Connection to, Name name) throws IOException {
    Question question = Question.decode(name.bytes());
    AnchorSession session = session(to);
    return switch (question.verb()) {
      case SEALED -> list(session.write(question.handle()).writer.sealed());
      case CONTENTS -> {
        Manifest manifest = session.reader(question.handle()).manifest();
        yield departures.source(manifest::toBytes);
      }
      case LIST -> list(tier(question.level()).list(question.version().job()));
      // a job announces its generation on the disk before all else
      case JOBS -> list(disk.jobs());
      case BYTES -> bytes(session.reader(question.handle()), question);
      default ->
          throw new BadInput(
              "%s cannot be fetched.".formatted(question.verb()),
              "Maybe the two sides differ in release.");
    };
  }

  private Source list(Collection<?> things) throws IOException {
    return departures.source(() -> Lists.of(things));
  }

  private static Source bytes(CheckpointReader reader, Question question) {
    return new Source() {
      @Override
      public long length() {
        return question.bytes();
      }

      @Override
      public ByteBuffer[] read(long offset, int length, ByteBuffer scratch) throws IOException {
        scratch.clear().limit(length);
        reader.read(question.text(), question.number() + offset, scratch);
        return new ByteBuffer[] {scratch.flip()};
      }
    };
  }
}
