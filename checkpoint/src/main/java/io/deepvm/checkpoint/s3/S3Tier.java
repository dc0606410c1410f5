package io.deepvm.checkpoint.s3;

import io.deepvm.base.BadInput;
import io.deepvm.base.DaemonThreads;
import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.CorruptCheckpoint;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.s3.Bucket.Entry;
import io.deepvm.checkpoint.tier.CheckpointReader;
import io.deepvm.checkpoint.tier.CheckpointWriter;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.ShardWriter;
import io.deepvm.checkpoint.tier.StaleGeneration;
import io.deepvm.checkpoint.tier.Tier;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Checkpoints in an object store that speaks S3: {@code prefix/job/step-000000001200-g000003/}. An
 * object appears whole or not at all, so shards need no temporary names; the manifest comes last.
 */
public final class S3Tier implements Tier {

  private static final int LEAST_PART = 5 << 20;
  private static final int LARGEST_PART = 64 << 20;
  private static final int PARTS_AT_ONCE = 4;

  private final String name;
  private final S3Client client;
  private final Bucket bucket;
  private final String root;
  private final UploadBudget budget;
  private final int usualPart;
  private final ExecutorService senders;
  private final UseMarks leases;
  private final ClaimObjects claims;
  private final Leftovers leftovers = new Leftovers(InstantSource.system());

  private final KnownManifests manifests = new KnownManifests(this::manifest);

  /**
   * Opens a place in an object store.
   *
   * @param client is closed with the tier
   * @param memory what uploads may take, all together; a quarter of it is the size of a part
   */
  public S3Tier(String name, S3Location location, S3Client client, DataSize memory) {
    if (memory.bytes() < LEAST_PART) {
      throw new BadInput(
          "%s of memory are too few for uploads.".formatted(memory),
          "Maybe give %s or more.".formatted(new DataSize(LEAST_PART)));
    }
    this.name = name;
    this.client = client;
    this.bucket = new Bucket(client, location.bucket());
    this.root = location.prefix().isEmpty() ? "" : location.prefix() + "/";
    this.budget = new UploadBudget(memory);
    this.usualPart =
        (int) Math.max(LEAST_PART, Math.min(LARGEST_PART, memory.bytes() / PARTS_AT_ONCE));
    this.senders =
        Executors.newFixedThreadPool(
            PARTS_AT_ONCE, DaemonThreads.named("deepvm-checkpoint-" + name + "-upload"));
    this.leases = new UseMarks(bucket, InstantSource.system());
    this.claims = new ClaimObjects(bucket);
  }

  /**
   * Opens a place with the environment's credentials, and asks for it. It is bad input unless the
   * bucket can be listed, and creates an object for one of two sessions only.
   */
  public static S3Tier open(String name, S3Location location, DataSize memory) {
    S3Tier tier;
    try {
      tier = new S3Tier(name, location, location.client(), memory);
    } catch (SdkClientException e) {
      throw new StoreTrouble(location).of(e);
    }
    tier.check(location);
    return tier;
  }

