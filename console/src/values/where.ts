// Where a value stands: attachments and references need it for their addresses.

export interface Where {
  readonly application: string;
  readonly collection: string;
  /** A cell of the grid has one line; a page has room. */
  readonly in: 'cell' | 'page';
  /** Of the cell, in pixels, where only what is seen has to be on the page. */
  readonly width?: number | undefined;
  /** Inside of a link, which can hold no other. */
  readonly linked?: boolean;
}

export interface ShowProps<Value> {
  readonly value: Value;
  readonly where: Where;
}
