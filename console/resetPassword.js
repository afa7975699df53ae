// Sets a new password with the token of the mailed link. The token is behind the #, which no browser sends to a server.

const parameters = new URLSearchParams(location.hash.slice(1));
const application = parameters.get('application') ?? '';
const token = parameters.get('token') ?? '';
// Neither the history nor whoever looks over the shoulder needs it.
history.replaceState(null, '', location.pathname);

const element = (id) => document.getElementById(id);
const [form, password, again, show, send] = ['form', 'password', 'again', 'show', 'send'].map(element);

const tell = (text) => {
  element('message').textContent = text;
};

const AGAIN = 'Ask for a new link where you sign in, and use the newest one that you are sent.';

const tooMany = (response) => {
  const seconds = Number(response.headers.get('retry-after')) || 1;
  return `Too many attempts. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
};

async function sentenceOf(response) {
  const problem = await response.json().catch(() => ({}));
  if (problem.code === 'WEAK_PASSWORD') return problem.params.reason;
  if (problem.code === 'INVALID_PROPERTY') return `This link was used already, or its time is over. ${AGAIN}`;
  if (problem.code === 'FEATURE_DISABLED')
    return 'Passwords cannot be set here any more. Sign in as your organization does.';
  if (response.status === 429) return tooMany(response);
  return 'The server could not set the password. Try again in a moment.';
}

async function setPassword() {
  if (password.value === '') return 'Type a new password.';
  if (password.value !== again.value) return 'The two passwords are not the same.';
  const response = await fetch(`/v1/${encodeURIComponent(application)}/session/passwordReset`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: password.value }),
  }).catch(() => undefined);
  if (response === undefined) return 'The server cannot be reached. Look at your connection and try again.';
  if (!response.ok) return sentenceOf(response);
  form.hidden = true;
  return 'Your new password is set. You can sign in with it now.';
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  send.disabled = true;
  tell('');
  tell(await setPassword());
  send.disabled = false;
});

show.addEventListener('change', () => {
  for (const input of [password, again]) input.type = show.checked ? 'text' : 'password';
});

if (application === '' || token === '') {
  form.hidden = true;
  tell(`This link is not complete. ${AGAIN}`);
}
