// The files for systemd, containers and Kubernetes: accepted by the tools that know them, and what docs/deploying.md
// promises of them.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { readConfig } from '../../src/settings/settings.ts';
import { readSource } from '../support/markdown.ts';
import { ROOT } from '../tidy/tree.ts';
import { findTool } from './tools.ts';

const UNIT = 'deploy/systemd/cartulary.service';
const analyze = findTool('systemd-analyze');
/** Of 10; the tool itself calls less than 2 OK. */
const EXPOSURE_MAX = 2;

describe(UNIT, { skip: analyze === undefined ? 'systemd-analyze is not on this machine' : false }, () => {
  it('is accepted by systemd-analyze verify, without a warning', () => {
    const { status, stdout, stderr } = spawnSync(analyze ?? '', ['verify', join(ROOT, UNIT)], { encoding: 'utf8' });
    assert.deepEqual([status, stdout, stderr], [0, '', '']);
  });

  it('is rated well by systemd-analyze security', () => {
    const args = ['security', '--offline=true', '--no-pager', join(ROOT, UNIT)];
    const text = execFileSync(analyze ?? '', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [, exposure] = /Overall exposure level for cartulary\.service: ([\d.]+)/.exec(text) ?? [];
    assert.ok(Number(exposure) < EXPOSURE_MAX, text.slice(-200));
  });
});

/** The instructions of a stage of the Dockerfile, as written, each on one line. */
function stages(): { readonly name: string; readonly lines: string[] }[] {
  const text = readSource('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '');
  const found: { name: string; lines: string[] }[] = [];
  for (const line of text.split('\n').filter(Boolean)) {
    if (line.startsWith('FROM ')) found.push({ name: / AS (\w+)$/.exec(line)?.[1] ?? '', lines: [] });
    found.at(-1)?.lines.push(line);
  }
  return found;
}

describe('the Dockerfile', () => {
  it('has nothing that a linter objects to', () => {
    assert.deepEqual(validate(readSource('Dockerfile')), []);
  });

  it('builds in one stage and serves from another, as an account that is not root, with a health check', () => {
    const [build, last, ...others] = stages();
    assert.deepEqual([build?.name, last?.name, others], ['build', '', []]);
    assert.ok(last?.lines.includes('USER 1000:1000'));
    assert.ok(last?.lines.some((line) => line.startsWith('HEALTHCHECK ') && line.includes('/healthz')));
    assert.ok(last?.lines.includes('VOLUME /data'));
    assert.ok(!last?.lines.some((line) => /npm|--privileged|ADD /.test(line)));
  });

  it('has shell steps that a shell can read', () => {
    const steps = stages().flatMap(({ lines }) => lines.filter((line) => line.startsWith('RUN ')));
    assert.ok(steps.length >= 4);
    for (const step of steps) execFileSync('sh', ['-n', '-c', step.slice('RUN '.length)]);
  });

  it('checks the health of a server with its own command', () => {
    const line =
      stages()
        .at(-1)
        ?.lines.find((each) => each.startsWith('HEALTHCHECK ')) ?? '';
    const [, program = '', ...args] = ['', ...(JSON.parse(line.slice(line.indexOf('['))) as string[])];
    const env = { PATH: process.env.PATH ?? '', CARTULARY_PORT: '1' };
    const { status } = spawnSync(program, args, { env });
    assert.equal(status, 1, 'where no server is');
    assert.ok(
      stages()
        .at(-1)
        ?.lines.some((each) => each.includes('CARTULARY_PORT=8080')),
    );
  });

  it('leaves the repository, data and built files out of what is sent to the engine', () => {
    const left = readSource('.dockerignore').trim().split('\n');
    for (const name of ['.git', 'data', 'dist', 'node_modules']) assert.ok(left.includes(name), name);
  });

  it('leaves files with secrets out of that, of the repository and of the package', () => {
    const secrets = ['.env', 'cartulary.env', 'deploy/kubernetes/secret.yaml'];
    for (const file of ['.dockerignore', '.gitignore']) {
      const left = readSource(file).trim().split('\n');
      for (const name of secrets) assert.ok(left.includes(name), `${name} in ${file}`);
    }
    const { files } = JSON.parse(readSource('package.json')) as { files: string[] };
    assert.ok(files.includes('!deploy/kubernetes/secret.yaml'));
    assert.ok(!files.some((name) => name.startsWith('.env') || name === 'cartulary.env'));
  });
});

interface Service {
  readonly image: string;
  readonly build?: object;
  readonly read_only?: boolean;
  readonly user?: string;
  readonly cap_drop?: string[];
  readonly security_opt?: string[];
  readonly mem_limit?: string;
  readonly tmpfs?: string[];
  readonly volumes?: string[];
  readonly stop_grace_period?: string;
  readonly environment?: Record<string, string>;
}

/** Of the images that compose builds. */
const builtNames = (file: string): string[] =>
  Object.values(servicesOf(file)).flatMap(({ image, build }) => (build === undefined ? [] : [image]));

const servicesOf = (file: string): Record<string, Service> =>
  (parse(readSource(file), { merge: true }) as { services: Record<string, Service> }).services;

/** As compose does, with values for what `.env` sets. */
const filled = (text: string): string =>
  text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, __, sign, rest) => (sign === '-' ? rest : 'a'.repeat(40)));

