package io.deepvm.base;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes files and folders that other users can neither read nor lock, whatever the umask. A folder
 * that was made for a group passes this on: what is made inside is for the same group.
 */
public final class PrivateFiles {

  private static final int PERMISSIONS = 0777;
  private static final int BEYOND_OWNER = 0077;
  private static final int BEYOND_GROUP = 0007;
  private static final int GROUP_WRITES = 0020;
  private static final int ROOT = 0;
  private static final long MOST_SECRET_BYTES = 64 << 10;

  /** The users that may use a folder and the files in it. */
  public enum Access {
    /** Its owner alone. */
    OWNER(0700, 0600, "rwx------", "rw-------"),

    /** Its owner and its group, which all that is made inside keeps (the set-group-ID bit). */
    GROUP(02770, 0660, "rwxrwx---", "rw-rw----");

    private final int folderMode;
    private final int fileMode;
    private final String folderRights;
    private final String fileRights;

    Access(int folderMode, int fileMode, String folderRights, String fileRights) {
      this.folderMode = folderMode;
      this.fileMode = fileMode;
      this.folderRights = folderRights;
      this.fileRights = fileRights;
    }

    private FileAttribute<Set<PosixFilePermission>> ofFolders() {
      return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(folderRights));
    }

    private FileAttribute<Set<PosixFilePermission>> ofFiles() {
      return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(fileRights));
    }

    /** Returns the access that a folder passes on. */
    public static Access of(Path folder) throws IOException {
      return (mode(folder) & GROUP.folderMode) == GROUP.folderMode
              && (mode(folder) & BEYOND_GROUP) == 0
          ? GROUP
          : OWNER;
    }
  }

  private PrivateFiles() {}

  /** Creates a folder, and missing ones above it, with the access that the nearest passes on. */
  public static Path folder(Path folder) throws IOException {
    Path above = folder.toAbsolutePath().getParent();
    while (above != null && !Files.exists(above)) {
      above = above.getParent();
    }
    return folder(folder, above == null ? Access.OWNER : Access.of(above));
  }

  /** Creates a folder, and missing ones above it, with this access; one that is there stays. */
  public static Path folder(Path folder, Access access) throws IOException {
    if (Files.isDirectory(folder)) {
      return folder;
    }
    Path above = folder.toAbsolutePath().getParent();
    if (above != null) {
      folder(above, access);
    }
    try {
      create(folder, access);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(folder)) {
        throw e;
      }
    }
    return folder;
  }

  /**
   * Creates one folder with the access that the one above passes on.
   *
   * @throws FileAlreadyExistsException if there is anything of this name, be it a link
   */
  public static void createFolder(Path folder) throws IOException {
    create(folder, inherited(folder));
  }

  private static void create(Path folder, Access access) throws IOException {
    Files.createDirectory(folder, access.ofFolders());
    Files.setAttribute(folder, "unix:mode", access.folderMode);
  }

  /** Opens a folder of this user's to its group, or creates it so; all made inside follows. */
  public static Path share(Path folder) throws IOException {
    folder(folder, Access.GROUP);
    if (Access.of(folder) != Access.GROUP) {
      if (owner(folder) != user()) {
        throw new BadInput(
            "The folder %s is another user's and not shared.".formatted(folder),
            "Maybe ask its owner for 'chmod 2770 %s'.".formatted(folder));
      }
      Files.setAttribute(folder, "unix:mode", Access.GROUP.folderMode);
    }
    return folder;
  }

  /** Opens a file; a new one gets the access that its folder passes on. */
  public static FileChannel open(Path file, OpenOption... options) throws IOException {
    Access access = inherited(file);
    Set<OpenOption> how = new HashSet<>(List.of(options));
    if (access == Access.GROUP && how.contains(StandardOpenOption.CREATE)) {
      create(file);
    }
    FileChannel channel = FileChannel.open(file, how, access.ofFiles());
    if (access == Access.GROUP && how.contains(StandardOpenOption.CREATE_NEW)) {
      Files.setAttribute(file, "unix:mode", access.fileMode);
    }
    return channel;
  }

  /** Opens a lock file, after closing one of this user's to any users that could hold it only. */
  public static FileChannel openLock(Path file) throws IOException {
    FileChannel channel =
        open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    int mode = mode(file);
    int right = inherited(file).fileMode;
    // earlier releases let all users read it, and a reader's lock stops a writer
    if ((mode & PERMISSIONS & ~right) != 0 && owner(file) == user()) {
      Files.setAttribute(file, "unix:mode", mode & right);
    }
    return channel;
  }

  /** Creates an empty file, with the access that its folder passes on, unless there is one. */
  public static Path create(Path file) throws IOException {
    Access access = inherited(file);
    try {
      Files.createFile(file, access.ofFiles());
      if (access == Access.GROUP) {
        // the umask may have taken the group's part
        Files.setAttribute(file, "unix:mode", access.fileMode);
      }
    } catch (FileAlreadyExistsException e) {
      // as it is
    }
    return file;
  }

  /** Writes a new file, or over the one that is there. */
  public static void write(Path file, String text) throws IOException {
    Files.writeString(create(file), text);
  }

  /**
   * Returns the secret in a file, without the space around it, or refuses the file. Each byte is
   * one character, so all readers agree.
   *
   * @param what the kind of the file, for messages
   */
  public static String readSecret(Path file, String what) {
    try {
      requireSecret(file, what);
      long bytes = Files.size(file);
      if (bytes > MOST_SECRET_BYTES) {
        throw new BadInput(
            "The %s file '%s' has %d bytes.".formatted(what, file, bytes),
            "Maybe it is another file; at most %d are read.".formatted(MOST_SECRET_BYTES));
      }
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).strip();
    } catch (NoSuchFileException e) {
      throw new BadInput(
          "The %s file '%s' does not exist.".formatted(what, file), "Maybe check the path.");
    } catch (IOException e) {
      throw new BadInput(
          "The %s file '%s' cannot be read: %s.".formatted(what, file, e.getMessage()),
          "Maybe check its owner and mode.");
    }
  }

  /** Refuses a file that other users may have read or written, as ssh does with keys. */
  private static void requireSecret(Path file, String what) throws IOException {
    // a pipe of the shell, as in --token-file <(...), is this process's own
    if (!Files.isRegularFile(file)) {
      return;
    }
    int owner = owner(file);
    if (owner != user() && owner != ROOT) {
      throw new BadInput(
          "The %s file '%s' belongs to user %d, not to user %d."
              .formatted(what, file, owner, user()),
          "Maybe copy it to a file of your own with mode 0600.");
    }
    // root may give a group a secret to read, as container platforms do
    int loose = owner == user() ? BEYOND_OWNER : BEYOND_GROUP | GROUP_WRITES;
    int mode = mode(file);
    if ((mode & loose) != 0) {
      throw new BadInput(
          "The %s file '%s' is open to other users (mode %04o)."
              .formatted(what, file, mode & PERMISSIONS),
          "Maybe close it: chmod 600 %s. Make a new secret if others may have read it."
              .formatted(file));
    }
  }

  /** Returns the number of this process's user. */
  public static int user() throws IOException {
    Path self = Path.of("/proc/self");
    return owner(Files.exists(self) ? self : Path.of(System.getProperty("user.home")));
  }

  private static Access inherited(Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    return folder == null ? Access.OWNER : Access.of(folder);
  }

  private static int mode(Path path) throws IOException {
    return (Integer) Files.getAttribute(path, "unix:mode");
  }

  private static int owner(Path path) throws IOException {
    return (Integer) Files.getAttribute(path, "unix:uid");
  }
}
