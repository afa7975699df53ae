// The ways to look at the records of a collection. Each is loaded when it is first shown, except the grid.

import { type ComponentType, lazy } from 'react';
import { Grid } from '../grid/Grid.tsx';
import type { ViewProps } from './view-props.ts';

const lazily = (load: () => Promise<ComponentType<ViewProps>>) => lazy(async () => ({ default: await load() }));

export const KINDS = {
  grid: Grid,
  cards: lazily(async () => (await import('./cards/Cards.tsx')).Cards),
  calendar: lazily(async () => (await import('./calendar/Calendar.tsx')).Calendar),
  board: lazily(async () => (await import('./board/Board.tsx')).Board),
  map: lazily(async () => (await import('./map/MapView.tsx')).MapView),
  chart: lazily(async () => (await import('./chart/Chart.tsx')).Chart),
} as const satisfies Record<string, ComponentType<ViewProps>>;
export type Kind = keyof typeof KINDS;

export const isKind = (text: string): text is Kind => Object.hasOwn(KINDS, text);
