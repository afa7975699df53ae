// The records that refer to a record, by the column that does.

import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { type CollectionDefinition, clientOf, type RawRecord } from '../api/client.ts';
import { countQuery, PAGE_SIZE } from '../api/records.ts';
import { useSentence } from '../messages/problem.ts';
import { ShowAttachment } from '../values/show/attachment.tsx';
import { Moment } from '../values/show/date-time.tsx';
import { PersonName } from '../values/show/user.tsx';
import { RecordFacts } from '../views/RecordFacts.tsx';
import { fileOf, type ReferringColumn, referrersSearch, referringTo } from './referrers.ts';
import { titleOf } from './title.ts';

/** As many as fit on a page beside others; the rest is a click away. */
const SHOWN = 10;
const FACTS = 3;

interface ReferrersProps {
  readonly application: string;
  readonly columns: readonly ReferringColumn[];
  readonly record: RawRecord;
}

export function Referrers({ application, columns, record }: ReferrersProps) {
  return columns.map((referring) => (
    <section key={referring.column.id} className="referrers">
      <h2>
        {referring.collection.name}
        <span className="hint">{referring.column.name}</span>
      </h2>
      <ReferringRecords application={application} referring={referring} record={record} />
    </section>
  ));
}

interface ReferrerNameProps {
  readonly application: string;
  readonly collection: CollectionDefinition;
  readonly record: RawRecord;
}

interface ReferringRecordsProps extends Omit<ReferrersProps, 'columns'> {
  readonly referring: ReferringColumn;
}

function ReferringRecords({ application, referring, record }: ReferringRecordsProps) {
  const t = useTranslations('referrers');
  const found = referrersSearch(referring, record);
  if ('reason' in found) return <p className="hint">{t(found.reason)}</p>;
  return <FoundRecords application={application} referring={referring} record={record} search={found.search} />;
}

const referrersQuery = (application: string, collectionId: string, search: string) =>
  queryOptions({
    queryKey: [application, 'records', collectionId, 'referrers', search],
    queryFn: async ({ signal }) =>
      (await clientOf(application).raw.listRecords({ collectionId, search, limit: PAGE_SIZE }, { signal })).body,
    staleTime: 15_000,
  });

function FoundRecords({
  application,
  referring: { collection, column },
  record,
  search,
}: ReferringRecordsProps & { readonly search: string }) {
  const t = useTranslations('referrers');
  const common = useTranslations('common');
  const sentence = useSentence();
  const found = useQuery(referrersQuery(application, collection.id, search));
  const more = (found.data?.length ?? 0) === PAGE_SIZE;
  const list = { search, sort: 'updatedAt', descending: true };
  const counted = useQuery({ ...countQuery(application, collection.id, list), enabled: more });
  if (found.isPending) return <p className="hint">{common('loading')}</p>;
  if (found.data === undefined) return <p role="alert">{sentence(found.error)}</p>;
  const { records, others } = referringTo(record.id, column.id, found.data);
  if (records.length === 0 && !more) return <p className="hint">{t('none')}</p>;
  // The column that refers has the same value in all of them.
  const told = { ...collection, columns: collection.columns.filter(({ id }) => id !== column.id) };
  const total = more ? (counted.data ?? PAGE_SIZE) : records.length;
  return (
    <>
      <ul className="referrer-list">
        {records.slice(0, SHOWN).map((each) => (
          <li key={each.id}>
            <div className="referrer">
              <Link
                to="/$application/$collection/$record"
                params={{ application, collection: collection.id, record: each.id }}
                search={{ search }}
              >
                <ReferrerName application={application} collection={told} record={each} />
              </Link>
              <RecordFacts application={application} collection={told} record={each} max={FACTS} />
            </div>
            <span className="referrer-update">
              <PersonName person={each.updatedBy} />
              <Moment at={each.updatedAt} />
            </span>
          </li>
        ))}
      </ul>
      {(total > SHOWN || others) && (
        <Link to="/$application/$collection" params={{ application, collection: collection.id }} search={{ search }}>
          {others ? t('allAlike') : t('all', { count: total })}
        </Link>
      )}
      {others && <p className="hint">{t('othersAlike')}</p>}
    </>
  );
}

/** Records without a text, such as photos, are told apart by their file. */
function ReferrerName({ application, collection, record }: ReferrerNameProps) {
  const untitled = useTranslations('record')('untitled');
  const file = fileOf(collection, record);
  const title = titleOf(collection, record);
  if (file === undefined) return title ?? untitled;
  return (
    <span className="referrer-name">
      <ShowAttachment value={file} where={{ application, collection: collection.id, in: 'cell', linked: true }} />
      {title}
    </span>
  );
}
