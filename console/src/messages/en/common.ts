export const common = {
  loading: 'Loading…',
  retry: 'Try again',
  cancel: 'Cancel',
  close: 'Close',
  none: 'None',
  open: 'Open',
  search: 'Search',
  clear: 'Clear',
  yes: 'Yes',
  inZone: 'Time in {zone}',
  no: 'No',
};
