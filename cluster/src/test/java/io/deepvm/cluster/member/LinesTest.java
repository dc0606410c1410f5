package io.deepvm.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinesTest {

  @Test
  void ordersComeBackAsTheyWere() {
    Order form =
        new Order.Form(
            7,
            1,
            List.of(
                new Member("anchor-1", Role.SERVER, "127.0.0.1", 4000),
                new Member("w-3", Role.WORKER, "127.0.0.1", 4001, "aws/us-east-1/a")));
    for (Order order : List.of(form, new Order.Notice(1.5), new Order.Stop("done"))) {
      assertThat(Lines.order(Lines.of(order))).isEqualTo(order);
    }
  }

  @Test
  void aMemberNeedNotSayWhereItStands() {
    String line =
        "{\"order\":\"form\",\"generation\":1,\"rank\":0,\"members\":"
            + "[{\"node\":\"n1\",\"role\":\"WORKER\",\"host\":\"h\",\"port\":1}]}";
    assertThat(Lines.order(line))
        .isEqualTo(new Order.Form(1, 0, List.of(new Member("n1", Role.WORKER, "h", 1))));
  }

  @Test
  void reportsComeBackAsTheyWere() {
    List<Report> reports =
        List.of(
            new Report.Ready(4000),
            new Report.Formed(2, 10, Report.Origin.PEER),
            new Report.Step(2, 11, 704, 0.5, 0.1, 0.02, 0.01, 0),
            new Report.Suspect(2, "w-3", "connection reset"),
            new Report.Saved(10, "DURABLE", ""),
            new Report.Finished(11, 704, 0.5));
    for (Report report : reports) {
      assertThat(Lines.report(Lines.of(report))).isEqualTo(report);
    }
  }

  @Test
  void whatElseAProcessPrintsIsNoReport() {
    assertThat(Lines.report("epoch 1")).isNull();
    assertThat(Lines.report("{\"report\":\"unknown\"}")).isNull();
  }

  @Test
  void garbageIsNoOrder() {
    assertThatThrownBy(() -> Lines.order("hello")).isInstanceOf(BadInput.class);
  }
}
