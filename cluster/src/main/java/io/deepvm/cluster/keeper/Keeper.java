package io.deepvm.cluster.keeper;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.units.BadInput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.recipes.barriers.DistributedDoubleBarrier;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.state.SessionConnectionStateErrorPolicy;
import org.apache.curator.retry.RetryUntilElapsed;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * One process's view of the run in ZooKeeper: who is registered, which generation counts, who
 * leads. Everything there is readable only with the run's token.
 */
public final class Keeper implements AutoCloseable {

  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private static final int RETRY_FOR_MS = 15_000;
  private static final int RETRY_EVERY_MS = 100;

  /** The parent of all runs on a server. */
  private static final String RUNS = "/deepvm";

  /** Anyone may add a run beside the others'; nobody may take one away. */
  // ZooKeeper asks whether null is among them, which List.of does not take.
  private static final List<ACL> SHARED =
      Collections.singletonList(
          new ACL(ZooDefs.Perms.READ | ZooDefs.Perms.CREATE, ZooDefs.Ids.ANYONE_ID_UNSAFE));

  private static final Duration CHECK_PATIENCE = Duration.ofSeconds(10);

  private final CuratorFramework client;
  private final String run;
  private final OneSession connections;
  private final Expiry expiry;
  private @Nullable LeaderLatch latch;
  private @Nullable CuratorCache nodes;
  private @Nullable CuratorCache generations;
  private int generationVersion = -1;

  private Keeper(CuratorFramework client, String run, OneSession connections, Expiry expiry) {
    this.client = client;
    this.run = run;
    this.connections = connections;
    this.expiry = expiry;
  }

  /**
   * Connects to a ZooKeeper at "host:port", or several with commas between.
   *
   * @param session how long silence may last before this process counts as gone
   */
  public static Keeper connect(
      String address, String run, String token, Duration session, Duration patience)
      throws IOException, InterruptedException {
    KeeperServer.hush();
    ACLProvider acls =
        new ACLProvider() {
          @Override
          public List<ACL> getDefaultAcl() {
            return ZooDefs.Ids.CREATOR_ALL_ACL;
          }

          @Override
          public List<ACL> getAclForPath(String path) {
            return path.equals(RUNS) ? SHARED : getDefaultAcl();
          }
        };
    Expiry expiry = new Expiry();
    OneSession connections = new OneSession(expiry);
    CuratorFramework client =
        CuratorFrameworkFactory.builder()
            .connectString(address)
            .sessionTimeoutMs((int) session.toMillis())
            .connectionTimeoutMs((int) Math.min(5_000, patience.toMillis()))
            .retryPolicy(new RetryUntilElapsed(RETRY_FOR_MS, RETRY_EVERY_MS))
            .authorization("digest", ("deepvm:" + token).getBytes(StandardCharsets.UTF_8))
            .aclProvider(acls)
            .zookeeperFactory(connections)
            .ensembleTracker(false)
            // To be out of touch for a moment ends nobody's lead: only the session's end does.
            .connectionStateErrorPolicy(new SessionConnectionStateErrorPolicy())
            .build();
    client.start();
    if (!client.blockUntilConnected((int) patience.toMillis(), TimeUnit.MILLISECONDS)) {
      connections.end();
      client.close();
      throw new BadInput(
          "No ZooKeeper answers at %s within %d s.".formatted(address, patience.toSeconds()),
          "Maybe it is not running, or another address was meant.");
    }
    return new Keeper(client, run, connections, expiry);
  }

  /** Refuses an address where no ZooKeeper answers. */
  public static void check(String address) throws IOException, InterruptedException {
    connect(address, "", "", CHECK_PATIENCE, CHECK_PATIENCE).close();
  }

  /** Lets nobody without the token read or write anything on the server; for one of our own. */
  public void claimRoot() throws IOException {
    List<ACL> ours = ZooDefs.Ids.CREATOR_ALL_ACL;
    call(() -> client.setACL().withACL(ours).forPath("/"));
    call(() -> client.create().orSetData().withACL(ours).forPath(RUNS));
  }

  /** Makes sure that the run's name is ours: one of another token is bad input. */
  public void claimRun() throws IOException {
    call(() -> client.create().orSetData().creatingParentsIfNeeded().forPath(path("owner")));
  }

