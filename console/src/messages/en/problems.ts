export const problems = {
  back: 'The server can be reached again. Please try again.',
  unreachable: 'The server cannot be reached. Check your connection and try again.',
  busy: 'The server is busy or restarting. Try again in a moment.',
  server: 'Something went wrong on the server. Try again in a moment.',
  tooMany: 'Too many requests. Try again in {seconds, plural, one {# second} other {# seconds}}.',
  forbidden: 'You may not do this. Ask an administrator for the right.',
  notFound: 'This does not exist any more, or you may not see it.',
  other: 'The server refused: {message}',
};
