export const newPassword = {
  title: 'Choose your password',
  titleOf: 'Choose your password for {name}',
  password: 'New password',
  again: 'Repeat the new password',
  show: 'Show the passwords',
  submit: 'Set the password',
  enter: 'Enter a new password.',
  different: 'The two passwords are not the same.',
  used: 'This link was already used or has expired. Ask for a new one, on the sign-in page or from whoever gave it to you, and use the latest one.',
  incomplete:
    'This link is incomplete. Copy all of it, or ask for a new one, on the sign-in page or from whoever gave it to you.',
  disabled: 'Passwords are turned off here. Sign in with your organization.',
  done: 'Your new password is set. Sign in with your e-mail address and this password.',
  toSignIn: 'Sign in',
};
