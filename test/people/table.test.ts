// Every property of the bodies of users and shared users, missing, null, of every wrong type, refused by the mode, and at
// its edges, in every combination of modes. The management interface and the operator's give the same replies. A refused
// body changes nothing; a body that is taken is logged once.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { UserModes } from '../../src/wire/users.ts';
import { OPERATOR_KEY, type Reply } from '../support/server.ts';
import {
  EMAILS,
  NAMES,
  PASSWORDS,
  PROPERTIES,
  type Property,
  type Refusal,
  STRANGERS,
  type Verb,
  withMember,
  without,
  wrongTypes,
} from './body-table.ts';
import {
  ALL_MODES,
  addSharedUser,
  assertRefused,
  EVERY_RIGHT,
  openPlace,
  openScene,
  PASSWORD,
  type Place,
  type Scene,
  titleOf,
} from './scene.ts';

const SIGN_ON = { issuer: 'https://id.example.com', clientId: 'cartulary', clientSecret: 'Very-Secret-Thing' };

let server: Scene;
before(async () => {
  server = await openScene();
});
after(() => server.close());

/** Shared users that came in by the back door. */
let strangers = 0;

type Send = (body: object | string) => Promise<Reply>;

type Doors = Readonly<Record<string, Send>>;

/** Sends bodies that must be refused to every door: the replies are the same, and nothing is stored. */
async function allRefused(
  place: Place,
  requests: readonly { body: object | string; refusal: Refusal }[],
  doors: Doors,
) {
  const stored = await place.stored();
  for (const { body, refusal } of requests) {
    const replies = await sendToAll(doors, body);
    for (const [door, reply] of replies) {
      try {
        assertRefused(reply, 400, refusal.code, refusal.property);
        assert.deepEqual(reply.body, replies[0]![1].body);
      } catch (error) {
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        throw new Error(`${door}: ${text}`.slice(0, 300), { cause: error });
      }
    }
  }
  assert.deepEqual(await place.stored(), stored);
}

async function noObjectRefused(place: Place, doors: Doors): Promise<void> {
  const stored = await place.stored();
  for (const body of NO_OBJECTS) {
    for (const [door, reply] of await sendToAll(doors, JSON.stringify(body))) {
      const expected = { code: 'INVALID_BODY', params: { reason: 'the body must be an object', path: '' } };
      assert.deepEqual([reply.status, reply.body], [400, expected], door);
    }
  }
  assert.deepEqual(await place.stored(), stored);
}

const sendToAll = (doors: Doors, body: object | string): Promise<[string, Reply][]> =>
  Promise.all(Object.entries(doors).map(async ([door, send]) => [door, await send(body)] as [string, Reply]));

