export const conflict = {
  title: 'This record was changed meanwhile',
  explained: '{name} stored changes to this record on {date}. Choose for each field what it should be.',
  stored: 'Stored now',
  storedBy: 'by {name}, {date}',
  mine: 'Yours',
  onlyMine: 'changed only by you',
  allStored: 'Take all that is stored',
  allMine: 'Take all of mine',
  save: 'Save these',
  later: 'Go on editing',
  open: '{count, plural, one {# field is not decided yet} other {# fields are not decided yet}}',
  nothingLeft: 'What is stored now is what you typed. There is nothing to decide.',
};
