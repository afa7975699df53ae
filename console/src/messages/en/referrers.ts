export const referrers = {
  none: 'No record that you may see refers to this one here.',
  all: '{count, plural, one {Show the # record} other {Show all # records}}',
  allAlike: 'Show all records that refer to this value',
  othersAlike: 'Another record has the same value. Records that refer to that one are left out here.',
  notSearchable: 'This column cannot be searched, so the records that refer to this one cannot be listed.',
  noValue: 'This record has no value in the column that is referred to, so the records cannot be found.',
  tooLong: 'The value that is referred to is too long to be searched for.',
};
