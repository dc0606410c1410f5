package io.deepvm.bench.chaos;

import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.FaultPoint;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lets things befall a trainer and its anchors: so many kills at any instant, and between them
 * kills at each step of the protocol and all kinds of faults, each in its turn. What happens and
 * when follows from the seed; where in the protocol it falls is up to the machine.
 */
public final class Chaos implements AutoCloseable {

  /** After each thing has had its turn once, one comes after so many kills. */
  private static final int KILLS_BETWEEN = 8;

  private static final int LONGEST_WAIT_MILLIS = 400;
  private static final String KILL = "kill -9 of ";

  private interface Event {
    void happen(SplittableRandom random) throws IOException, InterruptedException;
  }

  private record Named(String name, Event event) {}

  /**
   * What was counted.
   *
   * @param kills kills at any instant; those at a step of the protocol come on top
   * @param restored checkpoints that were restored and were their step's state, bit by bit
   * @param lost how often the newest checkpoint was older than the last one reported durable
   * @param torn checkpoints that were listed and could not be restored, or were something else
   * @param stopped how often a process that nobody killed went on no more
   */
  public record Count(int kills, int restored, int lost, int torn, int stopped) {

    /** Returns whether nothing is wrong. */
    public boolean isClean() {
      return lost + torn + stopped == 0;
    }

    @Override
    public String toString() {
      return "kills=%d restored=%d lost=%d torn=%d stopped=%d"
          .formatted(kills, restored, lost, torn, stopped);
    }
  }

  private final World world;
  private final long seed;
  private final Consumer<String> out;

  /** Makes a world in an empty folder, in which so many trainers save for one job. */
  public Chaos(Path folder, long seed, int writers, Consumer<String> out)
      throws IOException, InterruptedException {
    this.world = new World(folder, writers, out);
    this.seed = seed;
    this.out = out;
  }

  /** Kills processes this many times, with faults between, and returns the count. */
  public Count run(int kills) throws IOException, InterruptedException {
    return run(kills, Duration.ofDays(1));
  }

