// Applications to begin with. What tells records apart is unique, so that files can be imported again and references
// found; what people sort and look for by is sortable and searchable.

import { column, group, list, listOfGroups, reference, type Template, type Words } from './words.ts';

const NOTE: Words = ['Note', '備考'];
const STATUS: Words = ['Status', 'ステータス'];
const PHONE: Words = ['Phone', '電話番号'];
const EMAIL: Words = ['E-mail', 'メールアドレス'];
const ADDRESS: Words = ['Address', '住所'];
const PLACE: Words = ['Place', '場所'];
const PHOTOS: Words = ['Photos', '写真'];
const NAME: Words = ['Name', '名前'];
const TITLE: Words = ['Title', '件名'];
const RESPONSIBLE: Words = ['Responsible', '担当者'];

const SITES: Words = ['Sites', '拠点'];
const SITE_NAME: Words = ['Site name', '拠点名'];
const CHECKLISTS: Words = ['Checklists', 'チェックリスト'];
const CHECKLIST_NAME: Words = ['Checklist', 'チェックリスト名'];
const INSPECTIONS: Words = ['Inspections', '点検'];
const INSPECTION_NUMBER: Words = ['Inspection no.', '点検番号'];

const inspections: Template = {
  id: 'inspections',
  name: ['Inspections', '点検管理'],
  about: [
    'Sites, checklists, inspections with photos and results, and the defects that have to be mended.',
    '拠点とチェックリスト、写真と結果を記録する点検、修理が必要な不具合を管理します。',
  ],
  collections: [
    {
      name: SITES,
      columns: [
        column(SITE_NAME, 'String', 'usf'),
        column(ADDRESS, 'String', 'f'),
        column(PLACE, 'Location', 'f'),
        group(
          ['Contact', '連絡先'],
          [
            [NAME, 'String'],
            [PHONE, 'String'],
          ],
        ),
        column(RESPONSIBLE, 'User', 'sf'),
      ],
    },
    {
      name: CHECKLISTS,
      columns: [
        column(CHECKLIST_NAME, 'String', 'usf'),
        list(['Items to check', '点検項目'], 'String'),
        column(['Every … months', '点検間隔（か月）'], 'Number', 'sf'),
      ],
    },
    {
      name: INSPECTIONS,
      own: true,
      columns: [
        column(INSPECTION_NUMBER, 'String', 'usf'),
        reference(['Site', '拠点'], SITES, SITE_NAME),
        reference(CHECKLIST_NAME, CHECKLISTS, CHECKLIST_NAME),
        column(['Inspected at', '点検日時'], 'DateTime', 'sf'),
        column(['Inspector', '点検者'], 'User', 'sf'),
        column(['Passed', '合格'], 'Boolean', 'sf'),
        listOfGroups(
          ['Results', '点検結果'],
          [
            [['Item', '項目'], 'String'],
            [['In order', '異常なし'], 'Boolean'],
            [NOTE, 'String'],
          ],
        ),
        list(PHOTOS, 'Attachment'),
        column(NOTE, 'String', 'f'),
      ],
    },
    {
      name: ['Defects', '不具合'],
      columns: [
        column(TITLE, 'String', 'sf'),
        reference(['Inspection', '点検'], INSPECTIONS, INSPECTION_NUMBER),
        column(['Severity', '重要度'], 'String', 'sf'),
        column(STATUS, 'String', 'sf'),
        column(['Mend by', '修理期限'], 'Date', 'sf'),
        column(RESPONSIBLE, 'User', 'sf'),
        list(PHOTOS, 'Attachment'),
      ],
    },
  ],
};

const PRODUCTS: Words = ['Products', '商品'];
const PRODUCT_CODE: Words = ['Product code', '商品コード'];
const WAREHOUSES: Words = ['Warehouses', '倉庫'];
const WAREHOUSE_NAME: Words = ['Warehouse', '倉庫名'];
const SUPPLIERS: Words = ['Suppliers', '仕入先'];
const SUPPLIER_NAME: Words = ['Supplier', '仕入先名'];