/** The management interface, and for creations the operator's too: both refuse the same bodies with the same replies. */
function doorsFor(
  place: Place,
  request: { method: string; path: string; operatorPath?: string },
): Doors & { management: Send } {
  const { method, path, operatorPath } = request;
  const options = (body: object | string) => ({
    raw: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  return {
    management: (body) => place.send(method, path, options(body)),
    ...(operatorPath === undefined
      ? {}
      : {
          operator: (body) =>
            server.send(method, `/operator/v1${operatorPath}`, { token: OPERATOR_KEY, ...options(body) }),
        }),
  };
}

/** Sends what has to be taken: it answers what it was given, is stored, and told in one entry. */
async function taken(place: Place, kind: string, send: () => Promise<Reply>): Promise<Reply> {
  const { entries } = await place.stored();
  const reply = await send();
  assert.equal(reply.status, 200, reply.text);
  const told = await place.stored();
  assert.equal(told.entries, entries + 1);
  const last = JSON.parse(told.last);
  assert.equal(`${last.type}.${last.subType}`, kind);
  assert.equal(Object.values(last.extra)[0], reply.body.id);
  assert.deepEqual(last.user, { id: place.admin.id, name: place.admin.name });
  return reply;
}

const unexpected = (property: string): Refusal => ({ code: 'UNEXPECTED_PROPERTY', property });
const missing = (property: string): Refusal => ({ code: 'MISSING_PROPERTY', property });
const invalid = (property: string): Refusal => ({ code: 'INVALID_PROPERTY', property });
const shown = (property: string) => property.slice(0, 100);

const example = ({ values }: Property): unknown => values.find(([, refusal]) => refusal === undefined)![0];

/** Requests that a property of a body alone makes wrong. */
function refusalsOf(property: Property, need: ReturnType<Property['need']>, base: object) {
  const { name, kind, values } = property;
  const given = (value: unknown) => ({ ...base, [name]: value });
  if (need === 'refused') {
    return [example(property), ...wrongTypes(property)].map((value) => ({
      body: given(value),
      refusal: unexpected(name),
    }));
  }
  return [
    ...(need === 'required' ? [{ body: without(base, name), refusal: missing(name) }] : []),
    ...wrongTypes(property).map((value) => ({ body: given(value), refusal: invalid(name) })),
    ...values.flatMap(([value, refusal]) => (refusal === undefined ? [] : { body: given(value), refusal })),
    ...(kind === 'named' ? refusalsInside(name, given) : []),
  ];
}

const refusalsInside = (name: string, given: (value: unknown) => object) => [
  { body: given({}), refusal: missing(`${name}.name`) },
  { body: given({ name: null }), refusal: invalid(`${name}.name`) },
  { body: given({ name: 5 }), refusal: invalid(`${name}.name`) },
  { body: given({ name: 'Standard', id: 1 }), refusal: unexpected(`${name}.id`) },
];

const strangersIn = (base: object) =>
  STRANGERS.map((name) => ({ body: withMember(base, name, { name: 'Standard' }), refusal: unexpected(shown(name)) }));

const NO_OBJECTS = [null, [], 'text', 5, true, [{}]];

for (const modes of ALL_MODES) {
  describe(`the bodies of users ${titleOf(modes)}`, () => {
    let place: Place;
    let userId: string;
    let people = 0;

    before(async () => {
      place = await openPlace(server, modes, { organization: `Of ${titleOf(modes)}` });
      userId = (await place.add('Subject')).id;
    });

    /** In shared-users mode only a shared user can be created. */
    const somebody = async (name = `Person ${++people}`) => {
      if (modes.sharedUsersModeEnabled) {
        await server.sql(
          `insert into cartulary.shared_users (id, organization, name, email, disabled, session_epoch, created_at,
             name_folded, email_folded) values ($1, $2, $3, 'shared@example.com', false, 0, now(), '', '')`,
          [`u${String(++strangers).padStart(26, '0')}`, `Of ${titleOf(modes)}`, name],
        );
      }
      return name;
    };

    const baseOf = (verb: Verb) => (verb === 'create' ? place.newUser('Nobody yet') : place.userUpdate());
    const doors = (verb: Verb) =>
      verb === 'create'
        ? doorsFor(place, {
            method: 'POST',
            path: '/management/users',
            operatorPath: `/applications/${place.id}/users`,
          })
        : doorsFor(place, { method: 'PUT', path: `/management/users/${userId}` });

    for (const verb of ['create', 'update'] as const) {
      for (const property of PROPERTIES) {
        const need = property.need(verb, modes);
        it(`${verb}: ${property.name} is ${need}`, async () => {
          const base = baseOf(verb);
          await allRefused(place, refusalsOf(property, need, base), doors(verb));
          if (need === 'refused') return;
          const good = property.values.flatMap(([value, refusal]) => (refusal === undefined ? [value] : []));
          const bodies = [
            ...good.map((value) => ({ ...base, [property.name]: value })),
            ...(need === 'optional' ? [without(base, property.name)] : []),
          ];
          for (const body of bodies) await assertTaken(verb, body);
        });
      }

      it(`${verb}: knows no other property`, async () => {
        await allRefused(place, strangersIn(baseOf(verb)), doors(verb));
      });

      it(`${verb}: takes an object and nothing else`, async () => {
        await noObjectRefused(place, doors(verb));
      });

      it(`${verb}: keeps the order of what is wrong`, async () => {
        await allRefused(place, orderedRefusals(verb, baseOf(verb), modes), doors(verb));
      });

      it(`${verb}: keeps the dependencies among the accesses`, async () => {
        const wrong = [];
        for (const apiAccess of [false, true])
          for (const managementApiAccess of [false, true])
            for (const organization of [undefined, false, true]) {
              const access = { apiAccess, managementApiAccess };
              const more = organization === undefined ? {} : { organizationManagementApiAccess: organization };
              const body = { ...baseOf(verb), ...access, ...more };
              if (managementApiAccess && !apiAccess) {
                wrong.push({ body, refusal: invalid('managementApiAccess') });
              } else if (organization === true && !managementApiAccess) {
                wrong.push({ body, refusal: invalid('organizationManagementApiAccess') });
              } else await assertTaken(verb, body);
            }
        assert.equal(wrong.length, 5);
        await allRefused(place, wrong, doors(verb));
      });
    }

    async function assertTaken(verb: Verb, given: object): Promise<void> {
      const named = given as { name?: string };
      const name = verb === 'update' ? undefined : await somebody(named.name === 'Nobody yet' ? undefined : named.name);
      const body = { ...given, ...(name === undefined ? {} : { name }) };
      const reply = await taken(place, `user.${verb}`, () => doors(verb).management(body));
      const { password: _password, ...rest } = body as { password?: string };
      const expected = {
        id: reply.body.id,
        name: verb === 'update' ? 'Subject' : name,
        ...(modes.sharedUsersModeEnabled ? { email: 'shared@example.com' } : {}),
        organizationManagementApiAccess: reply.body.organizationManagementApiAccess,
        disabled: false,
        ...rest,
      };
      assert.deepEqual(reply.body, expected);
      const got = await place.send('GET', `/management/users/${reply.body.id}`);
      assert.deepEqual(got.body, expected);
    }
  });
}

/** Of two things that are wrong the one that stands first in the documentation is told. */
function orderedRefusals(verb: Verb, base: object, modes: UserModes) {
  const local = !modes.sharedUsersModeEnabled;
  const form = { ...(verb === 'create' ? { name: '_x' } : {}), ...(local ? { email: 'x' } : {}) };
  const formProperty = verb === 'create' ? 'name' : 'email';
  const flags = { apiAccess: false, managementApiAccess: true };
  const weak = local ? { password: 'weak' } : {};
  const profile = { profile: { name: 'Nowhere' } };
  const team = modes.teamsModeEnabled ? { team: { name: 'Nowhere' } } : {};
  const everything = { ...base, ...form, ...flags, ...weak, ...profile, ...team };
  const steps: { body: object; refusal: Refusal }[] = [
    { body: { ...without(everything, 'admin'), apiAccess: 1, stranger: 1 }, refusal: unexpected('stranger') },
    { body: { ...without(everything, 'admin'), apiAccess: 1 }, refusal: missing('admin') },
    { body: { ...everything, apiAccess: 1 }, refusal: invalid('apiAccess') },
  ];
  if (verb === 'create' || local) steps.push({ body: everything, refusal: invalid(formProperty) });
  const formed = { ...base, ...flags, ...weak, ...profile, ...team };
  steps.push({ body: formed, refusal: invalid('managementApiAccess') });
  const flagged = { ...base, ...weak, ...profile, ...team };
  if (local) steps.push({ body: flagged, refusal: { code: 'WEAK_PASSWORD', property: 'password' } });
  steps.push({ body: { ...base, ...profile, ...team }, refusal: { code: 'UNKNOWN_PROFILE' } });
  if (modes.teamsModeEnabled) steps.push({ body: { ...base, ...team }, refusal: { code: 'UNKNOWN_TEAM' } });
  return steps;
}

for (const singleSignOn of [false, true]) {
  describe(`the bodies of shared users ${singleSignOn ? 'with' : 'without'} single sign-on`, () => {
    const organization = `Signing on ${singleSignOn}`;
    let place: Place;
    let sharedUserId: string;
    let people = 0;

    before(async () => {
      place = await openPlace(server, { sharedUsersModeEnabled: true, teamsModeEnabled: false }, { organization });
      sharedUserId = await addSharedUser(server, organization, {
        name: 'Subject',
        email: 'a@example.com',
        password: PASSWORD,
      });
      if (singleSignOn) {
        const reply = await server.operator('PUT', `/organizations/${organization}`, { singleSignOn: SIGN_ON });
        assert.equal(reply.status, 200, reply.text);
      }
    });

    const credentials = singleSignOn ? {} : { password: PASSWORD };
    const BASES = {
      create: { name: 'Nobody yet', email: 'new@example.com', ...credentials },
      update: { email: 'new@example.com', disabled: false },
    } as const;
    const NEEDS: Readonly<Record<Verb, Readonly<Record<string, 'required' | 'optional' | 'refused'>>>> = {
      create: { name: 'required', email: 'required', password: 'required', disabled: 'refused' },
      update: { name: 'refused', email: 'required', password: 'optional', disabled: 'required' },
    };
    const SHARED: readonly Omit<Property, 'need'>[] = [
      { name: 'name', kind: 'text', values: NAMES },
      { name: 'email', kind: 'text', values: EMAILS },
      { name: 'password', kind: 'text', values: PASSWORDS },
      PROPERTIES.find(({ name }) => name === 'disabled')!,
    ];
    const doors = (verb: Verb) =>
      verb === 'create'
        ? doorsFor(place, {
            method: 'POST',
            path: '/management/sharedUsers',
            operatorPath: `/organizations/${encodeURIComponent(organization)}/sharedUsers`,
          })
        : doorsFor(place, { method: 'PUT', path: `/management/sharedUsers/${sharedUserId}` });

    for (const verb of ['create', 'update'] as const) {
      for (const part of SHARED) {
        const property = { ...part, need: () => NEEDS[verb][part.name]! };
        const closed = part.name === 'password' && singleSignOn;
        const need = closed ? 'refused' : property.need();
        it(`${verb}: ${property.name} is ${need}`, async () => {
          const refusals = refusalsOf(property, need, BASES[verb]).map(({ body, refusal }) => ({
            body,
            refusal: closed ? { ...refusal, code: 'PASSWORD_NOT_ALLOWED' } : refusal,
          }));
          await allRefused(place, refusals, doors(verb));
          if (need === 'refused') return;
          for (const [value, refusal] of property.values) {
            if (refusal !== undefined) continue;
            const body: Record<string, unknown> = { ...BASES[verb], [property.name]: value };
            if (body.name === 'Nobody yet') body.name = `Person ${++people}`;
            const reply = await taken(place, `sharedUser.${verb}`, () => doors(verb).management(body));
            const { password: _password, ...rest } = body;
            const expected = { id: reply.body.id, name: 'Subject', disabled: false, ...rest };
            assert.deepEqual(reply.body, expected);
            const got = await place.send('GET', `/management/sharedUsers/${reply.body.id}`);
            assert.deepEqual(got.body, expected);
          }
        });
      }

      it(`${verb}: knows no other property, and takes an object and nothing else`, async () => {
        await allRefused(place, strangersIn(BASES[verb]), doors(verb));
        await allRefused(
          place,
          [{ body: { ...BASES[verb], ...EVERY_RIGHT }, refusal: unexpected('admin') }],
          doors(verb),
        );
        await noObjectRefused(place, doors(verb));
      });
    }
  });
}
