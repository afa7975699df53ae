// `cartulary completion`: the script that a shell loads, and the candidates that the script asks for.

import { completionsFor, SHELLS, type Shell } from '../completion.ts';
import { usageFailure } from '../failure.ts';
import { type CommandRow, localCommand } from './row.ts';

/** Each asks the command itself, so that it never has to be generated again. Without candidates, files are offered. */
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_cartulary() {
  local candidate
  COMPREPLY=()
  while IFS= read -r candidate; do
    COMPREPLY+=("$candidate")
  done < <(cartulary completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # Quotes names with spaces, as it does for files.
  compopt -o filenames 2>/dev/null
  if [ "\${#COMPREPLY[@]}" -eq 1 ] && [[ "\${COMPREPLY[0]}" == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _cartulary cartulary
`,
  zsh: `#compdef cartulary
_cartulary() {
  local -a candidates values
  candidates=("\${(@f)$(cartulary completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  candidates=("\${(@)candidates:#}")
  if (( \${#candidates} == 0 )); then _files; return; fi
  values=("\${(@M)candidates:#*=}")
  candidates=("\${(@)candidates:#*=}")
  compadd -S '' -- "\${values[@]}"
  compadd -- "\${candidates[@]}"
}
if [ "$funcstack[1]" = _cartulary ]; then _cartulary "$@"; else compdef _cartulary cartulary; fi
`,
  fish: `function __cartulary_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l candidates (cartulary completion fish -- $words[2..-1] 2>/dev/null)
  if test (count $candidates) -gt 0
    printf '%s\\n' $candidates
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c cartulary -f -a '(__cartulary_complete)'
`,
};

/** `rows`: all other commands. */
export function completionCommand(rows: readonly CommandRow[]): CommandRow {
  const own: CommandRow = localCommand({
    usage: 'completion <shell> [words...]',
    summary: `print the completion script of a shell: ${SHELLS.join(', ')}`,
    details: `It completes commands, options, profiles, and the names of applications, collections and columns that commands have
seen on this machine. Bash: add \`source <(cartulary completion bash)\` to ~/.bashrc. Zsh: save the script as _cartulary in a folder of $fpath.
Fish: save it as ~/.config/fish/completions/cartulary.fish.`,
    examples: ['completion bash', 'completion zsh', 'completion fish'],
    run: async ({ args: [given, ...words], environment }) => {
      const shell = SHELLS.find((known) => known === given);
      if (shell === undefined) throw usageFailure(`${given} is not a known shell; known are ${SHELLS.join(', ')}.`);
      if (words.length === 0) process.stdout.write(SCRIPTS[shell]);
      else for (const candidate of await completionsFor([...rows, own], words, environment)) console.log(candidate);
    },
  });
  return own;
}
