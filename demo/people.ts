// The users of the demonstration and their permissions. load.ts creates new passwords for every database.

export type Team = 'Tokyo' | 'Osaka' | 'Sapporo';
export type Language = 'Japanese' | 'English';

export interface Person {
  readonly name: string;
  readonly email: string;
  readonly profile: 'Office' | 'Inspector';
  readonly team: Team;
  readonly teamLeader: boolean;
  readonly admin: boolean;
  /** The language of this person's reports. */
  readonly languages: readonly Language[];
}

export const ADMIN: Person = {
  name: 'Naomi Sato',
  email: 'naomi.sato@hokuto-inspections.example',
  profile: 'Office',
  team: 'Tokyo',
  teamLeader: false,
  admin: true,
  languages: ['Japanese', 'English'],
};

function inspector(name: string, mailbox: string, team: Team, languages: readonly Language[]): Person {
  const email = `${mailbox}@hokuto-inspections.example`;
  return { name, email, profile: 'Inspector', team, teamLeader: false, admin: false, languages };
}

export const PEOPLE: readonly Person[] = [
  ADMIN,
  { ...inspector('Kenta Mori', 'kenta.mori', 'Tokyo', ['Japanese', 'English']), teamLeader: true },
  { ...inspector('高橋 陽介', 'yosuke.takahashi', 'Osaka', ['Japanese']), teamLeader: true },
  inspector('Emily Carter', 'emily.carter', 'Osaka', ['English']),
  { ...inspector('小林 美咲', 'misaki.kobayashi', 'Sapporo', ['Japanese']), teamLeader: true },
];

export function inspectorsOf(team: Team): Person[] {
  return PEOPLE.filter((one) => one.team === team && one.profile === 'Inspector');
}

export function leaderOf(team: Team): Person {
  const leader = PEOPLE.find((one) => one.team === team && one.teamLeader);
  if (leader === undefined) throw new Error(`The team ${team} has no leader.`);
  return leader;
}
