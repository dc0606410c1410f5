package io.deepvm.places.ssh;

import org.jspecify.annotations.Nullable;

/**
 * A machine that ssh reaches. It holds one node at a time.
 *
 * @param name what messages call it; unique in a run
 * @param address where other nodes reach it; null for the address at which ssh reached it
 * @param folder where DeepVM keeps its files there; relative to the user's home
 * @param type what the machine is, like the name of its GPU
 * @param gpus how many GPUs it has; 0 for none
 */
public record SshHost(
    String name, Login login, @Nullable String address, String folder, String type, int gpus) {

  /** The folder of hosts that name none. */
  public static final String FOLDER = ".cache/deepvm";

  /** The type of hosts that name none. */
  public static final String TYPE = "host";

  /** The type of hosts that do not train, and may carry the coordinator. */
  public static final String ANCHOR = "anchor";

  /** Returns the same machine, reached in another way. */
  public SshHost withLogin(Login other) {
    return new SshHost(name, other, address, folder, type, gpus);
  }

  /**
   * How ssh reaches a machine. What is null is left to the user's own ssh configuration.
   *
   * @param host a name or an address, or an alias of the ssh configuration
   * @param identity a file with a private key
   * @param knownHosts a file with the keys of hosts
   * @param authorizedKeys the file there that lists the keys that may log in
   */
  public record Login(
      String host,
      @Nullable String user,
      @Nullable Integer port,
      @Nullable String identity,
      @Nullable String knownHosts,
      @Nullable String authorizedKeys) {

    @Override
    public String toString() {
      return (user == null ? "" : user + "@") + host + (port == null ? "" : ":" + port);
    }
  }
}
