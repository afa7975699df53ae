// What keeps a server in order: backups and how to restore them, and the doctor, which compares attachments with their files.

import { useTranslations } from 'use-intl';
import { BackupPart } from './BackupPart.tsx';
import { DoctorPart } from './DoctorPart.tsx';
import { RestorePart } from './RestorePart.tsx';
import './maintenance.css';

export function MaintenancePage() {
  const t = useTranslations('maintenance');
  return (
    <main className="operate-page scrolled">
      <title>{`${t('title')} – Cartulary`}</title>
      <div className="operate-head">
        <h1>{t('title')}</h1>
      </div>
      <BackupPart />
      <RestorePart />
      <DoctorPart />
    </main>
  );
}
