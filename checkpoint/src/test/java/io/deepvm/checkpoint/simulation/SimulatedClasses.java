package io.deepvm.checkpoint.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.AdviceAdapter;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.SimpleRemapper;

/**
 * Loads the checkpoint module for the simulation. Threads, locks, monitors, clocks, random ids and
 * the transport are replaced by simulated ones; everything else is the code as it ships. A class of
 * the JDK that blocks and has no simulated counterpart is refused here, when it is loaded.
 */
public final class SimulatedClasses extends ClassLoader {

  private static final String MODULE = "io.deepvm.checkpoint.";
  private static final String THREADS = "io.deepvm.base.DaemonThreads";
  private static final String HERE = "io.deepvm.checkpoint.simulation.";
  private static final String SCENARIO = HERE + "scenario.";
  private static final String US = HERE.replace('.', '/');
  private static final String HOOKS = US + "Hooks";

  /** Classes that are made as another class, which extends the one asked for or its interface. */
  private static final Map<String, String> MADE_AS =
      Map.ofEntries(
          Map.entry("java/lang/Thread", US + "SimulatedThread"),
          Map.entry("java/util/concurrent/locks/ReentrantLock", US + "SimulatedLock"),
          Map.entry("java/util/concurrent/CompletableFuture", US + "SimulatedFuture"),
          Map.entry("java/util/concurrent/FutureTask", US + "SimulatedFutureTask"),
          Map.entry("java/util/concurrent/ThreadPoolExecutor", US + "SimulatedPool"),
          Map.entry("java/util/concurrent/Semaphore", US + "SimulatedSemaphore"),
          Map.entry("java/util/concurrent/CountDownLatch", US + "SimulatedLatch"),
          Map.entry("java/util/concurrent/ConcurrentHashMap", US + "OrderedMap"),
          Map.entry("java/util/HashMap", "java/util/LinkedHashMap"),
          Map.entry("java/util/HashSet", "java/util/LinkedHashSet"));

  /** Classes that would block, or differ from run to run, without anybody noticing. */
  private static final List<String> REFUSED =
      List.of(
          "java/util/concurrent/locks/ReentrantReadWriteLock",
          "java/util/concurrent/locks/StampedLock",
          "java/util/concurrent/CyclicBarrier",
          "java/util/concurrent/Phaser",
          "java/util/concurrent/Exchanger",
          "java/util/concurrent/ForkJoinPool",
          "java/util/concurrent/ThreadLocalRandom",
          "java/util/Timer",
          "java/util/IdentityHashMap");

  /** Methods by owner and name, and what is called instead. */
  private static final Map<String, String> CALLED_AS =
      Map.ofEntries(
          Map.entry("java/lang/System.nanoTime", "nanoTime"),
          Map.entry("java/lang/System.currentTimeMillis", "currentTimeMillis"),
          Map.entry("java/lang/System.getLogger", "getLogger"),
          Map.entry("java/time/InstantSource.system", "system"),
          Map.entry("java/time/Instant.now", "instantNow"),
          Map.entry("java/time/Clock.systemUTC", "systemUtc"),
          Map.entry("java/util/UUID.randomUUID", "randomUuid"),
          Map.entry("java/lang/Thread.currentThread", "currentThread"),
          Map.entry("java/lang/Thread.interrupted", "interrupted"),
          Map.entry("java/lang/Thread.sleep", "sleep"),
          Map.entry("java/util/concurrent/locks/LockSupport.parkNanos", "parkNanos"),
          Map.entry("java/nio/ByteBuffer.allocateDirect", "allocateDirect"),
          Map.entry("java/nio/ByteBuffer.allocate", "allocate"),
          Map.entry("java/util/Set.copyOf", "copyOf"),
          Map.entry("java/util/Map.copyOf", "copyOf"),
          Map.entry("java/util/concurrent/Executors.newFixedThreadPool", "newFixedThreadPool"),
          Map.entry(
              "java/util/concurrent/Executors.newSingleThreadScheduledExecutor",
              "newSingleThreadScheduledExecutor"));

