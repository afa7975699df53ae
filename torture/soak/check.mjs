// @ts-check
// After a soak: every acknowledged create, change and deletion at every node, against what the clients know.

import { listAll, sendPatiently } from '../check-records.mjs';
import { contentOf, mayBe, stateOf } from '../model.mjs';
import { COLUMN, THINGS } from '../scene.mjs';

const FILES_READ = 300;

/**
 * @param {import('../cluster.mjs').Cluster} cluster that is whole and at rest
 * @param {import('./work.mjs').Workplace} at
 * @param {import('../client.mjs').Client} client
 */
export async function checkSoaked(cluster, at, client) {
  const { stock, scene, violation, random } = at;
  let compared = 0;
  for (const { address, name } of cluster.nodes) {
    const records = await listAll({ client, scene }, address, THINGS);
    const found = new Map(records.map((record) => [record.values[COLUMN.code]?.value, record]));
    if (found.size !== records.length) violation(`${name} shows records twice`);
    for (const track of stock.model.records.values()) {
      compared += 1;
      const values = found.get(track.marker)?.values ?? null;
      if (mayBe(track, values)) continue;
      const what = values === null ? 'is lost' : `is ${JSON.stringify(values)}`;
      violation(`${track.marker} ${what} at ${name}; it should be one of ${JSON.stringify(track.states)}`);
    }
    for (const marker of found.keys()) {
      if (stock.gone.has(marker)) violation(`${marker} was deleted and is there again`);
      else if (!stock.model.records.has(marker)) violation(`nobody created ${marker}`);
    }
  }
  const held = [...stock.model.records.values()].flatMap(
    (track) => stock.files.get(stateOf(track)?.[COLUMN.file]?.id ?? '') ?? [],
  );
  let files = 0;
  for (; files < Math.min(FILES_READ, held.length); files++) {
    const { id, name, size } = random.pick(held);
    const path = `${scene.attachments(THINGS)}/${id}`;
    const { status, bytes } = await sendPatiently(client, random.pick(cluster.nodes).address, { method: 'GET', path });
    if (!contentOf(name, size).equals(bytes)) violation(`${name} has other content: ${status}`);
  }
  return { compared, deleted: stock.gone.size, files };
}
