package io.deepvm.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.transport.Role;
import io.deepvm.transport.Secrets;
import io.deepvm.transport.Token;
import io.deepvm.transport.TokenFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainerSecretsTest {

  @TempDir Path folder;

  private static List<Token> between(Map<String, String> environment, Role from, Role to) {
    Secrets secrets = Objects.requireNonNull(TrainerMain.secrets(environment));
    return secrets.between(from, to);
  }

  @Test
  void theSecretsOfTheRunCountAndNotATokenInTheEnvironment() throws Exception {
    Path token = folder.resolve("token");
    Path workers = folder.resolve("worker.token");
    TokenFile.create(token);
    TokenFile.derive(token, Role.WORKER, workers);
    Map<String, String> both =
        Map.of("DEEPVM_TOKEN", "a token of another run", "DEEPVM_TOKEN_FILE", workers.toString());
    // the secrets of workers do not lead to those of other roles, and a token does
    assertThat(between(both, Role.COORDINATOR, Role.ANCHOR)).isEmpty();
    assertThat(between(both, Role.WORKER, Role.WORKER)).hasSize(1);
    Map<String, String> alone = Map.of("DEEPVM_TOKEN", "a token of a job by hand");
    assertThat(between(alone, Role.COORDINATOR, Role.ANCHOR)).hasSize(1);
    assertThat(TrainerMain.secrets(Map.of())).isNull();
  }
}
