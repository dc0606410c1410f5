package io.deepvm.checkpoint.s3;

import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.s3.Bucket.Entry;
import io.deepvm.checkpoint.tier.Fence;
import io.deepvm.checkpoint.tier.StaleGeneration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The generations of jobs in an object store: an object for each, which holds its owner. The store
 * creates it for one session only, and none ever changes.
 */
final class ClaimObjects {

  private static final String PREFIX = "generation-";
  private static final String PROBE = ".probe-";

  /** More than the sessions of any job that begin before a store lists what it has. */
  private static final int KEPT = 100;

  /** An id has 36 bytes. */
  private static final int MOST_BYTES = 100;

  private final Bucket bucket;

  /** By object, the owners that were read. */
  private final Map<String, UUID> owners = new ConcurrentHashMap<>();

  ClaimObjects(Bucket bucket) {
    this.bucket = bucket;
  }

  /** Returns the newest generation of a job, whose objects' keys begin so; -1 if there is none. */
  long newest(String folder) throws IOException {
    long newest = -1;
    for (Entry entry : bucket.list(folder + PREFIX)) {
      newest = Math.max(newest, number(folder, entry.key()));
    }
    return newest;
  }

  /** Returns the generation of an object; -1 when it is no number that can be claimed. */
  private static long number(String folder, String key) {
    try {
      long number = Long.parseLong(key.substring((folder + PREFIX).length()));
      return number > Claim.MOST ? -1 : number;
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private static String key(String folder, long generation) {
    return folder + PREFIX + String.format(Locale.ROOT, "%018d", generation);
  }

  /** Throws unless a claim is the newest of a job, or may become so. */
  void check(String job, String folder, Claim claim) throws IOException {
    fence(folder, newest(folder, claim)).check(job, claim);
  }

  /**
   * Returns the newest generation as seen from a claim. The next numbers are asked for by name,
   * because a store may list an object late.
   */
  private long newest(String folder, Claim claim) throws IOException {
    long newest = newest(folder);
    long next = claim.generation() + 1;
    while (next <= Claim.MOST && bucket.exists(key(folder, next))) {
      newest = Math.max(newest, next++);
    }
    return newest;
  }

  private Fence fence(String folder, long newest) throws IOException {
    UUID owner = newest < 0 ? null : owner(key(folder, newest));
    return newest < 0 || owner == null
        ? new Fence(newest, null, newest < 0)
        : Fence.of(new Claim(newest, owner));
  }

  /** Returns the owner that an object names; null for those of earlier releases. */
  private @Nullable UUID owner(String key) throws IOException {
    UUID known = owners.get(key);
    if (known == null) {
      try {
        known =
            UUID.fromString(
                new String(bucket.get(key, MOST_BYTES), StandardCharsets.US_ASCII).strip());
        owners.put(key, known);
      } catch (IllegalArgumentException | NoSuchFileException e) {
        return null;
      }
    }
    return known;
  }

  /**
   * Throws unless the store refuses to create an object that is there. Without that, two sessions
   * would get one generation.
   */
  void checkStore(String root) throws IOException {
    String key = root + PROBE + UUID.randomUUID();
    byte[] content = "May be deleted.".getBytes(StandardCharsets.US_ASCII);
    try {
      boolean first = bucket.putNew(key, content);
      boolean second = bucket.putNew(key, content);
      bucket.delete(key);
      if (first && second) {
        throw new IOException("it ignored 'If-None-Match: *'");
      }
    } catch (AccessRefused e) {
      // who may only read claims nothing
    }
  }

  /** Makes a claim the newest of a job, unless it is. */
  void claim(String job, String folder, Claim claim) throws IOException {
    Fence before = fence(folder, newest(folder, claim));
    before.check(job, claim);
    if (before.isHeldBy(claim)) {
      return;
    }
    String key = key(folder, claim.generation());
    byte[] owner = claim.owner().toString().getBytes(StandardCharsets.US_ASCII);
    if (!bucket.putNew(key, owner) && !claim.owner().equals(owner(key))) {
      throw new StaleGeneration(job, claim.generation(), claim.generation());
    }
    // a newer one may have come between the look and the claim
    check(job, folder, claim);
    deleteOld(folder);
  }

  /**
   * Deletes all but the newest objects. Those stay though they are outdated: a number whose object
   * is gone could be claimed again by a session to which the store lists newer ones late.
   */
  private void deleteOld(String folder) throws IOException {
    List<Entry> oldestFirst =
        bucket.list(folder + PREFIX).stream()
            .filter(entry -> number(folder, entry.key()) >= 0)
            .sorted(Comparator.comparingLong(entry -> number(folder, entry.key())))
            .toList();
    for (Entry entry : oldestFirst.subList(0, Math.max(0, oldestFirst.size() - KEPT))) {
      owners.remove(entry.key());
      bucket.delete(entry.key());
    }
  }
}
