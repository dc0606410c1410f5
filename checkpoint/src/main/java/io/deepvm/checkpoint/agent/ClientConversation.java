package io.deepvm.checkpoint.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.Behind;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.Reservation;
import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import java.io.Closeable;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Answers one client, message by message; trusts nothing it says. */
final class ClientConversation implements Closeable {

  static final int PROTOCOL = 1;
  static final String META = "meta";

  private static final Duration MOST_LEAD = Duration.ofDays(1);
  private static final System.Logger LOG = System.getLogger(ClientConversation.class.getName());

  private final CheckpointService agent;
  private final AgentOptions options;
  private final Frames frames;
  private final CountDownLatch heardAll = new CountDownLatch(1);
  private @Nullable ClientSession session;
  private int worker;
  private @Nullable Path restored;

  ClientConversation(CheckpointService agent, AgentOptions options, Frames frames) {
    this.agent = agent;
    this.options = options;
    this.frames = frames;
  }

  /** Talks until the client ends, breaks the rules or dies; then ends its session. */
  void run() {
    try (this) {
      talk();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "A client has gone: {0}", e.toString());
    } finally {
      heardAll.countDown();
      leave();
    }
  }

  /** Reads what a dead client has sent to its end; cuts off a client that goes on sending. */
  void end(Duration patience) throws IOException, InterruptedException {
    heardAll.await(patience.toNanos(), TimeUnit.NANOSECONDS);
    close();
  }

  private void talk() throws IOException {
    try {
      ObjectNode message = frames.read(options.greeting());
      while (message != null) {
        frames.write(answer(message));
        // training may be silent for as long as it likes
        message = frames.read(session == null ? options.greeting() : null);
      }
    } catch (ProtocolException e) {
      frames.write(problem(String.valueOf(e.getMessage()), "Maybe it is not a DeepVM client."));
    }
  }

  private void leave() {
    try {
      forgetRestored();
      ClientSession mine = session;
      if (mine != null) {
        agent.end(worker, mine);
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "A session did not end well: {0}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private ObjectNode answer(ObjectNode message) throws IOException {
    String verb = message.path("do").asText();
    try {
      return switch (verb) {
        case "hello" -> hello(message);
        case "mapped" -> mapped();
        case "should-save" -> reply().put("yes", mine().shouldSave(number(message, "step")));
        case "save" -> save(message);
        case "staged" -> state(mine().staged(number(message, "ticket")));
        case "state" -> state(mine().ticket(number(message, "ticket")));
        case "notice" -> notice(mine(), message.path("lead"));
        case "restore" -> restore(wanted(message));
        case "restored" -> {
          forgetRestored();
          yield reply();
        }
        default ->
            throw new BadInput(
                "'%s' is nothing an agent can do.".formatted(clip(verb)),
                "Maybe client and agent are of different versions.");
      };
    } catch (Fenced e) {
      return problem(String.valueOf(e.getMessage()), e.wayOut()).put("fenced", true);
    } catch (BadInput e) {
      return problem(String.valueOf(e.getMessage()), e.wayOut());
    } catch (IOException | RuntimeException e) {
      LOG.log(System.Logger.Level.WARNING, verb + " failed.", e);
      return problem(String.valueOf(e.getMessage()), "Maybe the agent's output says more.");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("The agent has ended.", e);
    }
  }

  private ObjectNode hello(ObjectNode message) throws IOException, Fenced, InterruptedException {
    if (number(message, "protocol") != PROTOCOL) {
      throw new BadInput(
          "The client speaks protocol %s, the agent %d."
              .formatted(message.get("protocol"), PROTOCOL),
          "Maybe use deepcheck.py of the same release.");
    }
    if (session != null) {
      throw new BadInput("The client has said hello before.", "Maybe open another connection.");
    }
    Joining joining = joining(message);
    ClientSession begun = agent.begin(this, joining);
    session = begun;
    worker = joining.worker();
    ObjectNode reply = reply();
    reply.put("job", options.job());
    reply.put("generation", begun.generation());
    reply.put("claim", begun.claim().toString());
    reply.put("home", agent.home());
    reply.put("memory", begun.arena().file().toString());
    reply.put("bytes", begun.arena().capacity());
    EngineOptions rules = options.engine(begun.claim());
    reply.put("patience", rules.behind() == Behind.BLOCK ? rules.blockTimeout().toSeconds() : 0);
    return reply;
  }

  private static Joining joining(ObjectNode message) {
    return new Joining(
        message.has("after") ? number(message, "after") : null,
        message.has("client") ? id(message.path("client").asText()) : null,
        message.has("worker") ? rank(message, "worker") : 0,
        message.has("workers") ? rank(message, "workers") : 1,
        message.has("claim") ? Claim.parse(message.path("claim").asText()) : null,
        message.has("home") ? message.path("home").asText() : null);
  }

  private static UUID id(String text) {
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException e) {
      throw new BadInput(
          "'%s' is no id of a client.".formatted(clip(text)),
          "Maybe use deepcheck.py of the same release.");
    }
  }

  private static int rank(ObjectNode message, String name) {
    return (int) Math.max(-1, Math.min(Integer.MAX_VALUE, number(message, name)));
  }

  private ObjectNode mapped() throws IOException {
    mine().arena().unlink();
    return reply();
  }

  private ObjectNode save(ObjectNode message) throws IOException {
    ClientSession mine = mine();
    List<TensorSpec> tensors = new ArrayList<>();
    for (JsonNode each : array(message, "tensors")) {
      tensors.add(tensor(each));
    }
    JsonNode meta = message.path(META);
    if (!meta.isObject() && !meta.isMissingNode()) {
      throw new BadInput("The meta is not a JSON object.", "Maybe give a dict.");
    }
    ClientSession.Begun begun =
        mine.save(
            number(message, "step"),
            tensors,
            meta.isMissingNode() ? Map.of() : Map.of(META, Frames.JSON.writeValueAsString(meta)));
    Reservation reservation = begun.reservation();
    ObjectNode reply = state(reservation.ticket()).put("ticket", begun.ticket());
    if (reservation.image() instanceof SharedArena.Shared shared) {
      ArrayNode runs = reply.putArray("runs");
      shared.runs().forEach(run -> runs.addArray().add(run.at()).add(run.bytes()));
      ArrayNode offsets = reply.putArray("offsets");
      for (TensorSpec tensor : tensors) {
        offsets.add(reservation.offsets().get(tensor.name()));
      }
    }
    return reply;
  }

  private static ObjectNode notice(ClientSession mine, JsonNode lead) {
    double seconds = lead.isNumber() ? lead.asDouble() : 0;
    if (!(seconds > 0 && seconds <= MOST_LEAD.toSeconds())) {
      throw new BadInput(
          "The node cannot be lost in %s seconds.".formatted(clip(lead.toString())),
          "Maybe give a number above 0, up to %d.".formatted(MOST_LEAD.toSeconds()));
    }
    ClientSession.Begun newest = mine.notice(Duration.ofNanos((long) (seconds * 1e9)));
    return newest == null
        ? reply()
        : state(newest.reservation().ticket()).put("ticket", newest.ticket());
  }

  private static TensorSpec tensor(JsonNode each) {
    if (!each.isArray()
        || each.size() != 3
        || !each.get(0).isTextual()
        || !each.get(1).isTextual()
        || !each.get(2).isArray()) {
      throw new BadInput(
          "A tensor is not [name, type, shape].", "Maybe use deepcheck.py of the same release.");
    }
    List<Long> shape = new ArrayList<>();
    for (JsonNode dimension : each.get(2)) {
      if (!dimension.canConvertToLong() || !dimension.isIntegralNumber()) {
        throw new BadInput(
            "The tensor '%s' has the dimension %s."
                .formatted(clip(each.get(0).asText()), dimension),
            "Maybe give whole numbers.");
      }
      shape.add(dimension.asLong());
    }
    return new TensorSpec(each.get(0).asText(), dtype(each.get(1).asText()), shape);
  }

  private static DType dtype(String text) {
    return Arrays.stream(DType.values())
        .filter(type -> type.name().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new BadInput(
                    "There is no element type '%s'.".formatted(clip(text)),
                    "Maybe use one of %s.".formatted(Arrays.toString(DType.values()))));
  }

  private Wanted wanted(ObjectNode message) {
    Set<String> names = null;
    if (message.has("tensors")) {
      names = new HashSet<>();
      for (JsonNode name : array(message, "tensors")) {
        names.add(name.asText());
      }
    }
    return new Wanted(
        message.has("version") ? version(array(message, "version")) : null,
        message.has("before") ? version(array(message, "before")) : null,
        names,
        message.has("prefix") ? message.path("prefix").asText() : null);
  }

  private Version version(JsonNode each) {
    if (each.size() != 2 || !each.get(0).isIntegralNumber() || !each.get(1).isIntegralNumber()) {
      throw new BadInput("A version is not [generation, step].", "Maybe give two numbers.");
    }
    return new Version(options.job(), each.get(0).asLong(), each.get(1).asLong());
  }

  private ObjectNode restore(Wanted wanted) throws IOException, InterruptedException {
    forgetRestored();
    RestoredFiles.Found found = agent.restore(wanted);
    ObjectNode reply = reply();
    if (found != null) {
      restored = found.file();
      reply.put("file", found.file().toString());
      reply.put("step", found.version().step());
      reply.put("generation", found.version().generation());
      reply.put("ranks", found.ranks());
      reply.put(META, found.metadata().getOrDefault(META, "{}"));
      ArrayNode problems = reply.putArray("problems");
      found.problems().forEach(problems::add);
    }
    return reply;
  }

  private void forgetRestored() throws IOException {
    Path file = restored;
    restored = null;
    if (file != null) {
      Files.deleteIfExists(file);
    }
  }

  private ClientSession mine() {
    ClientSession mine = session;
    if (mine == null) {
      throw new BadInput("The client has not said hello.", "Maybe do so first.");
    }
    return mine;
  }

  private static ObjectNode state(Ticket ticket) {
    ObjectNode reply = reply();
    // settled first: a state that is final cannot change after it was read
    boolean settled = ticket.settled();
    reply.put("state", ticket.state().name()).put("settled", settled);
    ArrayNode reasons = reply.putArray("reasons");
    ticket.reasons().forEach(reasons::add);
    return reply;
  }

  private static ObjectNode reply() {
    return Frames.JSON.createObjectNode();
  }

  private static ObjectNode problem(String what, String maybe) {
    return reply().put("error", what).put("maybe", maybe);
  }

  private static long number(ObjectNode message, String name) {
    JsonNode value = message.path(name);
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw new BadInput(
          "'%s' is not a whole number.".formatted(name),
          "Maybe use deepcheck.py of the same release.");
    }
    return value.asLong();
  }

  private static JsonNode array(ObjectNode message, String name) {
    JsonNode value = message.path(name);
    if (!value.isArray()) {
      throw new BadInput(
          "'%s' is not a list.".formatted(name), "Maybe use deepcheck.py of the same release.");
    }
    return value;
  }

  private static String clip(String text) {
    return text.length() > 40 ? text.substring(0, 40) + "..." : text;
  }

  @Override
  public void close() throws IOException {
    frames.close();
  }
}
