// Shows who is signed in to which application, and signs users in and out. The application is named in the address, after the
// # or as the last segment of the path (the `url` of a definition); otherwise it is the one used last.

import { ask, element, onSubmit, sentenceOf, sessionPath, tell } from './page.js';

const REMEMBERED = 'cartulary.application';
const [title, signedIn, signIn, user, password] = ['title', 'signedIn', 'signIn', 'user', 'password'].map(element);
const [forgotten, singleSignOn, choose, identifier] = ['forgotten', 'singleSignOn', 'choose', 'application'].map(
  element,
);

let application = '';

/** Browsers that block storage throw. */
function remembered() {
  try {
    return localStorage.getItem(REMEMBERED) ?? '';
  } catch {
    return '';
  }
}

function remember() {
  try {
    localStorage.setItem(REMEMBERED, application);
  } catch {
    // Next time the address has to name the application.
  }
}

function show(heading, ...parts) {
  for (const part of [signedIn, signIn, singleSignOn]) part.hidden = !parts.includes(part);
  title.textContent = heading;
  document.title = `${heading} – Cartulary`;
}

async function showApplication() {
  const [, inPath] = /^\/console\/([^/]+)$/.exec(location.pathname) ?? [];
  application = new URLSearchParams(location.hash.slice(1)).get('application') ?? inPath ?? remembered();
  identifier.value = application;
  choose.open = application === '';
  if (application === '') {
    show('Which application?');
    return undefined;
  }
  const answer = await ask('GET', sessionPath(application));
  if (answer.ok) return welcome(answer.body);
  if (answer.status === 401) return invite();
  show('Cartulary');
  choose.open = true;
  if (answer.body.code === 'INVALID_APPLICATION_ID') return 'This is not the identifier of an application.';
  return sentenceOf(answer);
}

/** Only users with access to the interface may read the name of the application. */
async function welcome({ user: { name }, apiAccess }) {
  remember();
  const definition = apiAccess ? await ask('GET', `/v1/${application}`) : undefined;
  element('who').textContent = `You are signed in to ${definition?.body.name ?? application} as ${name}.`;
  show(name, signedIn);
  title.focus();
  return undefined;
}

async function invite() {
  const answer = await ask('GET', `${sessionPath(application)}/methods`);
  if (!answer.ok) {
    show('Cartulary');
    return sentenceOf(answer);
  }
  singleSignOn.href = `${sessionPath(application)}/singleSignOn`;
  forgotten.hidden = !answer.body.passwordReset;
  show('Sign in', answer.body.singleSignOn ? singleSignOn : signIn);
  (answer.body.singleSignOn ? singleSignOn : user).focus();
  return undefined;
}

/** User identifiers contain no @. */
const named = () => (user.value.includes('@') ? { email: user.value.trim() } : { userId: user.value.trim() });

async function enter() {
  if (user.value.trim() === '') return 'Type your user ID or your e-mail address.';
  if (password.value === '') return 'Type your password.';
  const answer = await ask('POST', sessionPath(application), { ...named(), password: password.value });
  if (answer.status === 401) return 'The user, the password or the application is not right, or you may not enter.';
  if (!answer.ok) return sentenceOf(answer);
  password.value = '';
  return welcome(answer.body);
}

async function askForPassword() {
  if (user.value.trim() === '') return 'Type your user ID or your e-mail address, so that a link can be sent to you.';
  const answer = await ask('POST', `${sessionPath(application)}/passwordReset`, named());
  if (!answer.ok) return sentenceOf(answer);
  return 'If there is such a user, a link to set a new password is on its way by e-mail.';
}

async function leave() {
  const answer = await ask('DELETE', sessionPath(application));
  // 401: the session has already ended.
  if (!answer.ok && answer.status !== 401) return sentenceOf(answer);
  return (await invite()) ?? 'You are signed out.';
}

onSubmit(signIn, (asked) => (asked === 'forgotten' ? askForPassword() : enter()));
onSubmit(signedIn, leave);
onSubmit(element('open'), async () => {
  const chosen = identifier.value.trim();
  if (chosen === '') return 'Type the identifier of the application.';
  history.pushState(null, '', `#application=${encodeURIComponent(chosen)}`);
  return showApplication();
});

const begin = async () => tell((await showApplication()) ?? '');
addEventListener('hashchange', begin);
begin();
