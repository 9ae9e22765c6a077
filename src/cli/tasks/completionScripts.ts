/** What a shell runs once at its start: from then on it asks `firn __complete` while a command line is written. */
export const completionScripts = {
  bash: `_firn() {
  local IFS=$'\\n' current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($("$1" __complete "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$current" 2> /dev/null | cut -f 1))
}
complete -o default -o bashdefault -F _firn firn
`,
  zsh: `#compdef firn
_firn() {
  local -a found
  local line
  for line in "\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT-1]}" "\${words[CURRENT]}" 2> /dev/null)}"; do
    local word="\${line%%$'\\t'*}" about="\${line#*$'\\t'}"
    [[ -n "$word" ]] && found+=("\${word//:/\\\\:}\${about:+:$about}")
  done
  if (( \${#found} )); then _describe firn found; else _files; fi
}
compdef _firn firn
`,
  fish: `function __firn_words
  set --local words (commandline -xpc 2> /dev/null; or commandline -opc)
  set --local current (commandline -ct)
  set --local found ($words[1] __complete $words[2..] "$current" 2> /dev/null)
  if set --query found[1]
    string join \\n -- $found
  else
    set --local option (string match --regex '^-[^=]*=' -- "$current")
    string join \\n -- "$option"(__fish_complete_path (string replace -- "$option" '' "$current"))
  end
end
complete --no-files --arguments '(__firn_words)' --command firn
`,
} as const;
