// The simulation of a fleet: what it reads, what must hold whatever chance decides, and that a seed repeats it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rootPath } from '../support/markdown.ts';

const imported = async (name: string) => import(rootPath(`simulate/${name}.mjs`).href);
const { limitOf, needOf } = await imported('capacity');
const { costOfRequest, MIX } = await imported('costs');
const { play, RULES } = await imported('fleet');
const { readOptions } = await imported('options');
const { partsOfDay, populationOf, usersAt } = await imported('population');

interface Played {
  readonly hours: readonly { readonly hottest: number; readonly mean: number }[];
}

const SMALL = { users: 100_000, applications: 2_000, largest: 20_000, days: 8, seed: 3 };
const TERMS = { databases: 6, cores: 4, hours: 8 * 24, coresPerUser: 0.0012, bytesPerUser: 1e6, seed: 3 };
const COST = { server: 300, database: 150 };
const DAY = { requests: 1_000, records: 300, cores: 16, disk: 8_000 };

describe('the simulation of a fleet', () => {
  it('takes costs from the table of the bench, and says which one is missing', () => {
    const head =
      '<!-- tables of npm run bench -- limit --write -->\n| operation | connections | server µs | database µs |';
    const rows = Object.keys(MIX).map((name) => `| ${name} | 32 | 1,000 / 7 | 200 / 9 |`);
    assert.deepEqual(roundedCost([head, ...rows].join('\n')), { server: 1000, database: 200 });
    const without = [head, ...rows.filter((row) => !row.includes('equals'))].join('\n');
    assert.throws(() => costOfRequest(without), /no cost of “equals” at 32 connections/);
    assert.ok(costOfRequest().database > 0, 'the documentation has all of them');
  });

  it('has applications as unequal as in life, which together have the users that were asked for', () => {
    const { users } = populationOf(SMALL);
    const sorted = users.toSorted().reverse();
    const sum = (some: Float64Array): number => some.reduce((all, value) => all + value, 0);
    assert.ok(Math.abs(sum(users) - SMALL.users) < SMALL.users / 100);
    assert.ok((sorted[0] ?? 0) <= SMALL.largest);
    assert.ok(sum(sorted.subarray(0, 20)) > SMALL.users / 4, 'one in a hundred has more than a quarter');
    const parts = Array.from({ length: 24 }, (_, hour) => partsOfDay(hour)[0] ?? 0);
    assert.ok(Math.abs(parts.reduce((all, part) => all + part, 0) - 1) < 1e-9, 'a working day has all its requests');
  });

  it('counts each application on exactly one database, whatever is moved', () => {
    const population = populationOf(SMALL);
    const hour = TERMS.hours - 1;
    let load = 0;
    for (let index = 0; index < population.count; index++) {
      const part = partsOfDay(hour)[population.zone[index] ?? 0] ?? 0;
      load += usersAt(population, index, hour) * TERMS.coresPerUser * part;
    }
    const mean = load / TERMS.databases / TERMS.cores;
    for (const rule of RULES) {
      const { hours, moved } = play(population, rule, TERMS);
      const copying = rule.moves ? 0.5 / TERMS.cores : 0;
      const last = hours.at(-1)?.mean ?? 0;
      assert.ok(last >= mean - 1e-9 && last <= mean + copying + 1e-9, rule.name);
      assert.equal(moved > 0, rule.moves, rule.name);
    }
  });

  it('has cooler databases where applications go to the least load, and is repeated by its seed', () => {
    const population = populationOf(SMALL);
    const hottest = (name: string) => {
      const rule = RULES.find((each: { name: string }) => each.name === name);
      const { hours }: Played = play(population, rule, TERMS);
      return Math.max(...hours.map((hour) => hour.hottest));
    };
    assert.ok(hottest('least load, no moves') < hottest('fewest applications, no moves'));
    assert.equal(hottest('least load, and moves'), hottest('least load, and moves'));
  });

  it('names what decides the number of databases', () => {
    const need = (users: number, applications: number, day = DAY) =>
      limitOf(needOf({ users, applications }, day, { cost: COST, recordBytes: 2_500 }));
    assert.deepEqual(need(1_000, 50_000), ['applications', 5]);
    assert.equal(need(100_000_000, 100)[0], 'processor');
    assert.equal(need(100_000_000, 100, { ...DAY, disk: 100 })[0], 'disk');
  });

  it('refuses what is no number, and names the option', () => {
    assert.throws(() => readOptions(['--cores', 'many']), /--cores takes a whole number from 1 to 1024/);
    assert.throws(() => readOptions(['--what']), /Usage: npm run simulate/);
  });
});

function roundedCost(document: string) {
  const { server, database } = costOfRequest(document);
  return { server: Math.round(server), database: Math.round(database) };
}
