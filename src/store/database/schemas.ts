// Where an application's tables are.

import { BoundedMap } from '../../request/bounded-map.ts';

export interface SchemaLocation {
  readonly schema: string;
  /** The lanes on which its reads travel; undefined for any. */
  readonly home: number | undefined;
}

export const SYSTEM: SchemaLocation = { schema: 'cartulary', home: undefined };

/** A cache: a dropped entry only costs rebuilding it. */
const places = new BoundedMap<string, SchemaLocation>(5_000);

export function locationOf(applicationId: string): SchemaLocation {
  let place = places.get(applicationId);
  if (place === undefined) {
    const schema = schemaOf(applicationId);
    place = { schema, home: homeOf(schema) };
    places.set(applicationId, place);
  }
  return place;
}

export function schemaOf(applicationId: string): string {
  return `app_${applicationId}`;
}

/** Spreads applications over the lanes by their last characters, which are random. */
function homeOf(schema: string): number {
  return schema.charCodeAt(schema.length - 1) + schema.charCodeAt(schema.length - 2);
}
