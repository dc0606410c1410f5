// Makes and fills elements. Texts only become text nodes: a name can never become markup.

// element('td', {class: 'number'}, 'text', otherElement)
export function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value);
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

export function byId(id) {
  return document.getElementById(id);
}

// Sets a text only where it changed, so that selections and readers are left in peace.
export function say(id, text) {
  const target = typeof id === 'string' ? byId(id) : id;
  if (target.textContent !== text) target.textContent = text;
}

// Returns the JSON at an address of this server; null if there is none or the server is away.
export async function getJson(address) {
  try {
    const got = await fetch(address);
    return got.ok ? await got.json() : null;
  } catch (e) {
    return null;
  }
}

/*
 * Fills a table. A row that was there keeps its elements, so that focus and selections stay where they are.
 * columns: {title, number, name, extra, cell: row => text, element: row => what shows the text (made once a row),
 *           remake: whether another text needs another element}
 * The first column names the row; extra columns are left out where there is little room.
 */
export function fill(table, columns, rows, key, empty) {
  const titles = JSON.stringify(columns.map(column => column.title));
  let kept = table.kept;
  if (!kept || kept.titles !== titles || kept.empty !== !rows.length) {
    kept = table.kept = {titles, empty: !rows.length, rows: new Map(), body: element('tbody', {})};
    const caption = table.querySelector('caption');
    table.replaceChildren(...(caption ? [caption] : []), ...(rows.length ? [element('thead', {}, element('tr', {},
      ...columns.map(column => element('th', {scope: 'col', ...kind(column)}, column.title))))] : []), kept.body);
    if (!rows.length && empty) {
      kept.body.append(element('tr', {}, element('td', {class: 'empty'}, empty)));
    }
  }
  const focused = document.activeElement;
  const wanted = new Set(rows.map(key));
  for (const [name, row] of kept.rows) {
    if (!wanted.has(name)) {
      row.line.remove();
      kept.rows.delete(name);
    }
  }
  let next = kept.body.firstChild;
  for (const row of rows) {
    const name = key(row);
    if (!kept.rows.has(name)) kept.rows.set(name, line(columns));
    const {line: tr, texts, shown} = kept.rows.get(name);
    columns.forEach((column, i) => {
      const text = column.cell(row);
      if (texts[i] === text) return;
      if (column.element && (column.remake || !shown[i])) {
        shown[i] = column.element(row);
        tr.children[i].replaceChildren(shown[i]);
      }
      if (!column.remake) say(shown[i] || tr.children[i], text);
      texts[i] = text;
    });
    if (tr === next) next = tr.nextSibling;
    else kept.body.insertBefore(tr, next);
  }
  // A row that moved lost its focus.
  if (focused !== document.activeElement && table.contains(focused)) focused.focus({preventScroll: true});
}

function kind(column) {
  return {class: (column.number ? 'number' : column.name ? 'name' : '') + (column.extra ? ' extra' : '')};
}

function line(columns) {
  return {texts: [], shown: [], line: element('tr', {}, ...columns.map((column, i) => element(i ? 'td' : 'th',
    {...(i ? {} : {scope: 'row'}), ...kind(column)})))};
}
