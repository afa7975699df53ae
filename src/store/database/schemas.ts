// The schema of an application's tables, and the lanes that its reads use.

import { BoundedMap } from '../../load/bounded-map.ts';

export interface SchemaLocation {
  readonly schema: string;
  /** Selects the lanes for its reads; undefined for any lane. */
  readonly home: number | undefined;
}

export const SYSTEM: SchemaLocation = { schema: 'cartulary', home: undefined };

/** A cache: a dropped entry only costs rebuilding it. */
const locations = new BoundedMap<string, SchemaLocation>(20_000);

export function locationOf(applicationId: string): SchemaLocation {
  let location = locations.get(applicationId);
  if (location === undefined) {
    const schema = schemaOf(applicationId);
    location = { schema, home: homeOf(schema) };
    locations.set(applicationId, location);
  }
  return location;
}

export function schemaOf(applicationId: string): string {
  return `app_${applicationId}`;
}

/** Spreads applications over the lanes by their last characters, which are random. */
function homeOf(schema: string): number {
  return schema.charCodeAt(schema.length - 1) + schema.charCodeAt(schema.length - 2);
}
