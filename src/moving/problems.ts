// Why a row or a cell cannot be stored. A problem is data: the command line prints the English sentence below, with its
// options, and the console words each code in the language of the page.

const SHOWN_CHARACTERS_MAX = 60;

/** A cell as messages show it. */
export function shownCell(cell: unknown): string {
  const text = typeof cell === 'string' ? cell : (JSON.stringify(cell) ?? '');
  return `"${text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text}"`;
}

/** What a sentence names; each code has its own few. */
export interface ProblemParams {
  /** As `shownCell` writes it. */
  readonly cell?: string;
  readonly text?: string;
  readonly collection?: string;
  readonly column?: string;
  readonly count?: number;
  readonly expected?: number;
}

const SENTENCES = {
  notNumber: ({ cell }) => `${cell} is not a number`,
  unclearComma: ({ cell }) =>
    `${cell} has a comma: if it is the decimal point, add --decimal-comma; otherwise write the number without it`,
  notBoolean: ({ cell }) => `${cell} is neither true nor false`,
  notDate: ({ cell }) => `${cell} is not a date such as 2026-01-31`,
  shortYear: ({ cell }) => `${cell} has a year of two digits; write all four`,
  noSuchDay: ({ cell }) => `${cell} is not a day of the calendar`,
  unclearDate: ({ cell }) => `${cell} may mean two days: say --date-format DD/MM/YYYY or --date-format MM/DD/YYYY`,
  notTime: ({ cell }) => `${cell} is not a time such as 09:30:00`,
  noSuchTime: ({ cell }) => `${cell} is not a time from 00:00:00 to 23:59:59`,
  notTwelveHours: ({ cell }) => `${cell} is not a time of twelve hours`,
  dateWithTime: ({ cell }) => `${cell} has a time of day, which a Date cannot hold`,
  wrongOffset: ({ cell }) => `${cell} has no offset from -23:59 to +23:59`,
  nulCharacter: () => 'a text cannot hold the character U+0000',
  notText: ({ cell }) => `${cell} is not a text`,
  notPlace: ({ cell }) => `${cell} is not a place such as "35.6812, 139.7671"`,
  notObject: ({ cell, text }) => `${cell} is not a JSON object such as {"${text}": …}`,
  unknownKey: ({ text }) => `it has no key "${text}"`,
  notJson: ({ cell }) => `${cell} is not JSON`,
  /** Of another product's file. */
  foreign: ({ text }) => `${text}`,

  userAmbiguous: ({ cell }) => `${cell} is the name of several users; give the ID`,
  userUnknown: ({ cell }) => `${cell} is no user of the application`,
  addressUnknown: ({ cell }) =>
    `${cell} is no user of the application (finding users by e-mail address needs management access)`,
  recordUnknown: ({ collection, column, cell }) => `there is no record in ${collection} with ${column} ${cell}`,
  recordAmbiguous: ({ collection, column, cell }) =>
    `there are several records in ${collection} with ${column} ${cell}`,
  notFound: () => 'was not found',
  fileOutside: ({ cell, text }) => `${cell} is not a file below the folder ${text}`,
  fileMissing: ({ cell, text }) => `there is no file ${cell} in ${text}`,
  fileNotHere: ({ cell }) => `${cell} is not the ID of an attachment`,

  cellCount: ({ count, expected }) => `has ${count} cells where the heading has ${expected}`,
  sheetError: ({ text }) => `has the error ${text} in a cell`,
  lineNotObject: () => 'is not a JSON object',
  lineNotJson: ({ text }) => `is not JSON: ${text}`,
  tooLarge: () => 'is larger than 900 KB',
  double: ({ count }) => `line ${count} has the same value, and the column is unique`,
  taken: ({ text }) => `${text} is taken: another record has it`,
  /** By the server, with its own reason. */
  refused: ({ text }) => `${text}`,
} as const satisfies Record<string, (params: ProblemParams) => string>;

export type ProblemCode = keyof typeof SENTENCES;

export interface RowProblem {
  readonly code: ProblemCode;
  readonly params: ProblemParams;
  /** The column that it is about; absent if it is the whole row. */
  readonly at?: { readonly id: string; readonly name: string };
}

export function problemSentence({ code, params, at }: RowProblem): string {
  const sentence = (SENTENCES[code] as (params: ProblemParams) => string)(params);
  return at === undefined ? sentence : `${at.name}: ${sentence}`;
}

export const problemSentences = (problems: readonly RowProblem[]): string => problems.map(problemSentence).join('; ');

/** Why a cell cannot become a value of its column. */
export class CellProblem extends Error {
  readonly problem: RowProblem;

  constructor(code: ProblemCode, params: ProblemParams = {}) {
    super(problemSentence({ code, params }));
    this.problem = { code, params };
  }
}

/** Why a cell cannot become a value: most sentences name only the cell. */
export const cellProblem = (code: ProblemCode, cell: unknown): CellProblem =>
  new CellProblem(code, { cell: shownCell(cell) });
