// Shared by the pages: their elements, the error line, and requests to the server.

export const element = (id) => document.getElementById(id);

export const tell = (text) => {
  element('message').textContent = text;
};

/** `status` is 0 if the server cannot be reached; `body` is empty if there is none. */
export async function ask(method, path, json) {
  const options = { method, headers: {} };
  if (json !== undefined) {
    options.headers['content-type'] = 'application/json';
    options.body = JSON.stringify(json);
  }
  const response = await fetch(path, options).catch(() => undefined);
  if (response === undefined) return { ok: false, status: 0, body: {} };
  const body = await response.json().catch(() => ({}));
  return { ok: response.ok, status: response.status, body, retryAfter: response.headers.get('retry-after') };
}

export const sessionPath = (application) => `/v1/${encodeURIComponent(application)}/session`;

/** For errors without a message of the page's own. */
export function sentenceOf({ status, retryAfter }) {
  if (status === 0) return 'The server cannot be reached. Check your connection and try again.';
  if (status !== 429) return 'Something went wrong on the server. Try again in a moment.';
  const seconds = Number(retryAfter) || 1;
  return `Too many attempts. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
}

/** Runs the action when the form is submitted, one at a time, and shows the message that it returns. */
export function onSubmit(form, work) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const buttons = form.querySelectorAll('button');
    for (const button of buttons) button.disabled = true;
    tell('');
    tell((await work(event.submitter?.value)) ?? '');
    for (const button of buttons) button.disabled = false;
  });
}