  /** Methods of objects by owner and name, and the static method that takes the object first. */
  private static final Map<String, String> TAKEN_BY =
      Map.of(
          "java/lang/Thread.join", "join",
          "io/deepvm/transport/Generations.raise", "raise",
          "java/lang/Object.wait", "await",
          "java/lang/Object.notify", "signal",
          "java/lang/Object.notifyAll", "signalAll",
          "java/util/concurrent/TimeUnit.sleep", "sleep",
          "java/util/concurrent/TimeUnit.timedWait", "timedWait");

  /** The transport's classes, which are final. */
  private static final Map<String, String> TRANSPORT =
      Map.of(
          "io/deepvm/transport/Connection", US + "SimulatedConnection",
          "io/deepvm/transport/Transfer", US + "SimulatedTransfer",
          "io/deepvm/transport/Handler", US + "SimulatedHandler",
          "io/deepvm/transport/TransportClient", US + "SimulatedClient",
          "io/deepvm/transport/TransportServer", US + "SimulatedServer");

  private final Guard broken;

  /**
   * Makes a loader.
   *
   * @param broken a guard of the product to take out, or null
   */
  SimulatedClasses(Guard broken) {
    super("simulation", SimulatedClasses.class.getClassLoader());
    this.broken = broken;
  }

  private static boolean isOurs(String name) {
    return name.equals(THREADS)
        || (name.startsWith(MODULE) && (!name.startsWith(HERE) || name.startsWith(SCENARIO)));
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!isOurs(name)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      return known == null ? define(name) : known;
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    String file = name.replace('.', '/') + ".class";
    try (InputStream in = getParent().getResourceAsStream(file)) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = transform(new ClassReader(in));
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private byte[] transform(ClassReader reader) {
    ClassLoader parent = getParent();
    ClassWriter writer =
        new ClassWriter(ClassWriter.COMPUTE_FRAMES) {
          @Override
          protected ClassLoader getClassLoader() {
            return parent;
          }
        };
    ClassVisitor chain = new ClassRemapper(writer, new SimpleRemapper(Opcodes.ASM9, TRANSPORT));
    chain = new Rewriter(chain);
    if (broken != null) {
      chain = broken.breaking(reader.getClassName(), chain);
    }
    reader.accept(chain, ClassReader.EXPAND_FRAMES);
    return writer.toByteArray();
  }

  /** Rewrites the methods of a class. */
  private static final class Rewriter extends ClassVisitor {

    private String name = "";

    Rewriter(ClassVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visit(
        int version,
        int access,
        String className,
        String signature,
        String superName,
        String[] interfaces) {
      name = className;
      if (MADE_AS.containsKey(superName) && !superName.startsWith("java/util/Hash")) {
        throw new IllegalStateException(className + " extends " + superName + ": not simulated.");
      }
      super.visit(version, access, className, signature, superName, interfaces);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String method, String descriptor, String signature, String[] exceptions) {
      boolean locked = (access & Opcodes.ACC_SYNCHRONIZED) != 0;
      int open = access & ~Opcodes.ACC_SYNCHRONIZED;
      MethodVisitor next = super.visitMethod(open, method, descriptor, signature, exceptions);
      if (next == null) {
        return null;
      }
      Calls calls = new Calls(next, name);
      return locked ? new Locked(calls, open, method, descriptor, name) : calls;
    }
  }

  /** Makes a synchronized method one that enters a simulated monitor. */
  private static final class Locked extends AdviceAdapter {

    private final boolean isStatic;
    private final String owner;
    private final Label begin = new Label();
    private final Label end = new Label();

    Locked(MethodVisitor next, int access, String method, String descriptor, String owner) {
      super(Opcodes.ASM9, next, access, method, descriptor);
      this.isStatic = (access & Opcodes.ACC_STATIC) != 0;
      this.owner = owner;
    }

    private void monitor(String hook) {
      if (isStatic) {
        push(Type.getObjectType(owner));
      } else {
        loadThis();
      }
      super.visitMethodInsn(INVOKESTATIC, HOOKS, hook, "(Ljava/lang/Object;)V", false);
    }

    @Override
    protected void onMethodEnter() {
      monitor("enter");
      mark(begin);
    }

    @Override
    protected void onMethodExit(int opcode) {
      if (opcode != ATHROW) {
        monitor("exit");
      }
    }

    @Override
    public void visitMaxs(int stack, int locals) {
      mark(end);
      catchException(begin, end, null);
      monitor("exit");
      super.visitInsn(ATHROW);
      super.visitMaxs(stack, locals);
    }
  }

  /** Replaces what a method calls and makes. */
  private static final class Calls extends MethodVisitor {

    private final String where;

    Calls(MethodVisitor next, String where) {
      super(Opcodes.ASM9, next);
      this.where = where;
    }

    private void check(String owner) {
      if (REFUSED.contains(owner)) {
        throw new IllegalStateException(
            where + " uses " + owner + ", which is not simulated. Maybe add it.");
      }
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
      check(type);
      super.visitTypeInsn(opcode, opcode == Opcodes.NEW ? made(type) : type);
    }

    private static String made(String type) {
      return MADE_AS.getOrDefault(type, type);
    }

    @Override
    public void visitInsn(int opcode) {
      if (opcode == Opcodes.MONITORENTER || opcode == Opcodes.MONITOREXIT) {
        String hook = opcode == Opcodes.MONITORENTER ? "enter" : "exit";
        super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, hook, "(Ljava/lang/Object;)V", false);
      } else {
        super.visitInsn(opcode);
      }
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      check(owner);
      String call = owner + "." + name;
      if (opcode == Opcodes.INVOKESPECIAL && name.equals("<init>")) {
        super.visitMethodInsn(opcode, made(owner), name, descriptor, isInterface);
      } else if (opcode == Opcodes.INVOKESTATIC && CALLED_AS.containsKey(call)) {
        super.visitMethodInsn(opcode, HOOKS, CALLED_AS.get(call), descriptor, false);
      } else if (call.equals("java/util/concurrent/ConcurrentHashMap.newKeySet")) {
        super.visitMethodInsn(opcode, HOOKS, name, "()Ljava/util/Set;", false);
      } else if (opcode == Opcodes.INVOKEVIRTUAL && TAKEN_BY.containsKey(taker(name, call))) {
        String object = taker(name, call);
        String type = "L" + object.substring(0, object.indexOf('.')) + ";";
        super.visitMethodInsn(
            Opcodes.INVOKESTATIC,
            HOOKS,
            TAKEN_BY.get(object),
            "(" + type + descriptor.substring(1),
            false);
      } else if (owner.equals("java/util/concurrent/Executors")) {
        throw new IllegalStateException(where + " calls " + call + ", which is not simulated.");
      } else {
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
      }
    }

    /** Monitors are methods of any class. */
    private static String taker(String name, String call) {
      return name.equals("wait") || name.equals("notify") || name.equals("notifyAll")
          ? "java/lang/Object." + name
          : call;
    }

    @Override
    public void visitInvokeDynamicInsn(
        String name, String descriptor, Handle bootstrap, Object... arguments) {
      Object[] mapped = arguments.clone();
      for (int i = 0; i < mapped.length; i++) {
        if (mapped[i] instanceof Handle handle) {
          mapped[i] = map(handle);
        }
      }
      super.visitInvokeDynamicInsn(name, descriptor, bootstrap, mapped);
    }

    private static Handle map(Handle handle) {
      String hook = CALLED_AS.get(handle.getOwner() + "." + handle.getName());
      if (handle.getTag() == Opcodes.H_INVOKESTATIC && hook != null) {
        return new Handle(handle.getTag(), HOOKS, hook, handle.getDesc(), false);
      }
      if (handle.getTag() == Opcodes.H_NEWINVOKESPECIAL) {
        return new Handle(
            handle.getTag(), made(handle.getOwner()), handle.getName(), handle.getDesc(), false);
      }
      return handle;
    }
  }
}
