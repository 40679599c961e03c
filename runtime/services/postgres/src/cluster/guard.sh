# Runs a command, the supervisor, and removes the directory SCRATCH once the standard input has ended.
#
# The host holds the other end of the standard input. It ends when the host closes it or dies.
"$@"
code=$?
: > "$SCRATCH/status/ended"
while read -r _; do :; done
rm -rf -- "$SCRATCH"
exit "$code"
