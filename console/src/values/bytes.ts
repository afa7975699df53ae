// A number of bytes in a unit that people read.

import { useFormatter } from 'use-intl';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

export function useBytes(): (bytes: number | undefined) => string {
  const format = useFormatter();
  return (bytes) => {
    if (bytes === undefined) return '–';
    const at = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
    const size = bytes / 1000 ** at;
    return format.number(size, { style: 'unit', unit: UNITS[at] ?? 'byte', maximumSignificantDigits: 3 });
  };
}
