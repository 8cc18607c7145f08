// Put behind the page's own script: says to the frame around it what is wrong with the page.

const said = [];
const expect = (what, fits, seen) => said.push(`${fits ? 'ok' : 'FAILED'} ${location.hash}: ${what}`
  + (fits ? '' : `; there is: ${seen}`));
const panel = document.getElementById('cell');
const text = panel.textContent;
const has = (part) => expect(`"${part}" can be read`, text.includes(part), text);

expect('no text of a guest was run', document.title === 'zcrxlab matrix', document.title);
expect('there are no elements out of texts', document.querySelectorAll('b').length === 0, 'a <b>');
expect('it fits a phone', document.documentElement.scrollWidth <= 390,
  document.documentElement.scrollWidth);
const links = [...document.querySelectorAll('td a')];
expect('all cells are there', links.length === 12 * 6, links.length);
const skipped = [...document.querySelectorAll('#tables .skipped')].map((line) => line.textContent);
expect('a run that skipped all is a line', skipped.join() === '6.16.3: every test is skipped: needs a <b>driver</b>',
  skipped.join());
const faint = unreadable(document.querySelectorAll('td a, #legend li, .state, #terms, .quiet'));
expect('every text stands out', faint.length === 0, JSON.stringify(faint));
const rowOf = (name) => [...document.querySelectorAll('tbody tr')].find(
  (row) => row.querySelector('th').textContent === name);
const firstsOf = (name) => [...rowOf(name).querySelectorAll('td.first')].map((cell) => cell.textContent).join();
expect('the first bad and the first good kernel of a row', firstsOf('cqe32') === '7.2.12,6.17.13',
  firstsOf('cqe32'));
expect('of a row that is bad and never good', firstsOf('tcp') === '6.17.13,', firstsOf('tcp'));
const zeros = [...document.querySelectorAll('#legend li')].filter((item) => / 0 /.test(item.textContent));
expect('what is 0 has no colour', zeros.every((item) => item.className === 'none'),
  zeros.map((item) => item.className).join());
const shownRows = () => [...document.querySelectorAll('tbody tr')].filter((row) => row.offsetParent !== null).length;
const rowsBefore = shownRows();
document.getElementById('differences').click();
expect('rows that are the same can be hidden', shownRows() < rowsBefore && rowOf('cqe32').offsetParent !== null,
  `${shownRows()} of ${rowsBefore}`);
document.getElementById('differences').click();
expect('and shown again', shownRows() === rowsBefore, shownRows());
expect('the background is told', true);
said.push(`background ${getComputedStyle(document.body).backgroundColor}`);

const open = !panel.hidden;
if (location.hash === '' || location.hash.includes('/9.9/')) {
  expect('no cell is open', !open, text);
} else {
  expect('the cell is open', open, 'hidden');
  expect('there is nothing that is not', !/null|undefined|NaN|object/.test(text), text);
  expect('its cell is marked', document.querySelectorAll('[aria-current]').length === 1, 'none');
}
if (location.hash.includes('cqe32')) {
  has('cqe32, 7.2.12 on gve: failed');
  // This script stands in the page, and must not end where the text would end it.
  has("%/script>%script>document.title='broken'%/script>%!-- %b>| `x`".replaceAll('%', '<'));
  has('12.5 ms CQE');
  has('<b>wide</b>');
  has('zcrxlab run --kernel 7.2.12 --nic gve --seed 1 --filter cqe32.hostile');
  const test = panel.querySelector('details[data-status=failed]');
  expect('a failed test is unfolded', test !== null && test.open, 'folded');
  const logs = [...panel.querySelectorAll('.logs a')].map((link) => link.getAttribute('href'));
  expect('logs are linked', logs.some((log) => log.endsWith('/7.2.12-gve/kernel.log')), logs.join());
}
if (location.hash.includes('chapter/receive')) {
  has('2 tests: 1 passed, 1 skipped');
  has("zcrxlab run --kernel 6.18.15 --nic gve --seed 1 --filter 'receive.one:receive.two'");
}
if (location.hash.includes('chapter/tcp') && location.hash.includes('6.18')) {
  has('tcp, 6.18.15 on gve: known bug of this kernel');
  has('commit 1234abcd');
}
if (location.hash.includes('guest')) {
  has("The guest's kernel panicked: Oops");
  has('last words of 7.3.4');
  has("--filter 'receive.*:tcp.*:cqe32.*'");
}
if (location.hash.includes('6.16.12')) has('This kernel has no gve driver.');
if (location.hash.includes('nodev')) has('events, 7.3.4 on nodev: not run');

// A cell opens by a tap, and its address is that of the cell.
if (location.hash === '') {
  links[0].click();
  window.addEventListener('hashchange', () => {
    expect('a tap opens a cell', !panel.hidden && panel.textContent.startsWith('guest, 6.16.12'),
      panel.textContent);
    window.parent.postMessage(said, '*');
  });
} else {
  window.parent.postMessage(said, '*');
}
