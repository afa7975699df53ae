// Starts the reference of the interface: /docs/{applicationId}, or /docs for what all applications have.

import '../tokens.css';
import '../base.css';

import { createRoot } from 'react-dom/client';
import { remembered } from '../frame/remembered.ts';
import { ReferencePage } from './ReferencePage.tsx';
import { language } from './words.ts';

const place = document.getElementById('reference');
if (place === null) throw new Error('The page has no place for the reference.');

document.documentElement.lang = language;

// The viewer knows dark by a name.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

const [, , application] = location.pathname.split('/');
const used = remembered('application');
if (!application && used !== undefined) location.replace(`/docs/${encodeURIComponent(used)}`);
else
  createRoot(place).render(<ReferencePage application={application ? decodeURIComponent(application) : undefined} />);
