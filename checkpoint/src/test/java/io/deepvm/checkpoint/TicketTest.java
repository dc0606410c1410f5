package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TicketTest {

  private static final Map<TicketState, Set<TicketState>> ALLOWED =
      Map.of(
          TicketState.STAGED,
          EnumSet.of(
              TicketState.REPLICATED,
              TicketState.DURABLE,
              TicketState.ARCHIVED,
              TicketState.SKIPPED,
              TicketState.FAILED),
          TicketState.REPLICATED,
          EnumSet.of(TicketState.DURABLE, TicketState.ARCHIVED),
          TicketState.DURABLE,
          EnumSet.of(TicketState.ARCHIVED));

  private static Ticket ticket() {
    return new Ticket(new Version("job", 1, 1), 10);
  }

  @Test
  void onlyTheAllowedTransitionsHappen() {
    for (TicketState from : TicketState.values()) {
      for (TicketState to : TicketState.values()) {
        Ticket ticket = ticket();
        if (from != TicketState.STAGED) {
          ticket.become(from);
        }
        if (ALLOWED.getOrDefault(from, Set.of()).contains(to)) {
          ticket.become(to);
          assertThat(ticket.state()).isEqualTo(to);
        } else {
          assertThatThrownBy(() -> ticket.become(to)).isInstanceOf(IllegalStateException.class);
          assertThat(ticket.state()).isEqualTo(from);
        }
      }
    }
  }

  @Test
  void aSettledTicketStays() {
    Ticket ticket = ticket();
    ticket.become(TicketState.REPLICATED);
    ticket.settle();
    assertThatThrownBy(() -> ticket.become(TicketState.DURABLE))
        .isInstanceOf(IllegalStateException.class);
    ticket.committed(Level.DURABLE);
    assertThat(ticket.state()).isEqualTo(TicketState.REPLICATED);
  }

  @Test
  void aSlowerTierDoesNotLowerTheState() {
    Ticket ticket = ticket();
    ticket.committed(Level.DURABLE);
    ticket.committed(Level.REPLICATED);
    assertThat(ticket.state()).isEqualTo(TicketState.DURABLE);
  }

  @Test
  void waitingEndsWhenTheLevelIsReachedOrCannotBe() throws Exception {
    Ticket ticket = ticket();
    assertThat(ticket.await(Level.REPLICATED, Duration.ofNanos(1))).isFalse();
    ticket.committed(Level.DURABLE);
    assertThat(ticket.await(Level.REPLICATED, Duration.ofDays(1))).isTrue();
    Thread other = new Thread(ticket::settle);
    other.start();
    assertThat(ticket.await(Level.ARCHIVED, Duration.ofDays(1))).isFalse();
    other.join();
  }

  @Test
  void aListenerThatFailsDisturbsNobody() {
    Ticket ticket = ticket();
    List<TicketState> seen = new ArrayList<>();
    ticket.listenLater(
        (t, state) -> {
          throw new IllegalStateException("on purpose");
        });
    ticket.listenLater(
        (t, state) -> {
          throw new NoClassDefFoundError("on purpose");
        });
    ticket.listen((t, state) -> seen.add(state));
    ticket.committed(Level.REPLICATED);
    ticket.committed(Level.ARCHIVED);
    assertThat(seen)
        .containsExactly(TicketState.STAGED, TicketState.REPLICATED, TicketState.ARCHIVED);
  }
}
