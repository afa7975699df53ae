// The texts of findings. `{floor}` becomes a floor of the building, `{count}` a small number and `{cm}` a length. A building
// fails its inspection with a finding of severity 3.

import type { Language } from './people.ts';
import { readTable } from './text-table.ts';

export interface FindingText {
  readonly severity: number;
  readonly place: string;
  readonly text: string;
  readonly caption: string;
  /** The kinds of building where it can be found; empty for all. */
  readonly kinds: readonly string[];
}

// severity | place | text | caption of its photo | kinds
const ENGLISH = `
3 | Stairwell B, {floor}F | The self-closing fire door stays open by about {cm} cm; the closer has lost its oil. Tenants wedge it with a carton. | Fire door standing open | Office Hotel Residence
3 | Emergency exit, 1F | Exit blocked by {count} pallets of paper. Asked the shift leader to clear it while I was there, done, but it was the same last time. | Pallets in front of the exit | Warehouse Retail
3 | Pump room | Sprinkler pump did not start on pressure drop. Started by hand at the second attempt; batteries of the control cabinet are from a lot that was recalled. | Sprinkler pump controls | 
3 | Corridor, {floor}F | {count} smoke detectors still wear the dust covers from the repainting. No alarm would have reached the panel from this floor. | Detector under its dust cover | 
3 | Oxygen store | Cylinders stand unchained beside the boiler flue. Moved {count} of them with the nurse on duty, the rest need a rack. | Unchained cylinders | Clinic
2 | Roof | Handrail of the maintenance ladder is loose, two of four anchors turn by hand. | Loose anchor on the roof ladder | 
2 | Corridor, {floor}F | Exit sign dark, lamp and battery both dead. The spare from the caretaker's store did not fit. | Dark exit sign | 
2 | Loading dock | Dock leveller {count} drops the last few centimetres. Locked out and tagged until the hydraulics are checked. | Dock leveller, locked out | Warehouse
2 | Electrical room, {floor}F | Cable penetration through the fire wall is not sealed, one can see the light of the next room. | Open cable penetration | 
2 | Kitchen | Grease filter above the fryer drips; last cleaning record is {count} months old. | Grease filter | Hotel Retail
2 | Lift lobby, {floor}F | Lift stops about {count} mm below floor level when empty. Manufacturer called by the manager in my presence. | Step at the lift door | Office Hotel Residence Clinic
2 | Stage | Emergency stop of fly bar {count} needs both hands. It should scope at a touch. | Emergency stop of the fly bar | Hall
2 | Gymnasium | Netting in front of the windows torn over {cm} cm, glass behind it is not laminated. | Torn netting | School
1 | Entrance hall | Floor plan at the reception shows the layout before the refurbishment. | Outdated floor plan | 
1 | Storage, {floor}F | Extinguisher hidden behind cleaning carts. Moved the carts, showed the cleaners the marking on the floor. | Extinguisher behind carts | 
1 | Corridor, {floor}F | {count} ceiling tiles stained, the leak above was repaired in spring. Cosmetic only. | Stained ceiling tiles | 
1 | Machine room | Logbook in order, but the last {count} entries lack a signature. | Logbook page | 
1 | Car park | Paint of the fire lane is worn off for some {cm} cm at the corner. | Worn marking of the fire lane | 
1 | Stairwell A, {floor}F | Handrail bracket loose. Tightened it with my own key. | Handrail bracket | 
1 | AED cabinet, 1F | Pads expire in {count} weeks; the replacement is ordered according to the office. | Expiry date of the pads | 
`;

