package io.deepvm.places.ledger;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rented machines of a run, on disk: one file a fact. A fact is there as a whole or not at all,
 * and the first that was written stays. Any thread and process may use it.
 */
public final class Ledger {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** No account is read from a file of this name. */
  private static final String LEASES = "leases";

  private final Path folder;

  /** What is over does not change any more. */
  private final Map<String, Account> settled = new ConcurrentHashMap<>();

  /** Opens the ledger of the run whose files are in the folder. */
  public Ledger(Path run) {
    this.folder = run.resolve("ledger");
  }

  /** Writes an order before it is sent, and returns the one that counts. */
  public Account.Ordered order(String node, Account.Ordered order) throws IOException {
    return put(node, "ordered", Account.Ordered.class, order);
  }

  /** Removes an order for which certainly no machine exists. */
  public void takeBack(String node) throws IOException {
    Files.deleteIfExists(file(node, "ordered"));
    sync();
  }

  /** Writes that the place has a machine. */
  public Account.Granted grant(String node, Account.Granted granted) throws IOException {
    return put(node, "granted", Account.Granted.class, granted);
  }

  /** Writes that the machine must end. */
  public void owe(String node, Account.Owed owed) throws IOException {
    put(node, "owed", Account.Owed.class, owed);
  }

  /** Writes that no machine exists, and returns the fact that counts. */
  public Account.Gone gone(String node, Account.Gone gone) throws IOException {
    return put(node, "gone", Account.Gone.class, gone);
  }

  /** Returns what is known of a node. */
  public Account account(String node) throws IOException {
    Account known = settled.get(node);
    if (known != null) {
      return known;
    }
    Account.Gone gone = get(node, "gone", Account.Gone.class);
    Account account =
        new Account(
            node,
            get(node, "ordered", Account.Ordered.class),
            get(node, "granted", Account.Granted.class),
            get(node, "owed", Account.Owed.class),
            gone);
    if (gone != null) {
      settled.put(node, account);
    }
    return account;
  }

  /** Returns all nodes, in the order of their names. */
  public List<Account> accounts() throws IOException {
    TreeSet<String> nodes = new TreeSet<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith(".json")) {
          nodes.add(name.substring(0, name.indexOf('.')));
        }
      }
    } catch (NoSuchFileException e) {
      return List.of();
    }
    List<Account> all = new ArrayList<>();
    for (String node : nodes) {
      all.add(account(node));
    }
    return all;
  }

  /** Returns what all machines that are gone have cost. */
  public static long micros(List<Account> accounts) {
    return accounts.stream()
        .map(Account::gone)
        .mapToLong(gone -> gone == null ? 0 : gone.micros())
        .sum();
  }

  /**
   * Writes until when the leases of nodes may be renewed. Unlike a fact it changes: the newest
   * counts.
   */
  public void lease(Map<String, Long> untilMs) throws IOException {
    PrivateFiles.folder(folder);
    Path fresh = Files.createTempFile(folder, LEASES, ".new");
    try {
      Files.writeString(fresh, JSON.writeValueAsString(untilMs));
      try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
      Files.move(fresh, folder.resolve(LEASES), StandardCopyOption.ATOMIC_MOVE);
      sync();
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  /** Returns until when the leases of nodes may have been renewed. */
  public Map<String, Long> leases() throws IOException {
    Path file = folder.resolve(LEASES);
    try {
      return JSON.readValue(Files.readString(file), new TypeReference<>() {});
    } catch (NoSuchFileException e) {
      return Map.of();
    } catch (JsonProcessingException e) {
      throw new IOException("%s cannot be read: %s".formatted(file, e.getOriginalMessage()), e);
    }
  }

  private <T> T put(String node, String fact, Class<T> kind, T value) throws IOException {
    if (!node.matches("[A-Za-z0-9_-]+")) {
      throw new IllegalArgumentException("The node name '%s' is no file name.".formatted(node));
    }
    T before = get(node, fact, kind);
    if (before != null) {
      return before;
    }
    PrivateFiles.folder(folder);
    Path fresh = Files.createTempFile(folder, fact, ".new");
    try {
      Files.writeString(fresh, JSON.writeValueAsString(value));
      try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
      Files.createLink(file(node, fact), fresh);
      sync();
      return value;
    } catch (FileAlreadyExistsException e) {
      T other = get(node, fact, kind);
      return other == null ? put(node, fact, kind, value) : other;
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  private <T> @Nullable T get(String node, String fact, Class<T> kind) throws IOException {
    Path file = file(node, fact);
    try {
      return JSON.readValue(Files.readString(file), kind);
    } catch (NoSuchFileException e) {
      return null;
    } catch (JsonProcessingException e) {
      throw new IOException("%s cannot be read: %s".formatted(file, e.getOriginalMessage()), e);
    }
  }

  private void sync() throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (NoSuchFileException e) {
      // Nothing was ever written.
    }
  }

  private Path file(String node, String fact) {
    return folder.resolve(node + "." + fact + ".json");
  }
}
