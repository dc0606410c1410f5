package io.deepvm.places.aws;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.deepvm.places.ledger.Ceiling;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * What a machine gets at its first boot, as cloud-init reads it: the lease that ends it, the key
 * that may log in, and its own host key. Nothing in it gives access to anything but the machine.
 */
final class UserData {

  /** DeepVM's folder on a rented machine. */
  static final String FOLDER = "/opt/deepvm";

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String SCRIPT = script();

  private UserData() {}

  private static String script() {
    try (InputStream in = UserData.class.getResourceAsStream("lease.sh")) {
      if (in == null) {
        throw new IllegalStateException("lease.sh is missing.");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns the user data; JSON is YAML as well.
   *
   * @param orderedMs when the machine is ordered: it cannot be paid for before that
   */
  static String of(AwsSettings settings, Keys keys, long orderedMs) throws IOException {
    Ceiling ceiling = settings.ceiling();
    Ceiling.Terms terms = ceiling.terms();
    long mostSeconds = Math.max(60, (ceiling.untilMs() - orderedMs) / 1000);
    ObjectNode data = JSON.createObjectNode();
    // It comes before everything else that cloud-init does, and before the first ssh session.
    data.putArray("bootcmd")
        .addArray()
        .add("sh")
        .add("-c")
        .add(
            """
            mkdir -p %1$s && chmod 700 %1$s && cat >%2$s <<'LEASE'
            %3$sLEASE
            setsid sh %2$s %1$s %4$d %5$d %6$d %7$d %8$d %9$d </dev/null >/dev/null 2>&1 &
            """
                .formatted(
                    FOLDER,
                    "/run/deepvm-lease.sh",
                    SCRIPT,
                    terms.bootSeconds(),
                    terms.nodeSeconds(),
                    terms.graceSeconds(),
                    mostSeconds,
                    orderedMs / 1000 + terms.bootSeconds(),
                    ceiling.untilMs() / 1000));
    data.putArray("runcmd")
        .addArray()
        .add("sh")
        .add("-c")
        .add(
            "chown %s %s; shutdown -h +%d"
                .formatted(settings.login().user(), FOLDER, (mostSeconds + 59) / 60));
    data.putArray("ssh_authorized_keys").add(keys.loginPublic());
    ObjectNode host = data.putObject("ssh_keys");
    host.put("ed25519_private", keys.hostPrivate());
    host.put("ed25519_public", keys.hostPublic());
    data.put("ssh_deletekeys", true);
    return "#cloud-config\n" + data + "\n";
  }
}
