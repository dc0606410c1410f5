package io.deepvm.checkpoint.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.deepvm.checkpoint.Behind;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.Reservation;
import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.units.BadInput;
import java.io.Closeable;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Answers one client, message by message; trusts nothing it says. */
final class Conversation implements Closeable {

  static final int PROTOCOL = 1;
  static final String META = "meta";

  private static final Duration MOST_LEAD = Duration.ofDays(1);
  private static final System.Logger LOG = System.getLogger(Conversation.class.getName());

  private final Agent agent;
  private final AgentOptions options;
  private final Frames frames;
  private final CountDownLatch heardAll = new CountDownLatch(1);
  private @Nullable Session session;
  private @Nullable Path restored;

  Conversation(Agent agent, AgentOptions options, Frames frames) {
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

  /** Gives a client that has died the time to be heard to its end; cuts off one that talks on. */
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
      Session mine = session;
      if (mine != null) {
        agent.end(mine);
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
        case "restore" -> restore();
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
    Session begun = agent.begin(this, message.has("after") ? number(message, "after") : null);
    session = begun;
    ObjectNode reply = reply();
    reply.put("job", options.job());
    reply.put("generation", begun.generation());
    reply.put("memory", begun.arena().file().toString());
    reply.put("bytes", begun.arena().capacity());
    EngineOptions rules = options.engine(Claim.of(begun.generation()));
    reply.put("patience", rules.behind() == Behind.BLOCK ? rules.blockTimeout().toSeconds() : 0);
    return reply;
  }

  private ObjectNode mapped() throws IOException {
    mine().arena().unlink();
    return reply();
  }

  private ObjectNode save(ObjectNode message) throws IOException {
    Session mine = mine();
    List<TensorSpec> tensors = new ArrayList<>();
    for (JsonNode each : array(message, "tensors")) {
      tensors.add(tensor(each));
    }
    JsonNode meta = message.path(META);
    if (!meta.isObject() && !meta.isMissingNode()) {
      throw new BadInput("The meta is not a JSON object.", "Maybe give a dict.");
    }
    Session.Begun begun =
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

  private static ObjectNode notice(Session mine, JsonNode lead) {
    double seconds = lead.isNumber() ? lead.asDouble() : 0;
    if (!(seconds > 0 && seconds <= MOST_LEAD.toSeconds())) {
      throw new BadInput(
          "The node cannot be lost in %s seconds.".formatted(clip(lead.toString())),
          "Maybe give a number above 0, up to %d.".formatted(MOST_LEAD.toSeconds()));
    }
    Session.Begun newest = mine.notice(Duration.ofNanos((long) (seconds * 1e9)));
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

  private ObjectNode restore() throws IOException, InterruptedException {
    forgetRestored();
    Agent.Found found = agent.restore();
    ObjectNode reply = reply();
    if (found != null) {
      restored = found.file();
      reply.put("file", found.file().toString());
      reply.put("step", found.version().step());
      reply.put("generation", found.version().generation());
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

  private Session mine() {
    Session mine = session;
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
