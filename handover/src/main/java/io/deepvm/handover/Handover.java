package io.deepvm.handover;

/** Writes a plan as a file of one other tool. */
public interface Handover {

  /** Returns the name of the tool. */
  String tool();

  /** Returns the usual name of the file. */
  String file();

  /**
   * Returns the text of the file. It begins with what is lost in translation.
   *
   * @throws io.deepvm.base.BadInput if the tool cannot do what the plan needs
   */
  String text(HandedPlan plan, Task task);
}
