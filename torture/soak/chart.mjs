// @ts-check
// The samples of a soak as a picture: one panel for each kind of figure over the same time, faults as grey bars.

import { ceiling, LINE_COLOURS, label, path, shown, svg } from '../../bench/svg.mjs';

/**
 * @typedef {import('./samples.mjs').Sample} Sample
 * @typedef {{ name: string, of: (sample: Sample) => number | undefined }} Line
 * @typedef {{ title: string, lines: readonly Line[] }} Panel
 * @typedef {{ from: number, to: number }} Span in seconds
 */

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, GAP] = [860, 110, 56, 26, 30, 44];
const MB = 2 ** 20;

/** @param {number} nodes @returns {Panel[]} */
function panelsOf(nodes) {
  const each = (/** @type {(node: import('./samples.mjs').NodeSample) => number | undefined} */ of) =>
    Array.from({ length: nodes }, (_, index) => ({
      name: `node ${index + 1}`,
      of: (/** @type {Sample} */ sample) => {
        const node = sample.nodes[index];
        return node === undefined ? undefined : of(node);
      },
    }));
  return [
    { title: 'resident memory, MB', lines: each(({ memory }) => memory / MB) },
    { title: 'file handles without connections of clients', lines: each(({ handles }) => handles) },
    { title: 'connections of the database', lines: [{ name: '', of: ({ connections }) => connections }] },
    { title: 'p99 of requests that no fault met, ms', lines: [{ name: '', of: ({ p99 }) => p99 }] },
  ];
}

/** @param {readonly Sample[]} samples @param {{ minutes: number, nodes: number, windows: readonly Span[] }} options */
export function chartOf(samples, { minutes, nodes, windows }) {
  const seconds = minutes * 60;
  const x = (/** @type {number} */ second) => LEFT + (Math.min(second, seconds) / seconds) * (WIDTH - LEFT - RIGHT);
  const panels = panelsOf(nodes);
  const drawn = panels.map(({ title, lines }, index) => {
    const top = TOP + index * (HEIGHT + GAP);
    const values = samples.flatMap((sample) => lines.map(({ of }) => of(sample) ?? 0));
    const most = ceiling(values.reduce((highest, value) => Math.max(highest, value), 1));
    const y = (/** @type {number} */ value) => top + HEIGHT - (value / most) * HEIGHT;
    const bars = windows.map(({ from, to }) => {
      const width = Math.max(0.5, x(to) - x(from));
      return `<rect x="${shown(x(from))}" y="${top}" width="${shown(width)}" height="${HEIGHT}" fill="#e3e3e3"/>`;
    });
    const drawnLines = lines.map(({ of }, at) => {
      const points = samples.map((sample) => {
        const value = of(sample);
        return value === undefined ? undefined : /** @type {[number, number]} */ ([x(sample.second), y(value)]);
      });
      return `<path d="${path(points)}" fill="none" stroke="${LINE_COLOURS[at % LINE_COLOURS.length]}" stroke-width="1.2"/>`;
    });
    const names = lines.map(({ name }, at) =>
      name === ''
        ? ''
        : `<g fill="${LINE_COLOURS[at % LINE_COLOURS.length]}">${label(name, WIDTH - RIGHT - (lines.length - 1 - at) * 60, top - 7, 'end')}</g>`,
    );
    return [
      ...bars,
      `<path d="M${LEFT} ${top}V${top + HEIGHT}H${WIDTH - RIGHT}" fill="none" stroke="#888"/>`,
      label(title, LEFT, top - 7),
      ...names,
      label(String(most), LEFT - 6, top + 8, 'end'),
      label('0', LEFT - 6, top + HEIGHT, 'end'),
      ...drawnLines,
      ...[0, 0.5, 1].map((part) =>
        label(`${shown(minutes * part)} min`, x(seconds * part), top + HEIGHT + 14, 'middle'),
      ),
    ].join('\n');
  });
  const height = TOP + panels.length * (HEIGHT + GAP);
  return svg(WIDTH, height, drawn.join('\n'));
}
