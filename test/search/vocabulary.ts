// The words, numbers, moments and places that random records and queries are made of: few, so that queries hit, and
// chosen where comparing goes wrong most easily.

export const WORDS: readonly string[] = [
  ...[
    'Alpha',
    'alpha',
    'ALPHA',
    'beta',
    'Betamax',
    'gamma',
    'z',
    'Z',
    'and',
    'OR',
    'Not',
    'me',
    'today',
    'now',
    'true',
  ],
  ...[
    'Straße',
    'STRASSE',
    'STRAẞE',
    'strasse',
    'ẞ',
    'ß',
    'İstanbul',
    'istanbul',
    'ISTANBUL',
    'ısı',
    'Isı',
    'İ',
    'ı',
    'i',
  ],
  ...[
    'Σίσυφος',
    'ΣΊΣΥΦΟΣ',
    'σίσυφοσ',
    'Σ',
    'σ',
    'ς',
    'ᾼ',
    'ᾳ',
    'ſtill',
    'STILL',
    '\u212Aelvin',
    'kelvin',
    'Ǆ',
    'ǅ',
    'ǆ',
  ],
  ...[
    'caf\u00E9',
    'cafe\u0301',
    'CAF\u00C9',
    'cafe',
    'A\u030A',
    '\u00C5',
    '\u212B',
    'n\u0303o',
    '\u1E69',
    's\u0307\u0323',
  ],
  ...['東京', '東京都', '京都', 'カタカナー', 'カタカナ', 'ｶﾀｶﾅ', 'か\u3099', 'が', 'ﬁ', 'fi', '한글', '한글'],
  ...['😀', '👩‍👧', '\u{1F3F3}\uFE0F', '\uFF71', '\u{10400}', '\u{10428}', '\uE000', '\uFFFD'],
  ...[
    '%',
    '_',
    '\\',
    '"',
    '100%',
    'a_b',
    'a\\b',
    '\\%',
    'say "hi"',
    "'",
    "o'clock",
    '$',
    '$id',
    '^.*$',
    '[a]',
    '|',
    '\\u0041',
  ],
  ...[
    '\u02D0',
    'a\u02D0b',
    '\u02D0alpha\u02D0',
    '\u0001',
    '\u0002x',
    'x\u0003',
    '\u0004',
    '\u0005',
    '\u0006',
    '\u0007',
    '\u0008',
  ],
  ...[
    'v1.2.3',
    'e-mail',
    '-dash',
    '--',
    'a.b',
    '.',
    'x-y.z',
    'semi;colon',
    'a:b',
    'a=b',
    '<b>',
    '(x)',
    'a!b',
    'a,b',
    '&amp',
  ],
  ...[
    '5',
    '-5',
    '0',
    '1e21',
    '10',
    '2024-03-10',
    '10:30',
    '2024-03-10T10:30',
    'new\nline',
    'tab\tbed',
    'two  blanks',
    ' ',
  ],
];

/** Alike for longer than any index entry, apart at their ends. */
export const LONG_WORDS: readonly string[] = [
  ...['', 'A', 'b', 'B', '東', '😀'].map((tail) => 'Long beginning '.repeat(46) + 'x'.repeat(10) + tail),
  ...['', 'A', 'a', '\uFF71', '😀'].map((tail) => 'lorem Ipsum dolor '.repeat(277) + tail),
];

export const NUMBERS: readonly number[] = [
  ...[0, 1, 2, 5, -5, 10, 100, -1, 0.1, 0.2, 0.30000000000000004, 0.3, 2.5, -2.5, 1000, 999.999, 1e21, -1e21],
  ...[1e-7, 5e-324, 1.7976931348623157e308, 9007199254740991, -9007199254740992, 1e15, 123456.789],
];

const HOUR = 3_600_000;
/** Clock changes of New York, Berlin, Havana and Lord Howe, month ends, and the ends of time. */
const MOMENTS = [
  ...['2024-03-10T07:00Z', '2024-11-03T06:00Z', '2024-03-31T01:00Z', '2024-10-27T01:00Z', '2024-03-10T05:00Z'],
  ...['2024-10-05T15:30Z', '2024-01-31T12:00Z', '2024-02-29T23:00Z', '2023-12-31T23:00Z', '2024-06-15T10:30:15Z'],
].map((text) => Date.parse(text));
const AROUND = [
  0,
  1,
  -1,
  999,
  1000,
  -1000,
  30 * 60_000,
  HOUR,
  -HOUR,
  2 * HOUR,
  5 * HOUR,
  -5 * HOUR,
  12 * HOUR,
  -12 * HOUR,
];

/** Milliseconds since 1970. Those near `now` are hours away from any whole number of days before or after it. */
export function instantsAround(now: number): number[] {
  const days = [-400, -365, -60, -31, -30, -8, -7, -6, -2, -1, 0, 1, 2, 6, 7, 29, 31, 364, 366];
  const dayStart = Math.floor(now / (24 * HOUR)) * 24 * HOUR;
  const borders = [-48, -24, 0, 24, 48].flatMap((hours) =>
    [-5.5, -9, -1, 0, 5].flatMap((zone) => [0, -1].map((step) => dayStart + (hours + zone) * HOUR + step)),
  );
  return [
    ...MOMENTS.flatMap((moment) => AROUND.map((step) => moment + step)),
    ...days.map((day) => now + day * 24 * HOUR + 7 * HOUR),
    ...borders.filter((border) => Math.abs(((border - now) / HOUR) % 24) > 2),
  ];
}

export function daysAround(now: number): string[] {
  const near = [-366, -31, -30, -7, -2, -1, 0, 1, 2, 7, 28, 31].map((day) =>
    new Date(now + day * 24 * HOUR).toISOString().slice(0, 10),
  );
  return [
    ...near,
    ...['2024-03-10', '2024-03-11', '2024-03-31', '2024-11-03', '2024-10-27', '2024-02-29', '2023-02-28', '2024-01-31'],
    ...['0001-01-01', '9999-12-31', '1969-12-31', '1970-01-01'],
  ];
}

export const TIMES: readonly string[] = [
  ...['00:00:00', '00:00:01', '10:29:59', '10:30:00', '10:30:15', '10:30:59', '10:31:00', '12:00:00', '23:59:59'],
];

export const POINTS: readonly { latitude: number; longitude: number; altitude?: number }[] = [
  { latitude: 35.681236, longitude: 139.767125 },
  { latitude: 35.658034, longitude: 139.701636, altitude: 38.5 },
  { latitude: 34.985849, longitude: 135.758767 },
  { latitude: 52.52, longitude: 13.405 },
  { latitude: 40.7128, longitude: -74.006 },
  { latitude: 0, longitude: 0, altitude: -11 },
  { latitude: -17.5, longitude: 179.99 },
  { latitude: -17.5, longitude: -179.99 },
  { latitude: 89.9, longitude: 10 },
  { latitude: 89.9, longitude: -170 },
  { latitude: -90, longitude: 0 },
];

export const NAMES: readonly string[] = [
  ...[
    'me',
    'Ana Straße',
    'ana STRASSE',
    'Zoe\u0308',
    'Zo\u00EB 2',
    'Σοφία',
    '東京 太郎',
    '😀 Smile',
    '\uFF71 half',
    'O\'Neil "x"',
    '5',
  ],
];
