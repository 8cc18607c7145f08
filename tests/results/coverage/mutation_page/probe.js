// Put behind the page: says to the frame around it what is wrong with the page.

const said = [];
const expect = (what, fits, seen) => said.push(`${fits ? 'ok' : 'FAILED'}: ${what}`
  + (fits ? '' : `; there is: ${seen}`));
// Not of the body: this script stands there, too.
const text = ['header', 'main'].map((part) => document.querySelector(part).textContent).join('\n');
const has = (part) => expect(`"${part}" can be read`, text.includes(part), text);
const all = (selector) => [...document.querySelectorAll(selector)];

expect('no text of a source or a run is an element',
  all('pre b b, fixture, was, so, freed, nothing, fin, pre script').length === 0, 'one');
has('Mistakes in the kernel: 6 of 8 noticed, 1 more at times; 1 set aside, 1 of them by hand');
has('io_uring/zcrx.c <fixture>');
has('return "<b>&amp;</b><script>document";');
has('"<was>" becomes "<is>"');
has('by receive.zzz (I1) in 1 of 3 runs: It said <so>.');
has('tcp.<fin> failed, and alone in 0 of 3 runs');
has('It is <freed>.');
has('Line 3 is about <nothing>');

const functions = all('details');
expect('the functions in which mistakes were made are there, as they stand in the source',
  functions.map((each) => each.id.split('-').pop()).join() === 'noticed,mixed', functions.length);
expect('they are folded', functions.every((each) => !each.open), 'open');
functions[1].querySelector('summary').click();
expect('a tap unfolds one', functions[1].open, 'folded');
for (const each of functions) each.open = true;
expect('it fits a phone with all of them unfolded', document.documentElement.scrollWidth <= 390,
  document.documentElement.scrollWidth);

const line = (number) => all('pre span').find((each) => parseInt(each.textContent, 10) === number);
const words = (number) => line(number).textContent.replace(/\s+/g, ' ').trim();
const back = (number) => getComputedStyle(line(number)).backgroundColor;
expect('noticed, at times, not noticed, set aside and untouched lines are told apart',
  new Set([back(10), back(12), back(11), back(13), back(9)]).size === 5,
  [back(10), back(12), back(11), back(13), back(9)].join());
expect('a line is as its worst mistake', line(11).className === 'never', line(11).className);
expect('a line says how many were noticed and by whom',
  words(3) === '3 4/4 if (a < b && p->x)receive.one, receive.three, receive.two, 1 more', words(3));
expect('and what was not', words(11).endsWith('not noticed: call-left-out, receive.one'), words(11));
expect('the table has a row for each rule and one for all',
  all('tbody th').map((each) => each.textContent).join()
  === 'call-left-out,comparison,condition-always,condition-never,logic,off-by-one,all',
  all('tbody th').map((each) => each.textContent).join());
expect('which add up', all('tbody tr:last-child td').map((each) => each.textContent).join()
  === '8,6,1,1,1,0', all('tbody tr:last-child td').map((each) => each.textContent).join());

const faint = unreadable(all('p, li, .state, .quiet, td, th, pre span, pre b, pre i, h1, h2, summary'));
expect('every text stands out', faint.length === 0, JSON.stringify(faint));
said.push(`background ${getComputedStyle(document.body).backgroundColor}`);
window.parent.postMessage(said, '*');
