// Why a file cannot be read or written, or an import cannot go on. Like the problems of rows it is data: the command line
// prints the message, and the console words each code in the language of the page.

export interface FailureParams {
  /** The name of the file. */
  readonly file?: string;
  readonly text?: string;
  readonly line?: number;
  readonly count?: number;
  readonly column?: string;
  readonly collection?: string;
  readonly referred?: string;
}

const number = (count: number | undefined): string => (count ?? 0).toLocaleString('en');
const EXCEL_ADVICE = 'Export to .csv or .jsonl instead, or choose columns and records.';

const MESSAGES = {
  unknownEncoding: ({ text }) =>
    `--encoding ${text} is not known. Some that are: utf-8, utf-16le, shift_jis, euc-jp, windows-1252, gb18030, euc-kr.`,
  /** `referred`: the encoding that it looks like. */
  notText: ({ file, text, count, referred }) =>
    `${file} is not ${text} text (after byte ${number(count)}). ${
      referred === undefined
        ? 'Name its encoding with --encoding, for example --encoding windows-1252.'
        : `It looks like ${referred}: if so, add --encoding ${referred}.`
    }`,
  notCsv: ({ file, text, line }) =>
    `${file} cannot be read as CSV: ${text}${line === undefined ? '' : ` (line ${line})`}.`,
  strayBrace: ({ file, line }) => `${file}, line ${line}: a brace is closed that was not opened.`,
  openObject: ({ file, line }) => `${file} ends within the object that begins in line ${line}.`,
  longObject: ({ file, line, count }) =>
    `${file}, line ${line}: an object may have at most ${number(count)} characters.`,
  notExcel: ({ file, text }) =>
    `${file} is not an Excel file (.xlsx): ${text}. Older .xls files have to be saved as .xlsx.`,
  damaged: ({ file, text }) => `${file} is damaged: ${text}.`,
  damagedPart: ({ file, text, referred }) => `${file} is damaged in its part ${referred}: ${text}.`,
  manyParts: ({ file, count }) => `${file} has more than ${count} parts.`,
  largePart: ({ file, text }) => `${file}: the part ${text} is too large.`,
  manyTexts: ({ file }) => `${file} has too many different texts to be read here. Save it as CSV.`,
  noSheet: ({ file, text, referred }) => `${file} has no sheet ${text}. It has: ${referred}.`,
  excelRows: ({ count }) =>
    `Excel files cannot hold more than ${number(count)} rows, heading included. ${EXCEL_ADVICE}`,
  excelText: ({ count }) => `Excel files cannot hold a text of more than ${number(count)} characters. ${EXCEL_ADVICE}`,
  twoColumns: ({ text, referred, column }) =>
    `The columns "${text}" and "${referred}" of the file would both go to "${column}". Leave one out with --ignore, or map it with --map.`,
  largeExport: ({ count }) => `A file of more than ${number(count)} MB cannot be put together in memory.`,
  doubleColumn: ({ file, column }) => `${file} has two columns "${column}". Rename one of them.`,
  manyUsers: ({ count }) => `The application has more than ${number(count)} users.`,
  notSearchable: ({ column, collection, referred }) =>
    `The column "${column}" refers to ${collection}, whose column "${referred}" is not searchable. Write record IDs into the file, or name a searchable column with --reference "${column}=…".`,
  keyReused: () =>
    'The server has already received these rows with other values, because records or users that they name have changed since. Look which of them are stored, and import the rest from a file of its own.',
  manyRejected: ({ count, text }) =>
    [
      `More than ${number(count)} rows were rejected, so the import has stopped:`,
      text,
      'Try --dry-run, which stores nothing. To go on nevertheless, run the same command with a higher --max-rejected.',
    ].join('\n'),
} as const satisfies Record<string, (params: FailureParams) => string>;

export type MovingFailureCode = keyof typeof MESSAGES;

export class MovingFailure extends Error {
  readonly code: MovingFailureCode;
  readonly params: FailureParams;

  constructor(code: MovingFailureCode, params: FailureParams = {}) {
    super((MESSAGES[code] as (params: FailureParams) => string)(params));
    this.code = code;
    this.params = params;
  }
}
