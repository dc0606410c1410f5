package io.deepvm.places.aws;

import java.io.IOException;

/** AWS answered that it did not do what was asked. */
public final class Ec2Failure extends IOException {
  private static final long serialVersionUID = 1;

  private final int status;
  private final String code;

  Ec2Failure(int status, String code, String message) {
    super("%s: %s".formatted(code.isEmpty() ? "HTTP " + status : code, message));
    this.status = status;
    this.code = code;
  }

  /** Returns the status of HTTP. */
  public int status() {
    return status;
  }

  /** Returns the code that AWS gave; empty if it gave none. */
  public String code() {
    return code;
  }
}
