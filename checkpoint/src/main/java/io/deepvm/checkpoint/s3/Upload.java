package io.deepvm.checkpoint.s3;

import io.deepvm.checkpoint.tier.ShardWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Brings one shard: a small one as an object, a large one in parts, several at a time. Where an
 * upload of the shard was broken off, by this process or another, it is gone on with: a part the
 * store has already, by its MD5, is not sent again. So the shard is always written from its
 * beginning, and what someone else left there is never taken on trust.
 */
final class Upload implements ShardWriter {

  /** The most parts an object may have. */
  private static final int MOST_PARTS = 10_000;

  private static final String UNSURE = "";
  private static final int MIB = 1 << 20;
  private static final long PATIENCE_HOURS = 2;

  /** Throws when the shard must not be replaced any more. */
  interface Condition {
    void check() throws IOException;
  }

  private final Bucket bucket;
  private final UploadBudget budget;
  private final ExecutorService senders;
  private final String key;
  private final long bytes;
  private final int partBytes;
  private final Condition open;
  private final List<Future<String>> parts = new ArrayList<>();
  private byte @Nullable [] filling;
  private int filled;
  private long position;
  private @Nullable String id;
  private volatile boolean closed;
  private Map<Integer, String> known = Map.of();

  Upload(
      Bucket bucket,
      UploadBudget budget,
      ExecutorService senders,
      String key,
      long bytes,
      int usualPart,
      Condition open) {
    this.bucket = bucket;
    this.budget = budget;
    this.senders = senders;
    this.key = key;
    this.bytes = bytes;
    this.partBytes = partBytes(bytes, usualPart);
    this.open = open;
  }

  /** Returns the size of a part: the usual, unless that were too many parts. */
  static int partBytes(long bytes, int usual) {
    long least = (bytes / MOST_PARTS / MIB + 1) * MIB;
    return Math.toIntExact(Math.max(usual, bytes / MOST_PARTS < usual ? 0 : least));
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public void write(ByteBuffer buffer) throws IOException {
    if (buffer.remaining() > bytes - position) {
      throw new IOException("%s was announced with %d bytes and gets more.".formatted(key, bytes));
    }
    while (buffer.hasRemaining()) {
      byte[] part = filling;
      if (part == null) {
        part = budget.allocate((int) Math.min(partBytes, bytes - position));
        filling = part;
        filled = 0;
      }
      int piece = Math.min(part.length - filled, buffer.remaining());
      buffer.get(part, filled, piece);
      filled += piece;
      position += piece;
      // an only part becomes an object when it is sealed
      if (filled == part.length && bytes > partBytes) {
        send(part);
      }
    }
  }

  private void send(byte[] part) throws IOException {
    checkSent();
    String upload = id;
    if (upload == null) {
      upload = begin();
      id = upload;
    }
    String to = upload;
    int number = parts.size() + 1;
    filling = null;
    parts.add(
        senders.submit(
            () -> {
              try {
                return send(to, number, part);
              } finally {
                budget.give(part.length);
              }
            }));
  }

  private String send(String upload, int number, byte[] part) throws IOException {
    if (closed) {
      throw new IOException("%s was given up.".formatted(key));
    }
    byte[] md5 = Bucket.md5(part);
    String tag = HexFormat.of().formatHex(md5);
    if (tag.equals(known.get(number))) {
      return tag;
    }
    // any other tag is that of a store that encrypts, or of an answer that broke off
    return tag.equals(bucket.putPart(key, upload, number, part, md5)) ? tag : UNSURE;
  }

  /** Goes on with an upload that was broken off, or begins one. */
  private String begin() throws IOException {
    String broken =
        bucket.uploads(key).stream()
            .filter(upload -> upload.key().equals(key))
            .max(Comparator.comparing(Bucket.Entry::modified))
            .map(Bucket.Entry::tag)
            .orElse(null);
    if (broken != null) {
      try {
        known = bucket.parts(key, broken);
        return broken;
      } catch (NoSuchFileException e) {
        // it was aborted just now
      }
    }
    return bucket.beginUpload(key);
  }

  /** Throws if a part is known to have failed: the rest need not be sent. */
  private void checkSent() throws IOException {
    for (Future<String> part : parts) {
      if (part.isDone()) {
        tag(part);
      }
    }
  }

  private static String tag(Future<String> part) throws IOException {
    try {
      return part.get(PATIENCE_HOURS, TimeUnit.HOURS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException cause
          ? new IOException(cause.getMessage(), cause)
          : new IOException(e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("A part was not sent in %d hours.".formatted(PATIENCE_HOURS), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
  }

  @Override
  public void seal() throws IOException {
    if (position != bytes) {
      throw new IOException("%s has %d of %d bytes.".formatted(key, position, bytes));
    }
    open.check();
    String upload = id;
    if (upload == null) {
      byte[] all = filling == null ? new byte[0] : filling;
      bucket.put(key, all);
      return;
    }
    List<String> tags = new ArrayList<>();
    for (Future<String> part : parts) {
      tags.add(tag(part));
    }
    if (tags.contains(UNSURE)) {
      Map<Integer, String> listed = bucket.parts(key, upload);
      for (int i = 0; i < tags.size(); i++) {
        tags.set(i, listed.getOrDefault(i + 1, UNSURE));
      }
    }
    try {
      bucket.endUpload(key, upload, tags);
    } catch (NoSuchFileException e) {
      // it has ended when an earlier answer was lost
      Bucket.Entry object = bucket.head(key);
      if (object == null || object.bytes() != bytes || !object.tag().equals(joined(tags))) {
        throw e;
      }
    }
  }

  /** Returns the tag that an object of such parts has, where tags are MD5. */
  private static String joined(List<String> tags) {
    byte[] all;
    try {
      all = HexFormat.of().parseHex(String.join("", tags));
    } catch (IllegalArgumentException e) {
      return "no MD5";
    }
    return HexFormat.of().formatHex(Bucket.md5(all)) + "-" + tags.size();
  }

  @Override
  public void close() {
    byte[] part = filling;
    if (part != null) {
      filling = null;
      budget.give(part.length);
    }
    // what is under way ends by itself and gives its memory back; what waits does not begin
    closed = true;
  }
}
