// docs/monitoring.md lists the figures that there are, and the dashboard draws none that there are not.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { codeIn, readPage, readSource, tableOf } from '../support/markdown.ts';
import { type Scrape, scrape } from '../support/metrics.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
}

interface Dashboard {
  readonly __inputs: readonly { readonly name: string; readonly pluginId: string }[];
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly definition: string }[] };
}

const INPUT = 'DS_PROMETHEUS';

/** Without what Prometheus adds to the name of a histogram. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:cartulary|nodejs|process)_[a-z0-9_]+/g)].map(([name]) =>
    name.replace(/(?<=_duration_seconds)_(?:bucket|sum|count)$/, ''),
  );

describe('the documentation of the metrics', () => {
  let server: TestServer;
  let figures: Scrape;
  before(async () => {
    server = await startTestServer();
    figures = await scrape(server.address);
  });
  after(() => server.close());

  it('is what the server has', () => {
    const served = [...figures.text.matchAll(/^# HELP (cartulary_\S+) (.*)\n# TYPE \S+ (\w+)$/gm)];
    assert.deepEqual(
      tableOf('monitoring', 'Metric', 'Kind').map(([name, kind, help]) => [codeIn(name), kind, help]),
      served.map(([, name, help, kind]) => [name, kind, help]),
    );
    for (const name of namesIn(readPage('monitoring'))) assert.ok(figures.names.includes(name), name);
  });

  it('is 0 from the start where its labels are known', () => {
    const begun = [
      ['cartulary_requests_refused_total', { code: 'UNAVAILABLE', reason: 'busy' }],
      ['cartulary_requests_refused_total', { code: 'TOO_MANY_REQUESTS', reason: 'quota' }],
      ['cartulary_quota_refused_total', { group: 'records-read' }],
      ['cartulary_quota_requests_total', { group: 'management-write' }],
      ['cartulary_job_failures_total', { name: 'notifications' }],
      ['cartulary_task_failures_total', { task: 'passwordReset' }],
      ['cartulary_notifications_total', { outcome: 'failed' }],
      ['cartulary_workers_lost_total', {}],
    ] as const;
    for (const [name, labels] of begun) {
      const shown = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
      const line = shown.length === 0 ? `${name} 0` : `${name}{${shown.join(',')}} 0`;
      assert.ok(figures.text.includes(`\n${line}\n`), line);
    }
  });

  it('is what the dashboard draws', () => {
    const dashboard = JSON.parse(readSource('docs/grafana-dashboard.json')) as Dashboard;
    assert.deepEqual(
      dashboard.__inputs.map(({ name, pluginId }) => [name, pluginId]),
      [[INPUT, 'prometheus']],
    );
    const { panels, templating } = dashboard;
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    const drawn = new Set([...expressions, ...templating.list.map(({ definition }) => definition)].flatMap(namesIn));
    for (const name of drawn) assert.ok(figures.names.includes(name), name);
    const ours = figures.names.filter((name) => name.startsWith('cartulary_'));
    assert.deepEqual(
      ours.filter((name) => !drawn.has(name)),
      ['cartulary_job_last_success_timestamp_seconds'],
      'that is for alerts; all else is drawn',
    );
    for (const { type, title, targets = [] } of panels) {
      assert.equal(type === 'row', targets.length === 0, title);
      for (const { expr, datasource } of targets) {
        assert.equal(datasource.uid, `\${${INPUT}}`, title);
        for (const [open, close] of ['()', '{}', '[]']) {
          assert.equal(expr.split(open!).length, expr.split(close!).length, expr);
        }
      }
    }
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    for (const one of panels) {
      const { x, y, w, h } = one.gridPos;
      const under = panels.filter(
        ({ gridPos: other }) => x < other.x + other.w && other.x < x + w && y < other.y + other.h && other.y < y + h,
      );
      assert.deepEqual(under, [one], `${one.title} lies on another`);
    }
  });
});
