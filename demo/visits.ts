// The visits: each site about every four months over the last year, and again soon after a failed inspection. The last
// visit is written by hand: `npm start` shows it.

import type { Dice } from './dice.ts';
import { FINDING_TEXTS, type FindingText } from './finding-texts.ts';
import { inspectorsOf, type Language, type Person } from './people.ts';
import { boolean, date, instant, number, type PlannedRecord, person, text } from './record-plan.ts';
import { type Site, siteKey, siteList } from './sites.ts';
import { addDays, dayOf, instantAt, workdayOnOrBefore } from './tokyo-days.ts';
import { type Outcome, writeNotes } from './visit-notes.ts';

export interface Finding {
  readonly place: string;
  /** 1 if the place has no floors. */
  readonly floor: number;
  readonly text: string;
  readonly caption: string;
  readonly severity: number;
  readonly fixed: boolean;
}

export interface Visit {
  readonly site: Site;
  readonly purpose: 'Regular inspection' | 'Follow-up' | 'After complaint';
  readonly inspector: Person;
  readonly language: Language;
  readonly day: string;
  readonly startedMs: number;
  readonly minutes: number;
  readonly findings: readonly Finding[];
  readonly passed: boolean;
  readonly notes: string;
}

export interface NumberedVisit extends Visit {
  readonly number: number;
  readonly title: string;
}

const FIRST_NUMBER = 1001;
const VISITS_OF_SITE = 3;
const DAYS_BETWEEN = 120;

/** In the order of their numbers, which is that of their dates. */
export function planVisits(today: Date, dice: Dice): NumberedVisit[] {
  const todayDay = dayOf(today.getTime());
  const planned = siteList.flatMap((site) => planVisitsOf(site, todayDay, dice));
  return [...planned, shownVisit(todayDay)]
    .sort((one, other) => one.startedMs - other.startedMs)
    .map((visit, index) => {
      const number = FIRST_NUMBER + index;
      return { ...visit, number, title: `V-${number} ${visit.site.name}` };
    });
}

function planVisitsOf(site: Site, today: string, dice: Dice): Visit[] {
  const visits: Visit[] = [];
  for (let round = VISITS_OF_SITE - 1; round >= 0; round -= 1) {
    // The newest round is four days ago or earlier, so that the visit written by hand is the last one.
    const regular = planVisit(site, addDays(today, -(round * DAYS_BETWEEN + dice.whole(4, 100))), dice);
    visits.push(regular);
    const again = addDays(regular.day, dice.whole(10, 16));
    if (!regular.passed && again < addDays(today, -3)) visits.push(planVisit(site, again, dice, regular.inspector));
  }
  return visits;
}

/** With `after` it is a follow-up by the same inspector, who finds less. */
function planVisit(site: Site, wanted: string, dice: Dice, after?: Person): Visit {
  const day = workdayOnOrBefore(wanted);
  const inspector = after ?? dice.pick(inspectorsOf(site.team));
  const language = dice.pick(inspector.languages);
  const findings = findSomething(site, language, { followUp: after !== undefined, dice });
  const passed = findings.every(({ severity }) => severity < 3);
  const outcome: Outcome = !passed ? 'failed' : findings.length > 0 ? 'minor' : 'clean';
  const englishOwner = /^[A-Z]/.test(site.name);
  return {
    site,
    purpose: after === undefined ? 'Regular inspection' : 'Follow-up',
    inspector,
    language,
    day,
    startedMs: instantAt(day, 9 * 60 + 5 * dice.whole(0, 84)),
    minutes: 5 * dice.whole(after === undefined ? 12 : 5, after === undefined ? 36 : 12),
    findings,
    passed,
    notes: writeNotes(dice, { language, outcome, englishOwner }),
  };
}

