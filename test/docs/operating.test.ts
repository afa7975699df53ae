// docs/operating.md lists the settings that there are, and the events of the log with their levels.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SETTINGS } from '../../src/settings/settings.ts';
import { codeIn, readSource, tableOf } from '../support/markdown.ts';

describe('docs/operating.md', () => {
  it('lists exactly the settings, with their defaults and sentences', () => {
    assert.deepEqual(
      tableOf('operating', 'Setting', 'Default').map(([name, value, sentence]) => [
        codeIn(name),
        codeIn(value),
        sentence,
      ]),
      Object.entries(SETTINGS).map(([name, entry]) => [name, entry.default, entry.sentence]),
    );
  });

  it('lists exactly the events of the log, with their levels', () => {
    const [, levels = ''] = /const LEVELS = \{([^}]*)\}/.exec(readSource('src/events/events.ts')) ?? [];
    assert.deepEqual(
      tableOf('operating', '`msg`', 'Level').map(([event, level]) => [codeIn(event), level]),
      [...levels.matchAll(/'?([\w.]+)'?: '(\w+)'/g)].map(([, event, level]) => [event, level]),
    );
  });
});
