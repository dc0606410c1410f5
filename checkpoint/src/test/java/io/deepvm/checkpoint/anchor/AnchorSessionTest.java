package io.deepvm.checkpoint.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class AnchorSessionTest {

  private static final UUID TRANSFER = new UUID(1, 2);

  private final ArrivalRoom room = new ArrivalRoom(100);
  private final AnchorSession session = new AnchorSession(room);

  @Test
  void theRoomOfAPayloadIsGivenBackOnce() throws Exception {
    assertThat(session.expect(TRANSFER, 60)).isNotNull();
    assertThat(room.free()).isEqualTo(40);
    session.take(TRANSFER);
    // what came could not be read, and the transfer ends as broken off
    session.forget(TRANSFER);
    session.close();
    assertThat(room.free()).isEqualTo(100);
  }

  @Test
  void thereIsNoPlaceForMoreThanTheRoom() throws Exception {
    assertThat(session.expect(TRANSFER, 60)).isNotNull();
    assertThat(session.expect(new UUID(3, 4), 41)).isNull();
    assertThat(session.expect(new UUID(3, 4), 40)).isNotNull();
  }

  @Test
  void aSecondAttemptTakesThePlaceOfTheFirst() throws Exception {
    assertThat(session.expect(TRANSFER, 60)).isNotNull();
    assertThat(session.expect(TRANSFER, 60)).isNotNull();
    assertThat(room.free()).isEqualTo(40);
  }

  @Test
  void aSessionThatEndsGivesBackWhatItExpects() throws Exception {
    assertThat(session.expect(TRANSFER, 60)).isNotNull();
    session.close();
    assertThat(room.free()).isEqualTo(100);
    assertThatThrownBy(() -> session.expect(TRANSFER, 60)).isInstanceOf(IOException.class);
    assertThat(room.free()).isEqualTo(100);
  }

  @Test
  void aPlaceThatDoesNotFitIntoTheHeapTakesNoRoom() throws Exception {
    ArrivalRoom vast = new ArrivalRoom(Long.MAX_VALUE);
    // no JVM has an array of that length
    assertThat(new AnchorSession(vast).expect(TRANSFER, Integer.MAX_VALUE)).isNull();
    assertThat(vast.free()).isEqualTo(Long.MAX_VALUE);
  }
}
