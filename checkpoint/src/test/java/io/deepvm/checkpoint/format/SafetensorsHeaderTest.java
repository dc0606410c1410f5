package io.deepvm.checkpoint.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SafetensorsHeaderTest {

  @Test
  void aHeaderIsReadAsItWasWritten() throws Exception {
    SafetensorsHeader header =
        new SafetensorsHeader(
            List.of(
                new SafetensorsHeader.Entry(
                    new TensorSpec("naïve \"w\"", DType.BF16, List.of(3L, 2L)), 0, 12),
                new SafetensorsHeader.Entry(new TensorSpec("s", DType.I64, List.of()), 12, 20)),
            Map.of("format", "pt"));
    byte[] bytes = header.toBytes();
    assertThat(bytes.length % 8).isZero();
    int json = SafetensorsHeader.jsonBytes(ByteBuffer.wrap(bytes), bytes.length + 20);
    assertThat(json).isEqualTo(bytes.length - 8);
    assertThat(SafetensorsHeader.parse(Arrays.copyOfRange(bytes, 8, bytes.length), 20))
        .isEqualTo(header);
  }

  @Test
  void aLengthThatTheFileCannotHoldIsRefused() {
    for (long length : new long[] {-1, 0, 1, 93, 100_000_001, Long.MAX_VALUE}) {
      ByteBuffer eight = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, length);
      assertThatThrownBy(() -> SafetensorsHeader.jsonBytes(eight, 100))
          .isInstanceOf(CorruptCheckpoint.class);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{",
        "{} x",
        "{}",
        "{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,9]}}",
        "{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[1,9]}}",
        "{\"w\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}",
        "{\"w\":{\"dtype\":\"F99\",\"shape\":[2],\"data_offsets\":[0,8]}}",
        "{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]}}",
        "{\"w\":{\"dtype\":\"F32\",\"shape\":[2]}}",
        "{\"w\":{\"dtype\":\"F32\",\"shape\":[9223372036854775807,8],\"data_offsets\":[0,8]}}",
        "{\"w\":{\"dtype\":\"F32\",\"shape\":[1e3],\"data_offsets\":[0,8]}}",
        "{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,99999999999999999999]}}",
        "{\"w\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
            + "\"v\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[3,7]}}",
        "{\"w\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]},"
            + "\"w\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[8,8]}}",
        "{\"__metadata__\":{\"a\":{\"b\":{\"c\":{\"d\":{\"e\":{}}}}}}}",
      })
  void aHeaderThatDoesNotFitEightBytesOfDataIsRefused(String json) {
    assertThatThrownBy(() -> SafetensorsHeader.parse(json.getBytes(StandardCharsets.UTF_8), 8))
        .isInstanceOf(CorruptCheckpoint.class);
  }
}
