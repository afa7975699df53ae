// Sets a new password with the token of the mailed link. The token follows the #, which browsers never send to a server.

import { ask, element, onSubmit, sentenceOf, sessionPath, tell } from './page.js';

const parameters = new URLSearchParams(location.hash.slice(1));
const application = parameters.get('application') ?? '';
const token = parameters.get('token') ?? '';
// Removed from the address, so that it appears neither in the history nor on the screen.
history.replaceState(null, '', location.pathname);

const [form, password, again, show] = ['form', 'password', 'again', 'show'].map(element);

const AGAIN = 'Ask for a new link on the sign-in page, and use the latest one you receive.';

function refusal(answer) {
  const { code, params } = answer.body;
  if (code === 'WEAK_PASSWORD') return params.reason;
  if (code === 'INVALID_PROPERTY') return `This link was already used or has expired. ${AGAIN}`;
  if (code === 'FEATURE_DISABLED') return 'Passwords are turned off here. Sign in with your organization.';
  return sentenceOf(answer);
}

async function setPassword() {
  if (password.value === '') return 'Enter a new password.';
  if (password.value !== again.value) return 'The two passwords are not the same.';
  const answer = await ask('PUT', `${sessionPath(application)}/passwordReset`, { token, password: password.value });
  if (!answer.ok) return refusal(answer);
  form.hidden = true;
  element('console').href = `/console/${encodeURIComponent(application)}`;
  element('console').hidden = false;
  return 'Your new password is set. You can now sign in with it.';
}

onSubmit(form, setPassword);

show.addEventListener('change', () => {
  for (const input of [password, again]) input.type = show.checked ? 'text' : 'password';
});

if (application === '' || token === '') {
  form.hidden = true;
  tell(`This link is incomplete. ${AGAIN}`);
}
