# Completion of rattleback for bash, with and without the package bash-completion. What is possible is known by the
# program; this script only translates.

_rattleback() {
  local IFS=$' \t\n'
  # Bash cuts words at the characters of COMP_WORDBREAKS, among them ':' and '=': put together again what has no blanks
  # in between, up to the cursor.
  local rest=${COMP_LINE:0:COMP_POINT} piece trimmed i
  local -a words=()
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    trimmed=${rest#"${rest%%[![:blank:]]*}"}
    piece=${COMP_WORDS[i]}
    if ((i == COMP_CWORD)); then piece=$trimmed; fi
    if ((i > 0)) && [[ $trimmed == "$rest" ]]; then
      words[-1]+=$piece
    else
      words+=("$piece")
    fi
    rest=${trimmed#"$piece"}
  done
  local current=${words[-1]}

  # What is redirected to is a file.
  if ((${#words[@]} > 1)) && [[ ${words[-2]} == *[\<\>] ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  fi

  # The program reads words without quotes and backslashes.
  local quote='' plain=()
  for piece in "${words[@]:1}"; do
    case $piece in
      \'*) piece=${piece#\'} piece=${piece%\'} ;;
      \"*) piece=${piece#\"} piece=${piece%\"} ;;
      *) piece=${piece//\\/} ;;
    esac
    plain+=("$piece")
  done
  case $current in [\'\"]*) quote=${current:0:1} ;; esac

  # Bash replaces only what stands behind the last of its word breaks.
  local kept='' last=${plain[-1]} breaks=''
  if [[ -z $quote ]]; then
    if [[ $COMP_WORDBREAKS == *:* ]]; then breaks+=':'; fi
    if [[ $COMP_WORDBREAKS == *=* ]]; then breaks+='='; fi
    if [[ -n $breaks && $last == *[$breaks]* ]]; then kept=${last%"${last##*[$breaks]}"}; fi
  fi

  local program=${words[0]/#\~\//$HOME/} text description
  COMPREPLY=()
  while IFS=$'\t' read -r text description; do
    text=${text#"$kept"}
    if [[ -z $quote && $text == *[!A-Za-z0-9_./:=,+@%~-]* ]]; then printf -v text %q "$text"; fi
    COMPREPLY+=("$text")
  done < <("$program" complete -- "${plain[@]}" 2>/dev/null)
  # A word that goes on is not followed by a blank.
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[=/:,] ]]; then compopt -o nospace 2>/dev/null; fi
}

complete -o nosort -F _rattleback rattleback 2>/dev/null || complete -F _rattleback rattleback
