package io.deepvm.places;

import io.deepvm.places.aws.AwsPlace;
import io.deepvm.places.local.LocalPlace;
import io.deepvm.places.slurm.SlurmPlace;
import io.deepvm.places.ssh.SshPlace;
import java.nio.file.Path;
import java.util.List;

/** All kinds of places. A kind is one file, and one word here. */
public final class Places {

  /** This machine is the place of every run that names no other. */
  private static final List<PlaceOfRun> ALL =
      List.of(new AwsPlace(), new SlurmPlace(), new SshPlace(), new LocalPlace());

  private Places() {}

  /** Returns the kinds. */
  public static List<PlaceOfRun> all() {
    return ALL;
  }

  /** Returns where the nodes of the run in the folder are. */
  public static PlaceOfRun of(Path folder) {
    return ALL.stream().filter(place -> place.has(folder)).findFirst().orElseThrow();
  }
}
