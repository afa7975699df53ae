// A marker on the map. One record shows its card; many zoom in, or are listed where they are at the same place.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { useTranslations } from 'use-intl';
import type { CollectionDefinition } from '../../api/client.ts';
import { recordQuery } from '../../api/records.ts';
import { RecordFacts } from '../RecordFacts.tsx';
import { areTogether, type Cluster } from './clusters.ts';

/** More would not be read. */
const LISTED = 20;
const FACTS = 4;

interface MarkerProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly cluster: Cluster;
  readonly left: number;
  readonly top: number;
  readonly onZoom: (cluster: Cluster) => void;
}

export function Marker({ application, collection, cluster, left, top, onZoom }: MarkerProps) {
  const t = useTranslations('kinds');
  const { points } = cluster;
  const place = { transform: `translate(${left}px, ${top}px)` };
  const count = points.length;
  const [first] = points;
  const size = count === 1 ? 'one' : count < 10 ? 'few' : count < 100 ? 'some' : 'many';
  const name = count === 1 ? (first?.title ?? '') : t('cluster', { count });
  if (count > 1 && !areTogether(cluster)) {
    return (
      <Button className={`marker ${size}`} style={place} aria-label={name} onPress={() => onZoom(cluster)}>
        <span>{t('number', { count })}</span>
      </Button>
    );
  }
  return (
    <DialogTrigger>
      <Button className={`marker ${size}`} style={place} aria-label={name}>
        {count > 1 && <span>{t('number', { count })}</span>}
      </Button>
      <Popover className="popover marker-popover">
        <Dialog className="marker-card" aria-label={name}>
          {count === 1 && first !== undefined ? (
            <>
              <RecordLink application={application} collection={collection.id} record={first.id} title={first.title} />
              <Facts application={application} collection={collection} record={first.id} />
            </>
          ) : (
            <ul>
              {points.slice(0, LISTED).map(({ id, title }) => (
                <li key={id}>
                  <RecordLink application={application} collection={collection.id} record={id} title={title} />
                </li>
              ))}
              {count > LISTED && <li className="hint">{t('moreHere', { count: count - LISTED })}</li>}
            </ul>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

interface RecordLinkProps {
  readonly application: string;
  readonly collection: string;
  readonly record: string;
  readonly title: string;
}

const RecordLink = ({ title, ...params }: RecordLinkProps) => (
  <Link to="/$application/$collection/$record" params={params} className="marker-title">
    {title}
  </Link>
);

interface FactsProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly record: string;
}

function Facts({ application, collection, record: id }: FactsProps) {
  const record = useQuery(recordQuery(application, collection.id, id));
  if (record.data === undefined) return null;
  return <RecordFacts application={application} collection={collection} record={record.data} max={FACTS} />;
}
