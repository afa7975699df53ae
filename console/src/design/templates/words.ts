// How the templates are written: names in both languages, and columns in a line each.

import type { CollectionInput, ColumnInput, PublishDocument } from '../../../../src/wire/publish-document.ts';
import type { SimpleTypeName, ValueTypeName } from '../../../../src/wire/values.ts';
import { newSettings } from '../design.ts';

type Language = 'en' | 'ja';

/** English and Japanese. */
export type Words = readonly [en: string, ja: string];

/** u: unique, s: sortable, f: found by searches. */
type Flags = '' | 'u' | 's' | 'f' | 'us' | 'sf' | 'usf';

export interface TemplateColumn {
  readonly name: Words;
  readonly type: ValueTypeName;
  readonly flags: Flags;
  readonly scheme?: (language: Language) => NonNullable<ColumnInput['scheme']>;
}

export interface TemplateCollection {
  readonly name: Words;
  readonly columns: readonly TemplateColumn[];
  /** Only its creator may change a record. */
  readonly own?: true;
}

export interface Template {
  readonly id: string;
  readonly name: Words;
  readonly about: Words;
  readonly collections: readonly TemplateCollection[];
}

const wordIn = ([en, ja]: Words, language: Language): string => (language === 'ja' ? ja : en);

export const column = (name: Words, type: ValueTypeName, flags: Flags = ''): TemplateColumn => ({ name, type, flags });

export const reference = (name: Words, collection: Words, shownBy: Words, flags: Flags = 'sf'): TemplateColumn => ({
  ...column(name, 'ReferenceString', flags),
  scheme: (language) => ({ collection: wordIn(collection, language), column: wordIn(shownBy, language) }),
});

export const list = (name: Words, type: SimpleTypeName): TemplateColumn => ({
  ...column(name, 'Array', 'f'),
  scheme: () => ({ element: { type } }),
});

type Keys = readonly (readonly [Words, SimpleTypeName])[];

const keysIn = (keys: Keys, language: Language) => ({
  keys: keys.map(([name, type]) => ({ name: wordIn(name, language), type })),
});

export const group = (name: Words, keys: Keys): TemplateColumn => ({
  ...column(name, 'Object', 'f'),
  scheme: (language) => keysIn(keys, language),
});

export const listOfGroups = (name: Words, keys: Keys): TemplateColumn => ({
  ...column(name, 'Array', 'f'),
  scheme: (language) => ({ element: { type: 'Object', scheme: keysIn(keys, language) } }),
});

export const templateName = ({ name }: Template, language: Language): string => wordIn(name, language);
export const templateAbout = ({ about }: Template, language: Language): string => wordIn(about, language);

export function templateDocument(template: Template, language: Language, timeZone: string): PublishDocument {
  return {
    ...newSettings(wordIn(template.name, language), timeZone),
    collections: template.collections.map(
      ({ name, columns, own }): CollectionInput => ({
        name: wordIn(name, language),
        ...(own === true ? { writeAccessType: 'creatorOnly' as const } : {}),
        columns: columns.map(({ name: columnName, type, flags, scheme }) => ({
          name: wordIn(columnName, language),
          type,
          ...(scheme === undefined ? {} : { scheme: scheme(language) }),
          unique: flags.includes('u'),
          sortable: flags.includes('s'),
          searchable: flags.includes('f'),
        })),
      }),
    ),
  };
}
