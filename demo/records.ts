// All records of the demonstration, in the order of their creation: a record comes after the records that it refers to.

import { createDice } from './dice.ts';
import { equipmentRecords } from './equipment.ts';
import { photoRecords } from './photos.ts';
import type { PlannedRecord } from './record-plan.ts';
import { siteRecords } from './sites.ts';
import { planVisits, visitKey, visitRecord } from './visits.ts';

export interface PlannedCollection {
  /** As in the publish document. */
  readonly name: string;
  readonly records: readonly PlannedRecord[];
}

/** Each collection has dice of its own, so that a text added to one leaves the others as they are. */
const SEEDS = { sites: 1, visits: 2, photos: 3, equipment: 4 } as const;

/** The same for every call on the same day. `shownKey` is the visit worth looking at first. */
export function planRecords(today: Date): { collections: PlannedCollection[]; shownKey: string } {
  const visits = planVisits(today, createDice(SEEDS.visits));
  const last = visits.at(-1);
  if (last === undefined) throw new Error('The demonstration has no visits.');
  return {
    collections: [
      { name: 'Sites', records: siteRecords(createDice(SEEDS.sites)) },
      { name: 'Visits', records: visits.map(visitRecord) },
      { name: 'Photos', records: photoRecords(visits, createDice(SEEDS.photos)) },
      { name: 'Equipment', records: equipmentRecords(visits, createDice(SEEDS.equipment)) },
    ],
    shownKey: visitKey(last),
  };
}
