package io.deepvm.trainer.member;

import java.io.IOException;
import java.nio.ByteBuffer;

/** What a strategy does when other members speak to it; it must not block. */
public interface Conversation {

  /** Answers a question of any member, this one included. */
  byte[] answer(byte[] question) throws IOException;

  /** Returns where the bytes that a member sends under this name go. */
  ByteBuffer[] place(long generation, String name) throws IOException;

  /** These bytes of this name have come, and others will; called on the thread that reads them. */
  default void arrived(long generation, String name, long offset, int length) {}

  /** The bytes of this name are where they belong. */
  void received(long generation, String name) throws IOException;

  /** Returns the bytes that a member wants to fetch. */
  ByteBuffer[] find(String name) throws IOException;
}
