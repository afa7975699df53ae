// Where the collections stand in the diagram: in layers from left to right, so that arrows point to the right as far as
// references do not go round in circles, and in an order within each layer that crosses few arrows.

export interface Edge {
  readonly from: string;
  readonly to: string;
}

export interface Placed {
  readonly key: string;
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

export interface Layout {
  readonly nodes: readonly Placed[];
  readonly width: number;
  readonly height: number;
}

/** A line for each reference is added to the height. */
export const NODE = { width: 200, height: 56, line: 20 } as const;
const GAP = { x: 104, y: 24 } as const;
/** Collections without references stand below the others, side by side. */
const LONE_PER_ROW = 4;
const SWEEPS = 4;

export function layoutOf(keys: readonly string[], edges: readonly Edge[]): Layout {
  const between = edges.filter(({ from, to }) => from !== to);
  const linked = new Set(between.flatMap(({ from, to }) => [from, to]));
  const layers = layersOf(
    keys.filter((key) => linked.has(key)),
    between,
  );
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    layers.forEach((layer, index) => {
      const beside = layers[sweep % 2 === 0 ? index - 1 : index + 1];
      if (beside !== undefined) sortByNeighbours(layer, beside, between);
    });
  }
  const lines = edgesFrom(edges);
  const heightOf = (key: string): number => NODE.height + NODE.line * (lines.get(key)?.length ?? 0);
  const total = (column: readonly string[]): number =>
    column.reduce((sum, key) => sum + heightOf(key), 0) + (column.length - 1) * GAP.y;
  const tallest = Math.max(0, ...layers.map(total));
  const nodes: Placed[] = [];
  layers.forEach((layer, index) => {
    let y = (tallest - total(layer)) / 2;
    for (const key of layer) {
      nodes.push({ key, x: index * (NODE.width + GAP.x), y, height: heightOf(key) });
      y += heightOf(key) + GAP.y;
    }
  });
  let top = tallest === 0 ? 0 : tallest + GAP.y * 2;
  const lone = keys.filter((key) => !linked.has(key));
  for (let from = 0; from < lone.length; from += LONE_PER_ROW) {
    const row = lone.slice(from, from + LONE_PER_ROW);
    row.forEach((key, column) => {
      nodes.push({ key, x: column * (NODE.width + GAP.y), y: top, height: heightOf(key) });
    });
    top += Math.max(...row.map(heightOf)) + GAP.y;
  }
  return {
    nodes,
    width: Math.max(0, ...nodes.map(({ x }) => x + NODE.width)),
    height: Math.max(0, ...nodes.map(({ y, height }) => y + height)),
  };
}

function edgesFrom(edges: readonly Edge[]): Map<string, Edge[]> {
  const from = new Map<string, Edge[]>();
  for (const edge of edges) from.set(edge.from, [...(from.get(edge.from) ?? []), edge]);
  return from;
}

/** Each stands right of all that refer to it; an edge that closes a circle does not count. */
function layersOf(keys: readonly string[], edges: readonly Edge[]): string[][] {
  const next = edgesFrom(edges);
  const state = new Map<string, 'open' | 'done'>();
  const after: string[] = [];
  const forward: Edge[] = [];
  for (const start of keys) {
    const stack = [{ key: start, index: 0 }];
    while (stack.length > 0) {
      const top = stack.at(-1)!;
      if (top.index === 0) {
        if (state.has(top.key)) {
          stack.pop();
          continue;
        }
        state.set(top.key, 'open');
      }
      const edge = next.get(top.key)?.[top.index];
      top.index += 1;
      if (edge === undefined) {
        state.set(top.key, 'done');
        after.push(top.key);
        stack.pop();
      } else if (state.get(edge.to) !== 'open') {
        forward.push(edge);
        if (!state.has(edge.to)) stack.push({ key: edge.to, index: 0 });
      }
    }
  }
  const depth = new Map<string, number>();
  const forwardFrom = edgesFrom(forward);
  for (const key of after.toReversed()) {
    const own = depth.get(key) ?? 0;
    depth.set(key, own);
    for (const { to } of forwardFrom.get(key) ?? []) depth.set(to, Math.max(depth.get(to) ?? 0, own + 1));
  }
  const layers: string[][] = [];
  for (const key of keys) {
    const layer = depth.get(key) ?? 0;
    layers[layer] ??= [];
    layers[layer].push(key);
  }
  return Array.from(layers, (layer) => layer ?? []);
}

/** By the middle of what each is linked to. */
function sortByNeighbours(layer: string[], beside: readonly string[], edges: readonly Edge[]): void {
  const places = new Map(beside.map((key, index) => [key, index]));
  const middles = new Map(
    layer.map((key, index) => {
      const found = edges.flatMap(({ from, to }) => {
        const place = from === key ? places.get(to) : to === key ? places.get(from) : undefined;
        return place === undefined ? [] : [place];
      });
      return [key, found.length === 0 ? index : found.reduce((sum, place) => sum + place, 0) / found.length];
    }),
  );
  layer.sort((one, other) => middles.get(one)! - middles.get(other)!);
}