const MIB = 2 ** 20;
const UNITS: Readonly<Record<string, number>> = { m: MIB, g: 1024 * MIB };
/** Such as `64m`; NaN if there is none. */
const bytesOf = (size = ''): number => Number(size.slice(0, -1)) * (UNITS[size.slice(-1)] ?? Number.NaN);

for (const file of ['compose.yaml', 'compose.cluster.yaml']) {
  describe(file, () => {
    const services = servicesOf(file);
    const nodes = Object.values(services).filter(({ image }) => image === 'cartulary');

    it('gives no service a writable root, privileges or boundless memory', () => {
      for (const [name, service] of Object.entries(services)) {
        assert.equal(service.read_only, true, name);
        assert.deepEqual(service.cap_drop, ['ALL'], name);
        assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
        assert.ok(service.mem_limit, name);
      }
      for (const node of nodes) assert.deepEqual([node.user, node.stop_grace_period], ['1000:1000', '60s']);
    });

    // A file there takes memory of its container: one that is full is to get ENOSPC before the kernel kills a process.
    it('lets no temporary file system take more than an eighth of the memory, and has files on volumes', () => {
      for (const [name, { tmpfs = [], mem_limit }] of Object.entries(services)) {
        const sizes = tmpfs.map((each) => bytesOf(/size=(\w+)/.exec(each)?.[1]));
        const sum = sizes.reduce((total, size) => total + size, 0);
        assert.ok(sum <= bytesOf(mem_limit) / 8, `${name}: ${tmpfs}`);
      }
      for (const { volumes } of nodes) assert.ok(volumes?.some((each) => /^(\w+:)?\/data$/.test(each)));
    });

    it('has as many nodes as it says, with settings that the server accepts', () => {
      assert.equal(nodes.length, file === 'compose.yaml' ? 1 : 3);
      for (const { environment = {} } of nodes) {
        const settings = Object.entries(environment).map(([name, value]) => [name, filled(value)]);
        readConfig(Object.fromEntries(settings));
      }
    });
  });
}

describe('the compose files', () => {
  it('build each image once: where Docker keeps images in containerd, the second build of a name fails', () => {
    for (const file of ['compose.yaml', 'compose.cluster.yaml'])
      assert.deepEqual(builtNames(file), ['cartulary'], file);
  });

  it('are two projects, although they lie in one folder', () => {
    const names = ['compose.yaml', 'compose.cluster.yaml'].map((file) => parse(readSource(file), { merge: true }).name);
    assert.deepEqual(names, ['cartulary', 'cartulary-cluster']);
  });
});

describe('deploy/kubernetes', () => {
  const folder = join(ROOT, 'deploy/kubernetes');
  const documents = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml') && name !== 'secret.yaml')
    .map((name) => ({ name, document: parse(readSource(`deploy/kubernetes/${name}`)) }));
  const byKind = (kind: string) => documents.find(({ document }) => document.kind === kind)?.document;
  const require = createRequire(import.meta.url);

  it('has documents of the schemas of Kubernetes', () => {
    for (const { name, document } of documents.filter(({ document: { kind } }) => kind !== 'Kustomization')) {
      const Model = require(`kubernetes-models/${document.apiVersion}/${document.kind}`)[document.kind];
      assert.doesNotThrow(() => new Model(document).validate(), name);
      assert.throws(() => new Model({ ...document, metadata: 1 }).validate(), name);
    }
  });

  it('is complete: every file is a resource', () => {
    const { resources } = byKind('Kustomization');
    const files = documents
      .map(({ name }) => name.replace('.example', ''))
      .filter((name) => name !== 'kustomization.yaml');
    assert.deepEqual([...resources].sort(), files.sort());
  });

  it('runs as an account that is not root, on a root that cannot be written, with probes and limits', () => {
    const { replicas, template } = byKind('Deployment').spec;
    const [container] = template.spec.containers;
    assert.equal(replicas, 3);
    assert.deepEqual([template.spec.securityContext.runAsNonRoot, template.spec.enableServiceLinks], [true, false]);
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet.path);
    assert.deepEqual(paths, ['/healthz', '/healthz', '/readyz']);
    assert.ok(container.resources.limits.memory && container.resources.requests.cpu);
    const drain = Number(byKind('ConfigMap').data.CARTULARY_DRAIN_SECONDS);
    assert.ok(template.spec.terminationGracePeriodSeconds >= drain + 30);
  });

  it('has settings that the server accepts', () => {
    const { CARTULARY_ATTACHMENTS } = readConfig({ ...byKind('ConfigMap').data, ...byKind('Secret').stringData });
    assert.notEqual(CARTULARY_ATTACHMENTS, undefined);
  });
});

describe('what the schemas and the linter are worth', () => {
  it('they notice mistakes', () => {
    assert.ok(validate('FROM node\nUSER\n').length > 0);
    assert.throws(() => readConfig({ CARTULARY_PROT: '1' }));
  });

  it('systemd-analyze notices them too', { skip: analyze === undefined }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'ct-unit-'));
    const file = join(folder, 'cartulary.service');
    writeFileSync(file, readSource(UNIT).replace('Type=exec', 'Typ=exec'));
    assert.notEqual(spawnSync(analyze ?? '', ['verify', file], { encoding: 'utf8' }).stderr, '');
    rmSync(folder, { recursive: true });
  });
});
