// The formats of files, by the ends of their names.

export const FORMATS = ['csv', 'jsonl', 'xlsx'] as const;
export type FileFormat = (typeof FORMATS)[number];

const ENDINGS: Readonly<Record<string, FileFormat>> = {
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  json: 'jsonl',
  xlsx: 'xlsx',
};

/** Undefined if the name does not tell. */
export const formatNamed = (name: string): FileFormat | undefined =>
  ENDINGS[/\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];
