// The notes of a visit: how the inspector got in, the result, the next steps. Composed of random sentences, so that notes
// differ.

import type { Dice } from './dice.ts';
import type { Language } from './people.ts';

/** Clean: nothing found. Minor: passed with findings. */
export type Outcome = 'clean' | 'minor' | 'failed';

const ARRIVAL: Readonly<Record<Language, readonly string[]>> = {
  English: [
    'Met by the building manager at the service entrance; keys to all plant rooms were ready.',
    'Signed in at security, badge 14 returned at the end.',
    'Manager was late, started with the outside and the roof.',
    'Heavy rain, so the roof was done last and only from the hatch.',
    'Walked through with the new caretaker, who took over last month and took good notes.',
    'Two rooms were locked and nobody had the key; see the list on the last page.',
    'Came unannounced as agreed with the owner.',
    'Parking is only possible behind the building since the road works began.',
  ],
  Japanese: [
    '管理人の立会いのもと、全館を巡回。',
    '防災センターで受付後、単独で点検。鍵は終了時に返却済み。',
    '担当者が不在のため、副担当の方に立ち会っていただいた。',
    '雨天のため屋上は最後に実施。',
    '人の少ない時間帯に実施し、利用者への影響なし。',
    '前任の管理人から引き継いだばかりとのことで、設備の位置を一通り説明した。',
    '搬入口側から入館。正面玄関は工事中。',
    '電車の遅延で到着が20分遅れたが、予定どおり終了。',
    '入居者への事前掲示を確認してから開始。',
  ],
};

const RESULT: Readonly<Record<Language, Readonly<Record<Outcome, readonly string[]>>>> = {
  English: {
    clean: [
      'Nothing to report, the place is well looked after.',
      'All points of the list in order, all alarms reached the panel within ten seconds.',
      'Everything found last time has been put right.',
    ],
    minor: [
      'Small things only, all of them known to the manager now.',
      'In good order apart from what is listed; none of it keeps the building from being used.',
      'Better than last year. The listed points can wait for the regular maintenance.',
    ],
    failed: [
      'Cannot be passed like this. Explained the reason on the spot and left a written notice.',
      'Failed. The manager agreed to close off the area until the repair is done.',
      'The serious point has to be repaired before anything else; the owner was told by telephone the same afternoon.',
    ],
  },
  Japanese: {
    clean: [
      '指摘事項なし。日常の手入れが行き届いている。',
      '全項目良好。警報はいずれも10秒以内に受信機で確認。',
      '前回の指摘はすべて是正済み。',
      '特に問題なし。清掃状態も良い。',
    ],
    minor: [
      '軽微な指摘のみ。内容は管理人に説明済み。',
      '使用に支障はないが、次回の定期整備での対応をお願いした。',
      '前年より改善している。残りは写真のとおり。',
      '指摘は少数。報告書は翌営業日に送付予定。',
    ],
    failed: [
      '現状では合格とできない。その場で理由を説明し、是正通知書を手渡した。',
      '不合格。修理完了まで該当箇所の使用を止めていただくことで合意。',
      '重大な指摘があるため、オーナーへ当日中に電話で報告。再点検が必要。',
    ],
  },
};

const CLOSING: Readonly<Record<Language, readonly string[]>> = {
  English: [
    'Next time bring the long ladder.',
    'The manager asks for a visit before ten, before the tenants come in.',
    'Please send the report to the owner and to the management company.',
    'A fire drill is planned for next month, we are invited.',
    'Spare keys are now kept at the reception.',
  ],
  Japanese: [
    '次回は長いはしごを持参すること。',
    '次回は午前10時前の訪問を希望されている。',
    '報告書はオーナーと管理会社の両方へ送付のこと。',
    '来月に避難訓練の予定あり。立会いの依頼を受けた。',
    '予備の鍵は受付で保管することになった。',
    '駐車場は裏手の3番を使用可。',
  ],
};

const SUMMARY: Readonly<Record<Outcome, string>> = {
  clean: 'English summary for the owner: passed, nothing open.',
  minor: 'English summary for the owner: passed with minor findings, see the list.',
  failed: 'English summary for the owner: not passed; the serious finding must be repaired and shown to us again.',
};

export function writeNotes(dice: Dice, about: { language: Language; outcome: Outcome; englishOwner: boolean }): string {
  const { language, outcome, englishOwner } = about;
  const sentences = [dice.pick(ARRIVAL[language]), dice.pick(RESULT[language][outcome])];
  if (dice.chance(0.5)) sentences.push(dice.pick(CLOSING[language]));
  const notes = sentences.join(language === 'English' ? ' ' : '');
  return language === 'Japanese' && englishOwner ? `${notes}\n\n${SUMMARY[outcome]}` : notes;
}
