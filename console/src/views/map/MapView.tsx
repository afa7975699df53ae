// Records on a map, by a column of locations. The map is drawn from outlines that the server has: no other host is asked.

import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { Button, ProgressBar } from 'react-aria-components';
import { useFormatter, useTranslations } from 'use-intl';
import { useSentence } from '../../messages/problem.ts';
import { Choice } from '../../values/edit/Choice.tsx';
import { columnsOf } from '../grouping.ts';
import type { ViewProps } from '../view-props.ts';
import { type Cluster, clustersOf, clusterZoom, inSight } from './clusters.ts';
import { MapButtons, World } from './MapParts.tsx';
import { Marker } from './Marker.tsx';
import { useMoves, useSize } from './map-look.ts';
import { bounded, fitted, type Look, readLook, scaleBar, writeLook } from './mercator.ts';
import { useOutlines } from './outlines.ts';
import { POINTS_MAX, usePoints } from './points.ts';
import '../kinds.css';
import './map.css';

/** The address follows when the map has come to rest. */
const REST_MS = 400;
const SCALE_PIXELS = 120;

export function MapView({ application, collection, query, address, onAddress }: ViewProps) {
  const t = useTranslations('kinds');
  const sentence = useSentence();
  const keys = useId();
  const box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const columns = columnsOf(collection, 'Location');
  const column = columns.find(({ id }) => id === address.by) ?? columns[0];
  const { points, isReading, isCut, error } = usePoints(application, collection, column, query, t('noRecord'));

  // Without a look of one's own the map follows the points as they come.
  const [own, setOwn] = useState(() => readLook(address.at));
  const look = useMemo(() => bounded(own ?? fitted(points, size), size), [own, points, size]);
  useAddress(own, onAddress);
  const moves = useMoves(box, { look, size, onLook: setOwn, onAll: () => setOwn(undefined) });
  const { outlines, failed } = useOutlines(look.zoom);
  const zoom = clusterZoom(look.zoom);
  const clusters = useMemo(() => clustersOf(points, zoom), [points, zoom]);

  if (column === undefined) {
    return (
      <div className="empty">
        <p>{t('noPlaces', { name: collection.name })}</p>
      </div>
    );
  }
  const zoomTo = ({ points: inside }: Cluster) => setOwn(closer(look, fitted(inside, size)));
  return (
    <>
      <div className="view-bar">
        <Choice isInline label={t('by')} value={column.id} options={columns} onChange={(id) => onAddress({ by: id })} />
        <span className="hint" role="status">
          {isReading ? t('placesRead', { count: points.length }) : t('places', { count: points.length })}
        </span>
        {isReading && <ReadingBar read={points.length} />}
      </div>
      {isCut && <p className="message">{t('placesCut', { count: points.length })}</p>}
      {error !== undefined && (
        <p role="alert" className="notice">
          {t('placesFailed')} {sentence(error)}
        </p>
      )}
      {failed && <p className="message">{t('outlines')}</p>}
      <p id={keys} className="unseen">
        {t('mapKeys')}
      </p>
      <div
        ref={box}
        className="map"
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application has keys of its own
        tabIndex={0}
        aria-label={t('mapOf', { name: collection.name })}
        aria-describedby={keys}
        {...moves}
      >
        <World look={look} size={size} outlines={outlines} />
        {inSight(clusters, look, size).map(({ cluster, left, top }) => (
          <Marker
            key={`${zoom} ${cluster.key}`}
            application={application}
            collection={collection}
            cluster={cluster}
            left={left}
            top={top}
            onZoom={zoomTo}
          />
        ))}
        {!isReading && points.length === 0 && <p className="map-nothing">{t('noPoints')}</p>}
        <ScaleBar look={look} />
        <MapButtons look={look} size={size} onLook={setOwn}>
          <Button className="button icon" aria-label={t('showAll')} onPress={() => setOwn(undefined)}>
            ⤢
          </Button>
        </MapButtons>
      </div>
    </>
  );
}

/** A cluster always opens: what fits already is zoomed into. */
const closer = (look: Look, fit: Look): Look => ({ ...fit, zoom: Math.max(fit.zoom, look.zoom + 1) });

function useAddress(own: Look | undefined, onAddress: ViewProps['onAddress']): void {
  const change = useRef(onAddress);
  change.current = onAddress;
  const at = own && writeLook(own);
  const written = useRef(at);
  useEffect(() => {
    if (at === written.current) return;
    const timer = setTimeout(() => {
      written.current = at;
      change.current({ at }, { replace: true });
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [at]);
}

function ReadingBar({ read }: { readonly read: number }) {
  const t = useTranslations('kinds');
  const percentage = Math.min(100, (100 * read) / POINTS_MAX);
  return (
    <ProgressBar className="map-progress" value={percentage} aria-label={t('placesRead', { count: read })}>
      <span style={{ width: `${percentage}%` }} />
    </ProgressBar>
  );
}

function ScaleBar({ look }: { readonly look: Look }) {
  const format = useFormatter();
  const { metres, pixels } = scaleBar(look, SCALE_PIXELS);
  const unit = metres >= 1_000 ? 'kilometer' : 'meter';
  return (
    <div className="map-scale" style={{ width: pixels }} aria-hidden="true">
      {format.number(metres >= 1_000 ? metres / 1_000 : metres, { style: 'unit', unit })}
    </div>
  );
}
