// Which columns are shown, in which order, how wide, and how many stay while the others scroll. A view is small, so only
// what differs from the collection’s own order is kept.

export interface ColumnSettings {
  /** Columns that come first, in this order. */
  readonly order: readonly string[];
  readonly hidden: readonly string[];
  /** Whether the columns in neither list follow, in the collection's order; also those that are added later. */
  readonly rest: boolean;
  readonly frozen: number;
  /** In pixels; a column without one has the width of its type. */
  readonly widths: Readonly<Record<string, number>>;
}

export const DEFAULT_COLUMNS: ColumnSettings = { order: [], hidden: [], rest: true, frozen: 1, widths: {} };

export const WIDTH_MIN = 64;
export const WIDTH_MAX = 800;
/** More would leave no room for the columns that scroll. */
export const FROZEN_MAX = 5;
/** The columns of a collection; a list of more was written for something else. */
const LIST_MAX = 10_000;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const idsOf = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? [...new Set(value.slice(0, LIST_MAX).filter((each): each is string => typeof each === 'string'))]
    : [];

export const widthOf = (pixels: number): number => Math.round(Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, pixels)));

/** From settings that anything may have written. A plain list of IDs is the columns that are shown. */
export function readColumnSettings(value: unknown): ColumnSettings | undefined {
  if (Array.isArray(value)) return { ...DEFAULT_COLUMNS, order: idsOf(value), rest: false };
  if (!isObject(value)) return undefined;
  const { order, hidden, rest, frozen, widths } = value;
  const known = Object.entries(isObject(widths) ? widths : {})
    .filter((entry): entry is [string, number] => Number.isFinite(entry[1]))
    .slice(0, LIST_MAX)
    .map(([id, width]) => [id, widthOf(width)]);
  return {
    order: idsOf(order),
    hidden: idsOf(hidden),
    rest: rest !== false,
    frozen: typeof frozen === 'number' && Number.isInteger(frozen) ? Math.max(0, Math.min(FROZEN_MAX, frozen)) : 1,
    widths: Object.fromEntries(known),
  };
}

/** The columns that are shown, out of those that exist (`all`). There is always one, since it leads to the record. */
export function shownColumns(all: readonly string[], { order, hidden, rest }: ColumnSettings): readonly string[] {
  const existing = new Set(all);
  const out = new Set(hidden);
  const first = order.filter((id) => existing.has(id) && !out.has(id));
  const before = new Set(first);
  const shown = rest ? [...first, ...all.filter((id) => !before.has(id) && !out.has(id))] : first;
  if (shown.length > 0) return shown;
  // Every column that was chosen is gone: the view still opens.
  return order.length > 0 ? all : all.slice(0, 1);
}

/** With the shown columns in this order. What follows in the collection's order need not be listed. */
export function arrangeColumns(
  all: readonly string[],
  settings: ColumnSettings,
  shown: readonly string[],
): ColumnSettings {
  if (!settings.rest) return { ...settings, order: shown };
  const places = new Map(all.map((id, place) => [id, place]));
  const place = (index: number) => places.get(shown[index] ?? '') ?? 0;
  let end = Math.max(0, shown.length - 1);
  while (end > 0 && place(end - 1) < place(end)) end -= 1;
  return { ...settings, order: shown.slice(0, end) };
}

/** The list with some of its members, in their order, beside another. */
export function movedBeside(
  list: readonly string[],
  ids: ReadonlySet<string>,
  beside: { readonly id: string; readonly position: 'before' | 'after' },
): readonly string[] {
  const others = list.filter((each) => !ids.has(each));
  const at = others.indexOf(beside.id);
  if (at === -1) return list;
  const place = beside.position === 'before' ? at : at + 1;
  return [...others.slice(0, place), ...list.filter((each) => ids.has(each)), ...others.slice(place)];
}

/** By one place, to the left (-1) or to the right (1). */
export function nudgeColumn(all: readonly string[], settings: ColumnSettings, id: string, by: -1 | 1): ColumnSettings {
  const shown = shownColumns(all, settings);
  const neighbour = shown[shown.indexOf(id) + by];
  if (neighbour === undefined) return settings;
  const position = by === -1 ? 'before' : 'after';
  return arrangeColumns(all, settings, movedBeside(shown, new Set([id]), { id: neighbour, position }));
}

/** Shows exactly these columns: those that were shown stay in their place, the others come after them. */
export function chooseColumns(
  all: readonly string[],
  settings: ColumnSettings,
  chosen: ReadonlySet<string>,
): ColumnSettings {
  const before = shownColumns(all, settings).filter((id) => chosen.has(id));
  const known = new Set(before);
  const added = all.filter((id) => chosen.has(id) && !known.has(id));
  if (before.length + added.length === 0) return { ...settings, order: [], hidden: [], rest: false };
  if (!settings.rest && before.length + added.length < all.length)
    return { ...settings, order: [...before, ...added], hidden: [] };
  // With all but a few shown, the few are named; a column that comes back stands where the collection has it.
  const hidden = all.filter((id) => !chosen.has(id));
  const isChoice = hidden.length > before.length + added.length;
  if (isChoice) return { ...settings, order: [...before, ...added], hidden: [], rest: false };
  const order = settings.order.filter((id) => chosen.has(id));
  return { ...settings, order, hidden, rest: true };
}

export const sameColumns = (one: ColumnSettings, other: ColumnSettings): boolean =>
  JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));

const inOrder = ({ order, hidden, rest, frozen, widths }: ColumnSettings): unknown => [
  order,
  [...hidden].sort(),
  rest,
  frozen,
  Object.entries(widths).sort(([one], [other]) => (one < other ? -1 : 1)),
];