const JAPANESE = `
3 | {floor}階 避難階段 | 防火戸が最後まで閉まらない(約{cm}cmの隙間)。ドアクローザーの油漏れ。テナントが段ボールで固定していたため、その場で撤去を依頼した。 | 閉まらない防火戸 | Office Hotel Residence
3 | 1階 非常口 | 非常口の前に台車が{count}台置かれ、避難経路がふさがっている。前回も同じ指摘あり。 | 非常口前の台車 | Warehouse Retail Hall
3 | ポンプ室 | 圧力低下でスプリンクラーポンプが自動起動しない。手動では起動。制御盤の蓄電池が期限切れ。 | ポンプ制御盤 | 
3 | {floor}階 廊下 | 煙感知器{count}個に塗装時の養生カバーが残ったまま。この階からの発報ができない状態だった。 | 養生カバーの付いた感知器 | 
3 | 酸素ボンベ庫 | ボンベ{count}本が転倒防止の鎖なしで立て掛けてある。ボイラーの排気管にも近く、至急移動が必要。 | 固定されていないボンベ | Clinic
3 | 冷蔵室 | 内側の非常開放ハンドルが凍結して動かない。閉じ込めの恐れがあるため、作業を止めて解凍してもらった。 | 凍結した開放ハンドル | Warehouse
2 | 屋上 | 点検用はしごの手すりがぐらつく。アンカー4本のうち2本が手で回る。 | 屋上はしごのアンカー | 
2 | {floor}階 廊下 | 誘導灯が不点灯。ランプとバッテリーの両方が寿命と思われる。予備品なし。 | 消えている誘導灯 | 
2 | {floor}階 電気室 | 防火区画の配線貫通部が未処理。隣室の明かりが見える。 | 未処理の貫通部 | 
2 | 厨房 | フライヤー上部のグリスフィルターから油だれ。清掃記録は{count}か月前が最後。 | グリスフィルターの油だれ | Hotel Retail
2 | {floor}階 エレベーターホール | 着床時に約{count}mmの段差。管理人がメーカーに連絡済み。 | エレベーターの段差 | Office Hotel Residence Clinic
2 | 荷捌き場 | シャッターの障害物感知装置が反応しない日があると作業員から聞き取り。試験では{count}回に1回反応せず。 | シャッターの感知装置 | Warehouse Retail
2 | 舞台袖 | 吊物バトン{count}番の非常停止ボタンが固い。片手で押せない。 | 非常停止ボタン | Hall
2 | 体育館 | 窓の防球ネットが約{cm}cm破れている。内側のガラスは合わせガラスではない。 | 破れた防球ネット | School
2 | 外部階段 | 踏板の裏に錆。{count}段目は板厚が薄くなっており、使用を控えるよう表示した。 | 外部階段の錆 | 
1 | 受付 | 掲示の避難経路図が改装前のまま。差し替えを依頼。 | 古い避難経路図 | 
1 | {floor}階 倉庫 | 消火器の前に清掃カート。移動してもらい、床の表示を説明した。 | 消火器前の清掃カート | 
1 | {floor}階 廊下 | 天井板{count}枚に水染み。上階の漏水は修理済みで、美観上の問題のみ。 | 天井の水染み | 
1 | 機械室 | 点検簿の直近{count}回分に押印がない。記録の内容は問題なし。 | 点検簿 | 
1 | 駐車場 | 消防車用スペースの白線が約{cm}cmにわたり消えかけている。 | 薄くなった白線 | 
1 | A階段 {floor}階 | 手すりのブラケットに緩み。その場で増し締めした。 | 手すりのブラケット | 
1 | 1階 AED | パッドの使用期限まであと{count}週間。交換品は手配済みとのこと。 | AEDパッドの期限表示 | 
1 | 玄関 | 自動ドアのセンサーに汚れ。清掃後は正常に動作。 | 自動ドアのセンサー | 
1 | 風除室 | 玄関マットの端がめくれ、つまずきやすい。テープで仮留めした。 | めくれたマット | Office Residence Retail
`;

export const FINDING_TEXTS: Readonly<Record<Language, readonly FindingText[]>> = {
  English: readTable(ENGLISH, 5).map(readFinding),
  Japanese: readTable(JAPANESE, 5).map(readFinding),
};

function readFinding(row: string[]): FindingText {
  const [severity = '', place = '', text = '', caption = '', kinds = ''] = row;
  return { severity: Number(severity), place, text, caption, kinds: kinds.split(' ').filter((kind) => kind !== '') };
}
