export const history = {
  hint: 'The server keeps the latest 50 versions. Going back publishes an earlier document as a new version.',
  versions: 'Versions, the latest first',
  version: 'Version {version, number}',
  current: 'published now',
  unknown: 'what it changed was not recorded',
  count: '{count, plural, one {# change} other {# changes}}',
  lost: 'lost data',
  changed: 'What it changed',
  download: 'Download the document',
  back: 'Back to version {version, number}',
  backHint:
    'Collections, columns and settings become what they were. Values and records that were removed since do not come back; those are in backups.',
};
