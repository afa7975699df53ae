// @ts-check
// A program: Strapi, from the packages and the project of the folder that it is started in, without its panel for
// administrators. Fills itself with as many records as its argument says before it listens.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { plainOf } from './dialect.mjs';
import { documentId, freePort } from './peer.mjs';

const BATCH = 500;
const total = Number(process.argv[2]);
process.env.PORT = String(await freePort());
const load = createRequire(join(process.cwd(), 'package.json'));
const { createStrapi } = load('@strapi/strapi');

const strapi = createStrapi({
  ...{ appDir: process.cwd(), distDir: process.cwd(), autoReload: false, serveAdminPanel: false },
});
await strapi.load();
const now = Date.now();
for (let first = 0; first < total; first += BATCH) {
  const data = Array.from({ length: Math.min(BATCH, total - first) }, (_, i) => {
    const at = new Date(now - total + first + i);
    const times = { createdAt: at, updatedAt: at, publishedAt: at };
    return { ...plainOf(first + i, total), ...times, documentId: documentId(first + i) };
  });
  await strapi.db.query('api::item.item').createMany({ data });
}
const { accessKey } = await strapi
  .service('admin::api-token')
  .create({ name: 'bench', description: '', type: 'full-access', lifespan: null });
await strapi.listen();
process.stdout.write(`Strapi at http://127.0.0.1:${process.env.PORT} ${accessKey}\n`);
process.on('SIGTERM', () => process.exit());
