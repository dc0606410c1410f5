package io.deepvm.places.aws;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * An element of an answer. Answers come from a network: they have no document type, and neither
 * their depth nor their number of elements goes beyond a bound.
 */
final class Xml {

  private static final int MOST_DEPTH = 40;
  private static final int MOST_ELEMENTS = 200_000;

  private final String name;
  private final List<Xml> children = new ArrayList<>();
  private String text = "";

  private Xml(String name) {
    this.name = name;
  }

  /** Reads an answer. */
  static Xml parse(String answer) throws IOException {
    XMLInputFactory factory = XMLInputFactory.newFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_COALESCING, true);
    try {
      XMLStreamReader reader = factory.createXMLStreamReader(new StringReader(answer));
      return root(reader);
    } catch (XMLStreamException | RuntimeException e) {
      throw new IOException("the answer is no XML: " + e.getMessage(), e);
    }
  }

  private static Xml root(XMLStreamReader reader) throws XMLStreamException, IOException {
    List<Xml> open = new ArrayList<>();
    Xml root = new Xml("");
    open.add(root);
    StringBuilder text = new StringBuilder();
    int elements = 0;
    while (reader.hasNext()) {
      int event = reader.next();
      if (event == XMLStreamConstants.START_ELEMENT) {
        if (++elements > MOST_ELEMENTS || open.size() > MOST_DEPTH) {
          throw new IOException("the answer has too many elements");
        }
        Xml child = new Xml(reader.getLocalName());
        open.get(open.size() - 1).children.add(child);
        open.add(child);
        text.setLength(0);
      } else if (event == XMLStreamConstants.CHARACTERS) {
        text.append(reader.getText());
      } else if (event == XMLStreamConstants.END_ELEMENT) {
        Xml closed = open.remove(open.size() - 1);
        closed.text = closed.children.isEmpty() ? text.toString().strip() : "";
        text.setLength(0);
      } else if (event == XMLStreamConstants.DTD) {
        throw new IOException("the answer has a document type");
      }
    }
    if (root.children.size() != 1) {
      throw new IOException("the answer has no root");
    }
    return root.children.get(0);
  }

  String name() {
    return name;
  }

  /** Returns the text at a path of names; empty if there is none. */
  String text(String... path) {
    Xml at = this;
    for (String step : path) {
      Xml next = null;
      for (Xml child : at.children) {
        if (child.name.equals(step)) {
          next = child;
          break;
        }
      }
      if (next == null) {
        return "";
      }
      at = next;
    }
    return at.text;
  }

  /** Returns the items of a list. */
  List<Xml> items(String list) {
    for (Xml child : children) {
      if (child.name.equals(list)) {
        return List.copyOf(child.children);
      }
    }
    return List.of();
  }
}
