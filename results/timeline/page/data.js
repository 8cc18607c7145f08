'use strict';
// Reads the timelines of #timeline-0, #timeline-1 ... Texts come from guests: they become text nodes, never
// markup.

const data = JSON.parse(document.getElementById('data').textContent);
const part = (id) => document.getElementById(id);

let timeline;          // the one that is shown
let view;           // [from, to] of it in nanoseconds of shown time
let chosen = -1;    // item of it

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}

const milliseconds = (time, digits = 3) => `${(time / 1e6).toFixed(digits)} ms`;

function summed(deltas) {
  const times = new Float64Array(deltas.length);
  let sum = 0;
  for (let i = 0; i < deltas.length; i++) times[i] = sum += deltas[i];
  return times;
}

// The first of `count` for which at(i) is not below `value`; at() never goes back.
function firstNotBelow(count, at, value) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(middle) < value) low = middle + 1; else high = middle;
  }
  return low;
}

// Where nothing happens for long, the picture goes on sooner: what is drawn is in "shown" time, in which
// such a gap has the length `limit`. What is read is in real time.
const MOST_GAPS = 8;

function gapsOf(times) {
  const lengths = new Float64Array(Math.max(0, times.length - 1));
  for (let i = 0; i < lengths.length; i++) lengths[i] = times[i + 1] - times[i];
  const sorted = lengths.slice().sort();
  const few = Math.min(MOST_GAPS, Math.floor(sorted.length / 4));
  let busy = 0;
  for (let i = 0; i < sorted.length - few; i++) busy += sorted[i];
  const limit = Math.max(busy / MOST_GAPS, 1000);
  const gaps = [];
  let cut = 0;  // in all gaps so far
  for (let i = 0; i < lengths.length && few > 0; i++) {
    if (lengths[i] <= 2 * limit) continue;
    gaps.push({ from: times[i], to: times[i + 1], shownFrom: times[i] - cut, shownTo: times[i] - cut + limit });
    cut += lengths[i] - limit;
  }
  return gaps;
}

// From real time to shown time, and back.
function mapped(gaps, time, from, to, shownFrom, shownTo) {
  let low = 0, high = gaps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (gaps[middle][from] <= time) low = middle + 1; else high = middle;
  }
  if (low === 0) return time;
  const gap = gaps[low - 1];
  if (time >= gap[to]) return time - gap[to] + gap[shownTo];
  return gap[shownFrom] + (time - gap[from]) / (gap[to] - gap[from]) * (gap[shownTo] - gap[shownFrom]);
}
const shownTime = (gaps, time) => mapped(gaps, time, 'from', 'to', 'shownFrom', 'shownTo');
const realTime = (gaps, time) => mapped(gaps, time, 'shownFrom', 'shownTo', 'from', 'to');

function readArea(area) {
  const times = summed(area.times);
  const rows = area.used.map(() => []);
  for (let i = 0; i < times.length; i++) rows[area.rows[i]].push(i);
  return { ...area, times, rows };
}

// Fills in where things are drawn: with gaps cut, or as long as they were.
function layOut(one, cut) {
  const real = Float64Array.from([one.first, ...one.times, one.last]);
  one.gaps = cut ? gapsOf(real) : [];
  const shown = (time) => shownTime(one.gaps, time);
  one.at = one.times.map(shown);
  for (const area of one.areas) {
    area.at = area.times.map(shown);
    area.shownFrom = shown(area.from);
    area.shownTo = shown(area.to);
  }
  const from = shown(one.first), to = shown(one.last);
  const edge = Math.max(to - from, 1) * 0.01;
  one.whole = [from - edge, to + edge];
}

function read(number) {
  const raw = JSON.parse(part(`timeline-${number}`).textContent);
  const head = data.tests[number];
  const times = summed(raw.times);
  const kindsOf = head.lanes.map(() => new Set());
  const members = head.lanes.map(() => []);
  for (let i = 0; i < times.length; i++) {
    const [lane, thread, kind] = raw.shapes[raw.which[i]];
    members[lane].push(i);
    kindsOf[lane].add(kind);
    if (thread >= 0) { members[thread].push(i); kindsOf[thread].add(kind); }
  }
  const lanes = head.lanes.map(([of, name], lane) => {
    const kinds = [...kindsOf[lane]].sort((left, right) => left - right);
    return { of, name, members: members[lane], kinds, row: new Map(kinds.map((kind, i) => [kind, i])) };
  });
  const areas = raw.areas.map(readArea);
  // Also what lies in front of the first event and behind the last.
  let from = times.length ? times[0] : 0, to = times.length ? times[times.length - 1] : 1;
  for (const area of areas) { from = Math.min(from, area.from); to = Math.max(to, area.to); }
  const one = { number, head, times, lanes, areas, shapes: raw.shapes, which: raw.which,
    numbers: raw.numbers, lines: null, first: from, last: to,
    broken: new Map(head.failures.map((failure) => [failure[0], failure])) };
  layOut(one, true);
  return one;
}

function textOf(item) {
  if (timeline.lines === null) timeline.lines = timeline.numbers.split('\n');
  const numbers = timeline.lines[item].split(' ');
  let next = 0;
  return timeline.shapes[timeline.which[item]][3].replace(/\u0001/g, () => numbers[next++]);
}
