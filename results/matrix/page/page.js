'use strict';
// Shows the matrix in #data. Texts come from guests: they become text nodes, never markup.

const data = JSON.parse(document.getElementById('data').textContent);
const LOGS = ['console.log', 'kernel.log', 'trace.jsonl', 'device.log', 'wire.pcapng', 'run.log'];
const STATES = ['passed', 'failed', 'known', 'blocked', 'not supported', 'not run'];
const MEANING = {
  passed: 'passed', failed: 'failed', known: 'known bug of this kernel',
  blocked: 'not judged, a known bug stands in the way',
  'not supported': 'not supported', 'not run': 'not run',
};
const GROUPS = { chapter: 'Chapters', feature: 'Features of the kernel' };
const SIGN = { passed: '✓', failed: '✗', known: '!', blocked: '⊘', 'not supported': '–', 'not run': '?' };

// An element with attributes and children; a string is text.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}

const classOf = (state) => state.replace(' ', '-');
const seconds = (value) => `${Math.round(value)} s`;
const address = (column, row) =>
  '#cell=' + [column.nic, column.kernel, row.kind, row.name].map(encodeURIComponent).join('/');

function cellText(row, cell) {
  const [passed, failed, known, blocked, , lost] = cell.counts;
  const number = { passed, failed, known, blocked, 'not run': lost }[cell.state];
  return SIGN[cell.state] + (number ? ` ${number}` : '');
}

// Of the kernels of a row, oldest first: the first that is bad and the first that is good. Others say nothing.
function firsts(states, columns) {
  const first = (wanted) => {
    const at = states.findIndex((state) => wanted.includes(state));
    return at < 0 ? '' : columns[at].kernel.split('/').pop();
  };
  return [first(['failed', 'known']), first(['passed'])];
}

function tableOf(nic) {
  const columns = data.columns.filter((column) => column.nic === nic);
  const head = make('tr', {}, make('th', { scope: 'col' }, nic),
    ...columns.map((column) => make('th', { scope: 'col', title: column.release },
      column.kernel.split('/').pop())),
    ...['first bad', 'first good'].map((title) => make('th', { scope: 'col' }, title)));
  const body = make('tbody');
  const titleOf = (title) => make('tr', { class: 'group' }, make('th', { scope: 'row' }, title),
    ...columns.map(() => make('td')), make('td'), make('td'));
  data.rows.forEach((row, index) => {
    if (index > 0 && data.rows[index - 1].kind !== row.kind) body.append(titleOf(GROUPS[row.kind]));
    const line = make('tr', {}, make('th', { scope: 'row', title: row.sentence }, row.name));
    for (const column of columns) {
      const cell = column.cells[index];
      line.append(make('td', {}, make('a', {
        href: address(column, row), class: classOf(cell.state),
        'aria-label': `${row.name}, ${column.kernel} on ${nic}: ${cell.state}`,
      }, cellText(row, cell))));
    }
    const states = columns.map((column) => column.cells[index].state);
    for (const kernel of firsts(states, columns)) line.append(make('td', { class: 'first' }, kernel));
    // What was not run differs from nothing.
    const told = new Set(states.filter((state) => state !== 'not run'));
    line.classList.toggle('same', told.size < 2);
    body.append(line);
  });
  body.append(titleOf('Cost'));
  for (const [name, key] of [['run', 'seconds'], ['CPU', 'cpu'], ['fetch', 'fetch']])
    body.append(make('tr', {}, make('th', { scope: 'row' }, name),
      ...columns.map((column) => make('td', { class: 'cost' }, column.ran ? seconds(column[key]) : '')),
      make('td'), make('td')));
  return make('div', { class: 'scroll' }, make('table', {}, make('thead', {}, head), body));
}

function command(text) {
  const button = make('button', { type: 'button' }, 'Copy');
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(text).then(() => { button.textContent = 'Copied'; });
  });
  return [make('pre', { class: 'command' }, text), button];
}

function testOf(column, number, open) {
  const [name, status, took, message, reference, trace] = column.tests[number];
  const text = (index) => data.texts[index];
  const known = data.sentences[text(name)];
  const part = (title, content) => content === '' ? []
    : [make('p', { class: 'quiet' }, title), make('pre', {}, content)];
  const details = make('details', { class: 'test', 'data-status': status },
    make('summary', {}, make('span', { class: `state ${status}` }, status), ' ', text(name), ' ',
      make('span', { class: 'quiet' }, status === 'skipped' ? '' : `${took} s`)),
    known === undefined ? null : make('p', {}, known),
    ...part('It said', text(message)), ...part('Known as', text(reference)),
    ...part('Trace around it', text(trace)),
    ...command(`${column.command} --filter ${quoted(text(name))}`));
  details.open = open;
  return details;
}

