import { lazy, Suspense, useState } from 'react';
import { Button, ToggleButton } from 'react-aria-components';
import { useLocale, useTranslations } from 'use-intl';
import { numberOf, numberText } from '../number-text.ts';
import type { EditProps } from './edit-props.ts';
import { TextEditor } from './Field.tsx';

const LocationMap = lazy(async () => ({ default: (await import('../map/LocationMap.tsx')).LocationMap }));

const PARTS = ['latitude', 'longitude', 'altitude'] as const;
type Part = (typeof PARTS)[number];
type Given = Readonly<Partial<Record<Part, number>>>;

/** Latitude and longitude belong together; without both there is no value. */
export function EditLocation({ column, value, onChange, problem, part: inside }: EditProps) {
  const t = useTranslations('values');
  const words = useTranslations('location');
  const locale = useLocale();
  const stored = value?.type === 'Location' ? value : undefined;
  const [mapped, setMapped] = useState(false);
  const textsOf = (given: Given): Readonly<Record<Part, string>> => ({
    latitude: textOf(given.latitude, locale),
    longitude: textOf(given.longitude, locale),
    altitude: textOf(given.altitude, locale),
  });
  const [texts, setTexts] = useState(() => textsOf(stored ?? {}));
  const read = (part: Part, from = texts) => numberOf(from[part], locale);
  const unreadable = (part: Part) => texts[part].trim() !== '' && read(part) === undefined;
  const half = (read('latitude') === undefined) !== (read('longitude') === undefined);
  function set(next: Readonly<Record<Part, string>>): void {
    setTexts(next);
    const [latitude, longitude, altitude] = PARTS.map((each) => read(each, next));
    if (latitude === undefined || longitude === undefined) onChange(undefined);
    else onChange({ type: 'Location', latitude, longitude, ...(altitude === undefined ? {} : { altitude }) });
  }
  const problemOf = (part: Part) => {
    if (unreadable(part)) return t('notANumber');
    if (half && part !== 'altitude' && texts[part].trim() === '') return t('locationHalf');
    const named = PARTS.find((each) => each === inside?.path[0]) ?? 'latitude';
    return part === named ? (problem ?? inside?.reason) : undefined;
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
          onText={(text) => set({ ...texts, [part]: text })}
          problem={problemOf(part)}
        />
      ))}
      <div className="drop-actions fields-wide">
        <ToggleButton className="button" isSelected={mapped} onChange={setMapped}>
          {words(mapped ? 'hideMap' : 'showMap')}
        </ToggleButton>
        <HereButton onFound={(found) => set(textsOf(found))} />
      </div>
      {mapped && (
        <Suspense>
          <LocationMap
            label={column.name}
            location={stored}
            onPick={({ latitude, longitude }) => set({ ...textsOf({ latitude, longitude }), altitude: texts.altitude })}
          />
        </Suspense>
      )}
    </fieldset>
  );
}

const textOf = (number: number | undefined, locale: string): string =>
  number === undefined ? '' : numberText(number, locale);

const FIND_MS = 15_000;

/** Where the device is, as far as its owner lets the page know. */
function HereButton({ onFound }: { readonly onFound: (found: Given) => void }) {
  const t = useTranslations('location');
  const [state, setState] = useState<'finding' | 'denied' | 'unknown'>();
  function find(): void {
    setState('finding');
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude, altitude } }) => {
        setState(undefined);
        onFound({ latitude, longitude, ...(altitude === null ? {} : { altitude }) });
      },
      ({ code, PERMISSION_DENIED }) => setState(code === PERMISSION_DENIED ? 'denied' : 'unknown'),
      { enableHighAccuracy: true, timeout: FIND_MS },
    );
  }
  return (
    <>
      <Button className="button quiet" isDisabled={state === 'finding'} onPress={find}>
        {t('here')}
      </Button>
      <span role="status" className={state === 'finding' ? 'hint' : 'field-problem'}>
        {state !== undefined && t(state)}
      </span>
    </>
  );
}
