// A publish document as a file that people edit.

export const documentFile = (document: object): Blob =>
  new Blob([`${JSON.stringify(document, undefined, 2)}\n`], { type: 'application/json' });
