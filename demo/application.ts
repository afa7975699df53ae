// The publish document of the demonstration: a company that inspects buildings and their safety equipment. Every value type
// has a column, so that all of the interface can be tried. The records are in records.ts.

import type { CollectionInput, PublishDocument } from '../src/wire/publish-document.ts';

/** For columns that users often search and sort by. */
const INDEXED = { sortable: true, searchable: true } as const;
const KEY = { unique: true, ...INDEXED } as const;

const sites: CollectionInput = {
  name: 'Sites',
  columns: [
    { name: 'Name', type: 'String', ...KEY },
    { name: 'Code', type: 'String', ...KEY },
    { name: 'Kind', type: 'String', ...INDEXED },
    {
      name: 'Address',
      type: 'Object',
      scheme: {
        keys: [
          { name: 'Postal code', type: 'String' },
          { name: 'Prefecture', type: 'String' },
          { name: 'City', type: 'String' },
          { name: 'Street', type: 'String' },
        ],
      },
      searchable: true,
    },
    { name: 'Location', type: 'Location', searchable: true },
    { name: 'Opened', type: 'Date', ...INDEXED },
    { name: 'Floors', type: 'Number', ...INDEXED },
    { name: 'Gate opens', type: 'Time', ...INDEXED },
    { name: 'Contact', type: 'User', ...INDEXED },
    { name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } }, searchable: true },
  ],
};

const visits: CollectionInput = {
  name: 'Visits',
  // Only the inspector who signed it may change it.
  writeAccessType: 'creatorOnly',
  columns: [
    { name: 'Number', type: 'Number', ...KEY },
    { name: 'Title', type: 'String', ...INDEXED },
    { name: 'Site', type: 'ReferenceString', scheme: { collection: 'Sites', column: 'Name' }, ...INDEXED },
    { name: 'Purpose', type: 'String', ...INDEXED },
    { name: 'Inspector', type: 'User', ...INDEXED },
    { name: 'Started', type: 'DateTime', ...INDEXED },
    { name: 'Minutes', type: 'Number', sortable: true },
    { name: 'Rating', type: 'Number', ...INDEXED },
    { name: 'Passed', type: 'Boolean', ...INDEXED },
    {
      name: 'Findings',
      type: 'Array',
      scheme: {
        element: {
          type: 'Object',
          scheme: {
            keys: [
              { name: 'Place', type: 'String' },
              { name: 'Text', type: 'String' },
              { name: 'Severity', type: 'Number' },
              { name: 'Fixed on site', type: 'Boolean' },
              { name: 'Repair by', type: 'Date' },
            ],
          },
        },
      },
      searchable: true,
    },
    { name: 'Notes', type: 'String', searchable: true },
    { name: 'Next visit', type: 'Date', ...INDEXED },
  ],
};

const photos: CollectionInput = {
  name: 'Photos',
  writeAccessType: 'creatorOnly',
  columns: [
    { name: 'Visit', type: 'ReferenceString', scheme: { collection: 'Visits', column: 'Title' }, ...INDEXED },
    { name: 'Caption', type: 'String', ...INDEXED },
    { name: 'Taken', type: 'DateTime', ...INDEXED },
    { name: 'Image', type: 'Attachment', ...INDEXED },
    { name: 'Location', type: 'Location', searchable: true },
  ],
};

const equipment: CollectionInput = {
  name: 'Equipment',
  columns: [
    { name: 'Serial', type: 'String', ...KEY },
    { name: 'Kind', type: 'String', ...INDEXED },
    { name: 'Model', type: 'String', ...INDEXED },
    { name: 'Site', type: 'ReferenceString', scheme: { collection: 'Sites', column: 'Name' }, ...INDEXED },
    { name: 'Place', type: 'String', searchable: true },
    { name: 'Responsible', type: 'ReferenceUser', scheme: { collection: 'Sites', column: 'Contact' }, ...INDEXED },
    { name: 'Last visit', type: 'ReferenceNumber', scheme: { collection: 'Visits', column: 'Number' }, ...INDEXED },
    { name: 'Last inspected', type: 'Date', ...INDEXED },
    { name: 'Self-test', type: 'Time', ...INDEXED },
    { name: 'In service', type: 'Boolean', ...INDEXED },
    { name: 'Readings', type: 'Array', scheme: { element: { type: 'Number' } } },
  ],
};

export const DEMONSTRATION: PublishDocument = {
  name: 'Field inspections',
  organization: 'Hokuto Inspections',
  timeZone: 'Asia/Tokyo',
  teamsModeEnabled: true,
  pushNotificationsEnabled: true,
  activityLogEnabled: true,
  profiles: ['Office', 'Inspector', 'Client'],
  teams: ['Tokyo', 'Osaka', 'Sapporo'],
  collections: [sites, visits, photos, equipment],
};