const inventory: Template = {
  id: 'inventory',
  name: ['Inventory', '在庫管理'],
  about: [
    'Products, suppliers and warehouses; every receipt and issue is a movement, and counts say what is there.',
    '商品、仕入先、倉庫を登録し、入出庫を履歴として残し、棚卸しで実数を確かめます。',
  ],
  collections: [
    {
      name: SUPPLIERS,
      columns: [
        column(SUPPLIER_NAME, 'String', 'usf'),
        column(['Contact', '担当窓口'], 'String', 'f'),
        column(EMAIL, 'String', 'f'),
        column(PHONE, 'String', 'f'),
        column(['Days to deliver', '納品日数'], 'Number', 'sf'),
      ],
    },
    {
      name: PRODUCTS,
      columns: [
        column(PRODUCT_CODE, 'String', 'usf'),
        column(['Product name', '商品名'], 'String', 'sf'),
        column(['Category', '分類'], 'String', 'sf'),
        column(['Unit', '単位'], 'String', 'f'),
        column(['Purchase price', '仕入単価'], 'Number', 'sf'),
        column(['Reorder below', '発注点'], 'Number', 'sf'),
        reference(['Supplier', '仕入先'], SUPPLIERS, SUPPLIER_NAME),
        column(['Picture', '画像'], 'Attachment', ''),
        column(['Discontinued', '取扱終了'], 'Boolean', 'sf'),
      ],
    },
    {
      name: WAREHOUSES,
      columns: [
        column(WAREHOUSE_NAME, 'String', 'usf'),
        column(ADDRESS, 'String', 'f'),
        column(PLACE, 'Location', 'f'),
        column(RESPONSIBLE, 'User', 'sf'),
      ],
    },
    {
      name: ['Movements', '入出庫'],
      own: true,
      columns: [
        reference(['Product', '商品'], PRODUCTS, PRODUCT_CODE),
        reference(['Warehouse', '倉庫'], WAREHOUSES, WAREHOUSE_NAME),
        column(['Kind', '区分'], 'String', 'sf'),
        column(['Quantity', '数量'], 'Number', 'sf'),
        column(['Moved at', '入出庫日時'], 'DateTime', 'sf'),
        column(['Document no.', '伝票番号'], 'String', 'sf'),
        column(NOTE, 'String', 'f'),
      ],
    },
    {
      name: ['Counts', '棚卸し'],
      columns: [
        reference(['Product', '商品'], PRODUCTS, PRODUCT_CODE),
        reference(['Warehouse', '倉庫'], WAREHOUSES, WAREHOUSE_NAME),
        column(['Counted on', '棚卸し日'], 'Date', 'sf'),
        column(['Counted quantity', '実数'], 'Number', 'sf'),
        column(['Counted by', '担当者'], 'User', 'sf'),
      ],
    },
  ],
};

const COMPANIES: Words = ['Companies', '会社'];
const COMPANY_NAME: Words = ['Company name', '会社名'];
const CONTACTS: Words = ['Contacts', '連絡先'];
const FULL_NAME: Words = ['Full name', '氏名'];

const customers: Template = {
  id: 'customers',
  name: ['Customers', '顧客管理'],
  about: [
    'Companies and the people there, open deals with their stage and value, and every talk with its next step.',
    '会社と担当者、商談の段階と金額、やり取りの履歴と次の予定を管理します。',
  ],
  collections: [
    {
      name: COMPANIES,
      columns: [
        column(COMPANY_NAME, 'String', 'usf'),
        column(['Industry', '業種'], 'String', 'sf'),
        column(['Website', 'ウェブサイト'], 'String', 'f'),
        group(ADDRESS, [
          [['Postal code', '郵便番号'], 'String'],
          [['City', '市区町村'], 'String'],
          [['Street', '番地・建物名'], 'String'],
        ]),
        column(PLACE, 'Location', 'f'),
        column(['Account manager', '営業担当'], 'User', 'sf'),
      ],
    },
    {
      name: CONTACTS,
      columns: [
        column(FULL_NAME, 'String', 'sf'),
        reference(['Company', '会社'], COMPANIES, COMPANY_NAME),
        column(['Position', '役職'], 'String', 'sf'),
        column(EMAIL, 'String', 'usf'),
        column(PHONE, 'String', 'f'),
        column(['Business card', '名刺'], 'Attachment', ''),
      ],
    },
    {
      name: ['Deals', '商談'],
      columns: [
        column(['Deal', '商談名'], 'String', 'sf'),
        reference(['Company', '会社'], COMPANIES, COMPANY_NAME),
        column(['Stage', '段階'], 'String', 'sf'),
        column(['Value', '金額'], 'Number', 'sf'),
        column(['Chance in %', '確度（%）'], 'Number', 'sf'),
        column(['Expected on', '受注予定日'], 'Date', 'sf'),
        column(RESPONSIBLE, 'User', 'sf'),
        list(['Documents', '資料'], 'Attachment'),
      ],
    },
    {
      name: ['Talks', '対応履歴'],
      own: true,
      columns: [
        column(['Subject', '件名'], 'String', 'sf'),
        reference(['Contact', '連絡先'], CONTACTS, EMAIL),
        column(['Talked at', '対応日時'], 'DateTime', 'sf'),
        column(['By', '手段'], 'String', 'sf'),
        column(['What was said', '内容'], 'String', 'f'),
        column(['Next step', '次の対応'], 'String', 'f'),
        column(['Next step on', '次回予定日'], 'Date', 'sf'),
      ],
    },
  ],
};

const ROOMS: Words = ['Rooms and equipment', '施設・備品'];
const ROOM_NAME: Words = ['Room or item', '施設・備品名'];
const GUESTS: Words = ['Customers', '利用者'];

