// The version of Cartulary, from package.json, and the sources that it was built from, from what the build wrote.

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export const { version: VERSION } = require('../../../package.json') as { version: string };

/** The commit, or else a digest of the sources. */
export const { build: BUILD } = require('../../build.json') as { build: string };
