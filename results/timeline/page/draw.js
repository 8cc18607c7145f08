// Draws a timeline: a canvas for each lane and each area.

const KIND_ROW = 7;     // pixels of each kind in a lane
const MAP_HEIGHT = 320; // pixels of a map at most
const OWNER_CLASS = ['free', 'posted', 'socket', 'user', 'ring', 'twice'];
// Where several share a pixel, the one that matters more is shown; -1 is none.
const OWNER_RANK = [0, 1, 3, 4, 2, 5];

let colours;  // of this scheme

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(`--${name}`).trim();
  const kinds = data.kinds.map((name) => get(`kind-${name}`));
  const owners = OWNER_CLASS.map((name) => get(`owner-${name}`));
  const number = (hex) => {
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;  // as ImageData has it
  };
  colours = { kinds, owners, pixels: owners.map(number), text: get('text'), failed: get('failed'),
    line: get('line'), quiet: get('quiet') };
}

// A canvas of the width that it has, in pixels of the page, cleared.
function prepared(canvas, height) {
  const width = Math.max(1, Math.floor(part('lanes').clientWidth));
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  context.scale(ratio, ratio);
  return [context, width];
}

const place = (time, width) => (time - view[0]) / (view[1] - view[0]) * width;
const timeAt = (x, width) => view[0] + x / width * (view[1] - view[0]);

function drawMarks(context, width, height) {
  for (const gap of timeline.gaps) {
    const left = place(gap.shownFrom, width), right = place(gap.shownTo, width);
    if (right < 0 || left > width) continue;
    context.fillStyle = colours.line;
    for (let x = Math.ceil((left + right) / 2) - 3; x <= (left + right) / 2 + 3; x += 4)
      context.fillRect(x, 0, 1, height);
  }
  for (const [item] of timeline.broken) {
    context.fillStyle = colours.failed;
    context.fillRect(Math.round(place(timeline.at[item], width)) - 1, 0, 2, height);
  }
  if (chosen >= 0) {
    context.fillStyle = colours.text;
    context.fillRect(Math.round(place(timeline.at[chosen], width)), 0, 1, height);
  }
}

function drawLane(lane) {
  const height = Math.max(14, KIND_ROW * lane.kinds.length);
  const [context, width] = prepared(lane.canvas, height);
  const last = new Int32Array(lane.kinds.length).fill(-10);
  const scale = width / (view[1] - view[0]);
  const marks = lane.kinds.map(() => []);
  let i = firstNotBelow(lane.members.length, (at) => timeline.at[lane.members[at]], view[0]);
  for (; i < lane.members.length; i++) {
    const item = lane.members[i];
    const x = Math.floor((timeline.at[item] - view[0]) * scale);
    if (x > width) break;
    const row = lane.row.get(timeline.shapes[timeline.which[item]][2]);
    // What would not be seen behind the one before it is not drawn.
    if (x <= last[row]) continue;
    last[row] = x;
    marks[row].push(x);
  }
  const each = height / Math.max(1, lane.kinds.length);
  lane.kinds.forEach((kind, row) => {
    context.fillStyle = colours.kinds[kind];
    for (const x of marks[row]) context.fillRect(x, row * each, 2, each - 1);
  });
  drawMarks(context, width, height);
}

function drawMap(area) {
  const rows = area.used.length;
  const thick = Math.max(1, Math.min(10, Math.floor(MAP_HEIGHT / Math.max(rows, 1))));
  const height = Math.min(MAP_HEIGHT, Math.max(rows, 1) * thick);
  const [context, width] = prepared(area.canvas, height);
  const ranks = new Int8Array(width * height).fill(-1);
  const scale = width / (view[1] - view[0]);
  const column = (time) => Math.floor((time - view[0]) * scale);
  const fill = (top, bottom, from, to, owner) => {
    const left = Math.max(0, column(from));
    const right = Math.min(width - 1, Math.max(column(from), column(to) - 1));
    const rank = OWNER_RANK[owner];
    for (let y = top; y < bottom; y++)
      for (let x = left, at = y * width + left; x <= right; x++, at++)
        if (ranks[at] < rank) ranks[at] = rank;
  };
  for (let row = 0; row < rows; row++) {
    const top = rows * thick <= MAP_HEIGHT ? row * thick : Math.floor(row * height / rows);
    const bottom = rows * thick <= MAP_HEIGHT ? top + Math.max(1, thick - (thick > 3 ? 1 : 0)) : top + 1;
    const changes = area.rows[row];
    let i = firstNotBelow(changes.length, (at) => area.at[changes[at]], view[0]);
    let from = i === 0 ? area.shownFrom : area.at[changes[i - 1]];
    let owner = i === 0 ? 0 : area.owners[changes[i - 1]];
    for (; i < changes.length && from < view[1]; i++) {
      fill(top, bottom, from, area.at[changes[i]], owner);
      from = area.at[changes[i]];
      owner = area.owners[changes[i]];
    }
    if (from < view[1]) fill(top, bottom, from, area.shownTo, owner);
  }
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const ofRank = OWNER_RANK.map((_, rank) => colours.pixels[OWNER_RANK.indexOf(rank)]);
  for (let at = 0; at < ranks.length; at++) if (ranks[at] >= 0) pixels[at] = ofRank[ranks[at]];
  const picture = new OffscreenCanvas(width, height);
  picture.getContext('2d').putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, 0, 0);
  drawMarks(context, width, height);
  area.shown = { rows, thick, height };
}

function drawRuler() {
  const [context, width] = prepared(timeline.ruler, 20);
  const span = view[1] - view[0];
  let step = 10 ** Math.floor(Math.log10(span / Math.max(2, width / 110)));
  for (const factor of [2, 2.5, 2]) if (span / step * 110 > width) step *= factor;
  const digits = Math.max(0, Math.ceil(6 - Math.log10(step) - 1e-9));
  context.font = '11px system-ui, sans-serif';
  for (let time = Math.ceil(view[0] / step) * step; time <= view[1]; time += step) {
    const x = Math.round(place(time, width));
    context.fillStyle = colours.line;
    context.fillRect(x, 0, 1, 20);
    context.fillStyle = colours.quiet;
    context.fillText(milliseconds(realTime(timeline.gaps, time), digits), x + 4, 13);
  }
  drawMarks(context, width, 20);
}

function draw() {
  drawRuler();
  for (const lane of timeline.lanes) drawLane(lane);
  for (const area of timeline.areas) drawMap(area);
}
