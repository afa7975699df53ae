// How the values of a row are made of their texts: the same as `pg` makes them, but without a description of each column.

import pg from 'pg';

/** By column; undefined for one whose value is the text itself. */
export type Columns = readonly (((text: string) => unknown) | undefined)[];

export const NO_COLUMNS: Columns = [];

const TEXT_OID = 25;
const asText = pg.types.getTypeParser(TEXT_OID, 'text');

/** `fields`: as the database describes them. */
export function columnsOf(fields: readonly { readonly dataTypeID: number }[]): Columns {
  return fields.map(({ dataTypeID }) => {
    const parse = pg.types.getTypeParser(dataTypeID, 'text');
    return parse === asText ? undefined : parse;
  });
}

/** Puts the values in place of their texts. */
export function readRow(columns: Columns, texts: unknown[]): void {
  for (let n = 0; n < columns.length; n++) {
    const parse = columns[n];
    if (parse !== undefined && texts[n] !== null) texts[n] = parse(texts[n] as string);
  }
}
