package io.deepvm.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

class FrameProperties {

  private static final Limits LIMITS = Limits.USUAL;

  @Property
  void aFrameComesBackAsItWas(
      @ForAll Frame.Type type,
      @ForAll int stream,
      @ForAll @LongRange(min = 0) long offset,
      @ForAll @IntRange(max = 1000) int share,
      @ForAll int crc)
      throws ProtocolException {
    int length = (int) ((long) type.mostBytes(LIMITS) * share / 1000);
    Frame frame = new Frame(type, stream, offset, length, crc);
    assertThat(Frame.decode(encoded(frame), LIMITS)).isEqualTo(frame);
  }

  @Property
  void noSingleFlippedBitIsBelieved(
      @ForAll Frame.Type type,
      @ForAll int stream,
      @ForAll @LongRange(min = 0) long offset,
      @ForAll @IntRange(max = Frame.BYTES * 8 - 1) int bit) {
    ByteBuffer bytes = encoded(new Frame(type, stream, offset, 0, 0));
    bytes.put(bit / 8, (byte) (bytes.get(bit / 8) ^ 1 << bit % 8));
    assertThatThrownBy(() -> Frame.decode(bytes, LIMITS)).isInstanceOf(ProtocolException.class);
  }

  @Property(tries = 300)
  void randomBytesAreRefusedAndNothingElseHappens(
      @ForAll @Size(Frame.BYTES) byte[] head, @ForAll @Size(max = 200) byte[] payload) {
    assertThatThrownBy(() -> Frame.decode(ByteBuffer.wrap(head), LIMITS))
        .isInstanceOf(ProtocolException.class);
    decodesOrIsRefused(() -> Payload.Start.decode(ByteBuffer.wrap(payload), LIMITS));
    decodesOrIsRefused(() -> Payload.Accept.decode(ByteBuffer.wrap(payload)));
    decodesOrIsRefused(() -> Payload.Credit.decode(ByteBuffer.wrap(payload)));
    decodesOrIsRefused(() -> Payload.Done.decode(ByteBuffer.wrap(payload)));
    decodesOrIsRefused(() -> Payload.Abort.decode(ByteBuffer.wrap(payload)));
  }

  @Property
  void aFrameLongerThanItsKindAllowsIsRefused(
      @ForAll Frame.Type type, @ForAll @IntRange(min = 1) int excess) {
    long length = (long) type.mostBytes(LIMITS) + excess;
    Frame frame = new Frame(type, 1, 0, (int) length, 0);
    assertThatThrownBy(() -> Frame.decode(encoded(frame), LIMITS))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("at most " + type.mostBytes(LIMITS));
  }

  @Property(tries = 300)
  void anAnnouncementComesBackAsItWas(
      @ForAll long high,
      @ForAll long low,
      @ForAll @Size(max = 1024) byte[] group,
      @ForAll @Size(max = 1024) byte[] name,
      @ForAll @LongRange(min = 0) long generation,
      @ForAll @LongRange(min = 0) long length,
      @ForAll int fetch)
      throws ProtocolException {
    Payload.Start start =
        new Payload.Start(
            new TransferHeader(
                new UUID(high, low), Name.of(group), generation, Name.of(name), length),
            fetch);
    ByteBuffer bytes = start.encode();
    assertThat(bytes.remaining()).isLessThanOrEqualTo(Frame.Type.START.mostBytes(LIMITS));
    assertThat(Payload.Start.decode(bytes, LIMITS)).isEqualTo(start);
  }

  @Property(tries = 300)
  void theLastWordComesBackAndItsReasonIsCutIfLong(
      @ForAll TransferOutcome.Status status,
      @ForAll int crc,
      @ForAll @Size(max = 3000) byte[] noise)
      throws ProtocolException {
    String reason = "x".repeat(noise.length);
    ByteBuffer bytes = new Payload.Done(status, crc, reason).encode();
    assertThat(bytes.remaining()).isLessThanOrEqualTo(Frame.Type.DONE.mostBytes(LIMITS));
    Payload.Done done = Payload.Done.decode(bytes);
    assertThat(done.status()).isEqualTo(status);
    assertThat(done.crc32c()).isEqualTo(crc);
    assertThat(reason).startsWith(done.reason());
  }

  @Property(tries = 300)
  void severalBuffersReadAsOne(
      @ForAll @Size(max = 8) byte[][] parts, @ForAll int place, @ForAll int size) {
    ByteBuffer whole = ByteBuffer.allocate(64 << 10);
    ByteBuffer[] buffers = new ByteBuffer[parts.length];
    for (int i = 0; i < parts.length; i++) {
      buffers[i] = ByteBuffer.wrap(parts[i]);
      whole.put(parts[i]);
    }
    whole.flip();
    Segments segments = new Segments(buffers);
    assertThat(segments.length()).isEqualTo(whole.remaining());
    int offset = Math.floorMod(place, whole.remaining() + 1);
    int length = Math.floorMod(size, whole.remaining() - offset + 1);
    ByteBuffer joined = ByteBuffer.allocate(length);
    for (ByteBuffer slice : segments.slice(offset, length)) {
      joined.put(slice);
    }
    assertThat(joined.flip()).isEqualTo(whole.slice(offset, length));
  }

  private interface Decoding {
    Object run() throws ProtocolException;
  }

  private static void decodesOrIsRefused(Decoding decoding) {
    try {
      assertThat(decoding.run()).isNotNull();
    } catch (ProtocolException refused) {
      assertThat(refused).hasMessageEndingWith(".");
    }
  }

  private static ByteBuffer encoded(Frame frame) {
    ByteBuffer bytes = ByteBuffer.allocate(Frame.BYTES);
    frame.encode(bytes);
    return bytes.flip();
  }
}
