// Who is counted as one. Of IPv6 everybody is given a whole network (/64), and may have another address for each request.
// Many are given a whole site (/48), which is 65,536 of those: it is counted too, with more room, since it may also be that of many people.

const GROUPS = 8;
const NETWORK_GROUPS = 4;
const SITE_GROUPS = 3;
/** How many times as much a site may do as a network. */
export const SITE_FACTOR = 10;

/** Of an address as http/clients/client-address spells it. */
export const networkOf = (address: string): string =>
  address.includes(':') ? `${groupsOf(address, NETWORK_GROUPS)}::/64` : address;

/** Undefined for IPv4, where there are no sites. */
export const siteOf = (address: string): string | undefined =>
  address.includes(':') ? `${groupsOf(address, SITE_GROUPS)}::/48` : undefined;

function groupsOf(address: string, count: number): string {
  const [left = '', right] = address.split('::');
  const groups = left === '' ? [] : left.split(':');
  const behind = right === undefined || right === '' ? 0 : right.split(':').length;
  const zeros = right === undefined ? 0 : GROUPS - groups.length - behind;
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...(right ?? '').split(':')];
  return all.slice(0, count).join(':');
}