  /** Is called when the server counted this process as gone; nothing it had registered is left. */
  public void onExpired(Runnable then) {
    expiry.then(then);
  }

  /** Remembers that the session is over, and tells who wants to know. */
  private static final class Expiry implements Runnable {

    private boolean over;
    private @Nullable Runnable then;

    @Override
    public void run() {
      Runnable listener;
      synchronized (this) {
        over = true;
        listener = then;
      }
      if (listener != null) {
        listener.run();
      }
    }

    void then(Runnable listener) {
      boolean already;
      synchronized (this) {
        then = listener;
        already = over;
      }
      if (already) {
        listener.run();
      }
    }
  }

  /** Whether the server can be reached at this moment. */
  public boolean connected() {
    return client.getZookeeperClient().isConnected();
  }

  // --- Leading ---

  /** Forgets who led before; for who knows that nobody does any more. */
  public void forgetLeader() throws IOException {
    call(() -> client.delete().quietly().deletingChildrenIfNeeded().forPath(path("leader")));
  }

  /** Becomes the run's only coordinator, or returns false when another one stays in its way. */
  public boolean lead(Duration patience, Runnable onLost) throws IOException {
    LeaderLatch ours = new LeaderLatch(client, path("leader"));
    latch = ours;
    return call(
        () -> {
          ours.start();
          boolean won = ours.await(patience.toMillis(), TimeUnit.MILLISECONDS);
          if (won) {
            ours.addListener(
                new LeaderLatchListener() {
                  @Override
                  public void isLeader() {}

                  @Override
                  public void notLeader() {
                    onLost.run();
                  }
                });
          }
          return won;
        });
  }

  // --- What the agents are to do ---

  /** Writes what agents need to know, as text. */
  public void putSpec(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    call(() -> client.create().orSetData().creatingParentsIfNeeded().forPath(path("spec"), bytes));
  }

  /** Reads what the coordinator wrote for agents. */
  public String spec() throws IOException {
    return call(() -> new String(client.getData().forPath(path("spec")), StandardCharsets.UTF_8));
  }

  // --- Who is there ---

  /** Registers a node for as long as this process lives, or changes what it said. */
  public void register(Registration registration) throws IOException {
    byte[] bytes = json(registration);
    call(
        () ->
            client
                .create()
                .orSetData()
                .creatingParentsIfNeeded()
                .withMode(CreateMode.EPHEMERAL)
                .forPath(path("nodes/" + registration.node()), bytes));
  }

  /** Takes the node's registration away. */
  public void unregister(String node) throws IOException {
    call(
        () -> {
          try {
            client.delete().forPath(path("nodes/" + node));
          } catch (KeeperException.NoNodeException e) {
            // It is what was wanted.
          }
          return true;
        });
  }

  /** Tells of every registration, old and new, and of every one that is gone. */
  public void watchNodes(Consumer<Registration> there, Consumer<String> gone) {
    CuratorCache cache = CuratorCache.build(client, path("nodes"));
    nodes = cache;
    cache
        .listenable()
        .addListener(
            (type, before, now) -> {
              if (type == CuratorCacheListener.Type.NODE_DELETED) {
                String node = nodeOf(before);
                if (node != null) {
                  gone.accept(node);
                }
              } else if (nodeOf(now) != null && now.getData().length > 0) {
                there.accept(read(now.getData(), Registration.class));
              }
            });
    cache.start();
  }

  private @Nullable String nodeOf(@Nullable ChildData data) {
    String prefix = path("nodes") + "/";
    return data == null || !data.getPath().startsWith(prefix)
        ? null
        : data.getPath().substring(prefix.length());
  }

  // --- Generations ---

  /** Returns the generation that counts; null before the first. */
  public @Nullable Generation generation() throws IOException {
    List<Generation> found =
        call(
            () -> {
              try {
                Stat stat = new Stat();
                byte[] bytes = client.getData().storingStatIn(stat).forPath(path("generation"));
                generationVersion = stat.getVersion();
                return List.of(read(bytes, Generation.class));
              } catch (KeeperException.NoNodeException e) {
                return List.of();
              }
            });
    return found.isEmpty() ? null : found.get(0);
  }

