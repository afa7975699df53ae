export const recordActivity = {
  created: 'created it',
  updated: 'changed it',
  deleted: 'deleted it',
  operator: 'the operator',
  through_api: 'through the interface',
  through_console: 'in the console',
  through_operator: 'as the operator',
  none: 'The activity log has nothing about this record.',
  noneYet: 'Nothing so far in the latest part of the log.',
  older: 'Show older entries',
};
