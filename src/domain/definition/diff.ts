// The changes that publishing a definition makes, each as a sentence for people and as members for programs. Two
// definitions differ exactly if there is at least one change. Changes of settings are in settings-diff.

import type { Collection, Column } from '../../wire/applications.ts';
import type { DefinitionChange } from '../../wire/operator.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { ValueTypeName } from '../../wire/values.ts';
import { schemeChange } from '../values/scheme-change.ts';
import { listed, shown } from './problems.ts';
import { settingSentences } from './settings-diff.ts';

export function diffDefinitions(current: Definition | undefined, next: Definition): DefinitionChange[] {
  if (!current) {
    const created: DefinitionChange = {
      kind: 'application.create',
      text: `Application ${shown(next.name)} is created.`,
    };
    return [created, ...next.collections.map(addedCollection)];
  }
  return [
    ...(current.name === next.name
      ? []
      : [{ kind: 'application.rename' as const, text: `The application ${renamed(current, next)}.` }]),
    ...settingSentences(current, next).map((text) => ({ kind: 'settings' as const, text })),
    ...next.collections.flatMap((collection) => {
      const before = current.collections.find(({ id }) => id === collection.id);
      return before ? collectionChanges(before, collection) : [addedCollection(collection)];
    }),
    ...missing(current.collections, next.collections).map(removedCollection),
    ...(sameOrder(current.collections, next.collections)
      ? []
      : [{ kind: 'order' as const, text: `The collections are in another order: ${order(next.collections)}.` }]),
  ];
}

function addedCollection({ id, name, columns }: Collection): DefinitionChange {
  const count = columns.length === 1 ? '1 column' : `${columns.length} columns`;
  return { kind: 'collection.add', text: `Collection ${shown(name)} is added with ${count}.`, collectionId: id };
}

function removedCollection({ id, name }: Collection): DefinitionChange {
  const text = `Collection ${shown(name)} is removed with all its records.`;
  return { kind: 'collection.remove', text, collectionId: id, losesData: true };
}

function collectionChanges(before: Collection, after: Collection): DefinitionChange[] {
  const collectionId = after.id;
  const changes: DefinitionChange[] = [];
  if (before.name !== after.name) {
    changes.push({ kind: 'collection.rename', text: `Collection ${renamed(before, after)}.`, collectionId });
  }
  const access = accessSentence(before, after);
  if (access) changes.push({ kind: 'collection.access', text: access, collectionId });
  for (const column of after.columns) {
    const old = before.columns.find(({ id }) => id === column.id);
    changes.push(...(old ? columnChanges(after, old, column) : [addedColumn(after, column)]));
  }
  changes.push(...missing(before.columns, after.columns).map((column) => removedColumn(after, column)));
  if (!sameOrder(before.columns, after.columns)) {
    const text = `The columns of ${shown(after.name)} are in another order: ${order(after.columns)}.`;
    changes.push({ kind: 'order', text, collectionId });
  }
  return changes;
}

function accessSentence(before: Collection, after: Collection): string | undefined {
  const who = { everyone: 'everyone', creatorOnly: 'their creators and admins only' };
  const parts = [
    ...(before.readAccessType === after.readAccessType ? [] : [`read by ${who[after.readAccessType]}`]),
    ...(before.writeAccessType === after.writeAccessType ? [] : [`written by ${who[after.writeAccessType]}`]),
  ];
  return parts.length === 0 ? undefined : `Records of ${shown(after.name)} can now be ${listed(parts)}.`;
}

function addedColumn(collection: Collection, column: Column): DefinitionChange {
  const text = `${title(collection, column)} is added with type ${typeText(column)}.`;
  return { kind: 'column.add', text, collectionId: collection.id, columnId: column.id };
}

function removedColumn(collection: Collection, column: Column): DefinitionChange {
  const text = `${title(collection, column)} is removed with all its values.`;
  return { kind: 'column.remove', text, collectionId: collection.id, columnId: column.id, losesData: true };
}

function columnChanges(collection: Collection, before: Column, after: Column): DefinitionChange[] {
  const ids = { collectionId: collection.id, columnId: after.id };
  const changes: DefinitionChange[] = [];
  if (before.name !== after.name) {
    const text = `Column ${shown(before.name)} of ${shown(collection.name)} is renamed to ${shown(after.name)}.`;
    changes.push({ kind: 'column.rename', text, ...ids });
  }
  const typeChange = typeChangeOf(title(collection, after), before, after);
  if (typeChange) changes.push({ ...typeChange, ...ids });
  const flags = flagWords(before, after);
  if (flags.length > 0) {
    changes.push({ kind: 'column.flags', text: `${title(collection, after)} is ${listed(flags)}.`, ...ids });
  }
  return changes;
}

function typeChangeOf(column: string, before: Column, after: Column): DefinitionChange | undefined {
  const change = schemeChange(before, after);
  if (change.kind === 'none') return undefined;
  if (change.kind === 'replaced') {
    const [from, to] = [typeText(before), typeText(after)];
    const text =
      from === to ? `${column} refers to another column.` : `${column} changes its type from ${from} to ${to}.`;
    return { kind: 'column.type', text, losesData: true };
  }
  const added = change.added.map(({ name, type }) => `${shown(name)} (${type})`);
  const gone = change.gone.map(({ name, type }) => `${shown(name)} (${type})`);
  if (gone.length > 0) {
    const gained = added.length > 0 ? ` and gains ${listed(added)}` : '';
    return { kind: 'column.type', text: `${column} loses the keys ${listed(gone)}${gained}.`, losesData: true };
  }
  const text = added.length > 0 ? `gains the keys ${listed(added)}` : 'has its keys in another order';
  return { kind: 'column.scheme', text: `${column} ${text}.` };
}

function flagWords(before: Column, after: Column): string[] {
  return (['unique', 'sortable', 'searchable'] as const).flatMap((flag) => {
    if (before[flag] === after[flag]) return [];
    return [after[flag] ? `now ${flag}` : `no longer ${flag}`];
  });
}

function typeText(column: Column): ValueTypeName | `Array of ${ValueTypeName}` {
  return column.type === 'Array' ? `Array of ${column.scheme.element.type}` : column.type;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

const title = (collection: Named, column: Named): string => `Column ${shown(column.name)} of ${shown(collection.name)}`;

const renamed = (before: Named, after: Named): string => `${shown(before.name)} is renamed to ${shown(after.name)}`;

const order = (items: readonly Named[]): string => items.map(({ name }) => shown(name)).join(', ');

function missing<Item extends Named>(before: readonly Item[], after: readonly Item[]): Item[] {
  const ids = new Set(after.map(({ id }) => id));
  return before.filter(({ id }) => !ids.has(id));
}

/** Compares only the items in both: the position of a new item is not a change of order. */
function sameOrder(before: readonly Named[], after: readonly Named[]): boolean {
  const [oldIds, newIds] = [new Set(before.map(({ id }) => id)), new Set(after.map(({ id }) => id))];
  const kept = before.filter(({ id }) => newIds.has(id));
  return after.filter(({ id }) => oldIds.has(id)).every(({ id }, index) => id === kept[index]?.id);
}