  /** Writes the next generation; fails when somebody else wrote one since we last looked. */
  public void write(Generation next) throws IOException {
    byte[] bytes = json(next);
    call(
        () -> {
          if (generationVersion < 0) {
            client.create().creatingParentsIfNeeded().forPath(path("generation"), bytes);
            generationVersion = 0;
          } else {
            Stat stat =
                client.setData().withVersion(generationVersion).forPath(path("generation"), bytes);
            generationVersion = stat.getVersion();
          }
          return true;
        });
  }

  /** Tells of the generation that counts now, and of each that follows. */
  public void watchGenerations(Consumer<Generation> then) {
    CuratorCache cache =
        CuratorCache.build(client, path("generation"), CuratorCache.Options.SINGLE_NODE_CACHE);
    generations = cache;
    cache
        .listenable()
        .addListener(
            (type, before, now) -> {
              if (type != CuratorCacheListener.Type.NODE_DELETED && now.getData().length > 0) {
                then.accept(read(now.getData(), Generation.class));
              }
            });
    cache.start();
  }

  /** Waits until so many members of the generation have come here; false when they do not. */
  public boolean meet(long generation, int members, Duration patience) throws IOException {
    DistributedDoubleBarrier barrier =
        new DistributedDoubleBarrier(client, path("meetings/" + generation + "/all"), members);
    return call(() -> barrier.enter(patience.toMillis(), TimeUnit.MILLISECONDS));
  }

  /** Lets the generation's members know a port on the first one's node. */
  public void putPort(long generation, int port) throws IOException {
    byte[] bytes = Integer.toString(port).getBytes(StandardCharsets.US_ASCII);
    String path = path("meetings/" + generation + "/port");
    call(() -> client.create().orSetData().creatingParentsIfNeeded().forPath(path, bytes));
  }

  /** Returns the port that the first member told; -1 when it has not yet. */
  public int port(long generation) throws IOException {
    return call(
        () -> {
          try {
            return Integer.parseInt(
                new String(
                    client.getData().forPath(path("meetings/" + generation + "/port")),
                    StandardCharsets.US_ASCII));
          } catch (KeeperException.NoNodeException e) {
            return -1;
          }
        });
  }

  /** Forgets where the members of old generations met. */
  public void forgetMeetings(long before) throws IOException {
    call(
        () -> {
          try {
            for (String name : client.getChildren().forPath(path("meetings"))) {
              if (Long.parseLong(name) < before) {
                client
                    .delete()
                    .quietly()
                    .deletingChildrenIfNeeded()
                    .forPath(path("meetings/" + name));
              }
            }
          } catch (KeeperException.NoNodeException e) {
            // Nobody has met yet.
          }
          return true;
        });
  }

  @Override
  public void close() {
    try {
      LeaderLatch ours = latch;
      if (ours != null && ours.getState() == LeaderLatch.State.STARTED) {
        ours.close(LeaderLatch.CloseMode.SILENT);
      }
    } catch (IOException e) {
      // The session's end takes the latch away as well.
    }
    if (nodes != null) {
      nodes.close();
    }
    if (generations != null) {
      generations.close();
    }
    connections.end();
    client.close();
  }

  private String path(String name) {
    return RUNS + "/" + run + "/" + name;
  }

  private static byte[] json(Object value) {
    try {
      return JSON.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static <T> T read(byte[] bytes, Class<T> type) {
    try {
      return JSON.readValue(bytes, type);
    } catch (IOException e) {
      throw new IllegalStateException("ZooKeeper holds what DeepVM did not write.", e);
    }
  }

  /** Something that ZooKeeper is asked for. */
  private interface Call<T> {
    T run() throws Exception;
  }

  // Curator's methods throw plain Exception.
  @SuppressWarnings("InterruptedExceptionSwallowed")
  private <T> T call(Call<T> call) throws IOException {
    try {
      return call.run();
    } catch (KeeperException.NoAuthException e) {
      if (!String.valueOf(e.getPath()).startsWith(path(""))) {
        throw new BadInput(
            "ZooKeeper does not let the run %s be made at %s.".formatted(run, e.getPath()),
            "Maybe let anyone read and create in %s there: setAcl %s world:anyone:cr."
                .formatted(RUNS, RUNS));
      }
      throw new BadInput(
          "The run %s in ZooKeeper belongs to another token.".formatted(run),
          "Maybe it belongs to a run of the same name: choose another name.");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while asking ZooKeeper.", e);
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException("ZooKeeper: " + e.getMessage(), e);
    }
  }
}
