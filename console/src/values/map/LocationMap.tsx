// A location on a map that is drawn without another host. Where it can be changed, a click or the arrow keys set it.

import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { MapButtons, World } from '../../views/map/MapParts.tsx';
import { useMoves, useSize } from '../../views/map/map-look.ts';
import { bounded, fitted, type Look, placeOf } from '../../views/map/mercator.ts';
import { useOutlines } from '../../views/map/outlines.ts';
import { type Degrees, degreesAt, isInSight, pixelsOf, steppedBy } from './picked-place.ts';
import '../../views/map/map.css';
import './location-map.css';

/** A region that people recognise. */
const ZOOM = 6;
/** A hand is never quite still. */
const CLICK_PIXELS = 4;

interface LocationMapProps {
  readonly label: string;
  readonly location: Degrees | undefined;
  /** Absent where it is only shown. */
  readonly onPick?: (location: Degrees) => void;
}

export function LocationMap({ label, location, onPick }: LocationMapProps) {
  const t = useTranslations('location');
  const keys = useId();
  const box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const frame = useRef<HTMLDivElement>(null);
  useLeftToPage(frame);
  const pressed = useRef({ x: 0, y: 0 });
  const point = location && placeOf(location.latitude, location.longitude);
  const [own, setOwn] = useState<Look>();
  const first: Look = point === undefined ? fitted([], size) : { ...point, zoom: ZOOM };
  let look = bounded(own ?? first, size);
  // A location that was typed, or moved over the edge, is brought into sight.
  const written = JSON.stringify(location);
  const [shown, setShown] = useState(written);
  if (written !== shown) {
    setShown(written);
    const seen = location === undefined || isInSight(pixelsOf(location, look, size), size);
    look = bounded(seen || point === undefined ? look : { ...look, ...point }, size);
    setOwn(look);
  }
  const moves = useMoves(box, { look, size, onLook: setOwn, onAll: () => setOwn(undefined) });
  const { outlines, failed } = useOutlines(look.zoom);
  const pin = location && pixelsOf(location, look, size);

  function onKeyDown(event: React.KeyboardEvent): void {
    const from = pin ?? { x: size.width / 2, y: size.height / 2 };
    const plain = event.target === event.currentTarget && !event.ctrlKey && !event.metaKey && !event.altKey;
    const to = onPick !== undefined && plain ? steppedBy(event, from) : undefined;
    if (to === undefined || onPick === undefined) {
      moves.onKeyDown(event);
      return;
    }
    event.preventDefault();
    onPick(degreesAt(to, look, size));
  }

  function onClick(event: React.MouseEvent): void {
    const { clientX, clientY, target } = event;
    if (onPick === undefined || (target instanceof Element && target.closest('button') !== null)) return;
    if (Math.hypot(clientX - pressed.current.x, clientY - pressed.current.y) > CLICK_PIXELS) return;
    const { left, top } = event.currentTarget.getBoundingClientRect();
    onPick(degreesAt({ x: clientX - left, y: clientY - top }, look, size));
  }

  return (
    <div className="location-map" ref={frame}>
      {failed && <p className="hint">{t('noOutlines')}</p>}
      <p id={keys} className="unseen">
        {t(onPick === undefined ? 'keys' : 'keysToSet')}
      </p>
      <div
        ref={box}
        className={`map ${onPick === undefined ? '' : 'settable'}`}
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application has keys of its own
        tabIndex={0}
        aria-label={t('mapOf', { name: label })}
        aria-describedby={keys}
        {...moves}
        onPointerDown={(event) => {
          pressed.current = { x: event.clientX, y: event.clientY };
          moves.onPointerDown(event);
        }}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        <World look={look} size={size} outlines={outlines} />
        {pin !== undefined && (
          <span
            className="location-pin"
            aria-hidden="true"
            style={{ transform: `translate(${pin.x}px, ${pin.y}px)` }}
          />
        )}
        <MapButtons look={look} size={size} onLook={setOwn} />
      </div>
    </div>
  );
}

/** The wheel scrolls the page past the map, unless somebody is at the map. */
function useLeftToPage(frame: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !element.contains(document.activeElement)) event.stopPropagation();
    };
    element.addEventListener('wheel', onWheel, { capture: true, passive: true });
    return () => element.removeEventListener('wheel', onWheel, { capture: true });
  }, [frame]);
}
