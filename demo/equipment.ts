// The equipment of the sites. Manufacturers and models are invented.

import type { Dice } from './dice.ts';
import { leaderOf } from './people.ts';
import { boolean, date, number, type PlannedRecord, text, time } from './record-plan.ts';
import { type Site, siteKey, siteList } from './sites.ts';
import { type NumberedVisit, visitKey } from './visits.ts';

interface EquipmentKind {
  readonly kind: string;
  readonly prefix: string;
  readonly models: readonly string[];
  readonly places: readonly string[];
  /** When it tests itself, if it does. */
  readonly selfTests?: readonly string[];
  /** The last three measurements lie around the first number, within the second. */
  readonly readings?: readonly [number, number];
  /** Kinds of building that have one; left out: all. */
  readonly at?: readonly string[];
}

const KINDS: readonly EquipmentKind[] = [
  {
    kind: 'Fire alarm panel',
    prefix: 'FP',
    models: ['Kitazawa P-型1級', 'Kitazawa R-Compact', 'Aldous Sentinel 40'],
    places: ['防災センター', '1F reception', '管理室'],
    selfTests: ['02:00:00', '03:00:00', '03:30:00'],
  },
  {
    kind: 'Fire extinguisher',
    prefix: 'FE',
    models: ['Marusada ABC-10', 'Marusada ABC-20', 'Torii 強化液 6L'],
    places: ['1階 廊下', '2F corridor, east', '機械室 入口', 'Loading dock'],
    readings: [0.85, 0.08],
  },
  {
    kind: 'Sprinkler pump',
    prefix: 'SP',
    models: ['Hamaguchi SPU-65', 'Hamaguchi SPU-80'],
    places: ['ポンプ室', 'Pump room'],
    selfTests: ['05:00:00', '05:15:00'],
    readings: [1.1, 0.15],
    at: ['Office', 'Warehouse', 'Hotel', 'Retail'],
  },
  {
    kind: 'Emergency generator',
    prefix: 'EG',
    models: ['Oyama Diesel 125', 'Oyama Diesel 250'],
    places: ['屋上', 'Generator room'],
    selfTests: ['12:30:00', '13:00:00'],
    readings: [201.5, 2.5],
    at: ['Clinic', 'Hotel', 'Hall', 'Office'],
  },
  {
    kind: 'Lift',
    prefix: 'LF',
    models: ['Nishiki N-11', 'Nishiki N-15', 'Vertica Home 9'],
    places: ['1号機', '2号機', 'Service lift'],
    at: ['Office', 'Hotel', 'Residence', 'Clinic'],
  },
  {
    kind: 'AED',
    prefix: 'AD',
    models: ['Cordis One', 'Cordis Two'],
    places: ['1階 ロビー', 'Reception', '職員室前'],
    selfTests: ['00:00:00', '04:00:00'],
    at: ['School', 'Hall', 'Clinic', 'Retail', 'Residence'],
  },
];

const ITEMS_OF_SITE_MAX = 4;

export function equipmentRecords(visits: readonly NumberedVisit[], dice: Dice): PlannedRecord[] {
  const lastVisits = new Map(visits.map((visit) => [visit.site.code, visit]));
  let count = 0;
  return siteList.flatMap((site) => {
    const there = KINDS.filter(({ at }) => at === undefined || at.includes(site.kind));
    return dice.some(there, dice.whole(2, ITEMS_OF_SITE_MAX)).map((kind) => {
      count += 1;
      return equipmentRecord(site, { kind, count, lastVisit: lastVisits.get(site.code) }, dice);
    });
  });
}

function equipmentRecord(
  site: Site,
  item: { kind: EquipmentKind; count: number; lastVisit: NumberedVisit | undefined },
  dice: Dice,
): PlannedRecord {
  const { kind, count, lastVisit } = item;
  // The count makes serials unique, whatever the dice give.
  const serial = `${kind.prefix}-${dice.whole(12, 24)}-${String(count * 37 + dice.whole(0, 36)).padStart(5, '0')}`;
  const inService = dice.chance(0.94);
  return {
    key: `equipment ${serial}`,
    creator: leaderOf(site.team).name,
    values: {
      Serial: text(serial),
      Kind: text(kind.kind),
      Model: text(dice.pick(kind.models)),
      Site: { type: 'ReferenceString', key: siteKey(site) },
      Place: text(dice.pick(kind.places)),
      Responsible: { type: 'ReferenceUser', key: siteKey(site) },
      'Last visit': lastVisit && { type: 'ReferenceNumber', key: visitKey(lastVisit) },
      'Last inspected': lastVisit && date(lastVisit.day),
      'Self-test': kind.selfTests && inService ? time(dice.pick(kind.selfTests)) : undefined,
      'In service': boolean(inService),
      Readings: kind.readings && { type: 'Array', value: readings(kind.readings, dice).map(number) },
    },
  };
}

function readings([middle, spread]: readonly [number, number], dice: Dice): number[] {
  return [1, 2, 3].map(() => Number((middle + (spread * dice.whole(-100, 100)) / 100).toFixed(2)));
}
