import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { EditProps } from './edit-props.ts';
import { TextEditor } from './Field.tsx';
import { numberOf, numberText } from './number.tsx';

const PARTS = ['latitude', 'longitude', 'altitude'] as const;
type Part = (typeof PARTS)[number];

/** Latitude and longitude belong together; without both there is no value. */
export function EditLocation({ column, value, onChange, problem }: EditProps) {
  const t = useTranslations('values');
  const locale = useLocale();
  const stored = value?.type === 'Location' ? value : undefined;
  const [texts, setTexts] = useState<Readonly<Record<Part, string>>>(() => ({
    latitude: textOf(stored?.latitude, locale),
    longitude: textOf(stored?.longitude, locale),
    altitude: textOf(stored?.altitude, locale),
  }));
  const read = (part: Part, from = texts) => numberOf(from[part], locale);
  const unreadable = (part: Part) => texts[part].trim() !== '' && read(part) === undefined;
  const half = (read('latitude') === undefined) !== (read('longitude') === undefined);
  function change(part: Part, text: string): void {
    const next = { ...texts, [part]: text };
    setTexts(next);
    const [latitude, longitude, altitude] = PARTS.map((each) => read(each, next));
    if (latitude === undefined || longitude === undefined) onChange(undefined);
    else onChange({ type: 'Location', latitude, longitude, ...(altitude === undefined ? {} : { altitude }) });
  }
  const problemOf = (part: Part) => {
    if (unreadable(part)) return t('notANumber');
    if (half && part !== 'altitude' && texts[part].trim() === '') return t('locationHalf');
    return part === 'latitude' ? problem : undefined;
  };
  return (
    <fieldset className="fields">
      <legend className="label">{column.name}</legend>
      {PARTS.map((part) => (
        <TextEditor
          key={part}
          kind="text"
          label={t(part)}
          text={texts[part]}
          onText={(text) => change(part, text)}
          problem={problemOf(part)}
        />
      ))}
    </fieldset>
  );
}

const textOf = (number: number | undefined, locale: string): string =>
  number === undefined ? '' : numberText(number, locale);
