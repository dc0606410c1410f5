package io.deepvm.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.places.ssh.SshHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostsFileTest {

  @TempDir Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("hosts.yaml"), text);
  }

  @Test
  void aHostHasItsLoginItsTypeAndTheUsualFolder() throws Exception {
    Path key = Files.writeString(folder.resolve("key"), "secret");
    Path file =
        file(
            "- {host: gpu1, user: me, port: 2222, identity: %s, gpus: 4, type: A100}"
                .formatted(key));
    SshHost.Login login = new SshHost.Login("gpu1", "me", 2222, key.toString(), null, null);
    assertThat(HostsFile.read(file))
        .containsExactly(new SshHost("gpu1", login, null, ".cache/deepvm", "A100", 4));
  }

  @Test
  void theExampleCanBeRead() {
    Path root = Path.of(System.getProperty("deepvm.root", ".."));
    assertThat(HostsFile.read(root.resolve("examples/hosts.yaml"))).hasSize(3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {host: gpu1}                                              | is not a list of hosts
          - gpu1                                                    | has no keys in [1]
          - {hots: gpu1}                                            | Maybe you meant 'host'.
          - {user: me}                                              | lacks [1].host
          - {host: 'gpu1; reboot'}                                  | which cannot be used as such
          - {host: '-oProxyCommand=x'}                              | which cannot be used as such
          - {host: gpu1, folder: '$(reboot)'}                       | which cannot be used as such
          - {host: gpu1, port: 70000}                               | which is above 65535
          - {host: gpu1, port: 0}                                   | not a whole number from 1 up
          - {host: gpu1, gpus: -1}                                  | not a whole number from 1 up
          - {host: gpu1, identity: nowhere}                         | which cannot be read
          [{host: gpu1}, {host: gpu1}]                              | has two hosts called gpu1
          [{host: a, type: x, gpus: 1}, {host: b, type: x, gpus: 2}] | another host of the type x has 1
          """)
  void aWrongFileIsRefusedWithTheReason(String text, String problem) throws Exception {
    Path file = file(text);
    assertThatThrownBy(() -> HostsFile.read(file))
        .isInstanceOfSatisfying(
            BadInput.class,
            bad -> assertThat(bad.getMessage() + " " + bad.wayOut()).contains(problem));
  }
}
