package io.deepvm.transport;

import java.net.ProtocolException;
import java.util.Locale;

/** What a process is in a run. Each pair of roles has a secret of its own. */
public enum Role {
  WORKER(0),
  ANCHOR(1),
  COORDINATOR(2);

  private final int number;

  Role(int number) {
    this.number = number;
  }

  /** Returns its number on the wire. */
  byte number() {
    return (byte) number;
  }

  /** Returns the role with this number, or throws if there is none. */
  static Role of(int number) throws ProtocolException {
    for (Role role : values()) {
      if (role.number == number) {
        return role;
      }
    }
    throw new ProtocolException("The other side has the unknown role " + number + ".");
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
