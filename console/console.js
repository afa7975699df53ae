// Shows who is signed in to which application, and signs users in and out. The address names the application, as the last
// segment of its path (the `url` of a definition) or after the #; otherwise it is the one used last.

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

/** The form for another application, alone on the page where there is none yet. */
function offerChoice(alone) {
  choose.open = alone;
  choose.classList.toggle('only', alone);
}

async function showApplication() {
  const [, inPath] = /^\/console\/([^/]+)$/.exec(location.pathname) ?? [];
  application = new URLSearchParams(location.hash.slice(1)).get('application') ?? inPath ?? remembered();
  identifier.value = application;
  offerChoice(application === '');
  if (application === '') {
    show('Open your application');
    identifier.focus();
    return undefined;
  }
  const answer = await ask('GET', sessionPath(application));
  if (answer.ok) return welcome(answer.body);
  if (answer.status === 401) return invite();
  if (answer.body.code === 'INVALID_APPLICATION_ID') return refuse('This is not an application ID.');
  show('Sign in');
  return sentenceOf(answer);
}

function refuse(sentence) {
  show('Open your application');
  offerChoice(true);
  identifier.focus();
  return `${sentence} Check the link, or ask the person who sent it to you.`;
}

/** Users without access to the interface may not read the definition, in which the name is. */
async function welcome({ user: { name }, apiAccess }) {
  remember();
  const definition = apiAccess ? await ask('GET', `/v1/${application}`) : undefined;
  element('who').textContent = `You are signed in as ${name}.`;
  show(definition?.body.name ?? 'Signed in', signedIn);
  title.focus();
  return undefined;
}

async function invite() {
  const answer = await ask('GET', `${sessionPath(application)}/methods`);
  if (!answer.ok) {
    show('Sign in');
    return sentenceOf(answer);
  }
  if (answer.body.name === undefined) return refuse('There is no application with this ID.');
  singleSignOn.href = `${sessionPath(application)}/singleSignOn`;
  forgotten.hidden = !answer.body.passwordReset;
  show(`Sign in to ${answer.body.name}`, answer.body.singleSignOn ? singleSignOn : signIn);
  (answer.body.singleSignOn ? singleSignOn : user).focus();
  return undefined;
}

const WRONG = 'Wrong user ID, e-mail address or password. If they are right, your account may be disabled.';

/** User identifiers contain no @. */
const named = () => (user.value.includes('@') ? { email: user.value.trim() } : { userId: user.value.trim() });

async function enter() {
  if (user.value.trim() === '') return 'Enter your user ID or e-mail address.';
  if (password.value === '') return 'Enter your password.';
  const answer = await ask('POST', sessionPath(application), { ...named(), password: password.value });
  if (answer.status === 401) return WRONG;
  if (!answer.ok) return sentenceOf(answer);
  password.value = '';
  return welcome(answer.body);
}

async function askForPassword() {
  if (user.value.trim() === '') return 'Enter your user ID or e-mail address. A link will be sent to you.';
  const answer = await ask('POST', `${sessionPath(application)}/passwordReset`, named());
  if (!answer.ok) return sentenceOf(answer);
  return 'If this user exists, an e-mail with a link to set a new password is on its way.';
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
  if (chosen === '') return 'Enter the application ID.';
  history.pushState(null, '', `/console/${encodeURIComponent(chosen)}`);
  return showApplication();
});

const begin = async () => tell((await showApplication()) ?? '');
addEventListener('popstate', begin);
begin();
