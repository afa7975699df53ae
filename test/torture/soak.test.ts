// A short form of `npm run torture -- soak`, with something lost at its end, which the checks have to notice; and the rule by
// which a long one is judged, on samples that are made up.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rootPath } from '../support/markdown.ts';

interface Cluster {
  sql(text: string, params?: unknown[]): Promise<unknown[][]>;
}
interface Sample {
  readonly second: number;
  readonly isMet: boolean;
  readonly nodes: readonly { ageSeconds: number; memory: number; handles: number; heap: number; requests: number }[];
  readonly connections: number;
  readonly p50: number;
  readonly p99: number;
}
interface Judged {
  readonly figure: { readonly name: string };
  readonly verdict: string;
}

const { chartOf } = await import(rootPath('torture/soak/chart.mjs').href);
const { readOptions } = await import(rootPath('torture/soak/options.mjs').href);
const { reportOf } = await import(rootPath('torture/soak/report.mjs').href);
const { soak } = await import(rootPath('torture/soak/soak.mjs').href);
const { judge } = await import(rootPath('torture/soak/verdict.mjs').href);

const LOST = 10;
const SHORT = ['--minutes', '0.2', '--every', '3', '--capacity', '2', '--records', '150', '--clients', '8'];

describe('a soak', () => {
  it('keeps every acknowledged change under load and faults, and notices what is lost', async () => {
    const lost: string[] = [];
    const meddle = async ({ sql }: Cluster, applicationId: string) => {
      const rows = await sql(
        `delete from app_${applicationId}.tthings0 where id in (select id from app_${applicationId}.tthings0 limit $1)
         returning rec::json -> 'values' -> 'ccode000' ->> 'value'`,
        [LOST],
      );
      lost.push(...(rows.flat() as string[]));
    };
    // The seed's first faults kill a node and a backend.
    const options = { ...readOptions([...SHORT, '--seed', '11']), meddle };
    const result = await soak(options);
    const { violations, internalErrors, meter, met, checked, samples, judged } = result;
    assert.equal(lost.length, LOST);
    // Some of them may be gone for another reason: a deletion without a reply.
    const noticed = lost.filter((marker) => violations.some((what: string) => what.startsWith(`${marker} is lost`)));
    assert.ok(noticed.length > LOST / 2, `of ${lost} only ${noticed} were noticed`);
    for (const marker of noticed) {
      const said = violations.filter((what: string) => what.startsWith(`${marker} is lost`));
      assert.equal(said.length, options.nodes, `${marker}: ${violations}`);
    }
    assert.deepEqual(
      violations.filter((what: string) => !lost.includes(what.split(' ')[0] ?? '')),
      [],
    );
    assert.equal(internalErrors, 0);
    assert.ok(met.size > 0, 'a fault met something');
    assert.ok(meter.requests > 0 && meter.calm > 0, `${meter.calm} of ${meter.requests} requests met no fault`);
    assert.ok(checked.compared > 0 && checked.deleted > 0, JSON.stringify(checked));
    assert.ok(
      samples.some(({ nodes: [first] }: Sample) => first !== undefined && first.memory > 0 && first.handles > 0),
    );
    assert.ok(judged.every(({ verdict }: Judged) => verdict === 'not judged'));
    assert.match(reportOf(options, result), /\| resident memory of node 1 +\|/);
    const chart = chartOf(samples, { ...options, windows: result.windows });
    for (const title of ['resident memory', 'file handles', 'connections', 'p99'])
      assert.match(chart, new RegExp(title));
  });

  describe('of an hour', () => {
    const MB = 2 ** 20;
    const hour = (change: (sample: Sample, minute: number) => Sample) =>
      Array.from({ length: 360 }, (_, index) => {
        const noise = (index * 7) % 10;
        const node = { memory: (180 + noise) * MB, handles: 60 + noise, heap: (60 + noise) * MB, requests: 2 };
        const sample = {
          ...{ second: index * 10, isMet: index % 6 === 0, connections: 18, p50: 4 + noise / 10, p99: 30 + noise },
          // The second is killed every nine minutes, and grows while it is young.
          nodes: [
            { ...node, ageSeconds: index * 10 },
            { ...node, ageSeconds: (index % 54) * 10 },
          ],
        };
        return change(sample, index / 6);
      });
    const growing = (samples: Sample[]) =>
      judge(samples, { minutes: 60, nodes: 2 }).flatMap(({ figure, verdict }: Judged) =>
        verdict === 'flat' ? [] : `${figure.name}: ${verdict}`,
      );

    it('is flat while nothing grows, whatever samples during faults show', () => {
      assert.deepEqual(growing(hour((sample) => sample)), []);
      assert.deepEqual(
        growing(hour((sample) => (sample.isMet ? { ...sample, connections: 90, p99: 5_000 } : sample))),
        [],
      );
    });

    it('is not flat if memory, handles, connections or times of replies grow', () => {
      const one = (extra: (minute: number) => Partial<Sample['nodes'][number]>) =>
        hour((sample, minute) => ({ ...sample, nodes: sample.nodes.map((node) => ({ ...node, ...extra(minute) })) }));
      assert.deepEqual(growing(one((minute) => ({ memory: (180 + minute * 2) * MB }))), [
        'resident memory of node 1: grows',
        'resident memory of node 2, 1 to 4 minutes old: grows',
      ]);
      assert.deepEqual(growing(one((minute) => ({ handles: 60 + minute }))), [
        'file handles of node 1, without connections of clients: grows',
        'file handles of node 2, without connections of clients: grows',
      ]);
      const connections = hour((sample, minute) => ({ ...sample, connections: 18 + Math.floor(minute / 4) }));
      assert.deepEqual(growing(connections), ['connections of the database: grows']);
      const slower = hour((sample, minute) => ({ ...sample, p99: sample.p99 + minute * 2 }));
      assert.deepEqual(growing(slower), ['p99 of requests: grows']);
    });

    it('is not passed by a cluster that was never calm', () => {
      const never = growing(hour((sample) => ({ ...sample, isMet: true })));
      assert.ok(never.includes('p99 of requests: too few samples'), `${never}`);
    });

    it('compares a node that is killed at the same age', () => {
      const aging = hour((sample) => ({
        ...sample,
        nodes: sample.nodes.map((node, index) =>
          index === 0 ? node : { ...node, memory: (100 + node.ageSeconds) * MB },
        ),
      }));
      assert.deepEqual(growing(aging), []);
    });
  });
});
