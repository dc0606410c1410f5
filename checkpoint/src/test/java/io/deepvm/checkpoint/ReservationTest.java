package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.memory.Image;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ReservationTest {

  @TempDir Path folder;

  private DirectoryTier disk;
  private CheckpointEngine engine;

  @BeforeEach
  void start() {
    disk = new DirectoryTier("disk", Level.DURABLE, folder);
    engine =
        new CheckpointEngine(
            EngineOptions.of("job", SharedClaim.of(1), DataSize.parse("4MiB"))
                .withBehind(Behind.SKIP, Duration.ZERO),
            List.of(disk));
    engine.start();
  }

  @AfterEach
  void stop() {
    engine.close();
  }

  private static void fill(Reservation reservation, List<Slice> values) throws IOException {
    Image image = Objects.requireNonNull(reservation.image());
    for (Slice value : values) {
      ByteBuffer bytes = value.data().get(0);
      long at = Objects.requireNonNull(reservation.offsets().get(value.tensor().name()));
      image.put(at, bytes, 0, bytes.remaining());
    }
  }

  @Test
  void whatTheCallerCopiesIsSaved() throws Exception {
    Reservation reservation = engine.reserve(7, States.mixed(), Map.of("position", "12"));
    fill(reservation, States.at(7, States.mixed()));
    assertThat(new Checkpoints(List.of(disk), 1).list("job").checkpoints()).isEmpty();
    reservation.stage();
    assertThat(reservation.ticket().await(Level.DURABLE, Duration.ofSeconds(30))).isTrue();
    List<Slice> found = States.zeros(States.mixed());
    Restored restored =
        new Checkpoints(List.of(disk), 1).restore(new Version("job", 1, 7), manifest -> found);
    assertThat(restored.manifest().shards().get(0).metadata()).containsEntry("position", "12");
    List<Slice> expected = States.at(7, States.mixed());
    for (int i = 0; i < expected.size(); i++) {
      assertThat(found.get(i).data()).isEqualTo(expected.get(i).data());
    }
  }

  @Test
  void aCancelledSaveHasFailedAndItsRoomIsFree() throws Exception {
    List<TensorSpec> most = States.bytes(3 << 20);
    Reservation reservation = engine.reserve(1, most, Map.of());
    Reservation second = engine.reserve(2, most, Map.of());
    assertThat(second.image()).isNull();
    assertThat(second.ticket().state()).isEqualTo(TicketState.SKIPPED);
    reservation.cancel("The client has gone.");
    assertThat(reservation.ticket().state()).isEqualTo(TicketState.FAILED);
    assertThat(reservation.ticket().settled()).isTrue();
    reservation.stage();
    Reservation third = engine.reserve(3, most, Map.of());
    fill(third, States.at(3, most));
    third.stage();
    third.cancel("too late");
    assertThat(third.ticket().await(Level.DURABLE, Duration.ofSeconds(30))).isTrue();
    assertThat(new Checkpoints(List.of(disk), 1).list("job").checkpoints()).hasSize(1);
  }

  @Test
  void whatCannotBeSavedIsRefused() {
    TensorSpec tensor = new TensorSpec("w", DType.U8, List.of(1L));
    assertThatThrownBy(() -> engine.reserve(1, List.of(tensor, tensor), Map.of()))
        .isInstanceOf(BadInput.class);
    Reservation large = engine.reserve(1, States.bytes(5 << 20), Map.of());
    assertThat(large.ticket().state()).isEqualTo(TicketState.FAILED);
    assertThat(large.image()).isNull();
  }
}
