// Put behind the page: says to the frame around it what is wrong with the page.

const said = [];
const expect = (what, fits, seen) => said.push(`${fits ? 'ok' : 'FAILED'}: ${what}`
  + (fits ? '' : `; there is: ${seen}`));
// Not of the body: this script stands there, too.
const text = ['header', 'main'].map((part) => document.querySelector(part).textContent).join('\n');
const has = (part) => expect(`"${part}" can be read`, text.includes(part), text);
const all = (selector) => [...document.querySelectorAll(selector)];

expect('no text of a guest is an element', all('main b, main i, main script, fixture').length === 0, 'one');
expect('no text of a guest was run', document.title.startsWith('7 tests on gve'), document.title);
has('7 tests on gve, 7.3.4 <fixture>');
has('QEMU died.');
// This script stands in the page, and must not end where the text would end it.
has("%script>document.title='broken'%/script> is %b>wrong%/b>.".replaceAll('%', '<'));
has('vm/zcrxlab run --seed 7 --filter cqe32.hostile');
has('--filter cq_full');
has('needs 7.2');
has('as the finding says');
expect('each failure has its part', all('section').length === 3, all('section').length);
expect('each test has its row', all('tbody tr').length === 7, all('tbody tr').length);
expect('a phone shows the verdicts without scrolling',
  all('tbody td.seconds').every((each) => each.getBoundingClientRect().right <= 390), 'further right');
const folded = all('details');
expect('what happened is folded', folded.length === 1 && !folded[0].open, folded.length);
folded[0].querySelector('summary').click();
expect('a tap unfolds it', folded[0].open && folded[0].textContent.includes('<i>4096</i>'), 'folded');
expect('it fits a phone with all of it unfolded', document.documentElement.scrollWidth <= 390,
  document.documentElement.scrollWidth);
expect('other files are linked', all('.links a').map((each) => each.getAttribute('href')).join()
  === 'kernel.log,trace.html', all('.links a').length);
const colours = ['passed', 'failed', 'known', 'skipped'].map(
  (name) => getComputedStyle(document.querySelector(`td .${name}`)).color);
expect('verdicts are told apart', new Set(colours).size === 4, colours.join());

const faint = unreadable(all('p, .state, .quiet, td, pre, h1, h2, summary, a'));
expect('every text stands out', faint.length === 0, JSON.stringify(faint));
said.push(`background ${getComputedStyle(document.body).backgroundColor}`);
window.parent.postMessage(said, '*');