  /** Kills processes this many times, or fewer if the time is up before, and returns the count. */
  public Count run(int kills, Duration most) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    List<Named> others = others();
    if (!world.hasSmallDisk()) {
      out.accept("A full disk is left out: mounting a small file system needs root.");
    }
    for (int i = 0; i < World.ANCHORS; i++) {
      world.startAnchor(i);
    }
    for (int i = 0; i < World.ANCHORS; i++) {
      world.awaitAnchor(i);
    }
    for (int i = 0; i < world.writers(); i++) {
      world.startTrainer(i);
    }
    world.awaitTraining(true);
    SplittableRandom random = new SplittableRandom(seed);
    int turn = 0;
    int steps = 0;
    int done = 0;
    for (int i = 0; i < kills && System.nanoTime() - begin < most.toNanos(); i++) {
      done++;
      kill(i + 1, random.split());
      if (turn < others.size() || i % KILLS_BETWEEN == 0) {
        Named other = others.get(turn % others.size());
        turn++;
        steps += other.name.startsWith(KILL) ? 1 : 0;
        happen(other, random.split());
      }
    }
    for (int i = 0; i < world.writers(); i++) {
      world.killTrainer(i);
    }
    world.judge().check();
    out.accept(
        "On top of the kills at any instant: %d at a step of the protocol, %d faults."
            .formatted(steps, turn - steps));
    out.accept(
        "Saves that were reported durable and had to be there were looked for %d times."
            .formatted(world.judge().safe()));
    out.accept("The longest step, of 40 ms, took %d ms.".formatted(world.longestStep().toMillis()));
    return world.judge().count(done);
  }

  private void happen(Named thing, SplittableRandom random)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    awaitReady();
    thing.event.happen(random);
    tell(thing.name, begin);
  }

  private void tell(String what, long begin) {
    out.accept(
        "%s: %d ms, durable is step %d"
            .formatted(
                what,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin),
                world.durable().step()));
  }

  /** Waits until every process is there and trains. */
  private void awaitReady() throws IOException, InterruptedException {
    for (int i = 0; i < World.ANCHORS; i++) {
      world.awaitAnchor(i);
    }
    world.awaitTraining(true);
  }

  /** Kills one of them, wherever it is, be it that it has only begun. */
  private void kill(int number, SplittableRandom random) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    int victim = random.nextInt(World.ANCHORS + 2) - 2;
    int wait = random.nextInt(LONGEST_WAIT_MILLIS);
    world.meet();
    if (victim < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(wait));
      killTrainer(random.nextInt(world.writers()), null);
    } else {
      // not both anchors at once: what is durable may be at these two alone
      world.awaitAnchor(1 - victim);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(wait));
      world.killAnchor(victim);
      world.awaitTraining(false);
      world.check();
      world.startAnchor(victim);
    }
    tell(
        "%d %s%s after %d ms"
            .formatted(number, KILL, victim < 0 ? "the trainer" : "anchor " + victim, wait),
        begin);
  }

  /** Returns all other things, kinds in turn, so that a short run sees one of each. */
  private List<Named> others() {
    List<List<Named>> kinds =
        List.of(damages(), uploaderKills(), anchorKills(), networkFaults(), storeFaults());
    List<Named> all = new ArrayList<>();
    for (int i = 0; kinds.stream().mapToInt(List::size).max().orElse(0) > i; i++) {
      for (List<Named> kind : kinds) {
        if (i < kind.size()) {
          all.add(kind.get(i));
        }
      }
    }
    return all;
  }

  private List<Named> damages() {
    List<Named> things = new ArrayList<>();
    things.add(new Named("a bit flipped in a shard", random -> damage(random, false, false)));
    if (world.hasSmallDisk()) {
      things.add(new Named("anchor 1's disk full", random -> fillDisk()));
    }
    things.add(new Named("a manifest torn", random -> damage(random, true, true)));
    things.add(new Named("a slow disk", this::slowDisk));
    things.add(new Named("a shard torn", random -> damage(random, false, true)));
    things.add(new Named("a bit flipped in a manifest", random -> damage(random, true, false)));
    return things;
  }

  private List<Named> anchorKills() {
    List<Named> things = new ArrayList<>();
    things.add(new Named(KILL + "both anchors", random -> killBothAnchors()));
    things.add(
        new Named(
            KILL + "the trainer at " + FaultPoint.AFTER_STAGE,
            random -> killTrainer(random.nextInt(world.writers()), FaultPoint.AFTER_STAGE)));
    for (FaultPoint point : FaultPoint.values()) {
      if (point != FaultPoint.AFTER_STAGE) {
        things.add(
            new Named(
                KILL + "an anchor at " + point,
                random -> killAnchor(random.nextInt(World.ANCHORS), point)));
      }
    }
    return things;
  }

  /** The uploader is a part of the anchor's process and dies with it, at each of its requests. */
  private List<Named> uploaderKills() {
    List<Named> things = new ArrayList<>();
    for (String method : List.of("PUT", "DELETE")) {
      for (String object : List.of(Manifest.FILE, "shard-", "in-use-")) {
        for (boolean arrived : new boolean[] {false, true}) {
          things.add(
              new Named(
                  "%sthe uploader %s %s %s"
                      .formatted(KILL, arrived ? "after" : "before", method, object),
                  random -> killUploader(new Gate.Step(method, object, arrived))));
        }
      }
    }
    return things;
  }

  private List<Named> networkFaults() {
    return List.of(
        new Named("the network cut in the middle", this::cut),
        new Named("the network silent", this::silence),
        new Named("the replies of an anchor lost", this::loseReplies));
  }

  private List<Named> storeFaults() {
    return List.of(
        new Named(
            "the object store fails", random -> store(random, Gate.Fault.ERROR, Gate.Fault.BUSY)),
        new Named(
            "the object store truncates",
            random -> store(random, Gate.Fault.HALF_ANSWER, Gate.Fault.HALF_REQUEST)),
        new Named(
            "the object store cut off",
            random -> store(random, Gate.Fault.LOST_REQUEST, Gate.Fault.LOST_ANSWER)));
  }

  private void awaitPoint(Child child, FaultPoint point) throws InterruptedException {
    child.tell("ARM " + point);
    if (!child.await(World.PATIENCE, () -> child.said("AT").equals(point.name()))) {
      out.accept("  it did not come to " + point + "; it is killed where it is");
    }
  }

  private void killTrainer(int number, @Nullable FaultPoint point)
      throws IOException, InterruptedException {
    if (point != null) {
      awaitPoint(world.trainer(number), point);
    }
    world.killTrainer(number);
    world.check();
    world.startTrainer(number);
  }

  private void killAnchor(int number, FaultPoint point) throws IOException, InterruptedException {
    awaitPoint(world.anchor(number), point);
    afterDeath(number);
  }

  /** Kills the anchor that is the first to come to a step of an upload. */
  private void killUploader(Gate.Step step) throws IOException, InterruptedException {
    Gate.Hold hold = new Gate.Hold(step);
    for (int i = 0; i < World.ANCHORS; i++) {
      world.gate(i).stopAt(hold, i);
    }
    int number = hold.await(World.PATIENCE);
    if (number < 0) {
      out.accept("  none came to %s; anchor 0 is killed where it is".formatted(step));
    }
    afterDeath(Math.max(0, number));
    for (int i = 0; i < World.ANCHORS; i++) {
      world.gate(i).release();
    }
  }

  /** Kills an anchor that stands where it should, and sees that training goes on without it. */
  private void afterDeath(int number) throws IOException, InterruptedException {
    world.killAnchor(number);
    world.awaitTraining(true);
    world.check();
    world.startAnchor(number);
  }

  private void killBothAnchors() throws IOException, InterruptedException {
    for (int i = 0; i < World.ANCHORS; i++) {
      world.killAnchor(i);
    }
    // into the reserve
    world.awaitTraining(true);
    world.check();
    for (int i = 0; i < World.ANCHORS; i++) {
      world.startAnchor(i);
    }
  }

  private void cut(SplittableRandom random) throws IOException, InterruptedException {
    Relay relay = world.relay(random.nextInt(World.ANCHORS));
    relay.cutAfter(random.nextInt(2_000_000));
    for (int i = 0; i < World.PATIENCE && !relay.isCut(); i++) {
      world.awaitTraining(true);
    }
    world.awaitTraining(true);
    world.check();
  }

  /** The anchor does what it is asked, and nobody learns of it. */
  private void loseReplies(SplittableRandom random) throws IOException, InterruptedException {
    Relay relay = world.relay(random.nextInt(World.ANCHORS));
    relay.loseRepliesAfter(random.nextInt(2_000_000));
    for (int i = 0; i < World.PATIENCE && !relay.isCut(); i++) {
      world.awaitTraining(false);
    }
    world.awaitTraining(true);
    world.check();
  }

  private void silence(SplittableRandom random) throws IOException, InterruptedException {
    Relay relay = world.relay(random.nextInt(World.ANCHORS));
    relay.hold(true);
    world.awaitTraining(true);
    world.check();
    relay.hold(false);
    world.awaitTraining(true);
  }

  private void slowDisk(SplittableRandom random) throws IOException, InterruptedException {
    Child anchor = world.anchor(random.nextInt(World.ANCHORS));
    anchor.tell("SLOW 200");
    world.awaitTraining(true);
    world.check();
    anchor.tell("SLOW 0");
    world.awaitTraining(true);
  }

  private void fillDisk() throws IOException, InterruptedException {
    Path filler = world.disk(1).resolve("filler");
    try (var file = Files.newOutputStream(filler)) {
      byte[] zeros = new byte[1 << 16];
      while (true) {
        file.write(zeros);
      }
    } catch (IOException full) {
      world.awaitTraining(true);
      world.check();
    } finally {
      Files.deleteIfExists(filler);
    }
    world.awaitTraining(true);
  }

  /** Lets every second request of both uploaders fail in one of two ways. */
  private void store(SplittableRandom random, Gate.Fault one, Gate.Fault other)
      throws IOException, InterruptedException {
    for (int i = 0; i < World.ANCHORS; i++) {
      SplittableRandom own = random.split();
      world.gate(i).faults(() -> fault(own, one, other));
    }
    world.awaitTraining(true);
    world.check();
    long before = world.judge().archived();
    for (int i = 0; i < World.ANCHORS; i++) {
      world.gate(i).faults(() -> Gate.Fault.NONE);
    }
    for (int i = 0; world.judge().archived() <= before; i++) {
      if (i == World.PATIENCE) {
        world.judge().stopped("nothing is uploaded any more since step " + before);
        break;
      }
      world.awaitTraining(true);
    }
  }

  private static synchronized Gate.Fault fault(
      SplittableRandom random, Gate.Fault one, Gate.Fault other) {
    return switch (random.nextInt(4)) {
      case 0 -> one;
      case 1 -> other;
      default -> Gate.Fault.NONE;
    };
  }

  /**
   * Damages one copy of the newest version that has another one. All processes stand still while
   * its files are looked at; then a new trainer must find the other copy.
   */
  private void damage(SplittableRandom random, boolean manifest, boolean tear)
      throws IOException, InterruptedException {
    Version hurt = null;
    for (int i = 0; i < World.PATIENCE && hurt == null; i++) {
      world.awaitTraining(true);
      world.freeze(true);
      try {
        hurt = damageOne(random.nextInt(World.ANCHORS), random, manifest, tear);
      } finally {
        world.freeze(false);
      }
    }
    if (hurt == null) {
      out.accept("  no version had two copies");
      return;
    }
    world.check();
    world.judge().spoil(hurt);
    killTrainer(random.nextInt(world.writers()), null);
    world.awaitTraining(true);
  }

  private @Nullable Version damageOne(
      int anchor, SplittableRandom random, boolean manifest, boolean tear) throws IOException {
    List<Path> versions;
    try (Stream<Path> all = Files.list(world.versions(anchor))) {
      versions = all.sorted(Comparator.comparing(Chaos::version).reversed()).toList();
    }
    for (Path folder : versions) {
      Path other = world.versions(1 - anchor).resolve(folder.getFileName());
      Path reserve = world.reserve().resolve(folder.getFileName());
      if (Files.exists(folder.resolve(Manifest.FILE))
          && (Files.exists(other.resolve(Manifest.FILE))
              || Files.exists(reserve.resolve(Manifest.FILE)))) {
        damage(file(folder, manifest), random, tear);
        return version(folder);
      }
    }
    return null;
  }

  /** Returns the version a folder is of; things that are none count as the oldest. */
  private static Version version(Path folder) {
    Version version = Version.ofFolder(Model.JOB, folder.getFileName().toString());
    return version == null ? new Version(Model.JOB, 0, 0) : version;
  }

  private static Path file(Path folder, boolean manifest) throws IOException {
    if (manifest) {
      return folder.resolve(Manifest.FILE);
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".safetensors"))
          .findFirst()
          .orElseThrow(() -> new IOException("There is no shard in %s.".formatted(folder)));
    }
  }

  private static void damage(Path path, SplittableRandom random, boolean tear) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      long place = random.nextLong(file.length());
      if (tear) {
        file.setLength(place);
      } else {
        file.seek(place);
        int value = file.read();
        file.seek(place);
        file.write(value ^ 1 << random.nextInt(8));
      }
    }
  }

  /** Ends all processes at once, whatever else is being done. */
  public void end() throws InterruptedException {
    world.end();
  }

  @Override
  public void close() throws IOException {
    world.close();
  }
}
