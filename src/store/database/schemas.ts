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

/**
 * SQL: an array of the tables, sequences and views in a schema, without indexes, which depend on their tables. `pg_class` has no
 * index by schema: with 10,000 applications, finding the tables of one there read through 900,000 relations, for 80 ms. But what
 * depends on the schema is indexed.
 */
export const relationsIn = (schemaName: string): string =>
  `array(select d.objid from pg_depend d join pg_namespace n on n.oid = d.refobjid
    where d.refclassid = 'pg_namespace'::regclass and d.classid = 'pg_class'::regclass and n.nspname = ${schemaName})`;

/** Spreads applications over the lanes by their last characters, which are random. */
function homeOf(schema: string): number {
  return schema.charCodeAt(schema.length - 1) + schema.charCodeAt(schema.length - 2);
}
