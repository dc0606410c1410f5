package io.deepvm.places.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.places.News;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RefusalsTest {

  @ParameterizedTest
  @CsvSource({
    "500, InsufficientInstanceCapacity, CAPACITY",
    "400, UnfulfillableCapacity, CAPACITY",
    "400, SpotMaxPriceTooLow, PRICE",
    "400, MaxSpotInstanceCountExceeded, QUOTA",
    "400, VcpuLimitExceeded, QUOTA",
    "400, Unsupported, UNSUPPORTED",
    "400, InvalidAMIID.NotFound, UNSUPPORTED",
    "400, InvalidParameterValue, UNSUPPORTED",
    "403, UnauthorizedOperation, DENIED",
    "401, AuthFailure, DENIED",
    "400, SomethingNew, BROKEN",
  })
  void aCodeMeansThatNoMachineExists(int status, String code, News.Refusal why) {
    assertThat(Refusals.of(new Ec2Failure(status, code, "no"))).contains(why);
  }

  @ParameterizedTest
  @CsvSource({
    "503, RequestLimitExceeded",
    "500, InternalError",
    "502, ''",
    "400, IdempotentParameterMismatch",
    "0, ''",
  })
  void anOrderThatMayHaveBeenCarriedOutIsNotRefused(int status, String code) {
    assertThat(Refusals.of(new Ec2Failure(status, code, "no"))).isEmpty();
  }

  @Test
  void anAnswerWithADocumentTypeIsRefused() {
    String bomb = "<!DOCTYPE a [<!ENTITY b \"b\">]><a>&b;</a>";
    assertThatThrownBy(() -> Xml.parse(bomb)).isInstanceOf(IOException.class);
  }
}
