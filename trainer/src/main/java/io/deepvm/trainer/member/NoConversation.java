package io.deepvm.trainer.member;

import java.io.IOException;
import java.nio.ByteBuffer;

/** What is said to a member that does not train yet. */
final class NoConversation implements Conversation {

  private static IOException nobody() {
    return new IOException("Nobody listens here yet.");
  }

  @Override
  public byte[] answer(byte[] question) throws IOException {
    throw nobody();
  }

  @Override
  public ByteBuffer[] place(long generation, String name) throws IOException {
    throw nobody();
  }

  @Override
  public void received(long generation, String name) {}

  @Override
  public ByteBuffer[] find(String name) throws IOException {
    throw nobody();
  }
}
