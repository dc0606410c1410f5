package io.deepvm.places.notice;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Asks one cloud, on the machine itself, whether it will take the machine. */
public interface NoticeReader {

  /** Returns the name of the cloud. */
  String cloud();

  /** Returns the pause between two questions that the cloud recommends. */
  Duration pause();

  /**
   * Asks once.
   *
   * @return the notice that stands; empty if none does
   * @throws IOException if nobody knows; a notice that stood before still stands
   */
  Optional<Notice> read() throws IOException;
}
