// The photos of the visits: one of every finding, and often one of the building. Only the latest photos have pictures; the
// other records have no value in that column.

import type { Dice } from './dice.ts';
import type { Language } from './people.ts';
import { instant, location, type PlannedRecord, text } from './record-plan.ts';
import { afterMinutes } from './tokyo-days.ts';
import { type NumberedVisit, visitKey } from './visits.ts';

const OVERVIEWS: Readonly<Record<Language, readonly string[]>> = {
  English: ['Main entrance on arrival', 'Front of the building from the street', 'Alarm panel, no messages'],
  Japanese: ['正面玄関(到着時)', '道路側から見た建物全景', '受信機の表示 異常なし'],
};

const STOREY_METRES = 4;
/** Enough to fill a screen; each takes some hundredths of a second at the first start. */
const PICTURES = 24;

export function photoRecords(visits: readonly NumberedVisit[], dice: Dice): PlannedRecord[] {
  const photos = visits.flatMap((visit) => {
    const overview = dice.chance(0.5) ? [{ caption: dice.pick(OVERVIEWS[visit.language]), floor: 1 }] : [];
    const subjects = [...overview, ...visit.findings];
    return subjects.map((subject, index) => ({
      record: photoRecord(visit, { ...subject, index, of: subjects.length }, dice),
      floors: visit.site.floors,
    }));
  });
  return photos.map(({ record, floors }, index) =>
    index < photos.length - PICTURES ? record : withPicture(record, floors),
  );
}

function withPicture(record: PlannedRecord, floors: number): PlannedRecord {
  const fileName = `${record.key.replace(' ', '-')}.png`;
  return { ...record, values: { ...record.values, Image: { type: 'Attachment', fileName, floors } } };
}

function photoRecord(
  visit: NumberedVisit,
  photo: { caption: string; floor: number; index: number; of: number },
  dice: Dice,
): PlannedRecord {
  const { site } = visit;
  // Spread over the visit, in the order in which the inspector walks.
  const minutes = (visit.minutes * (photo.index + dice.whole(1, 9) / 10)) / photo.of;
  const astray = () => dice.whole(-150, 150) / 1_000_000;
  return {
    key: `photo ${visit.number}-${photo.index + 1}`,
    creator: visit.inspector.name,
    values: {
      Visit: { type: 'ReferenceString', key: visitKey(visit) },
      Caption: text(photo.caption),
      Taken: instant(Math.round(afterMinutes(visit.startedMs, minutes) / 1000) * 1000),
      Location: location(
        site.latitude + astray(),
        site.longitude + astray(),
        site.altitude + (photo.floor - 1) * STOREY_METRES,
      ),
    },
  };
}
