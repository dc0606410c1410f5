package io.deepvm.checkpoint.simulation;

import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Something the product does so that no checkpoint is lost, and the way to leave it out while the
 * class is loaded: no call of some method is made, or a method does nothing.
 */
final class Guard {

  private static final String MODULE = "io/deepvm/checkpoint/";

  private final String name;
  private final String className;
  private final String method;
  private final String call;
  private final int result;
  private long firstSeed = 1;
  private boolean found;

  private Guard(String name, String className, String method, String call, int result) {
    this.name = name;
    this.className = MODULE + className;
    this.method = method;
    this.call = call;
    this.result = result;
  }

  /** Leaves out what a method calls; the call seems to have returned the number, or null. */
  static Guard withoutCall(String name, String className, String method, String call, int result) {
    return new Guard(name, className, method, call, result);
  }

  /** Lets a method do nothing but return the number, or null. */
  static Guard withoutBody(String name, String className, String method, int result) {
    return new Guard(name, className, method, null, result);
  }

  /** Begins with a later seed, because no early one misses the guard. */
  Guard fromSeed(long seed) {
    firstSeed = seed;
    return this;
  }

  long firstSeed() {
    return firstSeed;
  }

  /** Returns whether there was something to leave out. */
  boolean wasFound() {
    return found;
  }

  @Override
  public String toString() {
    return name;
  }

  /** Returns a visitor that leaves the guard out of its class, and of other classes nothing. */
  ClassVisitor breaking(String loaded, ClassVisitor next) {
    if (!loaded.equals(className)) {
      return next;
    }
    return new ClassVisitor(Opcodes.ASM9, next) {
      @Override
      public MethodVisitor visitMethod(
          int access, String name, String descriptor, String signature, String[] exceptions) {
        MethodVisitor visitor = super.visitMethod(access, name, descriptor, signature, exceptions);
        if (!name.equals(method)) {
          return visitor;
        }
        return call == null ? emptied(visitor, descriptor) : thinned(visitor);
      }
    };
  }

  private MethodVisitor emptied(MethodVisitor visitor, String descriptor) {
    found = true;
    visitor.visitCode();
    Type type = Type.getReturnType(descriptor);
    push(visitor, type);
    visitor.visitInsn(type.getOpcode(Opcodes.IRETURN));
    visitor.visitMaxs(0, 0);
    visitor.visitEnd();
    return null;
  }

  private void push(MethodVisitor visitor, Type type) {
    switch (type.getSort()) {
      case Type.VOID -> {}
      case Type.LONG -> visitor.visitLdcInsn((long) result);
      case Type.OBJECT, Type.ARRAY -> visitor.visitInsn(Opcodes.ACONST_NULL);
      default -> visitor.visitIntInsn(Opcodes.BIPUSH, result);
    }
  }

  private MethodVisitor thinned(MethodVisitor visitor) {
    return new MethodVisitor(Opcodes.ASM9, visitor) {
      @Override
      public void visitMethodInsn(
          int opcode, String owner, String name, String descriptor, boolean isInterface) {
        if (!name.equals(call)) {
          super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
          return;
        }
        found = true;
        Type[] arguments = Type.getArgumentTypes(descriptor);
        for (int i = arguments.length - 1; i >= 0; i--) {
          super.visitInsn(arguments[i].getSize() == 2 ? Opcodes.POP2 : Opcodes.POP);
        }
        if (opcode != Opcodes.INVOKESTATIC) {
          super.visitInsn(Opcodes.POP);
        }
        push(mv, Type.getReturnType(descriptor));
      }
    };
  }
}
