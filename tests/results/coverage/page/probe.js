// Put behind the page: says to the frame around it what is wrong with the page.

const said = [];
const expect = (what, fits, seen) => said.push(`${fits ? 'ok' : 'FAILED'}: ${what}`
  + (fits ? '' : `; there is: ${seen}`));
// Not of the body: this script stands there, too.
const text = ['header', 'main'].map((part) => document.querySelector(part).textContent).join('\n');
const has = (part) => expect(`"${part}" can be read`, text.includes(part), text);
const all = (selector) => [...document.querySelectorAll(selector)];

expect('no text of a source is an element', all('pre b b, never, fixture, pre script').length === 0,
  'one');
has('Coverage of 7.3.4 <fixture>');
has('return "<b>&amp;</b><script>document";');
has('Not wholly run: two() is <never> needed');
has('never: lines 16-18 were never run, and no reason is given');
has('selftest+liburing');
has('66.7 %');

const functions = all('details');
expect('all functions are there, as they stand in the source',
  functions.map((each) => each.id.split('-').pop()).join() === 'taken,half,never', functions.length);
expect('they are folded', functions.every((each) => !each.open), 'open');
functions[1].querySelector('summary').click();
expect('a tap unfolds one', functions[1].open, 'folded');
for (const each of functions) each.open = true;
expect('it fits a phone with all of them unfolded', document.documentElement.scrollWidth <= 390,
  document.documentElement.scrollWidth);
const long = functions[1].querySelector('pre');
expect('a long line is scrolled to', long.scrollWidth > long.clientWidth, long.scrollWidth);

const line = (number) => all('pre span').find((each) => parseInt(each.textContent, 10) === number);
const back = (number) => getComputedStyle(line(number)).backgroundColor;
expect('a line says how often and by whom it was run, and its branches',
  line(5).textContent.replace(/\s+/g, ' ').startsWith(' 5 1234k s 1/2 '), line(5).textContent);
expect('a line never run, one with a branch never taken and others are told apart',
  new Set([back(13), back(5), back(12)]).size === 3, [back(13), back(5), back(12)].join());
expect('a line without code has no count', /^ +4 +\{$/.test(line(4).textContent),
  line(4).textContent);
expect('a phone shows the suite\'s share of the lines without scrolling',
  all('tbody td')[2].getBoundingClientRect().right <= 390,
  all('tbody td')[2].getBoundingClientRect().right);
expect('the table leads to its source',
  document.querySelector(all('table a')[0].getAttribute('href')) !== null, 'nowhere');

const faint = unreadable(all('p, li, .state, .quiet, td, th, pre span, pre b, h1, h2, summary'));
expect('every text stands out', faint.length === 0, JSON.stringify(faint));
said.push(`background ${getComputedStyle(document.body).backgroundColor}`);
window.parent.postMessage(said, '*');