function findSomething(site: Site, language: Language, about: { followUp: boolean; dice: Dice }): Finding[] {
  const { followUp, dice } = about;
  const possible = FINDING_TEXTS[language].filter(
    ({ kinds, severity }) => (kinds.length === 0 || kinds.includes(site.kind)) && !(followUp && severity === 3),
  );
  const serious = possible.filter(({ severity }) => severity === 3);
  const usual = dice.some(
    possible.filter(({ severity }) => severity < 3),
    followUp ? dice.whole(0, 1) : dice.whole(0, 3),
  );
  const worst = !followUp && serious.length > 0 && dice.chance(0.2) ? [dice.pick(serious)] : [];
  return [...worst, ...usual].map((found) => observe(found, site, dice));
}

function observe(found: FindingText, site: Site, dice: Dice): Finding {
  const floor = found.place.includes('{floor}') ? dice.whole(2, Math.max(2, site.floors)) : 1;
  const details: Readonly<Record<string, number>> = { floor, count: dice.whole(2, 9), cm: 5 * dice.whole(2, 12) };
  const fill = (template: string) => template.replace(/\{(\w+)\}/g, (_, name: string) => String(details[name]));
  const fixed = found.severity === 1 && /Moved|Tightened|移動|増し締め|清掃後|仮留め/.test(found.text);
  const { severity, caption } = found;
  return { place: fill(found.place), floor, text: fill(found.text), caption, severity, fixed };
}

function shownVisit(today: string): Visit {
  const site = siteList[0]!;
  const day = workdayOnOrBefore(addDays(today, -1));
  return {
    site,
    purpose: 'After complaint',
    inspector: site.contact,
    language: 'Japanese',
    day,
    startedMs: instantAt(day, 17 * 60 + 30),
    minutes: 55,
    findings: [
      {
        place: '12階 避難階段B',
        floor: 12,
        text: '防火戸がラッチまで閉まらず、約3cm開いたままになる。ドアクローザーの調整では直らず、交換が必要。',
        caption: '12階 閉まらない防火戸',
        severity: 2,
        fixed: false,
      },
      {
        place: '12F corridor',
        floor: 12,
        text: 'Cardboard stacked beside the stairwell door. The tenant moved it to the store room while I was there.',
        caption: 'Corridor on 12F after clearing',
        severity: 1,
        fixed: true,
      },
    ],
    passed: true,
    notes:
      '12階テナントからの連絡を受けて訪問。階段室の扉が閉まりきらず、風の強い日に音がするとのこと。' +
      '煙感知器との連動は正常で、手で押せば閉まることを確認した。\n\n' +
      'The tenant on 12F had called about a rattling stairwell door. It closes when pushed and releases on alarm, so the ' +
      'floor stays in use; a new closer is ordered. 次回、交換後の動作を確認すること。',
  };
}

export const visitKey = (visit: NumberedVisit) => `visit ${visit.number}`;

export function visitRecord(visit: NumberedVisit): PlannedRecord {
  const severities = visit.findings.reduce((sum, { severity }) => sum + severity, 0);
  return {
    key: visitKey(visit),
    creator: visit.inspector.name,
    values: {
      Number: number(visit.number),
      Title: text(visit.title),
      Site: { type: 'ReferenceString', key: siteKey(visit.site) },
      Purpose: text(visit.purpose),
      Inspector: person(visit.inspector.name),
      Started: instant(visit.startedMs),
      Minutes: number(visit.minutes),
      Rating: number(Math.max(1, 5 - severities / 2)),
      Passed: boolean(visit.passed),
      Findings: {
        type: 'Array',
        value: visit.findings.map((finding) => ({ type: 'Object', value: findingValues(finding, visit.day) })),
      },
      Notes: text(visit.notes),
      'Next visit': date(workdayOnOrBefore(addDays(visit.day, visit.passed ? DAYS_BETWEEN : 14))),
    },
  };
}

function findingValues({ place, text: words, severity, fixed }: Finding, day: string) {
  return {
    Place: text(place),
    Text: text(words),
    Severity: number(severity),
    'Fixed on site': boolean(fixed),
    ...(severity > 1 ? { 'Repair by': date(addDays(day, severity === 3 ? 10 : 60)) } : {}),
  };
}
