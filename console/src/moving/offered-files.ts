// Files that another page has read already, for the import page of a collection. They are gone with the page.

interface Offered {
  readonly application: string;
  readonly collection: string;
  readonly file: File;
}

const offers: Offered[] = [];

export function offerFile(offered: Offered): void {
  offers.push(offered);
}

/** The first file that waits for an application. */
export const offeredTo = (application: string): Offered | undefined =>
  offers.find((offered) => offered.application === application);

export function takeOfferedFile(application: string, collection: string): File | undefined {
  const at = offers.findIndex((offered) => offered.application === application && offered.collection === collection);
  return at < 0 ? undefined : offers.splice(at, 1)[0]?.file;
}
