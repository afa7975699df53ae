// Points that would cover each other on the map become one marker.

import { type Look, type Place, type Size, worldPixels } from './mercator.ts';

export interface Point extends Place {
  readonly id: string;
  readonly title: string;
}

export interface Cluster extends Place {
  /** The same while the map is moved. */
  readonly key: string;
  readonly points: readonly Point[];
}

/** Markers are not closer together than this. */
const CELL_PIXELS = 44;
/** Clusters change in steps, not with every turn of the wheel. */
const STEPS_PER_ZOOM = 2;

export const clusterZoom = (zoom: number): number => Math.round(zoom * STEPS_PER_ZOOM) / STEPS_PER_ZOOM;

/** By the cells of a grid over the world, which does not move with the map. Small ones join a larger one beside them. */
export function clustersOf(points: readonly Point[], zoom: number): readonly Cluster[] {
  const cell = CELL_PIXELS / worldPixels(clusterZoom(zoom));
  const cells = new Map<string, Point[]>();
  const keyOf = ({ x, y }: Place, right = 0, down = 0) =>
    `${Math.floor(x / cell) + right} ${Math.floor(y / cell) + down}`;
  for (const point of points) {
    const key = keyOf(point);
    const known = cells.get(key);
    if (known === undefined) cells.set(key, [point]);
    else known.push(point);
  }
  const middles = new Map([...cells].map(([key, inside]) => [key, middleOf(inside)]));
  const clusters: Cluster[] = [];
  for (const [key, inside] of [...cells].sort(([, a], [, b]) => b.length - a.length)) {
    const middle = middles.get(key);
    if (middle === undefined) continue;
    middles.delete(key);
    const near = AROUND.map(([right, down]) => keyOf(middle, right, down)).filter((beside) => {
      const other = middles.get(beside);
      return other !== undefined && Math.hypot(other.x - middle.x, other.y - middle.y) < cell;
    });
    for (const beside of near) middles.delete(beside);
    const joined = [...inside, ...near.flatMap((beside) => cells.get(beside) ?? [])];
    clusters.push({ key, points: joined, ...middleOf(joined) });
  }
  return clusters;
}

const AROUND = [-1, 0, 1].flatMap((right) => [-1, 0, 1].map((down) => [right, down] as const));

const middleOf = (points: readonly Point[]): Place => ({
  x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
  y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
});

/** Those in sight, with where they stand in pixels from the corner of the map. */
export function inSight(
  clusters: readonly Cluster[],
  look: Look,
  { width, height }: Size,
): readonly { readonly cluster: Cluster; readonly left: number; readonly top: number }[] {
  const world = worldPixels(look.zoom);
  return clusters
    .map((cluster) => ({
      cluster,
      left: (cluster.x - look.x) * world + width / 2,
      top: (cluster.y - look.y) * world + height / 2,
    }))
    .filter(({ left, top }) => left > -20 && top > -20 && left < width + 20 && top < height + 20);
}

/** At one place, however far one zooms in. */
export const areTogether = ({ points: [first, ...others] }: Cluster): boolean =>
  first !== undefined && others.every(({ x, y }) => Math.abs(x - first.x) < 1e-7 && Math.abs(y - first.y) < 1e-7);
