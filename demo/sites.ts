// The sites: made-up buildings at real places, with the coordinates and elevations of those places.

import type { Dice } from './dice.ts';
import { ADMIN, inspectorsOf, leaderOf, type Person, type Team } from './people.ts';
import { date, location, number, type PlannedRecord, person, text, time } from './record-plan.ts';
import { readTable } from './text-table.ts';

export interface Site {
  readonly code: string;
  readonly name: string;
  readonly kind: string;
  readonly postalCode: string;
  readonly prefecture: string;
  readonly city: string;
  readonly street: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly altitude: number;
  readonly floors: number;
  readonly opened: string;
  readonly team: Team;
  /** The person in the company who is responsible for the site. */
  readonly contact: Person;
}

// code | name | kind | postal code | prefecture | city | street | latitude | longitude | elevation | floors | opened
const SITES = `
TYO-01 | Konan Harbour Tower | Office | 108-0075 | 東京都 | 港区 | 港南2丁目 | 35.6281 | 139.7413 | 3 | 31 | 2003-04-18
TYO-02 | 天王洲倉庫 第2号棟 | Warehouse | 140-0002 | 東京都 | 品川区 | 東品川2丁目 | 35.6210 | 139.7500 | 3 | 5 | 1991-10-01
TYO-03 | Toyosu Wharf Residence | Residence | 135-0061 | 東京都 | 江東区 | 豊洲3丁目 | 35.6555 | 139.7945 | 4 | 33 | 2008-03-14
TYO-04 | 丸の内みどりビル | Office | 100-0005 | 東京都 | 千代田区 | 丸の内2丁目 | 35.6800 | 139.7640 | 4 | 18 | 1998-11-20
TYO-05 | Nishi-Shinjuku Garden Court | Office | 160-0023 | 東京都 | 新宿区 | 西新宿2丁目 | 35.6896 | 139.6922 | 38 | 24 | 1994-06-30
TYO-06 | 道玄坂サンプラザ | Retail | 150-0043 | 東京都 | 渋谷区 | 道玄坂1丁目 | 35.6577 | 139.6990 | 17 | 9 | 1986-09-12
TYO-07 | 上野さくらホテル | Hotel | 110-0005 | 東京都 | 台東区 | 上野7丁目 | 35.7128 | 139.7785 | 5 | 12 | 2015-07-01
TYO-08 | 押上こども診療所 | Clinic | 131-0045 | 東京都 | 墨田区 | 押上1丁目 | 35.7101 | 139.8120 | 1 | 3 | 2012-05-22
TYO-09 | Nihonbashi Riverside Building | Office | 103-0027 | 東京都 | 中央区 | 日本橋1丁目 | 35.6826 | 139.7740 | 4 | 14 | 2001-02-09
TYO-10 | Ariake Distribution Centre | Warehouse | 135-0063 | 東京都 | 江東区 | 有明3丁目 | 35.6320 | 139.7920 | 5 | 6 | 2017-10-05
TYO-11 | 羽田整備センター 南棟 | Warehouse | 144-0041 | 東京都 | 大田区 | 羽田空港1丁目 | 35.5482 | 139.7548 | 4 | 4 | 2010-08-27
TYO-12 | Minato Mirai Bay Hotel | Hotel | 220-0012 | 神奈川県 | 横浜市西区 | みなとみらい3丁目 | 35.4580 | 139.6320 | 3 | 22 | 2006-04-01
TYO-13 | 川崎駅前総合クリニック | Clinic | 210-0007 | 神奈川県 | 川崎市川崎区 | 駅前本町 | 35.5320 | 139.6985 | 3 | 7 | 2009-12-11
TYO-14 | Makuhari Exhibition Annex | Hall | 261-0023 | 千葉県 | 千葉市美浜区 | 中瀬2丁目 | 35.6480 | 140.0350 | 4 | 3 | 1997-10-03
TYO-15 | 大宮桜木ショッピングセンター | Retail | 330-0854 | 埼玉県 | さいたま市大宮区 | 桜木町1丁目 | 35.9055 | 139.6210 | 15 | 8 | 1988-04-29
TYO-16 | 立川あけぼの市民ホール | Hall | 190-0012 | 東京都 | 立川市 | 曙町2丁目 | 35.6995 | 139.4140 | 84 | 4 | 1990-11-03
TYO-17 | 八王子旭町学園 | School | 192-0083 | 東京都 | 八王子市 | 旭町 | 35.6560 | 139.3390 | 107 | 5 | 1979-04-02
TYO-18 | Tsukuba Research House | Residence | 305-0031 | 茨城県 | つくば市 | 吾妻1丁目 | 36.0830 | 140.1130 | 27 | 10 | 2013-09-30
OSA-01 | Umeda Crossing Tower | Office | 530-0001 | 大阪府 | 大阪市北区 | 梅田3丁目 | 34.6995 | 135.4930 | 2 | 27 | 2004-05-21
OSA-02 | 難波ロイヤル会館 | Hall | 542-0076 | 大阪府 | 大阪市中央区 | 難波5丁目 | 34.6645 | 135.5015 | 3 | 8 | 1984-03-16
OSA-03 | 南港物流センター A棟 | Warehouse | 559-0034 | 大阪府 | 大阪市住之江区 | 南港北2丁目 | 34.6380 | 135.4150 | 4 | 5 | 1995-07-14
OSA-04 | あべの筋メディカルビル | Clinic | 545-0052 | 大阪府 | 大阪市阿倍野区 | 阿倍野筋1丁目 | 34.6458 | 135.5140 | 15 | 9 | 2011-06-24
OSA-05 | 堺南瓦町マンション | Residence | 590-0078 | 大阪府 | 堺市堺区 | 南瓦町 | 34.5733 | 135.4830 | 9 | 13 | 2000-03-10
OSA-06 | Port Island Conference House | Hall | 650-0046 | 兵庫県 | 神戸市中央区 | 港島中町6丁目 | 34.6690 | 135.2110 | 5 | 6 | 1999-09-17
OSA-07 | 三宮花時計ホテル | Hotel | 650-0001 | 兵庫県 | 神戸市中央区 | 加納町6丁目 | 34.6900 | 135.1955 | 6 | 15 | 2007-10-26
OSA-08 | Kyoto Shiokoji Inn | Hotel | 600-8216 | 京都府 | 京都市下京区 | 東塩小路町 | 34.9868 | 135.7590 | 28 | 7 | 2016-03-25
OSA-09 | 岡崎疏水会館 | Hall | 606-8342 | 京都府 | 京都市左京区 | 岡崎最勝寺町 | 35.0145 | 135.7820 | 48 | 3 | 1974-05-10
OSA-10 | 奈良登大路ギャラリー | Hall | 630-8213 | 奈良県 | 奈良市 | 登大路町 | 34.6850 | 135.8330 | 95 | 2 | 1982-10-22
OSA-11 | におの浜レイクサイドテラス | Residence | 520-0801 | 滋賀県 | 大津市 | におの浜4丁目 | 35.0010 | 135.8870 | 87 | 14 | 2005-08-19
OSA-12 | Senri Park Academy | School | 565-0826 | 大阪府 | 吹田市 | 千里万博公園 | 34.8060 | 135.5320 | 56 | 4 | 1993-04-05
OSA-13 | 荒本部品倉庫 | Warehouse | 577-0011 | 大阪府 | 東大阪市 | 荒本北1丁目 | 34.6795 | 135.6008 | 3 | 3 | 1989-12-08
SPK-01 | Sapporo North Gate Building | Office | 060-0005 | 北海道 | 札幌市中央区 | 北5条西2丁目 | 43.0680 | 141.3525 | 18 | 20 | 2003-03-06
SPK-02 | 大通公園プラザ | Retail | 060-0042 | 北海道 | 札幌市中央区 | 大通西4丁目 | 43.0605 | 141.3525 | 19 | 10 | 1992-11-13
SPK-03 | 厚別中央団地 3号棟 | Residence | 004-0052 | 北海道 | 札幌市厚別区 | 厚別中央2条5丁目 | 43.0370 | 141.4730 | 23 | 11 | 1987-06-26
SPK-04 | 小樽港運河倉庫 | Warehouse | 047-0007 | 北海道 | 小樽市 | 港町 | 43.1975 | 141.0060 | 3 | 2 | 1968-09-20
SPK-05 | Chitose Air Cargo Terminal | Warehouse | 066-0012 | 北海道 | 千歳市 | 美々 | 42.7870 | 141.6800 | 22 | 3 | 2014-07-18
SPK-06 | 旭川宮下通ホテル | Hotel | 070-0030 | 北海道 | 旭川市 | 宮下通8丁目 | 43.7630 | 142.3585 | 112 | 13 | 1996-12-06
SPK-07 | 函館若松海鮮市場 | Retail | 040-0063 | 北海道 | 函館市 | 若松町 | 41.7735 | 140.7265 | 3 | 2 | 1977-08-05
SPK-08 | 石狩新港冷蔵倉庫 | Warehouse | 061-3241 | 北海道 | 石狩市 | 新港西1丁目 | 43.1900 | 141.3000 | 5 | 4 | 2002-10-31
SPK-09 | 苫小牧表町クリニック | Clinic | 053-0022 | 北海道 | 苫小牧市 | 表町5丁目 | 42.6390 | 141.5965 | 6 | 4 | 2018-04-20
`;

