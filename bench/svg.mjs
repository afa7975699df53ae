// @ts-check
// What charts with lines have in common.

/** By the place of a line: of even brightness, told apart without red and green. */
export const LINE_COLOURS = ['#1f5fa8', '#c2571a', '#2d7d46', '#7a3f9d', '#6b7280'];

/** A round number that is not less. @param {number} value */
export function ceiling(value) {
  const unit = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return unit * ([1, 2, 4, 5, 6, 8, 10].find((times) => unit * times >= value) ?? 10);
}

/** @param {number} value */
export const shown = (value) => String(Math.round(value * 10) / 10);

/** @param {string} text @param {number} x @param {number} y @param {string} [anchor] */
export const label = (text, x, y, anchor = 'start') =>
  `<text x="${shown(x)}" y="${shown(y)}" text-anchor="${anchor}">${text}</text>`;

/** Lines have gaps where there is no point. @param {readonly ([number, number] | undefined)[]} points */
export function path(points) {
  let pen = 'M';
  return points
    .map((point) => {
      const drawn = point === undefined ? '' : `${pen}${shown(point[0])} ${shown(point[1])}`;
      pen = point === undefined ? 'M' : 'L';
      return drawn;
    })
    .join('');
}

/** @param {number} width @param {number} height @param {string} content */
export const svg = (width, height, content) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">
<rect width="${width}" height="${height}" fill="#fff"/>
${content}
</svg>
`;
