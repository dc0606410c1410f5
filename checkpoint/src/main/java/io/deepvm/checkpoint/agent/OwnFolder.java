package io.deepvm.checkpoint.agent;

import io.deepvm.base.BadInput;
import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** Folders that nobody but this user can enter: being able to reach the socket is the key. */
final class OwnFolder {

  private static final Set<PosixFilePermission> OWNER =
      Set.copyOf(PosixFilePermissions.fromString("rwx------"));

  private OwnFolder() {}

  /** Creates the folder, or checks that the one that is there is closed to others. */
  static Path at(Path folder) throws IOException {
    Path parent = folder.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    try {
      Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER));
      // whatever the umask
      Files.setPosixFilePermissions(folder, OWNER);
    } catch (FileAlreadyExistsException e) {
      check(folder);
    }
    return folder;
  }

  private static void check(Path folder) throws IOException {
    PosixFileAttributes found =
        Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    Set<PosixFilePermission> others = EnumSet.noneOf(PosixFilePermission.class);
    others.addAll(found.permissions());
    others.removeAll(OWNER);
    Object owner = Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    if (!found.isDirectory() || !others.isEmpty() || !owner.equals(PrivateFiles.user())) {
      throw new BadInput(
          "%s is not a folder of this user alone.".formatted(folder),
          "Maybe 'chmod 700' it, or name another folder with --socket.");
    }
  }
}
