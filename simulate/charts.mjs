// @ts-check
// The pictures: the load of the hottest database hour by hour, the sizes of the applications, and what fleets need.

import { ceiling, LINE_COLOURS, label, path, shown, svg } from '../bench/svg.mjs';

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [860, 290, 60, 20, 66, 34];
/** Names of lines stand in rows of three. */
const [NAMES, NAME_WIDTH] = [3, 220];

/** @typedef {{ name: string, points: readonly (readonly [number, number])[] }} Line */
/** @typedef {{ title: string, lines: readonly Line[], x: Axis, y: Axis }} Chart */
/** @typedef {{ least: number, most: number, isLog?: boolean, ticks: readonly number[], unit: (value: number) => string }} Axis */

/** @param {Axis} axis @param {number} length */
const placing = ({ least, most, isLog = false }, length) => {
  const of = isLog ? Math.log10 : (/** @type {number} */ value) => value;
  return (/** @type {number} */ value) => ((of(value) - of(least)) / (of(most) - of(least))) * length;
};

/** @param {Chart} chart */
function draw({ title, lines, x, y }) {
  const placeX = placing(x, WIDTH - LEFT - RIGHT);
  const placeY = placing(y, HEIGHT - TOP - BOTTOM);
  const at = (/** @type {number} */ valueX, /** @type {number} */ valueY) =>
    /** @type {[number, number]} */ ([LEFT + placeX(valueX), HEIGHT - BOTTOM - placeY(valueY)]);
  const [left, bottom] = [LEFT, HEIGHT - BOTTOM];
  const parts = [
    `<g font-size="13">${label(title, LEFT, 16)}</g>`,
    ...y.ticks.map((tick) => {
      const [, line] = at(x.least, tick);
      return `<path d="M${left} ${shown(line)}H${WIDTH - RIGHT}" stroke="#ddd"/>${label(y.unit(tick), left - 6, line + 4, 'end')}`;
    }),
    ...x.ticks.map((tick) => label(x.unit(tick), at(tick, y.least)[0], bottom + 16, 'middle')),
    ...lines.map(({ name, points }, index) => {
      const colour = LINE_COLOURS[index % LINE_COLOURS.length];
      const legend = `<g fill="${colour}">${label(name, LEFT + (index % NAMES) * NAME_WIDTH, 34 + Math.floor(index / NAMES) * 16)}</g>`;
      const drawn = points.map(([valueX, valueY]) => at(valueX, valueY));
      return `${legend}<path d="${path(drawn)}" fill="none" stroke="${colour}" stroke-width="1.4"/>`;
    }),
    `<path d="M${left} ${TOP}V${bottom}H${WIDTH - RIGHT}" fill="none" stroke="#888"/>`,
  ];
  return svg(WIDTH, HEIGHT, parts.join('\n'));
}

const percent = (/** @type {number} */ part) => `${Math.round(part * 100)} %`;

/** Above a million with a letter. @param {number} value */
export const short = (value) =>
  value >= 1e6
    ? `${(value / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} M`
    : value.toLocaleString('en', { maximumFractionDigits: 0 });

/** @param {readonly import('./fleet.mjs').Played[]} played @param {number} days */
export function loadChart(played, days) {
  const most = ceiling(Math.max(...played.flatMap(({ hours }) => hours.map(({ hottest }) => hottest))) * 100) / 100;
  const first = played[0]?.hours ?? [];
  return draw({
    title: 'Load of the hottest database, in parts of its cores',
    lines: [
      ...played.map(({ rule, hours }) => ({
        name: rule.name,
        points: hours.map(({ hottest }, hour) => /** @type {const} */ ([hour / 24, hottest])),
      })),
      { name: 'mean of all', points: first.map(({ mean }, hour) => /** @type {const} */ ([hour / 24, mean])) },
    ],
    x: {
      ...{ least: 0, most: days, unit: (day) => `day ${day}` },
      ticks: Array.from({ length: Math.floor(days / 2) + 1 }, (_, index) => index * 2),
    },
    y: { least: 0, most, ticks: [0, 0.25, 0.5, 0.75, 1].map((part) => part * most), unit: percent },
  });
}

/** Powers of ten. @param {number} least @param {number} most */
function powers(least, most) {
  const from = Math.floor(Math.log10(least));
  return Array.from({ length: Math.ceil(Math.log10(most)) - from + 1 }, (_, index) => 10 ** (from + index));
}

/** @param {Float64Array} users */
export function sizeChart(users) {
  const sorted = users.toSorted().reverse();
  const ranks = [];
  for (let rank = 1; rank <= sorted.length; rank = Math.ceil(rank * 1.1)) ranks.push(rank);
  const points = ranks.map((rank) => /** @type {const} */ ([rank, Math.max(1, sorted[rank - 1] ?? 1)]));
  const [x, y] = [powers(1, sorted.length), powers(1, sorted[0] ?? 1)];
  return draw({
    title: 'Users of the applications, from the largest to the smallest',
    lines: [{ name: '', points }],
    x: { least: 1, most: x.at(-1) ?? 10, isLog: true, ticks: x, unit: short },
    y: { least: 1, most: y.at(-1) ?? 10, isLog: true, ticks: y, unit: short },
  });
}

/** @param {readonly import('./capacity.mjs').Need[]} needs */
export function needChart(needs) {
  const of = (/** @type {(need: import('./capacity.mjs').Need) => number} */ value) =>
    needs.map((need) => /** @type {const} */ ([need.users, Math.max(1, value(need))]));
  const x = powers(needs[0]?.users ?? 1, needs.at(-1)?.users ?? 10);
  const lines = [
    { name: 'cores of servers', points: of(({ serverCores }) => serverCores) },
    { name: 'databases, by processor', points: of(({ databases }) => databases.processor) },
    { name: 'databases, by disk', points: of(({ databases }) => databases.disk) },
    { name: 'databases, by applications', points: of(({ databases }) => databases.applications) },
  ];
  const y = powers(1, Math.max(...lines.flatMap(({ points }) => points.map(([, value]) => value))));
  return draw({
    ...{ title: 'What a number of users needs', lines },
    x: { least: x[0] ?? 1, most: x.at(-1) ?? 10, isLog: true, ticks: x, unit: short },
    y: { least: 1, most: y.at(-1) ?? 10, isLog: true, ticks: y, unit: short },
  });
}