const TEAMS: Readonly<Record<string, Team>> = { TYO: 'Tokyo', OSA: 'Osaka', SPK: 'Sapporo' };

export const siteList: readonly Site[] = readTable(SITES, 12).map(readSite);

function readSite(row: string[], index: number): Site {
  const [code = '', name = '', kind = '', postalCode = '', prefecture = '', city = '', street = ''] = row;
  const [latitude = 0, longitude = 0, altitude = 0, floors = 0] = row.slice(7, 11).map(Number);
  const team = TEAMS[code.slice(0, 3)] ?? 'Tokyo';
  const inspectors = inspectorsOf(team);
  const contact = inspectors[index % inspectors.length] ?? leaderOf(team);
  const place = { postalCode, prefecture, city, street, latitude, longitude, altitude };
  return { code, name, kind, ...place, floors, opened: row[11] ?? '', team, contact };
}

const TAGS: Readonly<Record<string, readonly string[]>> = {
  Office: ['multi-tenant', 'security desk', 'night entrance'],
  Warehouse: ['hard hat', 'forklift traffic', 'trucks until 18:00'],
  Residence: ['management union', '要事前掲示', 'no visits on Sundays'],
  Hotel: ['guests on all floors', 'チェックアウト後に点検', 'kitchen'],
  Clinic: ['診療時間外に点検', 'oxygen store', 'quiet please'],
  School: ['holidays only', '来校者名札', 'gymnasium'],
  Retail: ['before opening', '搬入口から入館', 'food court'],
  Hall: ['check the event calendar', '客席天井 高所', 'stage machinery'],
};

export const siteKey = (site: Site) => `site ${site.code}`;

export function siteRecords(dice: Dice): PlannedRecord[] {
  return siteList.map((site) => ({
    key: siteKey(site),
    creator: dice.chance(0.7) ? ADMIN.name : leaderOf(site.team).name,
    values: {
      Name: text(site.name),
      Code: text(site.code),
      Kind: text(site.kind),
      Address: {
        type: 'Object',
        value: {
          'Postal code': text(site.postalCode),
          Prefecture: text(site.prefecture),
          City: text(site.city),
          Street: text(site.street),
        },
      },
      Location: location(site.latitude, site.longitude, site.altitude),
      Opened: date(site.opened),
      Floors: number(site.floors),
      'Gate opens': time(dice.pick(['06:00:00', '07:30:00', '08:00:00', '08:30:00', '09:00:00'])),
      Contact: person(site.contact.name),
      Tags: { type: 'Array', value: dice.some(TAGS[site.kind] ?? [], dice.whole(1, 3)).map(text) },
    },
  }));
}
