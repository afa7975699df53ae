// JSON values as literals of a programming language, in one line where that can be read.

interface Style {
  readonly true: string;
  readonly false: string;
  readonly null: string;
  readonly indent: number;
  readonly key: (name: string) => string;
}

/** JSON's way to write strings is JavaScript's and Python's as well. */
const text = (value: string): string => JSON.stringify(value);

export const JAVASCRIPT: Style = {
  true: 'true',
  false: 'false',
  null: 'null',
  indent: 2,
  // `__proto__` would set the prototype.
  key: (name) => (name === '__proto__' ? '["__proto__"]' : /^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name)),
};

export const PYTHON: Style = { true: 'True', false: 'False', null: 'None', indent: 4, key: text };

const LINE_MAX = 72;

/** `depth`: how far the line that it begins in is indented. */
export function literal(value: unknown, style: Style, depth = 0): string {
  if (typeof value === 'string') return text(value);
  if (value === true || value === false) return style[`${value}`];
  if (value === null || value === undefined) return style.null;
  if (typeof value !== 'object') return String(value);
  const isList = Array.isArray(value);
  const [opening, closing] = isList ? ['[', ']'] : ['{', '}'];
  const partsAt = (inner: number) =>
    isList
      ? value.map((item) => literal(item, style, inner))
      : Object.entries(value).map(([name, item]) => `${style.key(name)}: ${literal(item, style, inner)}`);
  const parts = partsAt(depth);
  const padding = style === JAVASCRIPT && !isList && parts.length > 0 ? ' ' : '';
  const line = `${opening}${padding}${parts.join(', ')}${padding}${closing}`;
  if (!line.includes('\n') && line.length + depth * style.indent <= LINE_MAX) return line;
  const outer = ' '.repeat(style.indent * depth);
  const inner = ' '.repeat(style.indent * (depth + 1));
  return `${opening}\n${partsAt(depth + 1)
    .map((part) => `${inner}${part},\n`)
    .join('')}${outer}${closing}`;
}
