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

// Fills a table. Columns: {title, number, extra, cell: row => text or element}. The first names the row; extra
// columns are left out where there is little room.
export function fill(tableElement, columns, rows, empty) {
  const kind = column => ({
    class: (column.number ? 'number' : column.name ? 'name' : '') + (column.extra ? ' extra' : ''),
  });
  if (!rows.length && empty) {
    tableElement.replaceChildren(element('tbody', {}, element('tr', {},
      element('td', {class: 'empty'}, empty))));
    return;
  }
  const head = element('thead', {}, element('tr', {},
    ...columns.map(column => element('th', {scope: 'col', ...kind(column)}, column.title))));
  const body = element('tbody', {}, ...rows.map(row => element('tr', {},
    ...columns.map((column, i) => element(i ? 'td' : 'th',
      {...(i ? {} : {scope: 'row'}), ...kind(column)}, column.cell(row))))));
  tableElement.replaceChildren(head, body);
}
