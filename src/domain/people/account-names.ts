// By which name failures to authenticate are counted, and right passwords remembered: the same at every door.

/** Whatever is presented as one: bounded, and without what separates it from others. */
export const accountName = (applicationId: string, presented: string): string =>
  `${applicationId} ${presented.slice(0, 64).replaceAll('\0', '')}`;
