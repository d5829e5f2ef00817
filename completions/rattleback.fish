# Completion of rattleback for fish. What is possible is known by the program; this script only translates.

function __rattleback_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l current (commandline --current-token --cut-at-cursor | string unescape)
    $words[1] complete -- $words[2..] "$current" 2>/dev/null
end

complete --command rattleback --no-files --keep-order --arguments '(__rattleback_complete)'
