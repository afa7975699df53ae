// What the activity log is narrowed down to when people look at it.

/** An absent member narrows nothing down. */
export interface EntryFilter {
  readonly userId?: string | undefined;
  readonly type?: string | undefined;
  readonly subType?: string | undefined;
  readonly collectionId?: string | undefined;
  readonly recordId?: string | undefined;
  /** False leaves out that thumbnails were sent: a page of pictures has one for each. */
  readonly thumbnails?: boolean | undefined;
}
