/** After the `#` of a collection's address: the export is open. */
export const EXPORT_HASH = 'export';
