export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

export type Shell = (typeof SHELLS)[number];

/*
 * The scripts contain no commands: each runs `planner __complete -- <words>`, with the word at the cursor last, and
 * reads one candidate per line, with a tab and its summary; `:file` or `:directory` leaves the word to the shell.
 */

const BASH = `# Completion of planner for bash: source <(planner completion bash)
_planner() {
  local word="\${COMP_WORDS[COMP_CWORD]}" candidate path
  COMPREPLY=()
  [[ "$word" == "=" ]] && word=""
  while IFS=$'\\t' read -r candidate _; do
    case "$candidate" in
      :file | :directory)
        compopt -o filenames 2>/dev/null
        local kind=-f
        [[ "$candidate" == ":directory" ]] && kind=-d
        while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$kind" -- "$word")
        ;;
      *) COMPREPLY+=("$candidate") ;;
    esac
  done < <("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _planner planner
`;

const ZSH = `#compdef planner
# Completion of planner for zsh: source <(planner completion zsh), or save as _planner in a folder of $fpath
_planner() {
  local line
  local -a found shown
  for line in "\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      :file) _files; return ;;
      :directory) _files -/; return ;;
      '') ;;
      *)
        found+=("\${line%%$'\\t'*}")
        shown+=("\${\${line/$'\\t'/  }%  }")
        ;;
    esac
  done
  (( \${#found} )) && compadd -U -l -d shown -a found
}
if [ "\${funcstack[1]}" = "_planner" ]; then _planner "$@"; else compdef _planner planner; fi
`;

const FISH = `# Completion of planner for fish: planner completion fish | source
function __planner_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found ($words[1] __complete -- $words[2..-1] "$current" 2>/dev/null)
    if test "$found[1]" = :file
        __fish_complete_path "$current"
    else if test "$found[1]" = :directory
        __fish_complete_directories "$current"
    else
        printf '%s\\n' $found
    end
end
complete -c planner -f -a '(__planner_complete)'
`;

// PowerShell leaves an empty word at the cursor out of the syntax tree, so it is added here.
const POWERSHELL = `# Completion of planner for PowerShell: planner completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName planner -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
  if ($wordToComplete -eq "") { $words += "" }
  foreach ($line in @(& planner __complete -- @words 2>$null)) {
    $candidate, $summary = $line -split "\`t", 2
    if ($candidate -eq ":file" -or $candidate -eq ":directory") {
      [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
    } else {
      if (-not $summary) { $summary = $candidate }
      [System.Management.Automation.CompletionResult]::new($candidate, $candidate, "ParameterValue", $summary)
    }
  }
}
`;

export const COMPLETION_SCRIPTS: Record<Shell, string> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };
