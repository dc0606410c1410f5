package io.deepvm.checkpoint.simulation;

import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/** What a file is: all are of one user, and closed to others. */
record SimulatedAttributes(DiskNode node) implements PosixFileAttributes {

  private static final GroupPrincipal USER = () -> "user";

  /** Sets nothing, since there is only one user. */
  record View(SimulatedPath path) implements PosixFileAttributeView {

    @Override
    public String name() {
      return "posix";
    }

    @Override
    public PosixFileAttributes readAttributes() throws IOException {
      return new SimulatedAttributes(path.files().disk().get(path));
    }

    @Override
    public void setPermissions(Set<PosixFilePermission> permissions) {}

    @Override
    public void setGroup(GroupPrincipal group) {}

    @Override
    public void setTimes(FileTime modified, FileTime accessed, FileTime created) {}

    @Override
    public UserPrincipal getOwner() {
      return USER;
    }

    @Override
    public void setOwner(UserPrincipal owner) {}
  }

  @Override
  public UserPrincipal owner() {
    return USER;
  }

  @Override
  public GroupPrincipal group() {
    return USER;
  }

  @Override
  public Set<PosixFilePermission> permissions() {
    return PosixFilePermissions.fromString("rwx------");
  }

  @Override
  public FileTime lastModifiedTime() {
    return FileTime.from(node.modified());
  }

  @Override
  public FileTime lastAccessTime() {
    return lastModifiedTime();
  }

  @Override
  public FileTime creationTime() {
    return lastModifiedTime();
  }

  @Override
  public boolean isRegularFile() {
    return !node.isFolder();
  }

  @Override
  public boolean isDirectory() {
    return node.isFolder();
  }

  @Override
  public boolean isSymbolicLink() {
    return false;
  }

  @Override
  public boolean isOther() {
    return false;
  }

  @Override
  public long size() {
    return node.size();
  }

  @Override
  public Object fileKey() {
    return node;
  }
}