  /** Throws bad input, and closes the tier, unless the bucket can be listed and keeps claims. */
  void check(S3Location location) {
    try {
      client.listObjectsV2(ask -> ask.bucket(location.bucket()).prefix(root).maxKeys(1));
      claims.checkStore(root);
    } catch (SdkException e) {
      close();
      throw new StoreTrouble(location).of(e);
    } catch (IOException e) {
      close();
      StoreTrouble trouble = new StoreTrouble(location);
      throw e.getCause() instanceof SdkException cause ? trouble.of(cause) : trouble.claims(e);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Level level() {
    return Level.ARCHIVED;
  }

  @Override
  public long generation(String job) throws IOException {
    return Math.max(claims.newest(key(job)), newestVersion(job));
  }

  /** Returns the newest generation that has objects, zero if none: its claim may be lost. */
  private long newestVersion(String job) throws IOException {
    long newest = 0;
    for (Entry object : bucket.list(key(job))) {
      Version version = version(job, object.key());
      if (version != null && version.generation() <= Claim.MOST) {
        newest = Math.max(newest, version.generation());
      }
    }
    return newest;
  }

  @Override
  public void claim(String job, Claim claim) throws IOException {
    claims.claim(job, key(job), claim);
  }

  @Override
  public CheckpointWriter write(Version version, UUID owner) throws IOException {
    Claim claim = new Claim(version.generation(), owner);
    claim(version.job(), claim);
    Closeable use = leases.take(key(version));
    try {
      checkOpen(version);
      return new Writer(version, claim, use);
    } catch (IOException e) {
      use.close();
      throw e;
    }
  }

  /** Throws when the version is committed: what it consists of must not change any more. */
  private void checkOpen(Version version) throws IOException {
    if (bucket.exists(key(version) + Manifest.FILE)) {
      throw new FileAlreadyExistsException(key(version), null, "it is committed");
    }
  }

  @Override
  public CheckpointReader read(Version version) throws IOException {
    Closeable use;
    try {
      use = leases.take(key(version));
    } catch (AccessRefused e) {
      // who may only read cannot leave a mark
      use = () -> {};
    }
    try {
      return new ObjectReader(bucket, key(version), manifest(version), use);
    } catch (IOException e) {
      use.close();
      throw e;
    }
  }

  private Manifest manifest(Version version) throws IOException {
    String key = key(version) + Manifest.FILE;
    Manifest manifest = Manifest.parse(bucket.get(key, Manifest.MAX_BYTES));
    if (!manifest.version().equals(version)) {
      throw new CorruptCheckpoint("%s is that of %s.".formatted(key, manifest.version()));
    }
    return manifest;
  }

  @Override
  public List<Holding> list(String job) throws IOException {
    String folder = key(job);
    Map<Version, List<Entry>> versions = new HashMap<>();
    for (Entry upload : bucket.uploads(folder)) {
      Version version = version(job, upload.key());
      if (version != null) {
        versions.computeIfAbsent(version, v -> new ArrayList<>());
      }
    }
    for (Entry object : bucket.list(folder)) {
      Version version = version(job, object.key());
      if (version != null) {
        versions.computeIfAbsent(version, v -> new ArrayList<>()).add(object);
      }
    }
    manifests.keepOnly(job, versions.keySet());
    leftovers.keepOnly(job, versions.keySet());
    List<Holding> holdings = new ArrayList<>();
    for (Map.Entry<Version, List<Entry>> found : versions.entrySet()) {
      Holding holding = holding(found.getKey(), found.getValue());
      leftovers.note(found.getKey(), holding.condition() != Holding.Condition.UNCOMMITTED);
      holdings.add(holding);
    }
    return holdings;
  }

  /** Returns the version an object belongs to, or null when it is none of ours. */
  private @Nullable Version version(String job, String key) {
    String rest = key.substring(key(job).length());
    int slash = rest.indexOf('/');
    return slash < 0 ? null : Version.ofFolder(job, rest.substring(0, slash));
  }

  private Holding holding(Version version, List<Entry> objects) throws IOException {
    Map<String, Long> sizes = new HashMap<>();
    Entry manifest = null;
    long bytes = 0;
    for (Entry object : objects) {
      String file = object.key().substring(key(version).length());
      bytes += object.bytes();
      if (file.equals(Manifest.FILE)) {
        manifest = object;
      } else if (ShardName.isName(file)) {
        sizes.put(file, object.bytes());
      }
    }
    if (manifest == null) {
      // a store may list an object late, and what has no manifest is cleaned up
      manifest = bucket.head(key(version) + Manifest.FILE);
    }
    if (manifest == null) {
      return new Holding(version, Holding.Condition.UNCOMMITTED, sizes.keySet(), Set.of(), bytes);
    }
    Set<String> missing = new HashSet<>();
    Map<String, Long> expected = manifests.shards(version, manifest.tag());
    boolean damaged = expected == null;
    if (expected != null) {
      for (Map.Entry<String, Long> shard : expected.entrySet()) {
        Long size = sizes.get(shard.getKey());
        if (size == null) {
          missing.add(shard.getKey());
        } else {
          damaged |= !size.equals(shard.getValue());
        }
      }
    }
    return new Holding(
        version,
        damaged ? Holding.Condition.DAMAGED : Holding.Condition.COMMITTED,
        sizes.keySet(),
        missing,
        bytes);
  }

  @Override
  public boolean delete(Version version, Claim claim) throws IOException {
    claims.check(version.job(), key(version.job()), claim);
    List<Entry> objects = bucket.list(key(version));
    return !leftovers.mayBeUnderWay(version, claim, objects) && delete(version, objects);
  }

  /** The store compares each part with its MD5. */
  @Override
  public boolean checksOnArrival() {
    return true;
  }

  @Override
  public boolean delete(Version version) throws IOException {
    return delete(version, bucket.list(key(version)));
  }

  private boolean delete(Version version, List<Entry> objects) throws IOException {
    String folder = key(version);
    if (leftovers.has(version) && bucket.exists(folder + Manifest.FILE)) {
      // committed since the version was listed
      return false;
    }
    for (Entry object : objects) {
      if (UseMarks.isMark(object.key().substring(folder.length())) && leases.isLive(object)) {
        return false;
      }
    }
    bucket.delete(folder + Manifest.FILE);
    manifests.forget(version);
    for (Entry upload : bucket.uploads(folder)) {
      bucket.abortUpload(upload.key(), upload.tag());
    }
    for (Entry object : objects) {
      String file = object.key().substring(folder.length());
      if (ShardName.isName(file) || UseMarks.isMark(file)) {
        bucket.delete(object.key());
      }
    }
    return true;
  }

  @Override
  public void close() {
    leases.close();
    senders.shutdownNow();
    client.close();
  }

  private String key(String job) {
    // a version checks its job's name; a name alone is checked here
    return root + new Version(job, 0, 0).job() + "/";
  }

  private String key(Version version) {
    return key(version.job()) + version.folder() + "/";
  }

  private final class Writer implements CheckpointWriter {

    private final Version version;
    private final Claim claim;
    private final Closeable use;

    Writer(Version version, Claim claim, Closeable use) {
      this.version = version;
      this.claim = claim;
      this.use = use;
    }

    @Override
    public ShardWriter shard(String shard, long bytes) throws IOException {
      String key = key(version) + ShardName.parse(shard).file();
      checkOpen(version);
      return new Upload(bucket, budget, senders, key, bytes, usualPart, () -> checkOpen(version));
    }

    @Override
    public Set<String> sealed() throws IOException {
      return holding(version, bucket.list(key(version))).shards();
    }

    @Override
    public void commit(Manifest manifest, Set<String> held) throws IOException {
      if (!manifest.version().equals(version)) {
        throw new IOException(
            "The manifest is of %s, not of %s.".formatted(manifest.version(), version));
      }
      Map<String, Long> sizes = new HashMap<>();
      for (Entry object : bucket.list(key(version))) {
        sizes.put(object.key().substring(key(version).length()), object.bytes());
      }
      for (Shard shard : manifest.shards()) {
        Long size = sizes.get(shard.name());
        if (held.contains(shard.name()) && (size == null || size != shard.bytes())) {
          throw new IOException("%s of %s is not there in full.".formatted(shard.name(), version));
        }
      }
      String folder = key(version.job());
      claims.check(version.job(), folder, claim);
      String key = key(version) + Manifest.FILE;
      boolean created = bucket.putNew(key, manifest.toBytes());
      if (!created && !manifest(version).isSameSave(manifest)) {
        throw new FileAlreadyExistsException(key, null, "it is committed");
      }
      try {
        // a newer generation may have come between the look and the manifest
        claims.check(version.job(), folder, claim);
      } catch (StaleGeneration e) {
        // one that was there before may count already, as an earlier attempt's or another anchor's
        if (created) {
          bucket.delete(key);
        }
        throw e;
      }
    }

    @Override
    public void close() throws IOException {
      use.close();
    }
  }
}