const bookings: Template = {
  id: 'bookings',
  name: ['Bookings', '予約管理'],
  about: [
    'Rooms, equipment or staff that can be booked, who books them, bookings in a calendar, and closed days.',
    '予約できる施設や備品、利用者、カレンダーで見る予約、休業日を管理します。',
  ],
  collections: [
    {
      name: ROOMS,
      columns: [
        column(ROOM_NAME, 'String', 'usf'),
        column(['Kind', '種類'], 'String', 'sf'),
        column(['Places for', '定員'], 'Number', 'sf'),
        column(['Price per hour', '1時間あたりの料金'], 'Number', 'sf'),
        column(['Opens at', '利用開始時刻'], 'Time', 'sf'),
        column(['Closes at', '利用終了時刻'], 'Time', 'sf'),
        list(['Equipped with', '設備'], 'String'),
        column(['Picture', '画像'], 'Attachment', ''),
      ],
    },
    {
      name: GUESTS,
      columns: [
        column(FULL_NAME, 'String', 'sf'),
        column(EMAIL, 'String', 'usf'),
        column(PHONE, 'String', 'f'),
        column(NOTE, 'String', 'f'),
      ],
    },
    {
      name: ['Bookings', '予約'],
      columns: [
        column(['Booking no.', '予約番号'], 'String', 'usf'),
        reference(ROOM_NAME, ROOMS, ROOM_NAME),
        reference(['Customer', '利用者'], GUESTS, EMAIL),
        column(['From', '開始日時'], 'DateTime', 'sf'),
        column(['Until', '終了日時'], 'DateTime', 'sf'),
        column(['People', '人数'], 'Number', 'sf'),
        column(STATUS, 'String', 'sf'),
        column(['Price', '料金'], 'Number', 'sf'),
        column(['Paid', '支払い済み'], 'Boolean', 'sf'),
        column(['Taken by', '受付者'], 'User', 'sf'),
        column(NOTE, 'String', 'f'),
      ],
    },
    {
      name: ['Closed days', '休業日'],
      columns: [column(['Day', '日付'], 'Date', 'usf'), column(['Reason', '理由'], 'String', 'f')],
    },
  ],
};

const PROJECTS: Words = ['Projects', 'プロジェクト'];
const PROJECT_NAME: Words = ['Project', 'プロジェクト名'];
const ISSUES: Words = ['Issues', '課題'];
const ISSUE_NUMBER: Words = ['Issue no.', '課題番号'];
const RELEASES: Words = ['Releases', 'リリース'];
const RELEASE_NAME: Words = ['Release', 'リリース名'];

const issues: Template = {
  id: 'issues',
  name: ['Issue tracking', '課題管理'],
  about: [
    'Projects and releases, issues with priority, state and assignee for a board, comments, and time spent.',
    'プロジェクトとリリース、優先度・状態・担当者をボードで見る課題、コメント、作業時間を管理します。',
  ],
  collections: [
    {
      name: PROJECTS,
      columns: [
        column(PROJECT_NAME, 'String', 'usf'),
        column(['Lead', '責任者'], 'User', 'sf'),
        column(['Goal', '目標'], 'String', 'f'),
        column(['Ends on', '終了予定日'], 'Date', 'sf'),
      ],
    },
    {
      name: RELEASES,
      columns: [
        column(RELEASE_NAME, 'String', 'usf'),
        reference(PROJECT_NAME, PROJECTS, PROJECT_NAME),
        column(['Planned for', '予定日'], 'Date', 'sf'),
        column(['Released', 'リリース済み'], 'Boolean', 'sf'),
      ],
    },
    {
      name: ISSUES,
      columns: [
        column(ISSUE_NUMBER, 'String', 'usf'),
        column(TITLE, 'String', 'sf'),
        column(['Description', '説明'], 'String', 'f'),
        reference(PROJECT_NAME, PROJECTS, PROJECT_NAME),
        reference(RELEASE_NAME, RELEASES, RELEASE_NAME),
        column(['State', '状態'], 'String', 'sf'),
        column(['Priority', '優先度'], 'String', 'sf'),
        column(['Assignee', '担当者'], 'User', 'sf'),
        column(['Due on', '期限'], 'Date', 'sf'),
        column(['Estimate in hours', '見積もり（時間）'], 'Number', 'sf'),
        list(['Labels', 'ラベル'], 'String'),
        list(['Files', '添付ファイル'], 'Attachment'),
      ],
    },
    {
      name: ['Comments', 'コメント'],
      own: true,
      columns: [
        reference(['Issue', '課題'], ISSUES, ISSUE_NUMBER),
        column(['Comment', 'コメント'], 'String', 'f'),
        list(['Files', '添付ファイル'], 'Attachment'),
      ],
    },
    {
      name: ['Work', '作業記録'],
      own: true,
      columns: [
        reference(['Issue', '課題'], ISSUES, ISSUE_NUMBER),
        column(['Worked on', '作業日'], 'Date', 'sf'),
        column(['Hours', '時間'], 'Number', 'sf'),
        column(['Person', '作業者'], 'User', 'sf'),
        column(NOTE, 'String', 'f'),
      ],
    },
  ],
};

export const TEMPLATES: readonly Template[] = [inspections, inventory, customers, bookings, issues];
