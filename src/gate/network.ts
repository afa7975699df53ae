// Who is counted as one. Of IPv6 everybody is given a whole network (/64), and may have another address for each request.

const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** Of an address as http/client-address spells it. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [left = '', right] = address.split('::');
  const groups = left === '' ? [] : left.split(':');
  const behind = right === undefined || right === '' ? 0 : right.split(':').length;
  const zeros = right === undefined ? 0 : GROUPS - groups.length - behind;
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...(right ?? '').split(':')];
  return `${all.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}
