// How the file is read: what was found out about it, to be changed where that was wrong.

import { useTranslations } from 'use-intl';
import { type FileFormat, FORMATS } from '../../../src/moving/formats/format-names.ts';
import { DATE_ORDERS } from '../../../src/moving/values/cell-dates.ts';
import { Choice } from '../values/edit/Choice.tsx';
import type { Choices, Look } from './choices.ts';
import type { Importing } from './use-import.ts';

/** The common ones; what was found in a file is added. */
const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'shift_jis', 'euc-jp', 'windows-1252', 'gb18030', 'big5', 'euc-kr'];
const SEPARATORS = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' } as const;

interface FileReadingProps {
  readonly importing: Importing;
  readonly look: Look;
  readonly choices: Choices;
}

export function FileReading({ importing, look, choices }: FileReadingProps) {
  const t = useTranslations('moving');
  const { form, sheets } = look;
  const { reading } = choices;
  const read = (changes: Partial<typeof reading>) =>
    importing.change({ ...choices, reading: { ...reading, ...changes } });
  const zones = [...new Set([reading.timeZone, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
  return (
    <div className="moving-picks">
      <Choice
        isInline
        label={t('format')}
        value={form.format}
        options={FORMATS.map((id) => ({ id, name: t(id) }))}
        onChange={(id) => void importing.reread({ format: id as FileFormat })}
      />
      {form.encoding !== undefined && (
        <Choice
          isInline
          label={t('encoding')}
          value={form.encoding}
          options={[...new Set([form.encoding, ...ENCODINGS])].map((id) => ({ id, name: id.toUpperCase() }))}
          onChange={(encoding) => void importing.reread({ ...form, encoding })}
        />
      )}
      {form.delimiter !== undefined && (
        <Choice
          isInline
          label={t('separator')}
          value={form.delimiter}
          options={Object.entries(SEPARATORS).map(([id, name]) => ({ id, name: t(name) }))}
          onChange={(delimiter) => void importing.reread({ ...form, delimiter })}
        />
      )}
      {sheets.length > 1 && (
        <Choice
          isInline
          label={t('sheet')}
          value={form.sheet ?? sheets[0] ?? ''}
          options={sheets.map((name) => ({ id: name, name }))}
          onChange={(sheet) => void importing.reread({ ...form, sheet })}
        />
      )}
      <Choice
        isInline
        label={t('dates')}
        value={reading.order ?? 'found'}
        options={[
          { id: 'found', name: t('datesFound') },
          { id: 'dmy', name: t('datesDay') },
          { id: 'mdy', name: t('datesMonth') },
        ]}
        onChange={(id) => read({ order: DATE_ORDERS.find((order) => order === id) ?? look.order })}
      />
      <Choice
        isInline
        label={t('decimals')}
        value={reading.decimalComma ? 'comma' : 'point'}
        options={[
          { id: 'point', name: t('point') },
          { id: 'comma', name: t('decimalComma') },
        ]}
        onChange={(id) => read({ decimalComma: id === 'comma' })}
      />
      <Choice
        isInline
        label={t('zone')}
        value={reading.timeZone}
        options={zones.map((id) => ({ id, name: id }))}
        onChange={(timeZone) => read({ timeZone })}
      />
    </div>
  );
}