const quoted = (text) => /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

function logsOf(column) {
  if (!column.ran || column.folder === '') return [];
  return [make('p', { class: 'logs' }, 'Logs, where the folder of the results is beside this page: ',
    ...LOGS.filter((log) => column.nic !== 'nodev' || !['device.log', 'wire.pcapng'].includes(log))
      .map((log) => make('a', { href: `${column.folder}/${log}` }, log)))];
}

// The command for the tests of a cell: a whole chapter has a pattern, others a list of tests.
function commandOf(column, row, cell) {
  if (row.kind === 'chapter' && data.filter === '') return `${column.command} --filter '${row.name}.*'`;
  if (row.kind !== 'guest' && cell.tests.length > 0) {
    const names = cell.tests.map((number) => data.texts[column.tests[number][0]]);
    return `${column.command} --filter ${quoted(names.join(':'))}`;
  }
  return column.whole;
}

function show(column, row, cell) {
  const panel = document.getElementById('cell');
  const note = data.texts[cell.note];
  const worst = ['failed', 'lost', 'blocked', 'known', 'passed', 'skipped'];
  const rank = (number) => worst.indexOf(column.tests[number][1]);
  const tests = [...cell.tests].sort((left, right) => rank(left) - rank(right));
  const counted = ['passed', 'failed', 'known', 'blocked', 'skipped', 'lost']
    .map((name, index) => [cell.counts[index], name]).filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}`).join(', ');
  const console = data.texts[column.console];
  const parts = [
    make('h2', {}, `${row.name}, ${column.kernel} on ${column.nic}: `,
      make('span', { class: `state ${classOf(cell.state)}` }, MEANING[cell.state])),
    make('p', { class: 'quiet' }, row.sentence),
    counted === '' ? null : make('p', {}, `${tests.length} ${tests.length === 1 ? 'test' : 'tests'}: ${counted}`),
    note === '' ? null : make('pre', { class: 'note' }, note),
    ...(row.kind === 'guest' && console !== ''
      ? [make('p', { class: 'quiet' }, 'The last lines of its console'), make('pre', {}, console)] : []),
    make('p', { class: 'quiet' }, 'Again'), ...command(commandOf(column, row, cell)),
    ...logsOf(column), ...tests.map((number) => testOf(column, number, rank(number) < 1)),
  ];
  panel.replaceChildren(...parts.filter((part) => part !== null));
  panel.hidden = false;
  panel.focus({ preventScroll: true });
  panel.scrollIntoView();
}

// Opens the cell that the address names.
function follow() {
  document.querySelectorAll('[aria-current]').forEach((link) => link.removeAttribute('aria-current'));
  document.getElementById('cell').hidden = true;
  for (const column of data.columns) {
    data.rows.forEach((row, index) => {
      if (address(column, row) !== location.hash) return;
      show(column, row, column.cells[index]);
      for (const link of document.querySelectorAll('td a'))
        if (link.getAttribute('href') === location.hash) link.setAttribute('aria-current', 'true');
    });
  }
}

document.getElementById('terms').textContent = `zcrxlab ${data.zcrxlab}, seed ${data.seed}`
  + (data.filter === '' ? '' : `, filter ${data.filter}`)
  + (data.options === '' ? '' : `, with ${data.options}`);
STATES.forEach((state, index) => {
  // Nothing that failed is nothing to be alarmed at.
  const none = data.totals[index] === 0;
  document.getElementById('legend').append(make('li', { class: none ? 'none' : classOf(state) },
    `${SIGN[state]} ${data.totals[index]} ${MEANING[state]}`));
});
for (const nic of new Set([...data.columns, ...data.skipped].map((part) => part.nic))) {
  const tables = document.getElementById('tables');
  tables.append(make('h2', {}, nic));
  if (data.columns.some((column) => column.nic === nic)) tables.append(tableOf(nic));
  for (const runs of data.skipped.filter((skipped) => skipped.nic === nic)) {
    const kernels = runs.kernels.map((kernel) => kernel.split('/').pop()).join(', ');
    tables.append(make('p', { class: 'quiet skipped' }, `${kernels}: every test is skipped: ${runs.why}`));
  }
}
document.getElementById('differences').addEventListener('change', (event) => {
  document.getElementById('tables').classList.toggle('only-differences', event.target.checked);
});
window.addEventListener('hashchange', follow);
follow();
