// @ts-check
// The chart of the peers as SVG: a bar for each side, operation by operation, on a scale by powers of ten, since a bar of
// the slowest would not be seen otherwise. It has no script, no font of its own, and colours for light and dark pages.

const WIDTH = 860;
const LEFT = 130;
const RIGHT = 70;
const BAR = 11;
const GAP = 12;
const TOP = 46;
/** By their place, ours first: of even brightness, told apart without red and green. */
const COLOURS = ['#1f77d0', '#8a94a0', '#d9861a', '#8e6bd8', '#2aa198', '#c2549b'];

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** @param {number} value */
const shown = (value) =>
  value < 10 && !Number.isInteger(value) ? value.toFixed(1) : Math.round(value).toLocaleString('en');

/**
 * @param {readonly import('../measure.mjs').Result[]} results all of the same number of connections
 * @param {readonly string[]} sides
 * @param {string} title
 * @returns {string}
 */
export function chart(results, sides, title) {
  const operations = [...new Set(results.map(({ operation }) => operation))];
  const speeds = results.map(({ perSecond }) => perSecond).filter((value) => value > 0);
  const [low, high] = [Math.floor(Math.log10(Math.min(...speeds, 1))), Math.ceil(Math.log10(Math.max(...speeds, 10)))];
  /** @param {number} value */
  const reach = (value) => ((Math.log10(value) - low) / (high - low)) * (WIDTH - LEFT - RIGHT);
  const block = sides.length * BAR + GAP;
  const bottom = TOP + operations.length * block;
  const parts = [];
  for (let power = low; power <= high; power++) {
    const x = (LEFT + reach(10 ** power)).toFixed(1);
    parts.push(`<line class="rule" x1="${x}" y1="${TOP - 6}" x2="${x}" y2="${bottom - GAP}"/>`);
    parts.push(`<text class="mute" x="${x}" y="${bottom + 4}" text-anchor="middle">${shown(10 ** power)}</text>`);
  }
  operations.forEach((operation, row) => {
    const y = TOP + row * block;
    const middle = y + (sides.length * BAR) / 2 + 4;
    parts.push(`<text x="${LEFT - 8}" y="${middle}" text-anchor="end">${escaped(operation)}</text>`);
    sides.forEach((side, place) => {
      const value = results.find((one) => one.operation === operation && one.side === side)?.perSecond;
      const at = y + place * BAR;
      if (value === undefined || value <= 0) {
        parts.push(`<text class="small mute" x="${LEFT + 3}" y="${at + BAR - 2.5}">–</text>`);
        return;
      }
      const length = Math.max(1, reach(value));
      const colour = COLOURS[place % COLOURS.length];
      parts.push(`<rect x="${LEFT}" y="${at}" width="${length.toFixed(1)}" height="${BAR - 1.5}" fill="${colour}"/>`);
      const label = `<text class="small" x="${(LEFT + length + 4).toFixed(1)}" y="${at + BAR - 2.5}">${shown(value)}</text>`;
      parts.push(label);
    });
  });
  const head = [`<text class="title" x="8" y="16">${escaped(title)}</text>`, ...legend(sides)];
  return svg(bottom + 12, title, [...head, ...parts]);
}

/** @param {readonly string[]} sides */
function legend(sides) {
  let x = 8;
  return sides.flatMap((side, place) => {
    const at = x;
    x += 24 + side.length * 6.6;
    return [
      `<rect x="${at}" y="24" width="9" height="9" fill="${COLOURS[place % COLOURS.length]}"/>`,
      `<text x="${at + 13}" y="32">${escaped(side)}</text>`,
    ];
  });
}

/** @param {number} height @param {string} title @param {readonly string[]} parts */
const svg = (
  height,
  title,
  parts,
) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">
<style>
  .page { fill: #ffffff; }
  text { font: 12px sans-serif; fill: #1f2328; }
  .title { font-weight: bold; }
  .small { font-size: 9.5px; }
  .mute { fill: #656d76; }
  .rule { stroke: #d0d7de; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; }
    text { fill: #e6edf3; }
    .mute { fill: #9198a1; }
    .rule { stroke: #3d444d; }
  }
</style>
<rect class="page" width="${WIDTH}" height="${height}"/>
${parts.join('\n')}
</svg>
`;
